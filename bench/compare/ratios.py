"""Computes the ratios new ÷ old of the figures, and selects those above a limit."""

from collections.abc import Iterable, Iterator
from statistics import median
from typing import NamedTuple

from speed.figures import Figures
from speed.tables import Row, table

CLEAR_SHARE = 0.9
"""By chance, five figures of each version reach this in 1.6 % of all comparisons."""


class Ratio(NamedTuple):
    """The figures of one measure of both versions, and what is measured."""

    subject: str
    measure: str
    old: list[float]
    new: list[float]

    @property
    def name(self) -> str:
        return f"{self.subject}: {self.measure.partition(',')[0]}"

    @property
    def median(self) -> float:
        """The ratio of the medians, new ÷ old."""
        return median(self.new) / median(self.old)

    @property
    def least(self) -> float:
        """The ratio of the smallest figures, new ÷ old, which other work affects least."""
        return min(self.new) / min(self.old)

    @property
    def slower_share(self) -> float:
        """The share of all pairs of an old and a new figure whose new one is larger."""
        pairs = [new > old for new in self.new for old in self.old]
        return sum(pairs) / len(pairs)

    def is_above(self, limit: float) -> bool:
        """Returns True if both ratios are above the limit and nearly all new figures are larger.

        Other work on the machine rarely causes all three; a slower program does.
        """
        return min(self.median, self.least) > limit and self.slower_share >= CLEAR_SHARE


def ratios(old: Figures, new: Figures) -> list[Ratio]:
    """Returns a ratio for every measure."""
    return [
        Ratio(key.subject, key.measure, values, new.values[key])
        for key, values in old.values.items()
    ]


def ratios_above(limit: float | None, results: Iterable[Ratio]) -> list[Ratio]:
    """Returns the ratios above the limit; none without a limit."""
    return [] if limit is None else [ratio for ratio in results if ratio.is_above(limit)]


def ratio_table(results: Iterable[Ratio]) -> str:
    """Returns the table of medians and ratios."""
    return table(_rows(results))


def ratio_json(ratio: Ratio) -> dict[str, object]:
    """Returns a ratio with all its figures as values for JSON."""
    return {**ratio._asdict(), "ratio": ratio.median, "ratio_of_least": ratio.least}


def _rows(results: Iterable[Ratio]) -> Iterator[Row]:
    yield "what", "measure", "old", "new", "new ÷ old", "of the smallest"
    for ratio in results:
        values = median(ratio.old), median(ratio.new)
        yield ratio.subject, ratio.measure, *values, f"{ratio.median:.2f}", f"{ratio.least:.2f}"
