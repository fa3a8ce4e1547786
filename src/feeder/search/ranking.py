"""In which order do nodes answer? By name, word and meaning together, then by a few rules.

docs/explanation/ranking.md tells them in words, with what each gains. Sums are the nearest
doubles, whatever their order: so they are the same in every Python, and in the Worker.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum

from feeder.search import kinds
from feeder.search.asked import Asked
from feeder.search.found import Found
from feeder.search.fusion import Ranking
from feeder.search.names import member
from feeder.search.rules import of_file, of_name, of_path
from feeder.store.reading import Hit

PREFERRED = 1.5
"""By what the score of a node is multiplied that lies where the one who asks prefers."""


def ranked(
    asked: Asked,
    rankings: Sequence[Ranking],
    hits: Sequence[Hit],
    preferred: Collection[str] = (),
) -> list[Found]:
    """The hits in their order; those that are `preferred`, by their ids, count more."""
    gained = _by_what(rankings, hits)
    firm = {ranking.name for ranking in rankings if ranking.is_firm}
    scores = {
        id_: fsum(score for name, score in parts.items() if name not in firm)
        for id_, parts in gained.items()
    }
    best = max(scores.values(), default=0.0)
    for rule, shares in (
        ("file", of_file(hits, _as_kinds(asked, hits, scores))),
        ("folder", of_path(hits, asked)),
        ("naming", of_name(hits, asked)),
    ):
        for id_, share in shares.items():
            gained[id_][rule] = share * best
    for id_ in gained.keys() & set(preferred):
        gained[id_]["preferred"] = (PREFERRED - 1) * fsum(gained[id_].values())
    ranks = _ranks(rankings, hits)
    found = [_found(hit, asked, gained[hit.id], ranks[hit.id]) for hit in hits]
    called, last = _places(rankings), (len(rankings), 0.0)
    found.sort(
        key=lambda one: (
            called.get(one.hit.id, last),
            -one.score,
            one.hit.path,
            one.hit.start_line,
        )
    )
    return found


def _as_kinds(asked: Asked, hits: Iterable[Hit], scores: Mapping[str, float]) -> dict[str, float]:
    """The scores by how much each node's kind counts."""
    return {hit.id: scores[hit.id] * kinds.share(hit, asked)[1] for hit in hits}


def _places(rankings: Sequence[Ranking]) -> dict[str, tuple[int, float]]:
    """Where the nodes come that are called so, or whose path is asked for; equal ones together."""
    return {
        id_: (place, -score)
        for place, ranking in reversed([*enumerate(rankings)])
        if ranking.is_firm
        for id_, score in ranking.scores.items()
    }


def _by_what(rankings: Iterable[Ranking], hits: Iterable[Hit]) -> dict[str, dict[str, float]]:
    """What each ranking gives a hit, by its id."""
    gained: dict[str, dict[str, float]] = {hit.id: {} for hit in hits}
    for one in rankings:
        for id_ in gained.keys() & one.scores.keys():
            gained[id_][one.name] = one.weight * one.scores[id_]
    return gained


def _ranks(rankings: Iterable[Ranking], hits: Iterable[Hit]) -> dict[str, dict[str, int]]:
    """At which place each ranking has a hit, by its id."""
    ranks: dict[str, dict[str, int]] = {hit.id: {} for hit in hits}
    for one in rankings:
        places = one.ranks
        for id_ in ranks.keys() & places.keys():
            ranks[id_][one.name] = places[id_]
    return ranks


def _found(hit: Hit, asked: Asked, gained: dict[str, float], ranks: Mapping[str, int]) -> Found:
    score = fsum(gained.values())
    kind, share = kinds.share(hit, asked)
    if kind:
        gained[kind] = (share - 1) * score
    named = member(hit.symbol, hit.members, asked.text)
    return Found(hit, score * share, ranks, named, gained)
