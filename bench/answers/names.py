"""Are names found as they are, misspelt and in part? Questions out of an index's own symbols."""

import random
import re
import string
from collections.abc import Iterable, Iterator
from typing import Any

SEED = 20261122
A_CORPUS = 40
"""Names of each corpus."""
SHORTEST = 8
"""Letters of a name: half of a shorter one tells little."""
FEW = 3
"""What so many names have in them at most tells which is meant."""

_NAME = re.compile(r"[A-Za-z_]\w{7,}", re.ASCII)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def questions(symbols: Iterable[str], seed: int = SEED) -> list[dict[str, Any]]:
    """Of some names: each as it is, with one mistake, by some of its words, by a run of letters.

    Names are the last parts of symbols; the same symbols give the same questions.
    """
    names = sorted({re.split(r"\.|::| > ", symbol)[-1] for symbol in symbols})
    known = {name.casefold() for name in names}
    draw = random.Random(seed)
    fit = [name for name in names if len(name) >= SHORTEST and _NAME.fullmatch(name)]
    chosen = draw.sample(fit, min(A_CORPUS, len(fit)))
    return [line for name in chosen for line in _questions(name, names, known, draw)]


def _questions(
    name: str, names: list[str], known: set[str], draw: random.Random
) -> Iterator[dict[str, Any]]:
    yield {"query": name, "answers": [{"symbol": name}], "group": "exact"}
    wrong = misspelt(name, draw)
    if wrong.casefold() not in known:
        yield {"query": wrong, "answers": [{"symbol": name}], "group": "misspelt"}
    for group, part in (
        ("words of it", words_of(name, draw)),
        ("letters of it", run_of(name, draw)),
    ):
        whole = [one for one in names if part and part.casefold() in one.casefold()]
        if part and len(whole) <= FEW and part.casefold() not in known:
            yield {"query": part, "answers": [{"symbol": one} for one in whole], "group": group}


def misspelt(name: str, draw: random.Random) -> str:
    """The name with one mistake: two letters swapped, one dropped, doubled or another in its place.

    The first letter is right.
    """
    at = draw.randrange(1, len(name) - 1)
    swap = f"{name[:at]}{name[at + 1]}{name[at]}{name[at + 2 :]}"
    drop = f"{name[:at]}{name[at + 1 :]}"
    double = f"{name[:at]}{name[at]}{name[at:]}"
    other = draw.choice([one for one in string.ascii_lowercase if one != name[at].lower()])
    replace = f"{name[:at]}{other}{name[at + 1 :]}"
    made = draw.choice([swap, drop, double, replace])
    return made if made != name else double


def words_of(name: str, draw: random.Random) -> str | None:
    """A name without its first word, or without the last too; None of one that has too few."""
    spans = [found.span() for found in _PART.finditer(name)]
    ends = [end for _, end in spans[1:]]
    parts = [name[spans[1][0] : end] for end in ends] if ends else []
    fit = [part for part in parts if len(part) >= SHORTEST // 2]
    return draw.choice(fit) if fit else None


def run_of(name: str, draw: random.Random) -> str:
    """Somewhat more than half of the letters, from the middle or the end."""
    size = len(name) * 3 // 5
    start = draw.randrange(1, len(name) - size + 1)
    return name[start : start + size]
