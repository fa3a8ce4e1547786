"""Compares two programs: ratios of medians, measured in turn on one machine."""

from collections.abc import Iterator, Mapping

from speed import changes, feeding, starting
from speed.figures import Figures
from speed.page import Row, not_measured, table
from speed.program import Program

COMPARED = {
    (feeding.PART, "wall_s"): "first sync, s",
    (feeding.PART, "cpu_s"): "first sync, CPU, s",
    (feeding.PART, "ratio"): "first sync ÷ tree-sitter",
    (feeding.PART, "peak_mb"): "total memory, MB",
    (feeding.PART, "nodes"): "nodes",
    (changes.PART, "local_s"): "sync, s",
    (starting.PART, "wall_s"): "start, s",
}


def report(programs: Mapping[Program, Figures]) -> str:
    """The ratios, and what could not be measured."""
    failed = not_measured(next(iter(programs.values())))
    return "\n".join(filter(None, (table(rows(programs)), table(failed))))


def rows(programs: Mapping[Program, Figures]) -> Iterator[Row]:
    """A row for each figure of both; a ratio below 1 says that the first one took less."""
    one, other = programs.values()
    yield "of", "figure", *(program.name for program in programs), "ratio"
    for part, subject, measure in one.values:
        name = COMPARED.get((part, measure))
        first, second = (figures.median(part, subject, measure) for figures in (one, other))
        if name and first is not None and second:
            yield subject, name, first, second, f"{first / second:.2f}"
