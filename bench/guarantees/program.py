"""The program as a process that can be ended, or sent to sleep, at a step of one's choice."""

import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Protocol

WAIT_S = 120.0
"""For a run of less than a second, on a machine that has other things to do."""

FORKS = multiprocessing.get_context("forkserver")
# imported once, where no thread runs: each run is forked from there
FORKS.set_forkserver_preload(
    [
        "feeder.cli.main",
        "feeder.sync.sync",
        "feeder.session.cloud_backend",
        "feeder.session.backends",
        "httpx",
        "numpy",
    ]
)


class Act(Protocol):
    """Something to do within the program's process; it travels there."""

    def __call__(self) -> object: ...


Change = Act
"""One that happens before the program runs."""


class Ended(NamedTuple):
    """How a run ended: its exit code, below 0 the signal; and what it said."""

    code: int
    said: str

    @property
    def was_killed(self) -> bool:
        return self.code == -signal.SIGKILL

    @property
    def has_reason(self) -> bool:
        """Whether it stopped by itself, and said in its last line why."""
        last = self.said.rstrip().rpartition("\n")[2]
        return self.code > 0 and last.startswith("feeder: ") and "Traceback" not in self.said

    def expect_done(self) -> None:
        """Raises RuntimeError where a run failed that nothing disturbed."""
        if self.code:
            raise RuntimeError(f"an undisturbed run ended with {self.code}: {self.said}")


class Run:
    """`feeder` with these arguments, in a process of its own."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: dict[str, str],
        said: Path,
        changes: Sequence[Change],
    ) -> None:
        self._said = said
        self._process = FORKS.Process(
            target=_run, args=(list(arguments), environment, str(said), list(changes)), daemon=True
        )
        self._process.start()

    @property
    def is_over(self) -> bool:
        return not self._process.is_alive()

    def kill(self) -> Ended:
        """SIGKILL, wherever it is."""
        self._process.kill()
        return self.ended()

    def ended(self) -> Ended:
        """Waits for its end; raises TimeoutError when it does not come."""
        self._process.join(WAIT_S)
        if self._process.exitcode is None:
            raise TimeoutError(f"the run did not end: {self._said.read_text()}")
        return Ended(self._process.exitcode, self._said.read_text())


def _run(
    arguments: list[str], environment: dict[str, str], said: str, changes: list[Change]
) -> None:
    for name in [name for name in os.environ if name.startswith(_OTHERS)]:
        del os.environ[name]
    os.environ.update(environment)
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.argv = ["feeder", *arguments]
    for change in changes:
        change()
    from feeder.cli.main import main

    main()


_OTHERS = ("FEEDER_", "CLOUDFLARE_", "GITHUB_", "RUNNER_", "HTTP", "ALL_PROXY")


class Limits(NamedTuple):
    """How much the program does at once; small, so that a small repository takes many requests."""

    nodes: int = 4
    gone: int = 1
    vectors: int = 3
    outbox: int = 2
    trust_s: float | None = None
    """After a guarded write; None for the program's own."""
    lines: int = 4

    def __call__(self) -> None:
        import feeder.store.ownership
        import feeder.sync.description_requests
        import feeder.sync.vectors
        import feeder.sync.write

        feeder.sync.write.BATCH_NODES = self.nodes
        feeder.sync.write.BATCH_DELETED_FILES = self.gone
        feeder.sync.vectors.BATCH_VECTORS = self.vectors
        feeder.sync.vectors.DELETE_BATCH = self.outbox
        feeder.sync.description_requests.BATCH_REQUESTS = self.lines
        if self.trust_s is not None:
            feeder.store.ownership.RECHECK_AFTER_S = self.trust_s


class AtTurn(NamedTuple):
    """Does something where the `at`-th request to Cloudflare waits for its turn.

    There a run sleeps, for the limit or before another try.
    """

    at: int
    act: Act

    def __call__(self) -> None:
        from feeder.cloudflare.rate_limit import RateLimit

        wait = RateLimit.reserve
        numbers = count(1)

        def counted(pace: RateLimit, now: float) -> float:
            if next(numbers) == self.at:
                self.act()
            return wait(pace, now)

        setattr(RateLimit, "reserve", counted)  # noqa: B010 - mypy knows it for a method


