"""Pool of worker processes that parse files in parallel.

A file that crashes, hangs or bloats its worker is indexed as plain text and affects no other
file.
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

from feeder.child_process import ChildProcess, peak_memory_bytes, wait_with_usage
from feeder.errors import FeederError, UserError
from feeder.parse import ParsedFile, StaticEmbedder
from feeder.parse.extract import DocumentProgress, extractor_versions
from feeder.parse.grammars import load_grammars
from feeder.parse.secrets import masking_fingerprint
from feeder.parse.worker import (
    OUT_OF_MEMORY,
    TIMED_OUT,
    File,
    Limits,
    ParseFile,
    ParseRequest,
    WorkerConfig,
)

BATCH_FILES, BATCH_BYTES = 32, 128_000
"""What a worker gets at once, so that small files share the cost of a message."""

FILE_OVERHEAD_BYTES = 1000
"""What a file counts beside its content, so that empty files are bounded too."""


def batch_files(files: Iterable[File]) -> Iterator[list[File]]:
    """The files in batches; a large one has its own, so that it is the one to blame."""
    batch: list[File] = []
    for file in files:
        if batch and batch_bytes([file]) > BATCH_BYTES:
            yield batch
            batch = []
        batch.append(file)
        if len(batch) == BATCH_FILES or batch_bytes(batch) > BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def batch_bytes(batch: list[File]) -> int:
    """In bytes, as far as it counts."""
    return sum(len(content) + FILE_OVERHEAD_BYTES for _, content in batch)


MAX_WORKERS = 8
"""Workers at most, unless more are asked for."""

READ_AHEAD_BYTES = 8_000_000
"""Content that is read and not yet handed back; its nodes take about as much again."""

_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""The model computes in one thread: OpenBLAS would start one for each core, each takes 41 MB of the
memory that a worker may address, and from 32 on no file would be left."""


ProgressCallback = Callable[[str], None]


def _ignore_progress(_: str) -> None:
    pass


class WorkerPool:
    """Parses files in `count` processes (as many as cores, up to 8), started when there is work.

    `own` is a user's grammar file: raises UserError when one of its queries does not compile,
    before any file is read. `parse`, in place of `parse_file`, must be importable by its name.
    With a `meaning` each node's vector is made too.
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own
        self,
        grammar_file: Path | None = None,
        *,
        mask_secrets: bool = True,
        count: int | None = None,
        limits: Limits = Limits(),  # noqa: B008 - immutable
        parse_file: ParseFile | None = None,
        static_embedder: StaticEmbedder | None = None,
    ) -> None:
        self.grammars = load_grammars(grammar_file)
        if grammar_file:  # compiling all takes 0.4 s, and the shipped ones are known to compile
            self.grammars.compile_all()
        self._config = WorkerConfig(grammar_file, parse_file, limits, mask_secrets, static_embedder)
        self._threads = ThreadPoolExecutor(count or min(MAX_WORKERS, os.cpu_count() or 1))
        self._lock = Lock()
        self._closed = False
        self._busy: set[_WorkerProcess] = set()
        self._idle: list[_WorkerProcess] = []
        self.on_progress: ProgressCallback = _ignore_progress
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
        masking = masking_fingerprint() if self._config.mask_secrets else "unmasked"
        meaning = [self._config.static_embedder.model] if self._config.static_embedder else []
        documents = filter(None, [extractor_versions()])
        return " ".join([self.grammars.fingerprint, masking, *documents, *meaning])

    def parse(self, files: Iterable[File], *, keep_source: bool = False) -> Iterator[ParsedFile]:
        """The nodes of each file, in order; files are read a bounded number of bytes ahead.

        A file that the parser cannot cope with comes as plain text, with the reason; one of which
        not even that can be made is skipped. Raises UserError for a grammar that cannot be loaded.
        """
        ahead: deque[tuple[int, Future[list[ParsedFile]]]] = deque()
        bytes_ahead = 0
        try:
            for batch in batch_files(files):
                ahead.append(
                    (
                        batch_bytes(batch),
                        self._threads.submit(self._parse_batch, batch, keep_source),
                    )
                )
                bytes_ahead += batch_bytes(batch)
                while ahead and (bytes_ahead > READ_AHEAD_BYTES or ahead[0][1].done()):
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
            for worker in self._busy:
                worker.kill()
        self._threads.shutdown(cancel_futures=True)
        while self._idle:
            self._idle.pop().close()

    def _parse_batch(self, batch: list[File], keep_source: bool) -> list[ParsedFile]:
        """Runs in a thread, which waits for a worker and takes another when that has ended."""
        answers = self._answer_all([ParseRequest(*file, keep_source=keep_source) for file in batch])
        both = list(zip(batch, answers, strict=True))
        failed = [
            ParseRequest(*file, answer, keep_source)
            for file, answer in both
            if isinstance(answer, str)
        ]
        plain = iter(self._answer_all(failed))
        return [
            _as_parsed_file(file[0], next(plain)) if isinstance(answer, str) else answer
            for file, answer in both
        ]

    def _answer_all(self, requests: list[ParseRequest]) -> list[ParsedFile | str]:
        """The nodes of each file, or why it has none."""
        answers: list[ParsedFile | str] = []
        while len(answers) < len(requests):
            answers += self._answer_first(requests[len(answers) :])
        return answers

    def _answer_first(self, requests: list[ParseRequest]) -> list[ParsedFile | str]:
        """Those of the first files, as far as one worker gets; none where it had ended before."""
        found: list[ParsedFile | str] = []
        try:
            with self._acquire_worker() as worker:
                worker.send(requests)
                found.extend(
                    worker.receive(one.path, one.plain_text_reason, self.on_progress)
                    for one in requests
                )
                return worker.with_static_vectors(found) if self._config.static_embedder else found
        except _WorkerEndedError as exc:
            if not (found and self._config.static_embedder):
                return [*found, exc.reason]
            # what was parsed has no vectors yet: it is asked again
            if len(found) < len(requests):
                return [*self._answer_all(requests[: len(found)]), exc.reason]
            # whose vectors ended it is told by half of the files
            half = requests[: len(requests) // 2]
            return self._answer_all(half) if half else [exc.reason]
        except BrokenPipeError:  # it had ended while it was idle: no file is to blame
            return []

    @contextmanager
    def _acquire_worker(self) -> Iterator["_WorkerProcess"]:
        """An idle worker, else a new one; it is idle again after, or ended after an exception."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _WorkerProcess(self._config)
        try:
            with self._lock:
                if self._closed:
                    raise RuntimeError("the workers are closed")
                self._busy.add(worker)
            worker.start()
            yield worker
        except BaseException:
            with self._lock:
                self._busy.discard(worker)
            worker.close()
            raise
        self._idle.append(worker)


