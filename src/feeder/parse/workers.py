"""How does a file that crashes, hangs or bloats the parser cost only itself? In a process apart.

Each worker is an interpreter that reads batches of files from stdin and answers file by file on
stdout. The kernel ends it when a file takes too long or too much memory. A new worker goes on with
the next one, and makes plain text of the file that ended it, in the rest of that file's time.
"""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Self

from feeder.errors import FeederError, UserError
from feeder.parse import Meaning, Parsed
from feeder.parse.batches import batches, size
from feeder.parse.extract import versions
from feeder.parse.extract.telling import Place
from feeder.parse.grammars import load_grammars
from feeder.parse.secrets import fingerprint
from feeder.parse.worker import OUT_OF_MEMORY, TIMED_OUT, File, Limits, Order, ParseFile, Request
from feeder.peer import Peer, peak_bytes, reap

WORKERS_LIMIT = 8
"""Workers at most, unless more are asked for."""
BYTES_AHEAD = 8_000_000
"""Content that is read and not yet handed back; its nodes take about as much again."""
_VARIABLES = {"OPENBLAS_NUM_THREADS": "1"}
"""The model computes in one thread: OpenBLAS would start one for each core, each takes 41 MB of the
memory that a worker may address, and from 32 on no file would be left."""

Tell = Callable[[str], None]


def _say_nothing(_: str) -> None:
    pass


