"""Tests that of two simultaneous runs the index is that of the winner, and never a mixture."""

import time
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from guarantees import table
from guarantees.contents import LATE, MISSING, OTHERS, VECTORS, IndexContents
from guarantees.history import REPO, Commits, sha
from guarantees.program import Act, AtRequest, Change, FinishedRun, Nap, Reading, Run, die
from guarantees.reference import Finish, Reference, finish
from guarantees.stores import Cloud, Store

SUPERSEDED = 75
STORES = ("embedded", "cloud")
STEP_S = 0.05
"""The delay between the starts of two runs grows by this many seconds each time."""
HEAD = (
    "store",
    "two runs",
    "steps tested",
    "a run superseded",
    "index of the winner after both",
    "vectors too",
    "right after the next run",
)
STARTS = 12
NOT_STOPPED = frozenset({MISSING, OTHERS})
"""Effects of a late write to Vectorize; the next run deletes the vectors that it leaves over."""


class Side(NamedTuple):
    """A run: its commit, and the number of its workflow run; 0 for a run by hand."""

    checkout: Path
    number: int = 0
    attempt: int = 1

    @property
    def run_id(self) -> int:
        return 1000 + self.number

    def environment(self) -> dict[str, str]:
        if not self.number:
            return {}
        facts = {
            "ACTIONS": "true",
            "EVENT_NAME": "push",
            "REF": "refs/heads/main",
            "REPOSITORY": REPO,
            "RUN_ATTEMPT": str(self.attempt),
            "RUN_ID": str(self.run_id),
            "RUN_NUMBER": str(self.number),
            "SHA": sha(self.checkout),
            "WORKFLOW_REF": f"{REPO}/.github/workflows/feed.yml@refs/heads/main",
        }
        return {f"GITHUB_{name}": value for name, value in facts.items()}


class Meeting(NamedTuple):
    """Two simultaneous runs on the index of the first commit."""

    name: str
    one: Side
    other: Side

    def winner(self, *, one_is_last: bool) -> Side:
        """Returns the run of the newer event; by hand the one that started last."""
        if self.one.number != self.other.number:
            return max(self.one, self.other, key=lambda side: side.number)
        return self.one if one_is_last else self.other


def meetings(commits: Commits) -> list[Meeting]:
    first, second, third = commits
    return [
        Meeting("the same commit", Side(second), Side(second)),
        Meeting("a later commit, by hand", Side(second), Side(third)),
        Meeting("a later commit, of a newer event", Side(second, 8), Side(third, 9)),
        Meeting("an earlier commit, of an older event", Side(third, 9), Side(second, 8)),
        Meeting("a push back to the first commit", Side(second, 8), Side(first, 9)),
    ]


@dataclass
class Tally:
    """Results of the steps of a row."""

    tried: int = 0
    superseded: int = 0
    at_once: int = 0
    vectors: int = 0
    held: int = 0
    broken: list[str] = field(default_factory=list)

    def add(self, point: "Point", unlike: list[str], found: Finish, but: Set[str]) -> None:
        """Counts a step; differences named in `but` are allowed."""
        self.tried += 1
        right = set(unlike) <= {LATE, *VECTORS}
        holds = right and set(found.first) <= {LATE, *but} and set(found.last) <= but
        self.superseded += SUPERSEDED in point.codes
        self.at_once += right
        self.vectors += right and not VECTORS.intersection(unlike)
        self.held += found.is_right
        if not holds or 0 not in point.codes or set(point.codes) - {0, SUPERSEDED}:
            name = f"{point.name}, ended with {point.codes}"
            self.broken.append(f"{name}: after both {unlike}, then {found}")


class Point(NamedTuple):
    """One test: its name, the index after both runs, and the run that should have won."""

    name: str
    seen: IndexContents
    winner: Side
    codes: tuple[int, ...]


class Row(NamedTuple):
    """Tests of one kind; differences in `but` are allowed.

    A row passes if at least `least` steps were tested and, with `sure`, a run was superseded.
    """

    name: str
    points: Iterator[Point]
    but: Set[str] = frozenset()
    least: int = 1
    sure: bool = True


