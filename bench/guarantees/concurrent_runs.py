"""Tests that of two simultaneous runs the index is that of the winner, and never a mixture."""

import time
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from guarantees import table
from guarantees.contents import LATE_TABLE, MISSING, OF_OTHER_TEXT, VECTORS, IndexContents
from guarantees.history import REPO, Commits, sha
from guarantees.program import (
    Action,
    AtRequest,
    FinishedRun,
    Pause,
    ReadTimer,
    Run,
    Setup,
    kill_self,
)
from guarantees.reference import Recovery, Reference, recover
from guarantees.stores import Cloud, Store

SUPERSEDED = 75
STORES = ("embedded", "cloud")
STEP_S = 0.05
"""The delay between the starts of two runs grows by this many seconds each time."""
COLUMNS = (
    "store",
    "two runs",
    "steps tested",
    "a run superseded",
    "index of the winner after both",
    "vectors too",
    "right after the next run",
)
START_COUNT = 12
LATE_WRITE_EFFECTS = frozenset({MISSING, OF_OTHER_TEXT})
"""Effects of a late write to Vectorize; the next run deletes the vectors that it leaves over."""


class RunSpec(NamedTuple):
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
        variables = {
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
        return {f"GITHUB_{name}": value for name, value in variables.items()}


class RunPair(NamedTuple):
    """Two simultaneous runs on the index of the first commit."""

    name: str
    one: RunSpec
    other: RunSpec

    def winner(self, *, one_is_last: bool) -> RunSpec:
        """Returns the run of the newer event; by hand the one that started last."""
        if self.one.number != self.other.number:
            return max(self.one, self.other, key=lambda spec: spec.number)
        return self.one if one_is_last else self.other


def run_pairs(commits: Commits) -> list[RunPair]:
    first, second, third = commits
    return [
        RunPair("the same commit", RunSpec(second), RunSpec(second)),
        RunPair("a later commit, by hand", RunSpec(second), RunSpec(third)),
        RunPair("a later commit, of a newer event", RunSpec(second, 8), RunSpec(third, 9)),
        RunPair("an earlier commit, of an older event", RunSpec(third, 9), RunSpec(second, 8)),
        RunPair("a push back to the first commit", RunSpec(second, 8), RunSpec(first, 9)),
    ]


@dataclass
class Tally:
    """Results of the steps of a row."""

    tested: int = 0
    superseded: int = 0
    right_at_once: int = 0
    vectors: int = 0
    passed: int = 0
    failures: list[str] = field(default_factory=list)

    def add(
        self, point: "Point", differences: list[str], recovery: Recovery, allowed: Set[str]
    ) -> None:
        """Counts a step; differences named in `allowed` do not fail it."""
        self.tested += 1
        is_right = set(differences) <= {LATE_TABLE, *VECTORS}
        is_acceptable = (
            is_right
            and set(recovery.first) <= {LATE_TABLE, *allowed}
            and set(recovery.last) <= allowed
        )
        self.superseded += SUPERSEDED in point.codes
        self.right_at_once += is_right
        self.vectors += is_right and not VECTORS.intersection(differences)
        self.passed += recovery.is_right
        if not is_acceptable or 0 not in point.codes or set(point.codes) - {0, SUPERSEDED}:
            name = f"{point.name}, ended with {point.codes}"
            self.failures.append(f"{name}: after both {differences}, then {recovery}")


class Point(NamedTuple):
    """One test: its name, the index after both runs, and the run that should have won."""

    name: str
    contents: IndexContents
    winner: RunSpec
    codes: tuple[int, ...]


class Row(NamedTuple):
    """Tests of one kind; differences in `allowed` do not fail it.

    A row passes if `min_points` steps were tested and, with `must_supersede`, a run was superseded.
    """

    name: str
    points: Iterator[Point]
    allowed: Set[str] = frozenset()
    min_points: int = 1
    must_supersede: bool = True


class Trial:
    """Runs two syncs of a store simultaneously, at every step of one of them or every few.

    They check their ownership before each write to Vectorize, without the usual interval.
    """

    def __init__(self, store: Store, commits: Commits, interval: int) -> None:
        store.limits = store.limits._replace(recheck_after_s=0.0)
        self._store = store
        self._first = commits.first
        self._interval = interval
        self.sends_requests = isinstance(store, Cloud)
        reference = Reference(store)
        self._clean = {checkout: reference.of(checkout) for checkout in commits}

    def tally(self, row: Row) -> Tally:
        tally = Tally()
        for point in table.with_progress(row.name, row.points):
            expected = self._expected_contents(point.winner)
            differences = point.contents.differences(expected)
            recovery = recover(self._store, point.winner.checkout, expected)
            tally.add(point, differences, recovery, row.allowed)
        if tally.tested < row.min_points:
            tally.failures.append(f"tested {tally.tested} of at least {row.min_points} steps")
        if row.must_supersede and not tally.superseded:
            tally.failures.append("no run was superseded")
        return tally

    def with_pauses(self, pair: RunPair) -> Iterator[Point]:
        """Pauses one run at each step while the other runs to its end."""
        return self._interrupt(pair, self._store.setup_at)

    def with_delayed_request(self, pair: RunPair, first: int = 1) -> Iterator[Point]:
        """Delays a request of one run, from the `first` on, until the other has ended."""
        return self._interrupt(pair, AtRequest, first)

    def _interrupt(
        self, pair: RunPair, setup_at: Callable[[int, Action], Setup], first: int = 1
    ) -> Iterator[Point]:
        for at in count(first, self._interval):
            pause, read_timer = Pause(), ReadTimer()
            self._store.reset(self._first)
            run = self._start(pair.one, setup_at(at, pause), read_timer)
            if not pause.has_started(run):
                run.wait().expect_done()
                return
            winner = pair.winner(one_is_last=not read_timer.is_over)
            other = self._sync(pair.other)
            pause.end()
            codes = run.wait().code, other.code
            yield Point(f"step {at}", self._store.contents(), winner, codes)

    def start_together(self, pair: RunPair) -> Iterator[Point]:
        """Starts both runs at nearly the same time."""
        for number in range(0, START_COUNT, self._interval):
            self._store.reset(self._first)
            read_timers = ReadTimer(), ReadTimer()
            run = self._start(pair.one, read_timers[0])
            time.sleep(STEP_S * number)
            other = self._sync(pair.other, read_timers[1])
            codes = run.wait().code, other.code
            winner = pair.winner(one_is_last=_is_last(codes, read_timers))
            yield Point(f"start {number}", self._store.contents(), winner, codes)

    def rerun_older(self, newer: RunSpec, older: RunSpec) -> Iterator[Point]:
        """Kills the newer event's run at each step, then runs the older event again.

        After its first write, only the newer run may continue the index.
        """
        for at in count(1, self._interval):
            self._store.reset(self._first)
            untouched = self._store.contents()
            killed_run = self._sync(newer, self._store.setup_at(at, kill_self))
            before = self._store.contents()
            has_written = bool(before.differences(untouched))
            codes = [self._sync(older).code]
            if has_written and not self._store.contents().differences(before):
                codes.append(self._sync(newer._replace(attempt=2)).code)
            winner = newer if has_written else older
            yield Point(f"step {at}", self._store.contents(), winner, tuple(codes))
            if not killed_run.was_killed:
                killed_run.expect_done()
                return

    def _start(self, spec: RunSpec, *setups: Setup) -> Run:
        return self._store.start_sync(spec.checkout, *setups, environment=spec.environment())

    def _sync(self, spec: RunSpec, *setups: Setup) -> FinishedRun:
        return self._start(spec, *setups).wait()

    def _expected_contents(self, winner: RunSpec) -> IndexContents:
        """Returns the contents after an undisturbed first sync, with the winner's event."""
        clean = self._clean[winner.checkout]
        if not winner.number:
            return clean
        return clean.with_meta(f"{REPO}:event", f"{winner.run_id} {sha(winner.checkout)}")


def _is_last(codes: tuple[int, int], read_timers: tuple[ReadTimer, ReadTimer]) -> bool:
    """Returns True if the first of two runs started last: it superseded the other or read later."""
    if SUPERSEDED in codes:
        return codes[1] == SUPERSEDED
    return read_timers[0].ended_s > read_timers[1].ended_s


def run_trial(store: Store, commits: Commits, interval: int) -> bool:
    """Tests every `interval`-th step and prints a row per pair. Returns True if all passed."""
    trial = Trial(store, commits, interval)
    all_passed = True
    for row in _rows(trial, commits):
        tally = trial.tally(row)
        figures = (tally.tested, tally.superseded, tally.right_at_once, tally.vectors, tally.passed)
        table.print_row(store.name, row.name, *figures)
        table.print_failures(tally.failures)
        all_passed = all_passed and not tally.failures
    return all_passed


def _rows(trial: Trial, commits: Commits) -> Iterator[Row]:
    for pair in run_pairs(commits):
        yield Row(f"one paused: {pair.name}", trial.with_pauses(pair))
    for pair in run_pairs(commits):
        yield Row(
            f"started together: {pair.name}", trial.start_together(pair), must_supersede=False
        )
    newer, older = RunSpec(commits.third, 9), RunSpec(commits.second, 8)
    points = trial.rerun_older(newer, older)
    yield Row("newer run killed or ended, then an older event again", points, min_points=2)
    if trial.sends_requests:
        pair = run_pairs(commits)[1]
        points = trial.with_delayed_request(pair)
        yield Row(f"a request delayed: {pair.name}", points, LATE_WRITE_EFFECTS)
