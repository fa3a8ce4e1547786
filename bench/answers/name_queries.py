"""Generates queries from an index's symbols: whole names, misspelt names and parts of names."""

import random
import re
import string
from collections.abc import Iterable, Iterator
from typing import Any

SEED = 20261122
MAX_NAMES = 40
"""Names per corpus."""
MIN_LETTERS = 8
"""Minimum letters of a name: half of a shorter one matches too much."""
MAX_CONTAINING = 3
"""A part of a name is a query if at most this many names contain it."""

_NAME = re.compile(r"[A-Za-z_]\w{7,}", re.ASCII)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def queries(symbols: Iterable[str], seed: int = SEED) -> list[dict[str, Any]]:
    """Returns up to four queries per drawn name: exact, misspelt, some words, a run of letters.

    A name is the last part of a symbol. Equal symbols and seeds give equal queries.
    """
    names = sorted({re.split(r"\.|::| > ", symbol)[-1] for symbol in symbols})
    existing = {name.casefold() for name in names}
    draw = random.Random(seed)
    long_enough = [name for name in names if len(name) >= MIN_LETTERS and _NAME.fullmatch(name)]
    drawn = draw.sample(long_enough, min(MAX_NAMES, len(long_enough)))
    return [query for name in drawn for query in _queries_for_name(name, names, existing, draw)]


def _queries_for_name(
    name: str, names: list[str], existing: set[str], draw: random.Random
) -> Iterator[dict[str, Any]]:
    yield {"query": name, "answers": [{"symbol": name}], "group": "exact"}
    misspelling = misspell(name, draw)
    if misspelling.casefold() not in existing:
        yield {"query": misspelling, "answers": [{"symbol": name}], "group": "misspelt"}
    for group, part in (
        ("words of it", words_without_first(name, draw)),
        ("letters of it", letters_from_inside(name, draw)),
    ):
        containing = [
            existing_name
            for existing_name in names
            if part and part.casefold() in existing_name.casefold()
        ]
        if part and len(containing) <= MAX_CONTAINING and part.casefold() not in existing:
            yield {
                "query": part,
                "answers": [{"symbol": existing_name} for existing_name in containing],
                "group": group,
            }


def misspell(name: str, draw: random.Random) -> str:
    """Applies one typo: two letters swapped, or one dropped, doubled or replaced.

    The first letter stays.
    """
    at = draw.randrange(1, len(name) - 1)
    swap = f"{name[:at]}{name[at + 1]}{name[at]}{name[at + 2 :]}"
    drop = f"{name[:at]}{name[at + 1 :]}"
    double = f"{name[:at]}{name[at]}{name[at:]}"
    other = draw.choice([letter for letter in string.ascii_lowercase if letter != name[at].lower()])
    replace = f"{name[:at]}{other}{name[at + 1 :]}"
    misspelling = draw.choice([swap, drop, double, replace])
    return misspelling if misspelling != name else double


def words_without_first(name: str, draw: random.Random) -> str | None:
    """Returns a name without its first word and maybe its last ones; None if it has too few."""
    spans = [match.span() for match in _PART.finditer(name)]
    ends = [end for _, end in spans[1:]]
    parts = [name[spans[1][0] : end] for end in ends] if ends else []
    long_enough = [part for part in parts if len(part) >= MIN_LETTERS // 2]
    return draw.choice(long_enough) if long_enough else None


def letters_from_inside(name: str, draw: random.Random) -> str:
    """Returns three fifths of the letters, from the middle or the end."""
    size = len(name) * 3 // 5
    start = draw.randrange(1, len(name) - size + 1)
    return name[start : start + size]