class Workers:
    """Parses files in `count` processes (as many as cores, up to 8), started when there is work.

    `own` is a user's grammar file: raises UserError when one of its queries does not compile,
    before any file is read. `parse`, in place of `parse_file`, must be importable by its name.
    With a `meaning` each node's vector is made too.
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own
        self,
        own: Path | None = None,
        *,
        mask_secrets: bool = True,
        count: int | None = None,
        limits: Limits = Limits(),  # noqa: B008 - immutable
        parse: ParseFile | None = None,
        meaning: Meaning | None = None,
    ) -> None:
        self.grammars = load_grammars(own)
        if own:  # compiling all takes 0.4 s, and the shipped ones are known to compile
            self.grammars.check()
        self._order = Order(own, parse, limits, mask_secrets, meaning)
        self._threads = ThreadPoolExecutor(count or min(WORKERS_LIMIT, os.cpu_count() or 1))
        self._lock = Lock()
        self._closed = False
        self._running: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self.tell: Tell = _say_nothing
        """Who hears where in a long document a worker is (`manual.pdf: page 410 of 1,213`), from
        its thread, and an empty text when it is through."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def fingerprint(self) -> str:
        """What shapes the nodes: versions of parser and grammars, what is masked, what reads
        documents, where that is installed, and the model."""
        masking = fingerprint() if self._order.mask_secrets else "unmasked"
        meaning = [self._order.meaning.model] if self._order.meaning else []
        documents = filter(None, [versions()])
        return " ".join([self.grammars.fingerprint, masking, *documents, *meaning])

    def parse(self, files: Iterable[File], *, texts: bool = False) -> Iterator[Parsed]:
        """The nodes of each file, in order; files are read a bounded number of bytes ahead.

        A file that the parser cannot cope with comes as plain text, with the reason; one of which
        not even that can be made is skipped. Raises UserError for a grammar that cannot be loaded.
        """
        ahead: deque[tuple[int, Future[list[Parsed]]]] = deque()
        bytes_ahead = 0
        try:
            for batch in batches(files):
                ahead.append((size(batch), self._threads.submit(self._parse, batch, texts)))
                bytes_ahead += size(batch)
                while ahead and (bytes_ahead > BYTES_AHEAD or ahead[0][1].done()):
                    bytes_done, parsed = ahead.popleft()
                    yield from parsed.result()
                    bytes_ahead -= bytes_done
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

    def _parse(self, batch: list[File], texts: bool) -> list[Parsed]:
        """Runs in a thread, which waits for a worker and takes another when that has ended."""
        answers = self._answers([Request(*file, texts=texts) for file in batch])
        both = list(zip(batch, answers, strict=True))
        failed = [Request(*file, answer, texts) for file, answer in both if isinstance(answer, str)]
        plain = iter(self._answers(failed))
        return [
            _parsed(file[0], next(plain)) if isinstance(answer, str) else answer
            for file, answer in both
        ]

    def _answers(self, requests: list[Request]) -> list[Parsed | str]:
        """The nodes of each file, or why it has none."""
        answers: list[Parsed | str] = []
        while len(answers) < len(requests):
            answers += self._some_answers(requests[len(answers) :])
        return answers

    def _some_answers(self, requests: list[Request]) -> list[Parsed | str]:
        """Those of the first files, as far as one worker gets; none where it had ended before."""
        found: list[Parsed | str] = []
        try:
            with self._worker() as worker:
                worker.send(requests)
                found.extend(worker.receive(one.path, one.reason, self.tell) for one in requests)
                return worker.with_meanings(found) if self._order.meaning else found
        except _Ended as exc:
            if not (found and self._order.meaning):
                return [*found, exc.reason]
            # what was parsed has no vectors yet: it is asked again
            if len(found) < len(requests):
                return [*self._answers(requests[: len(found)]), exc.reason]
            # whose vectors ended it is told by half of the files
            half = requests[: len(requests) // 2]
            return self._answers(half) if half else [exc.reason]
        except BrokenPipeError:  # it had ended while it was idle: no file is to blame
            return []

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
            worker.begin()
            yield worker
        except BaseException:
            with self._lock:
                self._running.discard(worker)
            worker.end()
            raise
        self._idle.append(worker)


def _parsed(path: str, answer: Parsed | str) -> Parsed:
    return Parsed(path, [], skip=answer, stopped=True) if isinstance(answer, str) else answer


class _Ended(Exception):
    """A worker ended while it parsed; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Worker:
    """A worker as its parent sees it; `begin` raises FeederError when it does not start."""

    def __init__(self, order: Order) -> None:
        self._limits = order.limits
        self._is_new = False
        self._inherited_bytes = peak_bytes()
        self._peer = Peer("feeder.parse.worker", _VARIABLES)
        self._order: Order | None = order

    def begin(self) -> None:
        """Waits until the process is ready, the first time."""
        if self._order is None:
            return
        try:
            self.send(self._order)
            self.receive()
        except (_Ended, BrokenPipeError) as exc:
            raise FeederError(f"No process to parse in could be started: {exc}.") from exc
        self._order = None
        self._is_new = True

    def send(self, message: Order | list[Request]) -> None:
        """Raises BrokenPipeError when the process has ended; _Ended when the message ended it."""
        try:
            self._peer.send(message)
        except OSError as exc:  # Windows has another one
            if self._is_new:
                raise _Ended(self._reason("")) from exc
            raise BrokenPipeError("it has ended") from exc

    def receive(
        self, path: str = "", reason: str | None = None, tell: Tell = _say_nothing
    ) -> Parsed | str:
        """The next answer: a file's nodes, or why it has none; raises _Ended for an end instead.

        The request is for the file at `path`, with a `reason` where it is for plain text.
        """
        try:
            answer: Parsed | str | UserError = self._answer(path, tell)
        except EOFError as exc:
            raise _Ended(self._reason(path, reason)) from exc
        self._is_new = False
        if isinstance(answer, UserError):
            raise answer
        return answer

    def _answer(self, path: str, tell: Tell) -> Any:
        """The next answer; what is told on the way is handed on."""
        has_told = False
        try:
            while isinstance(answer := self._peer.receive(), Place):
                has_told = True
                tell(f"{path.rpartition('/')[2]}: {answer}")
        finally:
            if has_told:
                tell("")
        return answer

    def with_meanings(self, files: Sequence[Parsed | str]) -> list[Parsed | str]:
        """The files that it has answered, with their nodes' vectors; raises _Ended for an end."""
        found: Any = self.receive()
        if isinstance(found, str):
            raise _Ended(found)
        vectors = iter(found)
        return [
            file._replace(meanings=next(vectors)) if isinstance(file, Parsed) else file
            for file in files
        ]

    def _reason(self, path: str, before: str | None = None) -> str:
        """Why it ended; `before` is why the file was to become plain text."""
        code, used_bytes = reap(self._peer.process)
        if code in TIMED_OUT:
            aim = " to make plain text" if before else ""
            return f"the parser took longer than {self._limits.seconds(path, before):g} s{aim}"
        # parsers seldom check that malloc gave what they asked: twice of what they have; a process
        # has its parent's peak until its own is higher
        least_bytes = max(self._limits.max_bytes / 2, self._inherited_bytes)
        starved = code < 0 and used_bytes > least_bytes
        if starved or code == OUT_OF_MEMORY:
            return f"the parser needed more than {self._limits.max_bytes / 1e9:g} GB"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"the parser crashed ({how})"

    def kill(self) -> None:
        """Stops the process, whatever it does."""
        self._peer.kill()

    def end(self) -> None:
        """Stops the process and leaves nothing of it."""
        self._peer.end()
