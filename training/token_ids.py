"""Converts the pairs to token ids.  python token_ids.py SOURCES.tsv OUT.npz FOLDER...

OUT.npz has, for each field (`question`, `name`, `body`), the token ids of all texts in a flat array
and their offsets; the tokens; and each pair's repository and kind.
"""

import pickle
import sys
from array import array

import numpy as np
from frequent_words import source_files

from feeder.embedding.static_tokenizer import split_tokens, split_words

LIMITS = {"question": 64, "name": 48, "body": 260}
"""Maximum tokens per field: training time grows with text length."""


class TokenIds(dict[str, tuple[int, ...]]):
    """Maps a word to the ids of its tokens, assigning new ids as needed."""

    def __init__(self) -> None:
        self.tokens: dict[str, int] = {}

    def __missing__(self, word: str) -> tuple[int, ...]:
        ids = tuple(self.tokens.setdefault(token, len(self.tokens)) for token in split_tokens(word))
        self[word] = ids
        return ids


def main() -> None:
    token_ids = TokenIds()
    ids = {field: array("i") for field in LIMITS}
    starts = {field: array("q", [0]) for field in LIMITS}
    repos: dict[str, int] = {}
    kinds: dict[str, int] = {}
    repo_ids, kind_ids = array("i"), array("i")
    for folder in sys.argv[3:]:
        for path in source_files(sys.argv[1], folder):
            for kind, *texts in pickle.loads(path.read_bytes()):
                for (field, limit), text in zip(LIMITS.items(), texts, strict=True):
                    text_ids = [id_ for word in split_words(text[:1600]) for id_ in token_ids[word]]
                    ids[field].extend(text_ids[:limit])
                    starts[field].append(len(ids[field]))
                repo_ids.append(repos.setdefault(path.stem, len(repos)))
                kind_ids.append(kinds.setdefault(kind, len(kinds)))
    arrays = {name: np.asarray(values, np.int32) for name, values in ids.items()}
    arrays |= {f"{name}_starts": np.asarray(values) for name, values in starts.items()}
    np.savez(
        sys.argv[2], **arrays, repo=np.asarray(repo_ids), kind=np.asarray(kind_ids),
        parts=np.array(list(token_ids.tokens)), repos=np.array(list(repos)),
        kinds=np.array(list(kinds)),
    )  # fmt: skip
    print(len(repo_ids), "pairs", len(token_ids.tokens), "parts", kinds)


if __name__ == "__main__":
    main()
