"""What does each word of the vocabulary mean to MiniLM, by itself?

    python minilm.py NUMBERS.npz OUT.npz

A second table of first vectors: it has a vector for every word, and knows the words of people where
that by a model for code knows those of programs.
"""

import sys

import numpy as np
from train import BUCKETS, WORDS, held, vocabulary

from feeder.embedding.onnx import OnnxEmbedder


def main() -> None:
    data = dict(np.load(sys.argv[1]))
    words = vocabulary(data, ~held(data), WORDS, BUCKETS).words
    embedder, vectors = OnnxEmbedder(threads=1), list[np.ndarray]()
    for at in range(0, len(words), 256):
        vectors += embedder.embed(words[at : at + 256])
    embedder.close()
    np.savez(sys.argv[2], words=np.array(words), vectors=np.array(vectors, np.float16))
    print(len(words), "words")


if __name__ == "__main__":
    main()
