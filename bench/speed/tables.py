"""Formats rows as markdown tables."""

from collections.abc import Iterable, Sequence

Cell = str | float | None
Row = Sequence[Cell]


def table(rows: Iterable[Row]) -> str:
    """Formats rows as a markdown table; the first row is the head. Empty without other rows."""
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines) if body else ""


def cell(value: Cell) -> str:
    """Formats a cell: numbers with three significant digits, a dash for a missing value."""
    match value:
        case None:
            return "—"
        case str():
            return value.replace("|", r"\|")
    if float(value).is_integer() or value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"
