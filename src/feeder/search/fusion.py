"""How do the ways compare in which nodes are found? Each has scores up to 1, and a weight."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

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
