"""The mean of two trained models.  python mean.py ONE.npz OTHER.npz OUT.npz

Both have the same words. The other's vectors are turned first so that they lie on the one's: two
trainings agree on what is near what, not on the directions.
"""

import sys

import numpy as np

_MOST = 12_000
"""So many of the most frequent words say how the two lie to each other."""


def main() -> None:
    one, other = (dict(np.load(path)) for path in sys.argv[1:3])
    if not np.array_equal(one["words"], other["words"]):
        raise SystemExit("The two have different words: train both on the same numbers.")
    here, there = one["vectors"], other["vectors"]
    left, _, right = np.linalg.svd(there[:_MOST].T @ here[:_MOST])
    mixed = {"vectors": (here + there @ (left @ right)) / 2}
    mixed["share"] = (one["share"] + other["share"]) / 2
    mixed |= {name: np.sqrt(one[name] * other[name]) for name in ("question", "name")}
    arguments = f"{one['arguments']} and {other['arguments']}"
    np.savez(sys.argv[3], **mixed, words=one["words"], buckets=one["buckets"], arguments=arguments)


if __name__ == "__main__":
    main()
