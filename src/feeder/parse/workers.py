"""How does a file that crashes, hangs or bloats the parser cost only itself? In a process apart.

Each worker is an interpreter that reads batches of files from stdin and answers file by file on
stdout. The kernel ends it when a file takes too long or too much memory. The file that ended it
becomes plain text, and a new worker goes on with the next one.
"""

# Not multiprocessing, hence not pebble: fork is unsafe beside onnxruntime's threads, spawn runs the
# caller's `__main__` again. pebble's SIGTERM does not reach a parser that hangs in native code: it
# stands still for 3 s before it kills, and such a worker outlives a killed parent.

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Self

from feeder.errors import FeederError, UserError
from feeder.parse import Parsed
from feeder.parse.files import parse_file, plain_file
from feeder.parse.grammars import load_grammars
from feeder.parse.worker import OUT_OF_MEMORY, TIMED_OUT, File, Limits, Order, ParseFile

WORKERS_LIMIT = 8
"""Workers at most, unless more are asked for."""
BATCH_FILES, BATCH_BYTES = 32, 128_000
"""What a worker gets at once, so that small files share the cost of a message."""
BYTES_AHEAD = 8_000_000
"""Content that is read and not yet handed back; its nodes take about as much again."""
BYTES_BESIDE = 1000
"""What a file counts beside its content, so that empty files are bounded too."""

_PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = sys.argv[1:]
from feeder.parse.worker import serve
serve()
"""


class Workers:
    """Parses files in `count` processes (as many as cores, up to 8), started when there is work.

    `own` is a user's grammar file: raises UserError when one of its queries does not compile,
    before any file is read. `parse` must be importable by its name.
    """

    def __init__(
        self,
        own: Path | None = None,
        *,
        count: int | None = None,
        limits: Limits = Limits(),  # noqa: B008 - immutable
        parse: ParseFile = parse_file,
    ) -> None:
        self.grammars = load_grammars(own)
        if own:  # compiling all takes 0.4 s, and the shipped ones are known to compile
            self.grammars.check()
        self._order = Order(own, parse, limits)
        self._threads = ThreadPoolExecutor(count or min(WORKERS_LIMIT, os.cpu_count() or 1))
        self._lock = Lock()
        self._closed = False
        self._running: set[_Worker] = set()
        self._idle: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def fingerprint(self) -> str:
        """What shapes the nodes: the parser's version, the grammars' and their settings."""
        return self.grammars.fingerprint

    def parse(self, files: Iterable[File]) -> Iterator[Parsed]:
        """The nodes of each file, in order; files are read a bounded number of bytes ahead.

        A file that the parser cannot cope with comes as plain text, with the reason. Raises
        UserError for a grammar that cannot be loaded.
        """
        ahead: deque[tuple[int, Future[list[Parsed]]]] = deque()
        bytes_ahead = 0
        try:
            for batch in _batches(files):
                ahead.append((_size(batch), self._threads.submit(self._parse, batch)))
                bytes_ahead += _size(batch)
                while ahead and (bytes_ahead > BYTES_AHEAD or ahead[0][1].done()):
                    size, parsed = ahead.popleft()
                    yield from parsed.result()
                    bytes_ahead -= size
            while ahead:
                yield from ahead.popleft()[1].result()
        finally:
            for _, parsed in ahead:
                parsed.cancel()

    def close(self) -> None:
        """Ends the processes, even in the midst of a file."""
        with self._lock:
            self._closed = True
            for worker in self._running:
                worker.kill()
        self._threads.shutdown(cancel_futures=True)
        while self._idle:
            self._idle.pop().end()

    def _parse(self, batch: list[File]) -> list[Parsed]:
        """Runs in a thread, which waits for a worker and takes another when that has ended."""
        parsed: list[Parsed] = []
        while len(parsed) < len(batch):
            rest = batch[len(parsed) :]
            try:
                with self._worker() as worker:
                    worker.send(rest)
                    for file in rest:
                        parsed.append(self._parsed(file, worker.receive()))
            except _Ended as exc:
                parsed.append(self._parsed(batch[len(parsed)], exc.reason))
            except BrokenPipeError:  # it had ended while it was idle: no file is to blame
                continue
        return parsed

    def _parsed(self, file: File, answer: Parsed | str) -> Parsed:
        return plain_file(self.grammars, *file, answer) if isinstance(answer, str) else answer

    @contextmanager
    def _worker(self) -> Iterator["_Worker"]:
        """An idle worker, else a new one; it is idle again after, or ended after an exception."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _Worker(self._order)
        try:
            with self._lock:
                if self._closed:
                    raise RuntimeError("the workers are closed")
                self._running.add(worker)
            yield worker
        except BaseException:
            with self._lock:
                self._running.discard(worker)
            worker.end()
            raise
        self._idle.append(worker)


class _Ended(Exception):
    """A worker ended while it parsed; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Worker:
    """A worker as its parent sees it; raises FeederError when it does not start."""

    def __init__(self, order: Order) -> None:
        self._limits = order.limits
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin and self._process.stdout
        self._requests, self._answers = self._process.stdin, self._process.stdout
        try:
            self.send(order)
            self.receive()
        except (_Ended, BrokenPipeError) as exc:
            raise FeederError(f"No process to parse in could be started: {exc}.") from exc
        except BaseException:
            self.end()
            raise

    def send(self, message: Order | list[File]) -> None:
        """Raises BrokenPipeError when the process has ended."""
        try:
            pickle.dump(message, self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
        except OSError as exc:  # Windows has another one
            raise BrokenPipeError("it has ended") from exc

    def receive(self) -> Parsed | str:
        """The next answer: a file's nodes, or why it has none; raises _Ended for an end instead."""
        try:
            answer: Parsed | str | UserError = pickle.load(self._answers)
        except (EOFError, pickle.UnpicklingError) as exc:
            raise _Ended(self._reason()) from exc
        if isinstance(answer, UserError):
            raise answer
        return answer

    def _reason(self) -> str:
        code, peak_bytes = _reap(self._process)
        if code == TIMED_OUT:
            return f"parsing took longer than {self._limits.timeout_s:g} s"
        # parsers seldom check that malloc gave what they asked: twice of what they have
        starved = code < 0 and peak_bytes > self._limits.max_bytes / 2
        if starved or code == OUT_OF_MEMORY:
            return f"parsing needed more than {self._limits.max_bytes / 1e9:g} GB"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"the parser crashed ({how})"

    def kill(self) -> None:
        """Stops the process, whatever it does."""
        self._process.kill()

    def end(self) -> None:
        """Stops the process and leaves nothing of it."""
        self.kill()
        self._process.wait()
        for pipe in (self._requests, self._answers):
            with suppress(OSError):  # what it did not read any more
                pipe.close()


def _reap(process: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """Waits as Popen does; the exit code and the peak of memory in bytes, 0 where unknown."""
    if sys.platform == "win32":
        return process.wait(), 0
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:  # `kill` has reaped it
        return process.wait(), 0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _batches(files: Iterable[File]) -> Iterator[list[File]]:
    batch: list[File] = []
    for file in files:
        batch.append(file)
        if len(batch) == BATCH_FILES or _size(batch) > BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def _size(batch: list[File]) -> int:
    return sum(len(content) + BYTES_BESIDE for _, content in batch)
