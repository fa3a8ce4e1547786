"""Averages two trained models.  python mean.py ONE.npz OTHER.npz OUT.npz

Both have the same words. The second model's vectors are first rotated onto the first's (orthogonal
Procrustes), because two trainings agree on similarities but not on directions.
"""

import sys

import numpy as np

FITTED_WORDS = 12_000
"""The rotation is fitted on this many of the most frequent words."""


def main() -> None:
    one, other = (dict(np.load(path)) for path in sys.argv[1:3])
    if not np.array_equal(one["words"], other["words"]):
        raise SystemExit("The models have different words: train both on the same TOKENS.npz.")
    first, second = one["vectors"], other["vectors"]
    left, _, right = np.linalg.svd(second[:FITTED_WORDS].T @ first[:FITTED_WORDS])
    mean = {"vectors": (first + second @ (left @ right)) / 2}
    mean["share"] = (one["share"] + other["share"]) / 2
    mean |= {name: np.sqrt(one[name] * other[name]) for name in ("question", "name")}
    arguments = f"{one['arguments']} and {other['arguments']}"
    np.savez(sys.argv[3], **mean, words=one["words"], buckets=one["buckets"], arguments=arguments)


if __name__ == "__main__":
    main()
