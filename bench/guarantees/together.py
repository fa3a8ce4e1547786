"""Two at once: does the index become that of the run that wins, and never a mixture of both?"""

import time
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from guarantees import table
from guarantees.clean import Finish, Reference, finish
from guarantees.history import REPO, Commits, sha
from guarantees.picture import LATE, Picture
from guarantees.program import Act, Change, Ended, Nap, die
from guarantees.stores import Store

OVERTAKEN = 75
STEP_S = 0.05
"""Between the starts of two runs that are started together, a little more each time."""
HEAD = (
    "store",
    "two runs",
    "points tried",
    "index of the winner at once",
    "vectors too",
    "all right after the next run",
)
STARTS = 12


class Side(NamedTuple):
    """A run: its commit, and the number of its workflow's event; 0 for a run by hand."""

    checkout: Path
    number: int = 0
    attempt: int = 1

    def environment(self) -> dict[str, str]:
        if not self.number:
            return {}
        facts = {
            "ACTIONS": "true",
            "EVENT_NAME": "push",
            "REF": "refs/heads/main",
            "REPOSITORY": REPO,
            "RUN_ATTEMPT": str(self.attempt),
            "RUN_ID": str(1000 + self.number),
            "RUN_NUMBER": str(self.number),
            "SHA": sha(self.checkout),
            "WORKFLOW_REF": f"{REPO}/.github/workflows/feed.yml@refs/heads/main",
        }
        return {f"GITHUB_{name}": value for name, value in facts.items()}


class Meeting(NamedTuple):
    """Two runs on the index of the first commit."""

    name: str
    one: Side
    other: Side

    def winner(self, one: Ended) -> Side:
        """The newer event; by hand, the one that ended last, unless it was overtaken."""
        if self.one.number != self.other.number:
            return max(self.one, self.other, key=lambda side: side.number)
        return self.other if one.code else self.one


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
    """What came of the points of a row."""

    tried: int = 0
    at_once: int = 0
    vectors: int = 0
    held: int = 0
    broken: list[str] = field(default_factory=list)

    def add(self, point: str, unlike: list[str], found: Finish, but: Set[str]) -> None:
        """A point holds although what is named in `but` is not as it should."""
        self.tried += 1
        right = set(unlike) <= {LATE, "vectors"}
        self.at_once += right
        self.vectors += right and "vectors" not in unlike
        self.held += found.is_right
        if not (right and (found.is_right or set(found.last) <= but)):
            self.broken.append(f"{point}: at once {unlike}, then {found}")


class Point(NamedTuple):
    """One trial: its name, the index as both runs left it, and whose it should be."""

    name: str
    seen: Picture
    winner: Path
    codes: tuple[int, ...]


class Trial:
    """Lets two runs meet in a store, at every step of one of them, or every few.

    They ask before each write to Vectorize whether they may, however short ago they did.
    """

    def __init__(self, store: Store, commits: Commits, every: int) -> None:
        store.limits = store.limits._replace(trust_s=0.0)
        self._store = store
        self._first = commits.first
        self._every = every
        reference = Reference(store)
        self._clean = {checkout: reference.of(checkout) for checkout in commits}

    def tally(self, points: Iterator[Point], but: Set[str]) -> Tally:
        tally = Tally()
        for point in points:
            clean = self._clean[point.winner]
            unlike = point.seen.differences(clean)
            name = f"{point.name}, ended with {point.codes}"
            tally.add(name, unlike, finish(self._store, point.winner, clean), but)
            if not set(point.codes) <= {0, OVERTAKEN}:
                tally.broken.append(name)
        return tally

    def sleeping(self, meeting: Meeting) -> Iterator[Point]:
        """One sleeps at a step; the other runs to its end meanwhile."""
        return self._interrupted(meeting, self._store.when)

    def held_up(self, meeting: Meeting) -> Iterator[Point]:
        """A request of one arrives only when the other has run to its end."""
        return self._interrupted(meeting, self._store.on_the_wire)

    def _interrupted(
        self, meeting: Meeting, when: Callable[[int, Act], Change | None]
    ) -> Iterator[Point]:
        for at in count(1, self._every):
            nap = Nap()
            if (change := when(at, nap)) is None:
                return
            self._store.start(self._first)
            one = meeting.one
            run = self._store.run(one.checkout, change, environment=one.environment())
            if not nap.has_begun(run):
                run.ended()
                return
            other = self._synced(meeting.other)
            nap.end()
            slept = run.ended()
            winner = meeting.winner(slept).checkout
            yield Point(f"step {at}", self._store.picture(), winner, (slept.code, other.code))

    def started(self, meeting: Meeting) -> Iterator[Point]:
        """Both at nearly the same time."""
        for number in range(0, STARTS, self._every):
            self._store.start(self._first)
            one, other = meeting.one, meeting.other
            run = self._store.run(one.checkout, environment=one.environment())
            time.sleep(STEP_S * number)
            ended = self._synced(other)
            first = run.ended()
            seen = self._store.picture()
            winner = meeting.winner(first).checkout
            if not (first.code or ended.code or one.number):  # by hand, either may have been last
                winner = self._like(seen, one.checkout, other.checkout)
            yield Point(f"start {number}", seen, winner, (first.code, ended.code))

    def again(self, newer: Side, older: Side) -> Iterator[Point]:
        """The newer event's run dies at a step; then the older one's is run again."""
        for at in count(1, self._every):
            self._store.start(self._first)
            died = self._store.synced(
                newer.checkout, self._store.when(at, die), environment=newer.environment()
            )
            before = self._store.picture()
            ended = self._synced(older)
            seen = self._store.picture()
            if ended.code and not seen.differences(before):
                # refused: what the newer one has begun stands, and is its own to finish
                self._synced(newer._replace(attempt=2))
                seen = self._store.picture()
            winner = newer if ended.code else older
            yield Point(f"step {at}", seen, winner.checkout, (ended.code,))
            if died.code >= 0:
                return

    def _synced(self, side: Side) -> Ended:
        return self._store.synced(side.checkout, environment=side.environment())

    def _like(self, seen: Picture, *checkouts: Path) -> Path:
        """The one of them that the index is most like."""
        return min(checkouts, key=lambda checkout: len(seen.differences(self._clean[checkout])))


def held(store: Store, commits: Commits, every: int = 1) -> bool:
    """Prints a row for each meeting; whether all points held. Each `every`-th point is tried."""
    trial = Trial(store, commits, every)
    all_held = True
    for name, points, but in _rows(trial, commits):
        tally = trial.tally(points, but)
        if not tally.tried:
            continue
        row = (tally.tried, tally.at_once, tally.vectors, tally.held)
        table.line(store.name, name, *row)
        table.wrong(tally.broken)
        all_held = all_held and not tally.broken
    return all_held


def _rows(trial: Trial, commits: Commits) -> Iterator[tuple[str, Iterator[Point], Set[str]]]:
    """Each row's name, its trials, and what is not promised."""
    for meeting in meetings(commits):
        yield f"one sleeps: {meeting.name}", trial.sleeping(meeting), set()
    for meeting in meetings(commits):
        yield f"started together: {meeting.name}", trial.started(meeting), set()
    newer, older = Side(commits.third, 9), Side(commits.second, 8)
    yield "the newer dies or ends: an older event again", trial.again(newer, older), set()
    for meeting in meetings(commits)[1:2]:
        yield f"a request is held up: {meeting.name}", trial.held_up(meeting), {"vectors"}
