"""Converts a trained model to the shipped file.  python pack.py MODEL.npz static_model.bin

The format is in `docs/explanation/models.md`; `feeder.embedding.static_model` reads it. Prints the
SHA-256 and the CRC-32 of the file.
"""

import hashlib
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

MAGIC, VERSION = b"FEEDERSM", 1


def main() -> None:
    model = np.load(sys.argv[1])
    vectors = model["vectors"].astype(np.float32)
    scale = np.abs(vectors).max(axis=1) / 127 + 1e-12
    rows = np.round(vectors / scale[:, None]).astype(np.int8)
    text = "\n".join(str(word) for word in model["words"]).encode()
    words, buckets = len(model["words"]), int(model["buckets"])
    sizes = (VERSION, rows.shape[1], words, buckets, len(text))
    header = MAGIC + struct.pack("<5If", *sizes, float(model["share"]))
    scales = [scale, model["name"], model["question"]]
    content = b"".join([
        header.ljust(64, b"\0"),
        *(part.astype("<f4").tobytes() for part in scales),
        rows.tobytes(),
        text,
    ])  # fmt: skip
    Path(sys.argv[2]).write_bytes(content)
    print(hashlib.sha256(content).hexdigest(), hex(zlib.crc32(content)), len(content), "bytes")


if __name__ == "__main__":
    main()
