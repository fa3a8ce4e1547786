"""Compares two programs, measured in turn on one machine, by the ratios of their medians."""

from collections.abc import Iterator, Mapping

from speed import changes, first_sync, start
from speed.figures import Figures
from speed.page import not_measured
from speed.program import Program
from speed.tables import Row, table

COMPARED = {
    (first_sync.PART, "wall_s"): "first sync, s",
    (first_sync.PART, "cpu_s"): "first sync, CPU, s",
    (first_sync.PART, "ratio"): "first sync ÷ tree-sitter",
    (first_sync.PART, "peak_mb"): "total memory, MB",
    (first_sync.PART, "nodes"): "nodes",
    (changes.PART, "local_s"): "sync, s",
    (start.PART, "wall_s"): "start, s",
}


def report(programs: Mapping[Program, Figures]) -> str:
    """Returns the tables of ratios and of failed measurements."""
    failed = not_measured(next(iter(programs.values())))
    return "\n".join(filter(None, (table(rows(programs)), table(failed))))


def rows(programs: Mapping[Program, Figures]) -> Iterator[Row]:
    """Yields a row for each figure that both have; below 1 the first program took less."""
    one, other = programs.values()
    yield "of", "figure", *(program.name for program in programs), "ratio"
    for part, subject, measure in one.values:
        name = COMPARED.get((part, measure))
        first, second = (figures.median(part, subject, measure) for figures in (one, other))
        if name and first is not None and second:
            yield subject, name, first, second, f"{first / second:.2f}"
