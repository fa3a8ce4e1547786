"""Compares the figures with the targets: each is a measured figure and a limit."""

from collections.abc import Iterator
from typing import NamedTuple

from speed import (
    changes,
    embedding,
    feeding,
    growth,
    searching,
    semble_comparison,
    sizes,
    starting,
    static_vectors,
)
from speed.figures import Figures

MANY_FILES = 5000
IDLE = "nothing changed"


class Target(NamedTuple):
    """A target; met if `measured` is at most `limit`, not met if it is None."""

    name: str
    limit: float
    unit: str
    measured: float | None
    where: str = ""

    @property
    def is_met(self) -> bool:
        return self.measured is not None and self.measured <= self.limit


def targets(figures: Figures) -> Iterator[Target]:
    """Yields all targets, each with its worst figure."""
    wall = _worst(figures, feeding.PART, "ratio")
    yield Target("first sync by words ÷ tree-sitter alone on one core", 2.0, "", *wall)
    memory = _worst(figures, feeding.PART, "peak_mb")
    grown = _worst(figures, growth.PART, "peak_mb")
    yield Target("total memory", 300, "MB", *max(memory, grown, key=lambda one: one[0] or 0))
    yield from _idle(figures)
    yield from _meaning(figures)
    first, last = (
        figures.median(growth.PART, size, "more_ms") for size in (growth.SIZES[0], growth.SIZES[-1])
    )
    ratio = last / first if first and last else None
    yield Target("seconds per node, largest repository ÷ smallest", 1.2, "", ratio)
    start = figures.median(starting.PART, "--help", "wall_s")
    yield Target("start", 0.25, "s", start, "`feeder --help`")
    outside = _worst(figures, embedding.PART, "outside")
    yield Target("time outside the model ÷ total time", 0.1, "", *outside)
    yield from _searches(figures)


def _searches(figures: Figures) -> Iterator[Target]:
    """Yields the targets of searches, in one process and by the whole command."""
    where = searching.LARGE
    for side, limit in zip(searching.SIDES, (20, 25, 25), strict=True):
        p95 = figures.median(searching.PART, f"{side}: {where}", "p95_ms")
        yield Target(f"search by {side}, p95", limit, "ms", p95, where)
    for side, limit_s in ((searching.WORDS, 0.15), (searching.WITH_STATIC, 0.3)):
        wall_s = figures.median(searching.PART, side, "wall_s")
        yield Target(f"`feeder search` by {side}", limit_s, "s", wall_s, where)


def _meaning(figures: Figures) -> Iterator[Target]:
    """Yields the targets of static vectors: time, size, and size of the wheel."""
    name = "first sync by words and static vectors"
    yield Target(f"{name} ÷ by words", 1.25, "", *_worst(figures, static_vectors.PART, "ratio"))
    yield Target(
        f"{name} ÷ Semble's index", 0.5, "", *_worst(figures, semble_comparison.PART, "ratio")
    )
    many_mb = figures.median(sizes.PART, "vectors", "many_mb")
    yield Target(f"static vectors of {sizes.MANY_NODES:,} nodes", 40, "MB", many_mb)
    yield Target("the wheel", 12, "MB", figures.median(sizes.PART, "wheel", "mb"))


def _idle(figures: Figures) -> Iterator[Target]:
    """Yields the targets of a sync with nothing to do, in corpora of `MANY_FILES` or more."""
    large = [
        f"{name}: {IDLE}"
        for name in figures.subjects(feeding.PART)
        if (figures.median(feeding.PART, name, "files") or 0) >= MANY_FILES
    ]
    name = f"nothing changed in {MANY_FILES:,} files or more"
    for measure, where in (("local_s", "SQLite"), ("cloud_s", "the stand-in")):
        seconds, subject = _worst(figures, changes.PART, measure, large)
        corpus = subject.partition(":")[0]
        yield Target(name, 0.3, "s", seconds, f"{corpus}, {where}".removeprefix(", "))
    requests = [_requests(figures, subject) for subject in large]
    known = [count for count in requests if count is not None]
    yield Target(name, 1, "requests", max(known, default=None))


def _requests(figures: Figures, subject: str) -> float | None:
    counts = [figures.median(changes.PART, subject, name) for name in changes.SERVICES]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _worst(
    figures: Figures, part: str, measure: str, subjects: list[str] | None = None
) -> tuple[float | None, str]:
    """Returns the largest median among the subjects, and its subject."""
    found: list[tuple[float, str]] = []
    for subject in figures.subjects(part) if subjects is None else subjects:
        median = figures.median(part, subject, measure)
        if median is not None:
            found.append((median, subject))
    return max(found, default=(None, ""))