def _as_parsed_file(path: str, answer: ParsedFile | str) -> ParsedFile:
    return ParsedFile(path, [], skip=answer, stopped=True) if isinstance(answer, str) else answer


class _WorkerEndedError(Exception):
    """A worker ended while it parsed; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _WorkerProcess:
    """A worker as its parent sees it; `begin` raises FeederError when it does not start."""

    def __init__(self, config: WorkerConfig) -> None:
        self._limits = config.limits
        self._is_unproven = False
        self._inherited_bytes = peak_memory_bytes()
        self._peer = ChildProcess("feeder.parse.worker", _ENVIRONMENT)
        self._config: WorkerConfig | None = config

    def start(self) -> None:
        """Waits until the process is ready, the first time."""
        if self._config is None:
            return
        try:
            self.send(self._config)
            self.receive()
        except (_WorkerEndedError, BrokenPipeError) as exc:
            raise FeederError(f"No process to parse in could be started: {exc}.") from exc
        self._config = None
        self._is_unproven = True

    def send(self, message: WorkerConfig | list[ParseRequest]) -> None:
        """Raises BrokenPipeError when the process has ended; _Ended when the message ended it."""
        try:
            self._peer.send(message)
        except OSError as exc:  # Windows has another one
            if self._is_unproven:
                raise _WorkerEndedError(self._end_reason("")) from exc
            raise BrokenPipeError("it has ended") from exc

    def receive(
        self,
        path: str = "",
        plain_text_reason: str | None = None,
        on_progress: ProgressCallback = _ignore_progress,
    ) -> ParsedFile | str:
        """The next answer: a file's nodes, or why it has none; raises _Ended for an end instead.

        The request is for the file at `path`, with a `reason` where it is for plain text.
        """
        try:
            answer: ParsedFile | str | UserError = self._next_answer(path, on_progress)
        except EOFError as exc:
            raise _WorkerEndedError(self._end_reason(path, plain_text_reason)) from exc
        self._is_unproven = False
        if isinstance(answer, UserError):
            raise answer
        return answer

    def _next_answer(self, path: str, on_progress: ProgressCallback) -> Any:
        """The next answer; what is told on the way is handed on."""
        has_told = False
        try:
            while isinstance(answer := self._peer.receive(), DocumentProgress):
                has_told = True
                on_progress(f"{path.rpartition('/')[2]}: {answer}")
        finally:
            if has_told:
                on_progress("")
        return answer

    def with_static_vectors(self, files: Sequence[ParsedFile | str]) -> list[ParsedFile | str]:
        """The files that it has answered, with their nodes' vectors; raises _Ended for an end."""
        found: Any = self.receive()
        if isinstance(found, str):
            raise _WorkerEndedError(found)
        vectors = iter(found)
        return [
            file._replace(static_vectors=next(vectors)) if isinstance(file, ParsedFile) else file
            for file in files
        ]

    def _end_reason(self, path: str, plain_text_reason: str | None = None) -> str:
        """Why it ended; `before` is why the file was to become plain text."""
        code, used_bytes = wait_with_usage(self._peer.process)
        if code in TIMED_OUT:
            aim = " to make plain text" if plain_text_reason else ""
            return (
                "the parser took longer than "
                f"{self._limits.timeout_for(path, plain_text_reason):g} "
                f"s{aim}"
            )
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

    def close(self) -> None:
        """Stops the process and leaves nothing of it."""
        self._peer.stop()
