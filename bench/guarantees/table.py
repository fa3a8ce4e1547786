"""Prints markdown tables row by row, so that an interrupted test has shown its results."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console

Item = TypeVar("Item")


def print_header(*columns: str) -> None:
    """Prints the header of a table."""
    print_row(*columns)
    print("|" + "---|" * len(columns), flush=True)


def print_row(*values: str | int) -> None:
    """Prints a row and flushes it."""
    print(f"| {' | '.join(_cell(value) for value in values)} |", flush=True)


def print_failures(failures: Sequence[str]) -> None:
    """Prints each failure on a line; prints nothing without failures."""
    for failure in failures:
        print(f"  WRONG: {failure}", flush=True)


def with_progress(row: str, items: Iterable[Item]) -> Iterator[Item]:
    """Yields the same items, and shows the row's name and their count on a terminal."""
    with Console(stderr=True).status(row) as status:
        for number, item in enumerate(items, start=1):
            status.update(f"{row}: {number}")
            yield item


def _cell(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value
