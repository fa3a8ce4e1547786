"""Computes MiniLM's vectors of short texts, the teacher in training.

    python teacher.py OUT.npz SECONDS SOURCES.tsv PAIRS COMMITS

The texts are a sample of the queries of the training repositories. Stops after SECONDS.
"""

import pickle
import random
import sys
import time

import numpy as np
from frequent_words import VALIDATION, of_sources

from feeder.embedding.onnx import OnnxEmbedder


def texts(sources: str, folders: list[str], share: int = 330) -> list[str]:
    draw, found = random.Random(7), []
    for folder in folders:
        for path in of_sources(sources, folder):
            if path.stem not in VALIDATION:
                questions = [pair[1] for pair in pickle.loads(path.read_bytes())]
                short = [one for one in questions if 3 <= len(one.split()) <= 20]
                found += draw.sample(short, min(len(short), share))
    draw.shuffle(found)
    return list(dict.fromkeys(found))


def main() -> None:
    wanted = texts(sys.argv[3], sys.argv[4:])
    ends = time.monotonic() + float(sys.argv[2])
    embedder, vectors, done = OnnxEmbedder(threads=1), list[np.ndarray](), list[str]()
    for at in range(0, len(wanted), 64):
        if time.monotonic() > ends:
            break
        some = sorted(wanted[at : at + 64], key=len)
        vectors += embedder.embed(some)
        done += some
    embedder.close()
    np.savez(sys.argv[1], texts=np.array(done), vectors=np.array(vectors, np.float16))
    print(len(done), "texts of", len(wanted))


if __name__ == "__main__":
    main()
