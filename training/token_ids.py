"""Converts the pairs to token ids.  python token_ids.py SOURCES.tsv OUT.npz FOLDER...

OUT.npz has, for each field (`question`, `name`, `body`), the token ids of all texts in a flat array
and their offsets; the tokens; and each pair's repository and kind.
"""

import pickle
import sys
from array import array

import numpy as np
from frequent_words import of_sources

from feeder.embedding.static_tokenizer import split_tokens, split_words

LIMITS = {"question": 64, "name": 48, "body": 260}
"""Maximum tokens per field: training time grows with text length."""


class Numbers(dict[str, tuple[int, ...]]):
    """Maps a word to the ids of its tokens, assigning new ids as needed."""

    def __init__(self) -> None:
        self.parts: dict[str, int] = {}

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = tuple(self.parts.setdefault(part, len(self.parts)) for part in split_tokens(word))
        self[word] = found
        return found


def main() -> None:
    numbers = Numbers()
    flat = {field: array("i") for field in LIMITS}
    starts = {field: array("q", [0]) for field in LIMITS}
    repos: dict[str, int] = {}
    kinds: dict[str, int] = {}
    of_repo, of_kind = array("i"), array("i")
    for folder in sys.argv[3:]:
        for path in of_sources(sys.argv[1], folder):
            for kind, *texts in pickle.loads(path.read_bytes()):
                for (field, limit), text in zip(LIMITS.items(), texts, strict=True):
                    found = [one for word in split_words(text[:1600]) for one in numbers[word]]
                    flat[field].extend(found[:limit])
                    starts[field].append(len(flat[field]))
                of_repo.append(repos.setdefault(path.stem, len(repos)))
                of_kind.append(kinds.setdefault(kind, len(kinds)))
    arrays = {name: np.asarray(one, np.int32) for name, one in flat.items()}
    arrays |= {f"{name}_starts": np.asarray(one) for name, one in starts.items()}
    np.savez(
        sys.argv[2], **arrays, repo=np.asarray(of_repo), kind=np.asarray(of_kind),
        parts=np.array(list(numbers.parts)), repos=np.array(list(repos)),
        kinds=np.array(list(kinds)),
    )  # fmt: skip
    print(len(of_repo), "pairs", len(numbers.parts), "parts", kinds)


if __name__ == "__main__":
    main()
