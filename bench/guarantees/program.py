"""Runs the program as a process that can be killed or paused at a chosen step."""

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
"""Timeout for a run of less than a second, on a busy machine."""

FORKS = multiprocessing.get_context("forkserver")
# imported once, in a process without threads; each run is forked from it
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


class Action(Protocol):
    """A picklable action that is called in the program's process."""

    def __call__(self) -> object: ...


Setup = Action
"""An action that is called before the program runs."""


class FinishedRun(NamedTuple):
    """A finished run: its exit code (negative for a signal) and its output."""

    code: int
    output: str

    @property
    def was_killed(self) -> bool:
        return self.code == -signal.SIGKILL

    @property
    def has_error_message(self) -> bool:
        """True if it stopped with an error message in its last line and without a traceback."""
        last = self.output.rstrip().rpartition("\n")[2]
        return self.code > 0 and last.startswith("feeder: ") and "Traceback" not in self.output

    def expect_done(self) -> None:
        """Raises RuntimeError if the run failed."""
        if self.code:
            raise RuntimeError(f"an undisturbed run ended with {self.code}: {self.output}")


class Run:
    """`feeder` with these arguments, in its own process."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: dict[str, str],
        output_file: Path,
        setups: Sequence[Setup],
    ) -> None:
        self._output_file = output_file
        self._process = FORKS.Process(
            target=_run,
            args=(list(arguments), environment, str(output_file), list(setups)),
            daemon=True,
        )
        self._process.start()

    @property
    def is_over(self) -> bool:
        return not self._process.is_alive()

    def kill(self) -> FinishedRun:
        """Sends SIGKILL and waits for the end."""
        self._process.kill()
        return self.wait()

    def wait(self) -> FinishedRun:
        """Waits for the end. Raises TimeoutError after `WAIT_S`."""
        self._process.join(WAIT_S)
        if self._process.exitcode is None:
            raise TimeoutError(f"the run did not end: {self._output_file.read_text()}")
        return FinishedRun(self._process.exitcode, self._output_file.read_text())


def _run(
    arguments: list[str], environment: dict[str, str], output_file: str, setups: list[Setup]
) -> None:
    for name in [name for name in os.environ if name.startswith(_CLEARED_PREFIXES)]:
        del os.environ[name]
    os.environ.update(environment)
    file = os.open(output_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.argv = ["feeder", *arguments]
    for setup in setups:
        setup()
    from feeder.cli.main import main

    main()


_CLEARED_PREFIXES = ("FEEDER_", "CLOUDFLARE_", "GITHUB_", "RUNNER_", "HTTP", "ALL_PROXY")


class Limits(NamedTuple):
    """Batch sizes of the program; small, so that a small repository takes many requests."""

    nodes: int = 4
    deleted_files: int = 1
    vectors: int = 3
    outbox: int = 2
    recheck_after_s: float | None = None
    """Seconds after a guarded write without an ownership check; None for the default."""
    descriptions: int = 4

    def __call__(self) -> None:
        import feeder.store.ownership
        import feeder.sync.description_requests
        import feeder.sync.vectors
        import feeder.sync.write

        for module, name, size in (
            (feeder.sync.write, "BATCH_NODES", self.nodes),
            (feeder.sync.vectors, "BATCH_VECTORS", self.vectors),
        ):
            setattr(module, name, size)
        feeder.sync.write.BATCH_DELETED_FILES = self.deleted_files
        feeder.sync.vectors.DELETE_BATCH = self.outbox
        feeder.sync.description_requests.BATCH_REQUESTS = self.descriptions
        if self.recheck_after_s is not None:
            feeder.store.ownership.RECHECK_AFTER_S = self.recheck_after_s


class AtRateLimit(NamedTuple):
    """Calls an action when the `at`-th request to Cloudflare reserves a slot of the rate limit.

    There a run sleeps, because of the rate limit or before a retry.
    """

    at: int
    action: Action

    def __call__(self) -> None:
        from feeder.cloudflare.rate_limit import RateLimit

        reserve = RateLimit.reserve
        numbers = count(1)

        def counting_reserve(limit: RateLimit, now: float) -> float:
            if next(numbers) == self.at:
                self.action()
            return reserve(limit, now)

        setattr(RateLimit, "reserve", counting_reserve)  # noqa: B010 - mypy forbids assigning to a method


class AtRequest(NamedTuple):
    """Calls an action when the `at`-th request to Cloudflare is sent, before it arrives."""

    at: int
    action: Action

    def __call__(self) -> None:
        import httpx

        request = httpx.Client.request
        numbers = count(1)

        def counting_request(
            client: httpx.Client, *arguments: Any, **options: Any
        ) -> httpx.Response:
            if next(numbers) == self.at:
                self.action()
            return request(client, *arguments, **options)

        setattr(httpx.Client, "request", counting_request)  # noqa: B010


class AtTransaction(NamedTuple):
    """Calls an action at the `at`-th transaction of the local database, in one of the `MOMENTS`."""

    at: int
    action: Action
    moment: str = "before"

    def __call__(self) -> None:
        from feeder.store import Row, Statement
        from feeder.store.sqlite import SQLite

        run = SQLite.run
        numbers, commits = count(1), count(1)

        def on_commit() -> bool:
            if next(commits) == self.at:
                self.action()
            return False

        def counting_run(database: SQLite, statements: Sequence[Statement]) -> list[list[Row]]:
            if self.moment == "before the commit":
                database.connection.set_commit_hook(on_commit)
                return run(database, statements)
            is_due = next(numbers) == self.at
            if is_due and self.moment == "before":
                self.action()
            rows = run(database, statements)
            if is_due and self.moment == "after":
                self.action()
            return rows

        setattr(SQLite, "run", counting_run)  # noqa: B010


MOMENTS = ("before", "before the commit", "after")


def kill_self() -> None:
    """Kills its own process with SIGKILL: nothing is flushed, closed or rolled back."""
    os.kill(os.getpid(), signal.SIGKILL)


class Pause:
    """A pause of the program that begins when it is called, and lasts until `end`."""

    def __init__(self) -> None:
        self._started = FORKS.Event()
        self._resumed = FORKS.Event()

    def __call__(self) -> None:
        self._started.set()
        self._resumed.wait(WAIT_S)

    def has_started(self, run: Run) -> bool:
        """Waits until the run is paused. Returns False if it ended before."""
        while not self._started.wait(0.02):
            if run.is_over:
                return self._started.is_set()
        return True

    def end(self) -> None:
        """Resumes the run."""
        self._resumed.set()


class ReadTimer:
    """Records when a run has read the index; a run that reads later started later."""

    def __init__(self) -> None:
        self._ended_s = FORKS.Value("d", 0.0)

    def __call__(self) -> None:
        from feeder.store.index import Index
        from feeder.store.index_state import IndexState

        read_state = Index.read_state

        def timed_read(index: Index, expected: dict[str, str]) -> IndexState:
            state = read_state(index, expected)
            self._ended_s.value = time.monotonic()
            return state

        setattr(Index, "read_state", timed_read)  # noqa: B010

    @property
    def ended_s(self) -> float:
        """Monotonic time in seconds; 0 until the index was read."""
        ended_s: float = self._ended_s.value
        return ended_s

    @property
    def is_over(self) -> bool:
        return self.ended_s > 0


class RecordedRequest(NamedTuple):
    """A recorded request, to be replayed for another account."""

    path: str
    content: bytes
    content_type: str


class RecordRequests(NamedTuple):
    """Records every POST request of the program in a file."""

    file: str

    def __call__(self) -> None:
        import httpx

        request = httpx.Client.request

        def recording_request(
            client: httpx.Client, method: str, url: str, **options: Any
        ) -> httpx.Response:
            if method == "POST":
                recorded = RecordedRequest(
                    url, options["content"], options["headers"]["Content-Type"]
                )
                with Path(self.file).open("ab") as file:
                    pickle.dump(recorded, file)
            return request(client, method, url, **options)

        setattr(httpx.Client, "request", recording_request)  # noqa: B010


def read_requests(file: Path) -> list[RecordedRequest]:
    """Reads the requests that `Recorded` wrote."""
    requests = []
    with file.open("rb") as stream, suppress(EOFError):
        while True:
            requests.append(pickle.load(stream))
    return requests


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits for a condition. Raises TimeoutError after `WAIT_S`."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not seen in {WAIT_S:.0f} s")
        time.sleep(0.01)
