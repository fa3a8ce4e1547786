"""In which order do nodes answer? By name, word and meaning together, then by a few rules.

docs/search.md tells them in words, with what each gains. Sums are the nearest doubles, whatever
their order: so they are the same in every Python, and in the Worker.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum

from feeder.search import file_kinds
from feeder.search.asked import QueryText
from feeder.search.fusion import Ranking
from feeder.search.name_matching import find_member
from feeder.search.results import Result
from feeder.search.rules import file_boosts, name_boosts, path_boosts
from feeder.store.word_search import Hit

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
