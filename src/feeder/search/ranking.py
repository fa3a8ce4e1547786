"""Ranks candidates: fuses the scores of all retrievers by weight, then applies boosts for file,
path, name and preference. Sums use `fsum`, so that scores are the same in every Python and in
the Worker. docs/explanation/ranking.md explains each rule and its measured gain.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import fsum
from pathlib import PurePosixPath
from typing import NamedTuple

from feeder.search import file_kinds
from feeder.search.name_matching import find_member, name_overlap
from feeder.search.query import MIN_WORD_LETTERS, QueryText
from feeder.search.results import Result
from feeder.store.hits import Hit
from feeder.text import lowercase_parts

STACK_FRAME, NAME, PATH, COMPOSED_NAME, RARE_WORD = "frame", "name", "path", "written", "rare"

SIMILAR_NAME, NAME_WORDS, WORD, DESCRIPTION = "alike", "spelled", "word", "line"
"""What finds a node, besides the models: a pasted trace was in it; it is called so; its file is;
its name is made of the question's words; it has the one word, which is rare; it is called nearly
so; its name has the words; its text has; its description has."""

NAME_WEIGHT, NAME_WORDS_WEIGHT, WORD_WEIGHT, DESCRIPTION_WEIGHT = 4.0, 1.0, 1.0, 0.5
"""Who asks for a name wants its node, whatever else speaks of it."""

RANK_CONSTANT = 20
"""How slowly weights fall among nodes that are found by name."""

COSINE_FLOOR = 0.6
"""What counts nothing of a nearness: this part of the least one."""


class Ranking(NamedTuple):
    """The nodes that one thing finds, by id with their scores, the best first; and its weight.

    What `is_firm` comes before all that is not.
    """

    name: str
    weight: float
    scores: Mapping[str, float]
    is_priority: bool = False

    @property
    def ranks(self) -> dict[str, int]:
        """By id, from 1."""
        return {id_: rank for rank, id_ in enumerate(self.scores, start=1)}


def name_ranking(name: str, ids: Iterable[str]) -> Ranking:
    """Of nodes that are asked for by what they are called, in their order; they come first."""
    scores = {id_: RANK_CONSTANT / (RANK_CONSTANT + place) for place, id_ in enumerate(ids)}
    return Ranking(name, NAME_WEIGHT, scores, is_priority=True)


def tied_ranking(name: str, ids: Iterable[str]) -> Ranking:
    """Of nodes that come first too, but by what else they gain."""
    return Ranking(name, NAME_WEIGHT, dict.fromkeys(ids, 1.0), is_priority=True)


def word_ranking(
    scores: Mapping[str, float], name: str = WORD, weight: float = WORD_WEIGHT
) -> Ranking:
    """Of bm25's scores, as shares of the best one."""
    best = max(scores.values(), default=0.0) or 1.0
    return Ranking(name, weight, {id_: score / best for id_, score in scores.items()})


def vector_ranking(name: str, weight: float, cosines: Mapping[str, float]) -> Ranking:
    """Of cosines: 1 for the nearest, 0 for what is below the floor."""
    nearest, floor = (
        max(cosines.values(), default=0.0),
        COSINE_FLOOR * min(cosines.values(), default=0.0),
    )
    span = (nearest - floor) or 1.0
    return Ranking(name, weight, {id_: (one - floor) / span for id_, one in cosines.items()})


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


PREFERENCE_BOOST = 1.5
"""By what the score of a node is multiplied that lies where the one who asks prefers."""


def rank_hits(
    query_text: QueryText,
    rankings: Sequence[Ranking],
    hits: Sequence[Hit],
    preferred_ids: Collection[str] = (),
) -> list[Result]:
    """The hits in their order; those that are `preferred`, by their ids, count more."""
    gained = _score_parts(rankings, hits)
    firm = {ranking.name for ranking in rankings if ranking.is_priority}
    scores = {
        id_: fsum(score for name, score in parts.items() if name not in firm)
        for id_, parts in gained.items()
    }
    best = max(scores.values(), default=0.0)
    for rule, shares in (
        ("file", file_boosts(hits, _weigh_by_kind(query_text, hits, scores))),
        ("folder", path_boosts(hits, query_text)),
        ("naming", name_boosts(hits, query_text)),
    ):
        for id_, share in shares.items():
            gained[id_][rule] = share * best
    for id_ in gained.keys() & set(preferred_ids):
        gained[id_]["preferred"] = (PREFERENCE_BOOST - 1) * fsum(gained[id_].values())
    ranks = _ranks_by_id(rankings, hits)
    found = [_make_result(hit, query_text, gained[hit.id], ranks[hit.id]) for hit in hits]
    called, last = _priority_order(rankings), (len(rankings), 0.0)
    found.sort(
        key=lambda one: (
            called.get(one.hit.id, last),
            -one.score,
            one.hit.path,
            one.hit.start_line,
        )
    )
    return found


def _weigh_by_kind(
    query_text: QueryText, hits: Iterable[Hit], scores: Mapping[str, float]
) -> dict[str, float]:
    """The scores by how much each node's kind counts."""
    return {hit.id: scores[hit.id] * file_kinds.kind_weight(hit, query_text)[1] for hit in hits}


def _priority_order(rankings: Sequence[Ranking]) -> dict[str, tuple[int, float]]:
    """Where the nodes come that are called so, or whose path is asked for; equal ones together."""
    return {
        id_: (place, -score)
        for place, ranking in reversed([*enumerate(rankings)])
        if ranking.is_priority
        for id_, score in ranking.scores.items()
    }


def _score_parts(rankings: Iterable[Ranking], hits: Iterable[Hit]) -> dict[str, dict[str, float]]:
    """What each ranking gives a hit, by its id."""
    gained: dict[str, dict[str, float]] = {hit.id: {} for hit in hits}
    for one in rankings:
        for id_ in gained.keys() & one.scores.keys():
            gained[id_][one.name] = one.weight * one.scores[id_]
    return gained


def _ranks_by_id(rankings: Iterable[Ranking], hits: Iterable[Hit]) -> dict[str, dict[str, int]]:
    """At which place each ranking has a hit, by its id."""
    ranks: dict[str, dict[str, int]] = {hit.id: {} for hit in hits}
    for one in rankings:
        places = one.ranks
        for id_ in ranks.keys() & places.keys():
            ranks[id_][one.name] = places[id_]
    return ranks


def _make_result(
    hit: Hit, query_text: QueryText, score_parts: dict[str, float], ranks: Mapping[str, int]
) -> Result:
    score = fsum(score_parts.values())
    kind, share = file_kinds.kind_weight(hit, query_text)
    if kind:
        score_parts[kind] = (share - 1) * score
    named = find_member(hit.symbol, hit.members, query_text.text)
    return Result(hit, score * share, ranks, named, score_parts)
