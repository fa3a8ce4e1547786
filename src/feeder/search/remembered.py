"""Which questions recur, are slow, had no answer, or were asked again in other words?"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import median
from typing import NamedTuple

from feeder.search.query import parse_query
from feeder.search.term_matching import text_stems
from feeder.store.query_log_file import LoggedQuery

REWORDED_WITHIN_S = 300
"""Who words a question anew does it within five minutes."""
MIN_SHARED_STEMS = 0.5
"""Of the stems of the one with fewer, to be the same question."""
ANSWERED_BY = ("words", "filters")


class RepeatedQuery(NamedTuple):
    """A question with all its askings, the latest last."""

    occurrences: Sequence[LoggedQuery]

    @property
    def last(self) -> LoggedQuery:
        return self.occurrences[-1]

    @property
    def median_ms(self) -> float:
        """The median."""
        return round(median(one.took_ms for one in self.occurrences), 1)


def group_queries(entries: Iterable[LoggedQuery]) -> list[RepeatedQuery]:
    """The questions by repository, text and filters, those asked last before others."""
    by_key: dict[tuple[str, str, str], list[LoggedQuery]] = {}
    for one in entries:
        by_key.setdefault((one.repo, " ".join(one.text.split()), one.filters), []).append(one)
    return sorted(
        map(RepeatedQuery, by_key.values()), key=lambda one: one.last.asked_s, reverse=True
    )


def most_frequent(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """Those that were asked more than once, the most frequent first."""
    often = (one for one in queries if len(one.occurrences) > 1)
    return sorted(often, key=lambda one: len(one.occurrences), reverse=True)


def slowest(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """The slowest first, by what each takes as a rule."""
    return sorted(queries, key=lambda one: one.median_ms, reverse=True)


def unanswered(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """Those whose last answer was nothing, or near in meaning alone; the most frequent first."""
    lacking = (one for one in queries if one.last.answered_by not in ANSWERED_BY)
    return sorted(lacking, key=lambda one: len(one.occurrences), reverse=True)


def reworded_chains(entries: Iterable[LoggedQuery]) -> list[list[LoggedQuery]]:
    """Questions that were asked again in other words, each with what followed; the latest first."""
    chains: list[list[LoggedQuery]] = []
    recent: list[list[LoggedQuery]] = []
    for one in entries:
        recent = [chain for chain in recent if one.asked_s - chain[-1].asked_s <= REWORDED_WITHIN_S]
        earlier = (chain for chain in reversed(recent) if _is_reworded(chain[-1], one))
        chain = next(earlier, None)
        if chain is None:
            chain = []
            chains.append(chain)
            recent.append(chain)
        chain.append(one)
    several = [chain for chain in chains if len(chain) > 1]
    return sorted(several, key=lambda chain: chain[-1].asked_s, reverse=True)


def _is_reworded(earlier: LoggedQuery, later: LoggedQuery) -> bool:
    """Whether it is another text, with half of the stems of the one that has fewer."""
    one, other = _query_stems(earlier.text), _query_stems(later.text)
    least = MIN_SHARED_STEMS * min(len(one), len(other))
    is_other = earlier.text != later.text and earlier.repo == later.repo
    return is_other and len(one & other) >= max(least, 1)


@lru_cache(20_000)
def _query_stems(text: str) -> frozenset[str]:
    return text_stems(parse_query(text).text)
