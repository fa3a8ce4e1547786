"""Tables of SQLite's `unicode61` tokenizer: which characters form words, and which are folded.

They are read from SQLite itself: its Unicode version is older than JavaScript's.
"""

import sys
from collections.abc import Iterator
from typing import cast

import apsw

from feeder.store.tokenizer import TOKENIZER_ARGUMENTS

Token = tuple[int, int, str]


def unicode61_tables() -> dict[str, object]:
    """The tables by name.

    - `runs`: runs of word characters; numbers by turns: characters to skip, characters in the run
    - `marks`: combining marks, which continue a word and are removed from it
    - `from`, `to`: characters and what they are folded to, at the same positions
    """
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    marks = [
        character
        for character in characters[0x80:0x1000]
        if _tokenize(f"x{character}y") == [(0, 4, "xy")]
    ]
    for mark in (*marks, *characters[0xD800:0xE000]):
        characters[ord(mark)] = " "
    words = [*_words("".join(characters))]
    folded = {before: after for raw, term in words for before, after in _fold_pairs(raw, term)}
    return {
        "runs": [*_run_lengths(raw for raw, _ in words)],
        "marks": "".join(marks),
        "from": "".join(folded),
        "to": "".join(folded.values()),
    }


def _tokenize(text: str) -> list[Token]:
    """First byte, last byte and term of each word."""
    name, *arguments = TOKENIZER_ARGUMENTS
    tokenizer = apsw.Connection(":memory:").fts5_tokenizer(name, arguments)
    tokens = tokenizer(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
    return cast("list[Token]", tokens)


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Each word as it is in the text, and its term."""
    content = text.encode()
    for start, end, term in _tokenize(text):
        yield content[start:end].decode(), term


def _fold_pairs(raw: str, term: str) -> Iterator[tuple[str, str]]:
    pairs = zip(raw, term, strict=True) if raw != term else ()
    return ((before, after) for before, after in pairs if before != after)


def _run_lengths(runs: Iterator[str]) -> Iterator[int]:
    """By turns: the distance from the end of the run before, and the length of the run."""
    end = 0
    for run in runs:
        yield ord(run[0]) - end
        yield len(run)
        end = ord(run[0]) + len(run)
