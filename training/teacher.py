"""Computes MiniLM's vectors of short texts, the teacher in training.

    python teacher.py OUT.npz SECONDS SOURCES.tsv PAIRS COMMITS

The texts are a sample of the queries of the training repositories. Stops after SECONDS.
"""

import pickle
import random
import sys
import time

import numpy as np
from frequent_words import VALIDATION, source_files

from feeder.embedding.onnx import OnnxEmbedder


def texts(sources: str, folders: list[str], share: int = 330) -> list[str]:
    draw, sample = random.Random(7), []
    for folder in folders:
        for path in source_files(sources, folder):
            if path.stem not in VALIDATION:
                queries = [pair[1] for pair in pickle.loads(path.read_bytes())]
                short = [query for query in queries if 3 <= len(query.split()) <= 20]
                sample += draw.sample(short, min(len(short), share))
    draw.shuffle(sample)
    return list(dict.fromkeys(sample))


def main() -> None:
    sample = texts(sys.argv[3], sys.argv[4:])
    deadline = time.monotonic() + float(sys.argv[2])
    embedder, vectors, done = OnnxEmbedder(threads=1), list[np.ndarray](), list[str]()
    for at in range(0, len(sample), 64):
        if time.monotonic() > deadline:
            break
        batch = sorted(sample[at : at + 64], key=len)
        vectors += embedder.embed(batch)
        done += batch
    embedder.close()
    np.savez(sys.argv[1], texts=np.array(done), vectors=np.array(vectors, np.float16))
    print(len(done), "texts of", len(sample))


if __name__ == "__main__":
    main()
