"""Compares the figures with the targets: each is a measured figure and a limit."""

from collections.abc import Iterator
from typing import NamedTuple

from speed import (
    changes,
    commands,
    embedding,
    first_sync,
    growth,
    search_latency,
    semble_comparison,
    sizes,
    start,
    static_vectors,
)
from speed.figures import Figures

IDLE, EDITED = "nothing changed", "a line edited"
DJANGO, SMALL, LARGE_MB = "django", "rxjs", 4
"""Corpora of many and few files, and the size of those that are compared with Semble."""
FIRST_SYNC = {"code": 2.7, "django": 3.6, "react-native": 4.6, "fcl": 4.4, "rxjs": 10.0}
"""Limits of a first sync's time ÷ tree-sitter's, by corpus: what is aimed at in Python."""
COMMANDS_S = {
    **dict(zip(commands.SEARCH_OPTIONS, (0.11, 0.15), strict=True)),
    **dict(zip(commands.QUERY_SUBJECTS.values(), (0.016, 0.040), strict=True)),
    commands.EDIT_SUBJECT: 0.15,
    commands.WORKTREE_SUBJECT: 1.5,
    commands.TOOLS_SUBJECT: 0.10,
}
"""Limits in seconds of commands and answers, by their names."""
P95_MS = {
    search_latency.LARGE: {search_latency.WORDS: 16, search_latency.WITH_STATIC: 22},
    search_latency.LARGEST: {search_latency.WORDS: 40, search_latency.WITH_STATIC: 60},
}
"""Limits in milliseconds by size of the index and kind of search."""


class Target(NamedTuple):
    """A target; met if `measured` is at most `limit`, not met if it is None.

    `only` is what `python -m bench --only` takes to measure it alone.
    """

    name: str
    limit: float
    unit: str
    only: str
    measured: float | None
    where: str = ""

    @property
    def is_met(self) -> bool:
        return self.measured is not None and self.measured <= self.limit


def targets(figures: Figures) -> Iterator[Target]:
    """Yields all targets; those of several corpora with their worst figure."""
    for corpus, limit in FIRST_SYNC.items():
        ratio = figures.median(first_sync.PART, corpus, "ratio")
        yield Target(
            "first sync by words ÷ tree-sitter alone on one core", limit, "", corpus, ratio, corpus
        )
    small_s = figures.median(first_sync.PART, SMALL, "wall_s")
    yield Target("first sync by words, 260 files of TypeScript", 0.45, "s", SMALL, small_s, SMALL)
    yield from _static(figures)
    yield from _changes(figures)
    yield from _commands(figures)
    yield from _searches(figures)
    yield from _memory_and_size(figures)
    outside = _worst(figures, embedding.PART, "outside")
    yield Target("time outside the model ÷ total time", 0.1, "", embedding.PART, *outside)


def _static(figures: Figures) -> Iterator[Target]:
    """Yields the targets of a first sync with static vectors."""
    name = "first sync by words and static vectors"
    worst = _worst(figures, static_vectors.PART, "ratio")
    yield Target(f"{name} ÷ by words", 1.2, "", static_vectors.PART, *worst)
    semble_name = f"{name} ÷ Semble's index in memory"
    django = figures.median(semble_comparison.PART, "django", "ratio")
    yield Target(semble_name, 0.48, "", semble_comparison.PART, django, "django")
    large = [
        name
        for name in figures.subjects(semble_comparison.PART)
        if (figures.median(first_sync.PART, name, "texts_mb") or 0) >= LARGE_MB
    ]
    worst = _worst(figures, semble_comparison.PART, "ratio", large)
    yield Target(semble_name, 0.95, "", semble_comparison.PART, *worst)


def _changes(figures: Figures) -> Iterator[Target]:
    """Yields the targets of a sync with nothing to do and of one edited file, in Django."""
    idle = f"{DJANGO}: {IDLE}"
    name = "nothing changed in Django"
    seconds = figures.median(changes.PART, idle, "local_s")
    yield Target(name, 0.15, "s", DJANGO, seconds, "SQLite")
    yield Target(f"requests if {name}", 1, "", DJANGO, _requests(figures, idle), "the stand-in")
    edited_s = figures.median(changes.PART, f"{DJANGO}: {EDITED}", "local_s")
    yield Target("one file edited", 0.3, "s", DJANGO, edited_s, "SQLite")


def _commands(figures: Figures) -> Iterator[Target]:
    """Yields the targets of whole commands and of an MCP server, in Django."""
    for subject, limit in COMMANDS_S.items():
        wall_s = figures.median(commands.PART, subject, "wall_s")
        yield Target(subject, limit, "s", commands.PART, wall_s, commands.CORPUS)
    start_s = figures.median(start.PART, "--help", "wall_s")
    yield Target("`feeder --help`", 0.08, "s", start.PART, start_s)


def _searches(figures: Figures) -> Iterator[Target]:
    """Yields the targets of large indexes, by the whole command and in one process."""
    where = search_latency.LARGE
    for mode, limit_s in ((search_latency.WORDS, 0.16), (search_latency.WITH_STATIC, 0.24)):
        wall_s = figures.median(search_latency.PART, mode, "wall_s")
        yield Target(f"`feeder search` by {mode}", limit_s, "s", search_latency.PART, wall_s, where)
    for size, limits in P95_MS.items():
        for mode, limit in limits.items():
            p95 = figures.median(search_latency.PART, f"{mode}: {size}", "p95_ms")
            name = f"a query by {mode} in one process, p95"
            yield Target(name, limit, "ms", search_latency.PART, p95, size)


def _memory_and_size(figures: Figures) -> Iterator[Target]:
    memory, corpus = _worst(figures, first_sync.PART, "peak_mb")
    growth_mb, size = _worst(figures, growth.PART, "peak_mb")
    peaks = (growth.PART, growth_mb, size), (corpus, memory, corpus)
    peak = max(peaks, key=lambda candidate: candidate[1] or 0)
    yield Target("peak memory of all processes", 170, "MB", *peak)
    first, last = (
        figures.median(growth.PART, size, "more_ms") for size in (growth.SIZES[0], growth.SIZES[-1])
    )
    ratio = last / first if first and last else None
    yield Target("seconds per node, largest repository ÷ smallest", 1.2, "", growth.PART, ratio)
    many_mb = figures.median(sizes.PART, "vectors", "many_mb")
    yield Target(f"static vectors of {sizes.MANY_NODES:,} nodes", 40, "MB", sizes.PART, many_mb)
    yield Target("the wheel", 12, "MB", sizes.PART, figures.median(sizes.PART, "wheel", "mb"))


def _requests(figures: Figures, subject: str) -> float | None:
    counts = [figures.median(changes.PART, subject, name) for name in changes.SERVICES]
    measured = [count for count in counts if count is not None]
    return sum(measured) if measured else None


def _worst(
    figures: Figures, part: str, measure: str, subjects: list[str] | None = None
) -> tuple[float | None, str]:
    """Returns the largest median among the subjects, and its subject."""
    medians: list[tuple[float, str]] = []
    for subject in figures.subjects(part) if subjects is None else subjects:
        median = figures.median(part, subject, measure)
        if median is not None:
            medians.append((median, subject))
    return max(medians, default=(None, ""))
