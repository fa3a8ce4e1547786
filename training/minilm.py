"""Computes MiniLM's vector of each word of the vocabulary.

    python minilm.py TOKENS.npz OUT.npz

The table is the second source of initial vectors: it covers every word and natural language, while
the table of `nomic.py` comes from a model for code.
"""

import sys

import numpy as np
from train import BUCKETS, WORDS, frequent_vocabulary, validation_mask

from feeder.embedding.onnx import OnnxEmbedder


def main() -> None:
    data = dict(np.load(sys.argv[1]))
    words = frequent_vocabulary(data, ~validation_mask(data), WORDS, BUCKETS).words
    embedder, vectors = OnnxEmbedder(threads=1), list[np.ndarray]()
    for at in range(0, len(words), 256):
        vectors += embedder.embed(words[at : at + 256])
    embedder.close()
    np.savez(sys.argv[2], words=np.array(words), vectors=np.array(vectors, np.float16))
    print(len(words), "words")


if __name__ == "__main__":
    main()