class AtRequest(NamedTuple):
    """Does something when the `at`-th request to Cloudflare is on the wire, and has not arrived."""

    at: int
    act: Act

    def __call__(self) -> None:
        import httpx

        request = httpx.Client.request
        numbers = count(1)

        def counted(client: httpx.Client, *arguments: Any, **more: Any) -> httpx.Response:
            if next(numbers) == self.at:
                self.act()
            return request(client, *arguments, **more)

        setattr(httpx.Client, "request", counted)  # noqa: B010


class AtTransaction(NamedTuple):
    """Does something at the `at`-th transaction of the local database, in one of the `MOMENTS`."""

    at: int
    act: Act
    moment: str = "before"

    def __call__(self) -> None:
        from feeder.store import Row, Statement
        from feeder.store.sqlite import SQLite

        run = SQLite.run
        numbers, commits = count(1), count(1)

        def committing() -> bool:
            if next(commits) == self.at:
                self.act()
            return False

        def counted(database: SQLite, statements: Sequence[Statement]) -> list[list[Row]]:
            if self.moment == "before the commit":
                database.connection.set_commit_hook(committing)
                return run(database, statements)
            is_due = next(numbers) == self.at
            if is_due and self.moment == "before":
                self.act()
            rows = run(database, statements)
            if is_due and self.moment == "after":
                self.act()
            return rows

        setattr(SQLite, "run", counted)  # noqa: B010


MOMENTS = ("before", "before the commit", "after")


def die() -> None:
    """SIGKILL from within: nothing is flushed, closed or rolled back."""
    os.kill(os.getpid(), signal.SIGKILL)


class Nap:
    """A sleep that begins at a step of the program, and ends when it is told to."""

    def __init__(self) -> None:
        self._begun = FORKS.Event()
        self._over = FORKS.Event()

    def __call__(self) -> None:
        self._begun.set()
        self._over.wait(WAIT_S)

    def has_begun(self, run: Run) -> bool:
        """Waits until the run sleeps; False when it ended without."""
        while not self._begun.wait(0.02):
            if run.is_over:
                return self._begun.is_set()
        return True

    def end(self) -> None:
        """The run goes on."""
        self._over.set()


class Reading:
    """When a run has read the index: one that begins after that has started later."""

    def __init__(self) -> None:
        self._ended_s = FORKS.Value("d", 0.0)

    def __call__(self) -> None:
        from feeder.store.index import Index
        from feeder.store.index_state import IndexState

        read = Index.read_state

        def told(index: Index, expected: dict[str, str]) -> IndexState:
            state = read(index, expected)
            self._ended_s.value = time.monotonic()
            return state

        setattr(Index, "read_state", told)  # noqa: B010

    @property
    def ended_s(self) -> float:
        """By the machine's clock; 0 while it has not."""
        ended_s: float = self._ended_s.value
        return ended_s

    @property
    def is_over(self) -> bool:
        return self.ended_s > 0


class Sent(NamedTuple):
    """A request that a run made, to be made again for another account."""

    path: str
    content: bytes
    content_type: str


class Recorded(NamedTuple):
    """Writes every POST of the program into a file."""

    file: str

    def __call__(self) -> None:
        import httpx

        request = httpx.Client.request

        def recorded(client: httpx.Client, method: str, url: str, **more: Any) -> httpx.Response:
            if method == "POST":
                sent = Sent(url, more["content"], more["headers"]["Content-Type"])
                with Path(self.file).open("ab") as file:
                    pickle.dump(sent, file)
            return request(client, method, url, **more)

        setattr(httpx.Client, "request", recorded)  # noqa: B010


def recorded(file: Path) -> list[Sent]:
    """What `Recorded` wrote."""
    found = []
    with file.open("rb") as stream, suppress(EOFError):
        while True:
            found.append(pickle.load(stream))
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    """Raises TimeoutError where that takes too long."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not seen in {WAIT_S:.0f} s")
        time.sleep(0.01)
