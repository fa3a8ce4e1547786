"""What makes a node rise, beside what found it? Its file, its path and its name.

Each rule gives a share of the best node's score.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import fsum
from pathlib import PurePosixPath

from feeder.search.asked import LEAST_LETTERS, Asked
from feeder.search.names import agreement
from feeder.store.reading import Hit
from feeder.words import lowercase_parts

FILE_SHARE = 0.6
PATH_SHARE = 0.6
NAME_SHARE = 0.3
"""What each rule gives a node for which all of it holds."""
LEAST_OF_BEST = 0.15
"""What part of the best node's score a node has at least that counts for its file."""
LEAST_OF_PATH = 0.1
"""What part of a question's words stands in a path, at least."""


def of_file(hits: Iterable[Hit], scores: Mapping[str, float]) -> dict[str, float]:
    """A file's best node rises by what the file's nodes have together, as a share of the most."""
    least = LEAST_OF_BEST * max(scores.values(), default=0.0)
    files: dict[tuple[str, str], list[str]] = {}
    for hit in hits:
        files.setdefault((hit.repo, hit.path), []).append(hit.id)
    sums = {
        max(ids, key=scores.__getitem__): fsum(scores[id_] for id_ in ids if scores[id_] >= least)
        for ids in files.values()
    }
    most = max(sums.values(), default=0.0) or 1.0
    return {id_: FILE_SHARE * one / most for id_, one in sums.items()}


def of_path(hits: Iterable[Hit], asked: Asked) -> dict[str, float]:
    """By what part of the question's words the names of file and folder have, or begin with."""
    if not asked.keys:
        return {}
    shares = {path: _met(path, asked.keys) for path in {hit.path for hit in hits}}
    return {
        hit.id: PATH_SHARE * shares[hit.path] for hit in hits if shares[hit.path] >= LEAST_OF_PATH
    }


def _met(path: str, keys: frozenset[str]) -> float:
    own = _path_parts(path)
    return sum(any(_begins(key, part) for part in own) for key in keys) / len(keys)


def _begins(one: str, other: str) -> bool:
    """Whether one is the beginning of the other: `route` of `router`."""
    least = min(len(one), len(other))
    return one == other or (least >= LEAST_LETTERS and one[:least] == other[:least])


@lru_cache(10_000)
def _path_parts(path: str) -> frozenset[str]:
    pure = PurePosixPath(path)
    return frozenset(lowercase_parts(pure.stem) + lowercase_parts(pure.parent.name))


def of_name(hits: Iterable[Hit], asked: Asked) -> dict[str, float]:
    """By how well the words of the question and those that a name is made of are the same ones."""
    if asked.name or not asked.stems:
        return {}
    shares = {hit.id: _naming(hit.symbol or "", asked) for hit in hits}
    return {id_: NAME_SHARE * share for id_, share in shares.items() if share}


def _naming(symbol: str, asked: Asked) -> float:
    is_one = symbol.rpartition(".")[2].lower() in asked.identifiers
    return 1.0 if is_one else agreement(symbol, asked.stems)
