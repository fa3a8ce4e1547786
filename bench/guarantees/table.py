"""Prints markdown tables row by row, so that an interrupted test has shown its results."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console

Point = TypeVar("Point")


def head(*columns: str) -> None:
    """Prints the header of a table."""
    line(*columns)
    print("|" + "---|" * len(columns), flush=True)


def line(*values: str | int) -> None:
    """Prints a row and flushes it."""
    print(f"| {' | '.join(_cell(value) for value in values)} |", flush=True)


def wrong(cases: Sequence[str]) -> None:
    """Prints each failure on a line; prints nothing without failures."""
    for case in cases:
        print(f"  WRONG: {case}", flush=True)


def counted(row: str, points: Iterable[Point]) -> Iterator[Point]:
    """Yields the same items, and shows the row's name and their count on a terminal."""
    with Console(stderr=True).status(row) as status:
        for number, point in enumerate(points, start=1):
            status.update(f"{row}: {number}")
            yield point


def _cell(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value
