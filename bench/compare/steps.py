"""Measures each version: the start, a sync, searches and the peak memory."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from speed.figures import Figures
from speed.first_sync import arguments
from speed.program import FinishedRun
from speed.repository import commit

from compare.versions import Version

MEMORY = "first feed with static vectors"
MEMORY_RUNS = 3
MIN_ROUNDS = 5
"""With fewer, other work on the machine may make all runs of one version slower."""
QUERIES = ("parse a file into nodes", "where are secrets masked", "parse_file")
EDITED = "src/feeder/errors.py"
"""A file that every commit has; each round adds a function at its end."""

Run = Callable[[Version], FinishedRun]


class Step(NamedTuple):
    """A measured run of the program; what its figures belong to, and how it is run."""

    subject: str
    run: Run


def round_steps(number: int) -> Iterator[Step]:
    """Yields the steps of a round; short ones are repeated. Later steps need the earlier ones."""
    for _ in QUERIES:
        yield Step("start (`--help`)", lambda version: version.program.timed("--help"))
    yield Step("first feed by words", partial(_first_sync, model="words"))
    yield Step("first feed with static vectors", partial(_first_sync, model="static"))
    for query in QUERIES:
        yield Step("nothing changed", _sync)
        yield Step("search by words", partial(_search, query=query, model="words"))
        yield Step("search with static vectors", partial(_search, query=query, model="static"))
    yield Step("one file edited", partial(_edit_and_sync, number=number))


def run_round(number: int, versions: Sequence[Version], figures: Sequence[Figures]) -> None:
    """Runs each step with each version in turn; the first one changes with every step."""
    pairs = list(zip(versions, figures, strict=True))
    for position, step in enumerate(round_steps(number)):
        for version, version_figures in pairs if (number + position) % 2 else reversed(pairs):
            done = step.run(version)
            version_figures.add(
                "compare", step.subject, {"CPU, s": done.cpu_s, "wall, s": done.wall_s}
            )


def measure_memory(versions: Sequence[Version], figures: Sequence[Figures]) -> None:
    """Measures the peak memory of all processes of a first feed, in runs of their own."""
    for _ in range(MEMORY_RUNS):
        for version, version_figures in zip(versions, figures, strict=True):
            _delete(version.static)
            command = arguments(version.repository, version.static, "static")
            version_figures.add(
                "compare", MEMORY, {"peak, MB": version.program.peaks(*command)["all"]}
            )


def run_rounds(
    run: Callable[[int], None],
    seconds: float,
    is_slower: Callable[[], bool],
    now: Callable[[], float] = time.monotonic,
) -> int:
    """Runs rounds from number 1 for `seconds`, and up to as long again while `is_slower` says so.

    Runs at least `MIN_ROUNDS`. Returns how many.
    """
    started, number = now(), 0
    while (
        (elapsed := now() - started) < seconds
        or number < MIN_ROUNDS
        or (elapsed < 2 * seconds and is_slower())
    ):
        number += 1
        run(number)
    return number


def _database(version: Version, model: str) -> Path:
    return version.words if model == "words" else version.static


def _first_sync(version: Version, model: str) -> FinishedRun:
    database = _database(version, model)
    _delete(database)
    return version.program.timed(*arguments(version.repository, database, model))


def _sync(version: Version) -> FinishedRun:
    return version.program.timed(*arguments(version.repository, version.words))


def _edit_and_sync(version: Version, number: int) -> FinishedRun:
    with (version.repository / EDITED).open("a") as file:
        file.write(f"\n\ndef added_{number}():\n    return {number}\n")
    commit(version.repository)
    return _sync(version)


def _search(version: Version, query: str, model: str) -> FinishedRun:
    options = ["-C", str(version.repository), "--db", str(_database(version, model))]
    return version.program.timed("search", "--store", "local", "--quiet", *options, "--", query)


def _delete(database: Path) -> None:
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()