class Trial:
    """Runs two syncs of a store simultaneously, at every step of one of them or every few.

    They check their ownership before each write to Vectorize, without the usual interval.
    """

    def __init__(self, store: Store, commits: Commits, every: int) -> None:
        store.limits = store.limits._replace(trust_s=0.0)
        self._store = store
        self._first = commits.first
        self._every = every
        self.has_wire = isinstance(store, Cloud)
        reference = Reference(store)
        self._clean = {checkout: reference.of(checkout) for checkout in commits}

    def tally(self, row: Row) -> Tally:
        tally = Tally()
        for point in table.counted(row.name, row.points):
            expected = self._expected(point.winner)
            unlike = point.seen.differences(expected)
            found = finish(self._store, point.winner.checkout, expected)
            tally.add(point, unlike, found, row.but)
        if tally.tried < row.least:
            tally.broken.append(f"tested {tally.tried} of at least {row.least} steps")
        if row.sure and not tally.superseded:
            tally.broken.append("no run was superseded")
        return tally

    def sleeping(self, meeting: Meeting) -> Iterator[Point]:
        """Pauses one run at each step while the other runs to its end."""
        return self._interrupted(meeting, self._store.when)

    def held_up(self, meeting: Meeting, first: int = 1) -> Iterator[Point]:
        """Delays a request of one run, from the `first` on, until the other has ended."""
        return self._interrupted(meeting, AtRequest, first)

    def _interrupted(
        self, meeting: Meeting, when: Callable[[int, Act], Change], first: int = 1
    ) -> Iterator[Point]:
        for at in count(first, self._every):
            nap, reading = Nap(), Reading()
            self._store.start(self._first)
            run = self._begun(meeting.one, when(at, nap), reading)
            if not nap.has_begun(run):
                run.ended().expect_done()
                return
            winner = meeting.winner(one_is_last=not reading.is_over)
            other = self._synced(meeting.other)
            nap.end()
            codes = run.ended().code, other.code
            yield Point(f"step {at}", self._store.contents(), winner, codes)

    def started(self, meeting: Meeting) -> Iterator[Point]:
        """Starts both runs at nearly the same time."""
        for number in range(0, STARTS, self._every):
            self._store.start(self._first)
            readings = Reading(), Reading()
            run = self._begun(meeting.one, readings[0])
            time.sleep(STEP_S * number)
            other = self._synced(meeting.other, readings[1])
            codes = run.ended().code, other.code
            winner = meeting.winner(one_is_last=_is_last(codes, readings))
            yield Point(f"start {number}", self._store.contents(), winner, codes)

    def again(self, newer: Side, older: Side) -> Iterator[Point]:
        """Kills the newer event's run at each step, then runs the older event again.

        After its first write, only the newer run may continue the index.
        """
        for at in count(1, self._every):
            self._store.start(self._first)
            untouched = self._store.contents()
            died = self._synced(newer, self._store.when(at, die))
            before = self._store.contents()
            has_begun = bool(before.differences(untouched))
            codes = [self._synced(older).code]
            if has_begun and not self._store.contents().differences(before):
                codes.append(self._synced(newer._replace(attempt=2)).code)
            winner = newer if has_begun else older
            yield Point(f"step {at}", self._store.contents(), winner, tuple(codes))
            if not died.was_killed:
                died.expect_done()
                return

    def _begun(self, side: Side, *changes: Change) -> Run:
        return self._store.run(side.checkout, *changes, environment=side.environment())

    def _synced(self, side: Side, *changes: Change) -> FinishedRun:
        return self._begun(side, *changes).ended()

    def _expected(self, winner: Side) -> IndexContents:
        """Returns the contents after an undisturbed first sync, with the winner's event."""
        clean = self._clean[winner.checkout]
        if not winner.number:
            return clean
        return clean.with_meta(f"{REPO}:event", f"{winner.run_id} {sha(winner.checkout)}")


def _is_last(codes: tuple[int, int], readings: tuple[Reading, Reading]) -> bool:
    """Returns True if the first of two runs started last: it superseded the other or read later."""
    if SUPERSEDED in codes:
        return codes[1] == SUPERSEDED
    return readings[0].ended_s > readings[1].ended_s


def held(store: Store, commits: Commits, every: int) -> bool:
    """Tests every `every`-th step and prints a row per pair. Returns True if all passed."""
    trial = Trial(store, commits, every)
    all_held = True
    for row in _rows(trial, commits):
        tally = trial.tally(row)
        figures = (tally.tried, tally.superseded, tally.at_once, tally.vectors, tally.held)
        table.line(store.name, row.name, *figures)
        table.wrong(tally.broken)
        all_held = all_held and not tally.broken
    return all_held


def _rows(trial: Trial, commits: Commits) -> Iterator[Row]:
    for meeting in meetings(commits):
        yield Row(f"one paused: {meeting.name}", trial.sleeping(meeting))
    for meeting in meetings(commits):
        yield Row(f"started together: {meeting.name}", trial.started(meeting), sure=False)
    newer, older = Side(commits.third, 9), Side(commits.second, 8)
    again = trial.again(newer, older)
    yield Row("newer run killed or ended, then an older event again", again, least=2)
    if trial.has_wire:
        meeting = meetings(commits)[1]
        points = trial.held_up(meeting)
        yield Row(f"a request delayed: {meeting.name}", points, NOT_STOPPED)
