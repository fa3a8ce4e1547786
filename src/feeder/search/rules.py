"""What makes a node rise, beside what found it? Its file, its path and its name.

Each rule gives a share of the best node's score.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import fsum
from pathlib import PurePosixPath

from feeder.search.asked import MIN_WORD_LETTERS, QueryText
from feeder.search.name_matching import name_overlap
from feeder.store.word_search import Hit
from feeder.text import lowercase_parts

FILE_BOOST = 0.6
PATH_BOOST = 0.6
NAME_BOOST = 0.3
"""What each rule gives a node for which all of it holds."""
MIN_SHARE_OF_BEST = 0.15
"""What part of the best node's score a node has at least that counts for its file."""
MIN_PATH_SHARE = 0.1
"""What part of a question's words stands in a path, at least."""


def file_boosts(hits: Iterable[Hit], scores: Mapping[str, float]) -> dict[str, float]:
    """A file's best node rises by what the file's nodes have together, as a share of the most."""
    least = MIN_SHARE_OF_BEST * max(scores.values(), default=0.0)
    files: dict[tuple[str, str], list[str]] = {}
    for hit in hits:
        files.setdefault((hit.repo, hit.path), []).append(hit.id)
    sums = {
        max(ids, key=scores.__getitem__): fsum(scores[id_] for id_ in ids if scores[id_] >= least)
        for ids in files.values()
    }
    most = max(sums.values(), default=0.0) or 1.0
    return {id_: FILE_BOOST * one / most for id_, one in sums.items()}


def path_boosts(hits: Iterable[Hit], query_text: QueryText) -> dict[str, float]:
    """By what part of the question's words the names of file and folder have, or begin with."""
    if not query_text.path_words:
        return {}
    shares = {
        path: _path_overlap(path, query_text.path_words) for path in {hit.path for hit in hits}
    }
    return {
        hit.id: PATH_BOOST * shares[hit.path] for hit in hits if shares[hit.path] >= MIN_PATH_SHARE
    }


def _path_overlap(path: str, words: frozenset[str]) -> float:
    own = _path_words(path)
    return sum(any(_has_common_prefix(key, part) for part in own) for key in words) / len(words)


def _has_common_prefix(one: str, other: str) -> bool:
    """Whether one is the beginning of the other: `route` of `router`."""
    least = min(len(one), len(other))
    return one == other or (least >= MIN_WORD_LETTERS and one[:least] == other[:least])


@lru_cache(10_000)
def _path_words(path: str) -> frozenset[str]:
    pure = PurePosixPath(path)
    return frozenset(lowercase_parts(pure.stem) + lowercase_parts(pure.parent.name))


def name_boosts(hits: Iterable[Hit], query_text: QueryText) -> dict[str, float]:
    """By how well the words of the question and those that a name is made of are the same ones."""
    if query_text.name or not query_text.stems:
        return {}
    shares = {hit.id: _name_score(hit.symbol or "", query_text) for hit in hits}
    return {id_: NAME_BOOST * share for id_, share in shares.items() if share}


def _name_score(symbol: str, query_text: QueryText) -> float:
    is_one = symbol.rpartition(".")[2].lower() in query_text.identifiers
    return 1.0 if is_one else name_overlap(symbol, query_text.stems)
