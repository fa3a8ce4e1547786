"""Tables of markdown that grow line by line, so that a trial cut short has shown what it found."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console

Point = TypeVar("Point")


def head(*columns: str) -> None:
    """The first two lines."""
    line(*columns)
    print("|" + "---|" * len(columns), flush=True)


def line(*values: str | int) -> None:
    """One more line, at once."""
    print(f"| {' | '.join(_cell(value) for value in values)} |", flush=True)


def wrong(cases: Sequence[str]) -> None:
    """What did not hold, case by case; silent where all did."""
    for case in cases:
        print(f"  WRONG: {case}", flush=True)


def counted(row: str, points: Iterable[Point]) -> Iterator[Point]:
    """The same points; while a row is tried, a terminal shows its name and how many there were."""
    with Console(stderr=True).status(row) as status:
        for number, point in enumerate(points, start=1):
            status.update(f"{row}: {number}")
            yield point


def _cell(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value
