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
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Self

from feeder.child_process import ChildProcess, peak_memory_bytes, wait_with_usage
from feeder.errors import FeederError, UserError
from feeder.parse import NodeEncoder, ParsedFile, StaticEmbedder
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
"""Maximum size of a batch; small files share the cost of a message to a worker."""

FILE_OVERHEAD_BYTES = 1000
"""Bytes that a file counts in addition to its content, so that empty files are limited too."""

MAX_WORKERS = 8
"""Maximum number of workers, unless the caller says more."""

READ_AHEAD_BYTES = 8_000_000
"""Bytes of files that are read ahead of the results; their nodes take about as much again."""

_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""The static model computes in one thread: OpenBLAS would start one for each core, and each takes
41 MB of a worker's limited address space; with 32 threads none would be left."""

ProgressCallback = Callable[[str], None]


def _ignore_progress(_: str) -> None:
    pass


class WorkerPool:
    """A `Parser` with `count` worker processes (default: one per core, up to 8), started on demand.

    Raises UserError if a query of a user's grammar file does not compile. `parse_file` replaces
    `file_parser.parse_file` in the workers, which import it by name. With a `static_embedder`, the
    workers also compute the nodes' static vectors.
    """

    def __init__(  # noqa: PLR0913 - independent settings
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
        self._count = count or min(MAX_WORKERS, os.cpu_count() or 1)
        self._threads = ThreadPoolExecutor(self._count)
        self._lock = Lock()
        self._closed = False
        self._busy: set[_WorkerProcess] = set()
        self._idle: list[_WorkerProcess] = []
        self.on_progress: ProgressCallback = _ignore_progress
        """Called from a worker's thread with the progress in a long document (`manual.pdf: page 410
        of 1,213`), and with an empty string at its end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def fingerprint(self) -> str:
        """Versions of parser, grammars, masking and document extractors, and the static model."""
        masking = masking_fingerprint() if self._config.mask_secrets else "unmasked"
        embedder = self._config.static_embedder
        optional = filter(None, [extractor_versions(), embedder.model if embedder else ""])
        return " ".join([self.grammars.fingerprint, masking, *optional])

    def start(self, count: int | None = None) -> None:
        """Starts so many workers, all by default, unless there are any.

        They load their modules while the caller lists its files.
        """
        if not self._idle and not self._busy:
            count = min(count or self._count, self._count)
            self._idle += [_WorkerProcess(self._config) for _ in range(count)]

    def parse(
        self,
        files: Iterable[File],
        *,
        keep_source: bool = False,
        encode: NodeEncoder | None = None,
    ) -> Iterator[ParsedFile]:
        """Parses files, in order; reads up to `READ_AHEAD_BYTES` ahead.

        A file that fails is parsed as plain text, with the reason; if that fails too, it is
        skipped. Raises UserError for a grammar that cannot be loaded.
        """
        parse_batch = partial(self._parse_batch, keep_source=keep_source, encode=encode)
        pending: deque[tuple[int, Future[list[ParsedFile]]]] = deque()
        pending_bytes = 0
        try:
            for batch in batch_files(files):
                size = batch_bytes(batch)
                pending.append((size, self._threads.submit(parse_batch, batch)))
                pending_bytes += size
                while pending and (pending_bytes > READ_AHEAD_BYTES or pending[0][1].done()):
                    size, parsed = pending.popleft()
                    yield from parsed.result()
                    pending_bytes -= size
            while pending:
                yield from pending.popleft()[1].result()
        finally:
            for _, parsed in pending:
                parsed.cancel()

    def close(self) -> None:
        """Ends the worker processes at once."""
        with self._lock:
            self._closed = True
            for worker in self._busy:
                worker.kill()
        self._threads.shutdown(cancel_futures=True)
        while self._idle:
            self._idle.pop().close()

    def _parse_batch(
        self, batch: list[File], *, keep_source: bool, encode: NodeEncoder | None
    ) -> list[ParsedFile]:
        """Parses a batch; what fails is parsed again as plain text. Runs in a thread of its own."""
        request = partial(ParseRequest, keep_source=keep_source, encode=encode)
        answers = self._answer_all([request(*file) for file in batch])
        pairs = list(zip(batch, answers, strict=True))
        failed = [request(*file, answer) for file, answer in pairs if isinstance(answer, str)]
        plain_answers = iter(self._answer_all(failed))
        return [
            _as_parsed_file(path, next(plain_answers)) if isinstance(answer, str) else answer
            for (path, _), answer in pairs
        ]

    def _answer_all(self, requests: list[ParseRequest]) -> list[ParsedFile | str]:
        """The parsed file or the reason of the failure for each request."""
        answers: list[ParsedFile | str] = []
        while len(answers) < len(requests):
            answers += self._answer_first(requests[len(answers) :])
        return answers

    def _answer_first(self, requests: list[ParseRequest]) -> list[ParsedFile | str]:
        """The answers to the first requests, up to one that ends the worker."""
        answers: list[ParsedFile | str] = []
        try:
            with self._acquire_worker() as worker:
                worker.send(requests)
                answers.extend(
                    worker.receive(request.path, request.plain_text_reason, self.on_progress)
                    for request in requests
                )
                if self._config.static_embedder:
                    return worker.with_static_vectors(answers)
                return answers
        except _WorkerEndedError as exc:
            if not (answers and self._config.static_embedder):
                return [*answers, exc.reason]
            # the parsed files have no vectors yet: they are requested again
            if len(answers) < len(requests):
                return [*self._answer_all(requests[: len(answers)]), exc.reason]
            # the vectors of some file ended the worker: bisect
            half = requests[: len(requests) // 2]
            return self._answer_all(half) if half else [exc.reason]
        except BrokenPipeError:  # the worker ended while it was idle: no file is the cause
            return []

    @contextmanager
    def _acquire_worker(self) -> Iterator["_WorkerProcess"]:
        """An idle worker, else a new one; afterwards it is idle again, or ended by an exception."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _WorkerProcess(self._config)
        try:
            with self._lock:
                if self._closed:
                    raise RuntimeError("the worker pool is closed")
                self._busy.add(worker)
            worker.start()
            yield worker
        except BaseException:
            with self._lock:
                self._busy.discard(worker)
            worker.close()
            raise
        self._idle.append(worker)


def batch_files(files: Iterable[File]) -> Iterator[list[File]]:
    """Groups files into batches; a large file is a batch of its own."""
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
    """The size of a batch in bytes, with `FILE_OVERHEAD_BYTES` for each file."""
    return sum(len(content) + FILE_OVERHEAD_BYTES for _, content in batch)


def _as_parsed_file(path: str, answer: ParsedFile | str) -> ParsedFile:
    return ParsedFile(path, [], skip=answer, stopped=True) if isinstance(answer, str) else answer


class _WorkerEndedError(Exception):
    """A worker process ended before it answered; `reason` is the reason to store."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _WorkerProcess:
    """The parent's side of a worker process."""

    def __init__(self, config: WorkerConfig) -> None:
        self._limits = config.limits
        self._is_unproven = False
        self._inherited_bytes = peak_memory_bytes()
        self._peer = ChildProcess("feeder.parse.worker", _ENVIRONMENT)
        self._config: WorkerConfig | None = config

    def start(self) -> None:
        """On the first call, waits until the process is ready; raises FeederError if it fails."""
        if self._config is None:
            return
        try:
            self.send(self._config)
            self.receive()
        except (_WorkerEndedError, BrokenPipeError) as exc:
            raise FeederError(
                f"A parser process could not be started: {exc}. "
                "Check the free memory and the limits of processes, then run the command again."
            ) from exc
        self._config = None
        self._is_unproven = True

    def send(self, message: WorkerConfig | list[ParseRequest]) -> None:
        """Sends a message.

        Raises BrokenPipeError if the process had ended, _WorkerEndedError if it never answered yet.
        """
        try:
            self._peer.send(message)
        except OSError as exc:  # Windows raises another one than BrokenPipeError
            if self._is_unproven:
                raise _WorkerEndedError(self._end_reason("")) from exc
            raise BrokenPipeError("the worker has ended") from exc

    def receive(
        self,
        path: str = "",
        plain_text_reason: str | None = None,
        on_progress: ProgressCallback = _ignore_progress,
    ) -> ParsedFile | str:
        """The answer to the next request: a parsed file, or the reason of its failure.

        `path` and `plain_text_reason` are those of the request. Raises _WorkerEndedError if the
        process ends instead.
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
        """The next answer; reports progress until it arrives."""
        has_reported = False
        try:
            while isinstance(answer := self._peer.receive(), DocumentProgress):
                has_reported = True
                on_progress(f"{path.rpartition('/')[2]}: {answer}")
        finally:
            if has_reported:
                on_progress("")
        return answer

    def with_static_vectors(self, files: Sequence[ParsedFile | str]) -> list[ParsedFile | str]:
        """Receives the static vectors of the files answered last, and returns the files with them.

        Raises _WorkerEndedError if the vectors cannot be computed.
        """
        answer: Any = self.receive()
        if isinstance(answer, str):
            raise _WorkerEndedError(answer)
        vectors = iter(answer)
        return [
            file._replace(static_vectors=next(vectors)) if isinstance(file, ParsedFile) else file
            for file in files
        ]

    def _end_reason(self, path: str, plain_text_reason: str | None = None) -> str:
        """The reason why the process ended; stored for the file that it was parsing."""
        code, used_bytes = wait_with_usage(self._peer.process)
        if code in TIMED_OUT:
            timeout_s = self._limits.timeout_for(path, plain_text_reason)
            purpose = " to make plain text" if plain_text_reason else ""
            return f"the parser took longer than {timeout_s:g} s{purpose}"
        # parsers seldom check malloc's result: they crash when they ask for twice what they have;
        # a process reports its parent's peak until its own is higher
        least_bytes = max(self._limits.max_bytes / 2, self._inherited_bytes)
        is_starved = code < 0 and used_bytes > least_bytes
        if is_starved or code == OUT_OF_MEMORY:
            return f"the parser needed more than {self._limits.max_bytes / 1e9:g} GB"
        cause = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"the parser crashed ({cause})"

    def kill(self) -> None:
        """Kills the process."""
        self._peer.kill()

    def close(self) -> None:
        """Ends the process and closes its pipes."""
        self._peer.stop()
