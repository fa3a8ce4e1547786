"""Formats the measurements as a markdown table."""

from collections.abc import Iterator, Sequence
from statistics import mean, median

from feeder.cloudflare.free_tier import ROWS_READ_PER_DAY
from worker_cost.isolate import Cost
from worker_cost.measure import BETWEEN, QueryCosts

LIMITS = ("free plan", "10 ms", "10 ms", "10 ms", "", "50", f"{ROWS_READ_PER_DAY:,} a day", "")
COUNTS = ("requests to D1", "subrequests", "rows read", "queries a day")


def report(measurements: Sequence[QueryCosts]) -> str:
    """Returns the table: a row for each index and search mode, and the free plan's limits."""
    first = len(measurements[0].warm)
    later = f"CPU, {first} after {first * (BETWEEN + 1)}"
    head = ("nodes", "CPU, first of an isolate", f"CPU, first {first}", later, *COUNTS)
    rows = [head, ["---"] * len(head), *map(_row, measurements), LIMITS]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *_remarks(measurements)]) + "\n"


KIND_HEAD = ("nodes, mode", "request", "rows read", "D1", "CPU", "a free day", "$ for 1,000")
DOLLARS_PER_ROW = 0.001 / 1_000_000
DOLLARS_PER_REQUEST, DOLLARS_PER_CPU_MS = 0.30 / 1_000_000, 0.02 / 1_000_000
DIMENSIONS = 256
DOLLARS_PER_DIMENSION = 0.01 / 1_000_000
"""Cloudflare's prices beyond what the paid plan includes; Vectorize's is by queried dimension."""


def report_by_kind(measurements: Sequence[QueryCosts]) -> str:
    """Returns the table of the kinds of requests: means, and the price of 1,000 of them.

    Vectorize bills the dimensions of each query's vector; stored vectors are billed by the month.
    """
    rows = [
        _kind_row(measurement, kind, costs)
        for measurement in measurements
        for kind, costs in measurement.by_kind.items()
    ]
    lines = [KIND_HEAD, ["---"] * len(KIND_HEAD), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"


def _kind_row(measurement: QueryCosts, kind: str, costs: Sequence[Cost]) -> Sequence[str]:
    rows, cpu_ms = mean(cost.rows for cost in costs), mean(cost.cpu_ms for cost in costs)
    d1_ms = [cost.d1_ms for cost in costs]
    vector_queries = mean(cost.subrequests - cost.d1_requests for cost in costs)
    dollars = 1_000 * (
        rows * DOLLARS_PER_ROW
        + DOLLARS_PER_REQUEST
        + cpu_ms * DOLLARS_PER_CPU_MS
        + vector_queries * DIMENSIONS * DOLLARS_PER_DIMENSION
    )
    return (
        f"{measurement.nodes:,}, {measurement.mode}",
        kind,
        f"{rows:,.0f} (max. {max(cost.rows for cost in costs):,})",
        f"{mean(d1_ms):.0f}, p95 {p95(d1_ms):.0f} ms",
        f"{cpu_ms:.1f} ms",
        f"{ROWS_READ_PER_DAY / max(rows, 1):,.0f}",
        f"{dollars:.4f}",
    )


def _row(measurement: QueryCosts) -> Sequence[str]:
    rows = [cost.rows for cost in measurement.warm]
    return (
        f"{measurement.nodes:,}, {measurement.mode}",
        f"{median(first.cpu_ms for first in measurement.first_queries):.1f} ms",
        _median_and_p95(measurement.warm),
        _median_and_p95(measurement.later),
        _median_and_max(cost.d1_requests for cost in measurement.warm),
        _median_and_max(cost.subrequests for cost in measurement.warm),
        f"{median(rows):,.0f}, p95 {p95(rows):,.0f}",
        f"{ROWS_READ_PER_DAY / mean(rows):,.0f}",
    )


def _remarks(measurements: Sequence[QueryCosts]) -> Iterator[str]:
    """Yields the fixed cost that the figures include."""
    starts = [start for measurement in measurements for start in measurement.starts]
    yield f"Loading the module and answering 404: {median(starts):.1f} ms in a new isolate,"
    idle_ms = min(measurement.idle_ms for measurement in measurements)
    yield f"{idle_ms:.1f} ms in one that has answered."
    for measurement in measurements:
        replays = [cost.cpu_ms for cost in measurement.replays]
        yield (
            f"{measurement.nodes:,}, {measurement.mode}: the same requests and answers without the"
            f" Worker's own work: {median(replays):.1f} ms in the median, p95 {p95(replays):.1f}."
        )


def _median_and_p95(costs: Sequence[Cost]) -> str:
    cpu = [cost.cpu_ms for cost in costs]
    return f"{median(cpu):.1f}, p95 {p95(cpu):.1f} ms"


def _median_and_max(counts: Iterator[int]) -> str:
    """Formats the median, with the maximum if it differs."""
    ordered = sorted(counts)
    middle = f"{median(ordered):.0f}"
    return middle if ordered[-1] == int(middle) else f"{middle} (max. {ordered[-1]})"


def p95(values: Sequence[float]) -> float:
    """Returns the 95th percentile."""
    return sorted(values)[int(len(values) * 0.95)]
