"""Formats the measurements as a markdown table."""

from collections.abc import Iterator, Sequence
from statistics import mean, median

from feeder.cloudflare.free_tier import ROWS_READ_PER_DAY
from worker_cost.isolate import Cost
from worker_cost.measure import Measured

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


KIND_HEAD = ("nodes, mode", "request", "rows read", "D1", "CPU", "a free day", "$ for 1,000")
DOLLARS_PER_ROW = 0.001 / 1_000_000
DOLLARS_PER_REQUEST, DOLLARS_PER_CPU_MS = 0.30 / 1_000_000, 0.02 / 1_000_000
DIMENSIONS = 256
DOLLARS_PER_DIMENSION = 0.01 / 1_000_000
"""Cloudflare's prices beyond what the paid plan includes; Vectorize's is by queried dimension."""


def report_by_kind(found: Sequence[Measured]) -> str:
    """Returns the table of the kinds of requests: means, and the price of 1,000 of them.

    Vectorize bills the dimensions of each query's vector; stored vectors are billed by the month.
    """
    rows = [_kind_row(one, kind, costs) for one in found for kind, costs in one.by_kind.items()]
    lines = [KIND_HEAD, ["---"] * len(KIND_HEAD), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"


def _kind_row(one: Measured, kind: str, costs: Sequence[Cost]) -> Sequence[str]:
    rows, cpu_ms = mean(cost.rows for cost in costs), mean(cost.cpu_ms for cost in costs)
    vector_queries = mean(cost.subrequests - cost.round_trips for cost in costs)
    dollars = 1_000 * (
        rows * DOLLARS_PER_ROW
        + DOLLARS_PER_REQUEST
        + cpu_ms * DOLLARS_PER_CPU_MS
        + vector_queries * DIMENSIONS * DOLLARS_PER_DIMENSION
    )
    return (
        f"{one.nodes:,}, {one.mode}",
        kind,
        f"{rows:,.0f}, most {max(cost.rows for cost in costs):,}",
        f"{mean(cost.d1_ms for cost in costs):.0f} ms",
        f"{cpu_ms:.1f} ms",
        f"{ROWS_READ_PER_DAY / max(rows, 1):,.0f}",
        f"{dollars:.4f}",
    )


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
