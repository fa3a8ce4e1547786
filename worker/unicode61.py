"""Which signs does the index take for words, and as which letters? As SQLite itself says.

Its tables are of an old Unicode, and other than those of JavaScript.
"""

import sys
from collections.abc import Iterator
from typing import cast

import apsw

from feeder.search.term_matching import TOKENIZER_ARGUMENTS

Token = tuple[int, int, str]


def unicode61() -> dict[str, object]:
    """`runs` are signs of words: how many to leave out, how many follow, and so on by turns.

    `marks` go on with a word and are left out of it. `from` are signs that become those of `to`.
    """
    signs = [chr(code) for code in range(sys.maxunicode + 1)]
    marks = [sign for sign in signs[0x80:0x1000] if _tokens(f"x{sign}y") == [(0, 4, "xy")]]
    for part in (*marks, *signs[0xD800:0xE000]):
        signs[ord(part)] = " "
    text = "".join(signs)
    found = [(raw, term) for raw, term in _words(text)]
    folded = {sign: to for raw, term in found for sign, to in _folded(raw, term)}
    return {
        "runs": [*_runs(raw for raw, _ in found)],
        "marks": "".join(marks),
        "from": "".join(folded),
        "to": "".join(folded.values()),
    }


def _tokens(text: str) -> list[Token]:
    name, *forms = TOKENIZER_ARGUMENTS
    tokenizer = apsw.Connection(":memory:").fts5_tokenizer(name, forms)
    found = tokenizer(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
    return cast("list[Token]", found)


def _words(text: str) -> Iterator[tuple[str, str]]:
    content = text.encode()
    for start, end, term in _tokens(text):
        yield content[start:end].decode(), term


def _folded(raw: str, term: str) -> Iterator[tuple[str, str]]:
    pairs = zip(raw, term, strict=True) if raw != term else ()
    return ((sign, to) for sign, to in pairs if sign != to)


def _runs(found: Iterator[str]) -> Iterator[int]:
    """Runs of signs that follow one another, as distances."""
    last = 0
    for raw in found:
        yield ord(raw[0]) - last
        yield len(raw)
        last = ord(raw[0]) + len(raw)
