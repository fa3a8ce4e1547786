"""What is an answer made of? Nodes, each with why it is one."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from feeder.nodes import Member
from feeder.store.word_search import Hit


class PartMatch(NamedTuple):
    """The lines of a node that answer, where it is kept in pieces; and how many of them do."""

    start_line: int
    end_line: int
    matching: int
    of: int


class Result(NamedTuple):
    """A node that answers: its score and what that is made of, its ranks from 1 by what found it.

    `parts` are the rules' shares, which add up to the score; `member` is what the query names,
    where that is a part of the node. `others` are one hit with it, `copies` have the same text.
    """

    hit: Hit
    score: float
    ranks: Mapping[str, int]
    member: Member | None = None
    score_parts: Mapping[str, float] = {}
    grouped: "tuple[Result, ...]" = ()
    duplicates: "tuple[Result, ...]" = ()
    part_match: PartMatch | None = None


class ResultList(NamedTuple):
    """Nodes from a place on, the number of all that were found, and what has to be said.

    Where `at_least`, there may be more of them than `total`, which were not looked at. `every` has
    those before and after, too.
    """

    results: Sequence[Result] = ()
    total: int = 0
    notes: Sequence[str] = ()
    at_least: bool = False
    all_results: Sequence[Result] = ()
