"""Which questions recur, are slow, had no answer, or were asked again in other words?"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import median
from typing import NamedTuple

from feeder.search.query import parse
from feeder.search.terms import stems
from feeder.store.querylog import LoggedQuery

SOON_S = 300
"""Who words a question anew does it within five minutes."""
SHARED = 0.5
"""Of the stems of the one with fewer, to be the same question."""
ANSWERING = ("words", "filters")


class Recurring(NamedTuple):
    """A question with all its askings, the latest last."""

    askings: Sequence[LoggedQuery]

    @property
    def last(self) -> LoggedQuery:
        return self.askings[-1]

    @property
    def typical_ms(self) -> float:
        """The median."""
        return round(median(one.took_ms for one in self.askings), 1)


def recurring(questions: Iterable[LoggedQuery]) -> list[Recurring]:
    """The questions by repository, text and filters, those asked last before others."""
    by_key: dict[tuple[str, str, str], list[LoggedQuery]] = {}
    for one in questions:
        by_key.setdefault((one.repo, " ".join(one.text.split()), one.filters), []).append(one)
    return sorted(map(Recurring, by_key.values()), key=lambda one: one.last.asked_s, reverse=True)


def frequent(asked: Iterable[Recurring]) -> list[Recurring]:
    """Those that were asked more than once, the most frequent first."""
    often = (one for one in asked if len(one.askings) > 1)
    return sorted(often, key=lambda one: len(one.askings), reverse=True)


def slow(asked: Iterable[Recurring]) -> list[Recurring]:
    """The slowest first, by what each takes as a rule."""
    return sorted(asked, key=lambda one: one.typical_ms, reverse=True)


def unanswered(asked: Iterable[Recurring]) -> list[Recurring]:
    """Those whose last answer was nothing, or near in meaning alone; the most frequent first."""
    lacking = (one for one in asked if one.last.answered_by not in ANSWERING)
    return sorted(lacking, key=lambda one: len(one.askings), reverse=True)


def reworded(questions: Iterable[LoggedQuery]) -> list[list[LoggedQuery]]:
    """Questions that were asked again in other words, each with what followed; the latest first."""
    chains: list[list[LoggedQuery]] = []
    recent: list[list[LoggedQuery]] = []
    for one in questions:
        recent = [chain for chain in recent if one.asked_s - chain[-1].asked_s <= SOON_S]
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
    one, other = _stems(earlier.text), _stems(later.text)
    least = SHARED * min(len(one), len(other))
    is_other = earlier.text != later.text and earlier.repo == later.repo
    return is_other and len(one & other) >= max(least, 1)


@lru_cache(20_000)
def _stems(text: str) -> frozenset[str]:
    return stems(parse(text).text)
