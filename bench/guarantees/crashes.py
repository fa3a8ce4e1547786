"""Tests that the next run finishes a run that was killed at any of its steps."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from guarantees import table
from guarantees.contents import IndexContents
from guarantees.history import Commits, sha
from guarantees.reference import Recovery, Reference, recover
from guarantees.stores import Store

STORES = ("embedded", "cloud")
COLUMNS = (
    "store",
    "killed run",
    "killed",
    "commit of the next run",
    "steps tested",
    "steps passed",
    "passed, with vectors deleted again by the following run",
)


class Scenario(NamedTuple):
    """A run on `target` that is killed on the index of `before`; the next run may find `later`."""

    name: str
    before: Path | None
    target: Path
    later: Path
    has_other_parser: bool = False
    """True if another parser has read the files of the index."""

    def reset(self, store: Store) -> None:
        """Resets the index to that with which the scenario begins."""
        store.reset(self.before)
        if self.has_other_parser:
            store.mark_as_read_by_another_parser()


def scenarios(commits: Commits) -> list[Scenario]:
    return [
        Scenario("first sync", None, commits.first, commits.second),
        Scenario("update", commits.first, commits.second, commits.third),
        Scenario(
            "reading again", commits.first, commits.first, commits.second, has_other_parser=True
        ),
    ]


@dataclass
class Tally:
    """Results of the steps of one row; it passed if there are no `failures`."""

    tested: int = 0
    passed: int = 0
    deleted_again: int = 0
    """Steps after which the run after the next deleted the same vectors again."""
    failures: list[str] = field(default_factory=list)

    def add(self, point: str, early_differences: list[str], recovery: Recovery) -> None:
        """Counts a step; `early_differences` are those from the commit that the index named."""
        is_right = recovery.is_right and not early_differences
        self.tested += 1
        self.passed += is_right
        self.deleted_again += bool(recovery.first)
        if not is_right:
            self.failures.append(f"{point}: after the kill {early_differences}, then {recovery}")


class Row(NamedTuple):
    """A scenario, the moment of the kill, and the commit that the next run finds."""

    scenario: Scenario
    moment: str
    name: str
    next_checkout: Path


def rows(store: Store, commits: Commits) -> Iterator[Row]:
    for scenario in scenarios(commits):
        for moment in store.moments:
            yield Row(scenario, moment, "the same", scenario.target)
            yield Row(scenario, moment, "a later one", scenario.later)
            if scenario.before and scenario.before != scenario.target:
                yield Row(scenario, moment, "the one before", scenario.before)


def kill_at_steps(store: Store, row: Row, reference: Reference, steps: Iterable[int]) -> Tally:
    """Kills a run at each of these steps until a run ends before its step.

    Raises RuntimeError if a run that was not killed fails.
    """
    tally = Tally()
    complete, expected = reference.of(row.scenario.target), reference.of(row.next_checkout)
    name = f"{store.name}, {row.scenario.name}, {row.moment}, {row.name}"
    for at in table.with_progress(name, steps):
        row.scenario.reset(store)
        finished = store.sync_killed(row.scenario.target, at, row.moment)
        if not finished.was_killed:
            finished.expect_done()
            break
        early_differences = _early_differences(store, row.scenario, complete)
        tally.add(f"step {at}", early_differences, recover(store, row.next_checkout, expected))
    if not tally.tested:
        tally.failures.append("no run was killed")
    return tally


def _early_differences(store: Store, scenario: Scenario, complete: IndexContents) -> list[str]:
    """Returns the differences from the commit that the index names, if it names the new one.

    The head moves last, after everything but descriptions, which are therefore ignored.
    """
    if store.head() == (sha(scenario.before) if scenario.before else ""):
        return []
    return store.contents().without_descriptions().differences(complete.without_descriptions())


def run_trial(store: Store, commits: Commits, interval: int) -> bool:
    """Prints a row per scenario, moment and next commit. Returns True if all steps passed."""
    reference = Reference(store)
    all_passed = True
    for row in rows(store, commits):
        tally = kill_at_steps(store, row, reference, count(1, interval))
        figures = (tally.tested, tally.passed, tally.deleted_again)
        table.print_row(store.name, row.scenario.name, row.moment, row.name, *figures)
        table.print_failures(tally.failures)
        all_passed = all_passed and not tally.failures
    return all_passed
