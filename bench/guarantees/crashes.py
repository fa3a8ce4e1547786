"""Tests that the next run finishes a run that was killed at any of its steps."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from guarantees import table
from guarantees.contents import IndexContents
from guarantees.history import Commits, sha
from guarantees.reference import Finish, Reference, finish
from guarantees.stores import Store

STORES = ("embedded", "cloud")
HEAD = (
    "store",
    "killed run",
    "killed",
    "commit of the next run",
    "steps tested",
    "steps passed",
    "passed, with vectors deleted again by the following run",
)


class Scene(NamedTuple):
    """A run that is killed on the index of `before`, and the commits that the next run may find."""

    name: str
    before: Path | None
    killed: Path
    later: Path
    is_read_again: bool = False
    """True if another parser has read the files of the index."""

    def start(self, store: Store) -> None:
        """Resets the index to that with which the scenario begins."""
        store.start(self.before)
        if self.is_read_again:
            store.mark_as_read_by_another_parser()


def scenes(commits: Commits) -> list[Scene]:
    return [
        Scene("first sync", None, commits.first, commits.second),
        Scene("update", commits.first, commits.second, commits.third),
        Scene("reading again", commits.first, commits.first, commits.second, is_read_again=True),
    ]


@dataclass
class Tally:
    """Results of the steps of one row; it passed if nothing is `broken`."""

    tried: int = 0
    held: int = 0
    twice: int = 0
    """Steps after which the run after the next deleted the same vectors again."""
    broken: list[str] = field(default_factory=list)

    def add(self, point: str, early_differences: list[str], found: Finish) -> None:
        """Counts a step; `lie` are the differences from the commit that the index named."""
        is_right = found.is_right and not early_differences
        self.tried += 1
        self.held += is_right
        self.twice += bool(found.first)
        if not is_right:
            self.broken.append(f"{point}: after the kill {early_differences}, then {found}")


class Row(NamedTuple):
    """A scenario, the moment of the kill, and the commit that the next run finds."""

    scene: Scene
    moment: str
    name: str
    then: Path


def rows(store: Store, commits: Commits) -> Iterator[Row]:
    for scene in scenes(commits):
        for moment in store.moments:
            yield Row(scene, moment, "the same", scene.killed)
            yield Row(scene, moment, "a later one", scene.later)
            if scene.before and scene.before != scene.killed:
                yield Row(scene, moment, "the one before", scene.before)


def tried(store: Store, row: Row, reference: Reference, steps: Iterable[int]) -> Tally:
    """Kills a run at each of these steps until a run ends before its step.

    Raises RuntimeError if a run that was not killed fails.
    """
    tally = Tally()
    whole, expected = reference.of(row.scene.killed), reference.of(row.then)
    name = f"{store.name}, {row.scene.name}, {row.moment}, {row.name}"
    for at in table.counted(name, steps):
        row.scene.start(store)
        ended = store.killed(row.scene.killed, at, row.moment)
        if not ended.was_killed:
            ended.expect_done()
            break
        early_differences = _early_differences(store, row.scene, whole)
        tally.add(f"step {at}", early_differences, finish(store, row.then, expected))
    if not tally.tried:
        tally.broken.append("no run was killed")
    return tally


def _early_differences(store: Store, scene: Scene, whole: IndexContents) -> list[str]:
    """Returns the differences from the commit that the index names, if it names the new one.

    The head moves last, after everything but descriptions, which are therefore ignored.
    """
    if store.head() == (sha(scene.before) if scene.before else ""):
        return []
    return store.contents().without_lines().differences(whole.without_lines())


def held(store: Store, commits: Commits, every: int) -> bool:
    """Prints a row per scenario, moment and next commit. Returns True if all steps passed."""
    reference = Reference(store)
    all_held = True
    for row in rows(store, commits):
        tally = tried(store, row, reference, count(1, every))
        figures = (tally.tried, tally.held, tally.twice)
        table.line(store.name, row.scene.name, row.moment, row.name, *figures)
        table.wrong(tally.broken)
        all_held = all_held and not tally.broken
    return all_held
