"""Formats the measurements as a markdown table."""

from collections.abc import Iterator, Sequence
from statistics import mean, median

from at_edge.measuring import Measured
from feeder.cloudflare.free_tier import ROWS_READ_PER_DAY

LIMITS = ("free plan", "10 ms", "10 ms", "10 ms", "", "50", f"{ROWS_READ_PER_DAY:,} a day", "")
HEAD = (
    *("nodes", "CPU, median", "CPU, p95", "first of an isolate"),
    *("round trips to D1", "subrequests", "rows read", "queries a day"),
)


def report(found: Sequence[Measured]) -> str:
    """Returns the table: a row for each index and search mode, and the free plan's limits."""
    rows = [HEAD, ["---"] * len(HEAD), *map(_row, found), LIMITS]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *_remarks(found)]) + "\n"


def _row(one: Measured) -> Sequence[str]:
    cpu = sorted(taken.cpu_ms for taken in one.taken)
    rows = [taken.rows for taken in one.taken]
    return (
        f"{one.nodes:,}, {one.mode}",
        f"{median(cpu):.1f} ms",
        f"{p95(cpu):.1f} ms",
        f"{median(first.cpu_ms for first in one.firsts):.1f} ms",
        _usual(taken.round_trips for taken in one.taken),
        _usual(taken.subrequests for taken in one.taken),
        f"{median(rows):,.0f}, p95 {p95(rows):,.0f}",
        f"{ROWS_READ_PER_DAY / mean(rows):,.0f}",
    )


def _remarks(found: Sequence[Measured]) -> Iterator[str]:
    """Yields the fixed cost that the figures include."""
    starts = [start for one in found for start in one.starts]
    yield f"Loading the module and answering 404: {median(starts):.1f} ms in a new isolate,"
    yield f"{min(one.idle_ms for one in found):.1f} ms in one that has answered."


def _usual(counts: Iterator[int]) -> str:
    """Formats the median, with the maximum if it differs."""
    some = sorted(counts)
    usual = f"{median(some):.0f}"
    return usual if some[-1] == int(usual) else f"{usual}, most {some[-1]}"


def p95(values: Sequence[float]) -> float:
    """Returns the 95th percentile."""
    return sorted(values)[int(len(values) * 0.95)]
