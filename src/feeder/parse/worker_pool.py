"""Pool of worker processes that parse files in parallel.

A file that crashes, hangs or bloats its worker is indexed as plain text and affects no other
file.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from feeder.parse import NodeEncoder, ParsedFile, StaticEmbedder
from feeder.parse.extract import extractor_versions
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammars import Grammars
from feeder.parse.secrets import MASK_VERSION, UNMASKED
from feeder.parse.worker_messages import (
    CodeReference,
    File,
    Limits,
    ParseFile,
    ParseRequest,
    WorkerConfig,
)

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from feeder.parse.worker_client import Worker
    from feeder.parse.worker_process import WorkerProcess

BATCH_FILES, BATCH_BYTES = 32, 128_000
"""Maximum size of a batch; small files share the cost of a message to a worker."""

FILE_OVERHEAD_BYTES = 1000
"""Bytes that a file counts in addition to its content, so that empty files are limited too."""

READ_AHEAD_BYTES = 4_000_000
"""Bytes of files that are read ahead of the results; their nodes take about as much again."""

ProgressCallback = Callable[[str], None]


def _ignore_progress(_: str) -> None:
    pass


def code_fingerprint(grammars: Grammars, *, mask_secrets: bool) -> str:
    """Returns the versions of parser, grammars and masking, which shape the nodes of all files."""
    return f"{grammars.fingerprint} {MASK_VERSION if mask_secrets else UNMASKED}"


class WorkerPool:
    """A `Parser` with `count` worker processes (default: one per core, up to 8), started on demand.

    The first ones are `processes`, if the caller has started some: they are taken from the list.
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
        processes: list[WorkerProcess] | None = None,
    ) -> None:
        self.grammars = load_grammars(grammar_file)
        if grammar_file:  # compiling all takes 0.4 s, and the shipped ones are known to compile
            self.grammars.compile_all()
        self._static_embedder = static_embedder
        self._config = WorkerConfig(
            grammar_file,
            CodeReference.to(parse_file) if parse_file else None,
            limits,
            mask_secrets,
            CodeReference.to(static_embedder) if static_embedder else None,
        )
        self._count = count
        self._lock = Lock()
        self._closed = False
        self._busy: set[Worker] = set()
        self._idle: list[Worker] = []
        self._started = [] if processes is None else processes
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
        embedder = self._static_embedder
        optional = filter(None, [extractor_versions(), embedder.model if embedder else ""])
        code = code_fingerprint(self.grammars, mask_secrets=self._config.mask_secrets)
        return " ".join([code, *optional])

    @cached_property
    def _worker_count(self) -> int:
        from feeder.parse.worker_process import default_count

        return self._count or default_count()

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        # imported here, like the workers: they are a tenth of a run that has nothing to parse
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(self._worker_count)

    def start(self, count: int | None = None) -> None:
        """Starts so many workers, all by default, unless there are any.

        They load their modules while the caller lists its files.
        """
        if not self._idle and not self._busy:
            count = min(count or self._worker_count, self._worker_count)
            self._idle += [self._new_worker() for _ in range(count)]

    def _new_worker(self) -> Worker:
        from feeder.parse.worker_process import start_process

        process = self._started.pop() if self._started else start_process()
        from feeder.parse.worker_client import Worker  # while the process loads its modules

        return Worker(self._config, process)

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
        if "_threads" in self.__dict__:
            self._threads.shutdown(cancel_futures=True)
        while self._idle:
            self._idle.pop().close()

    def _parse_batch(
        self, batch: list[File], *, keep_source: bool, encode: NodeEncoder | None
    ) -> list[ParsedFile]:
        """Parses a batch; what fails is parsed again as plain text. Runs in a thread of its own."""
        encoder = CodeReference.to(encode) if encode else None
        request = partial(ParseRequest, keep_source=keep_source, encode=encoder)
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
        from feeder.parse.worker_client import WorkerEndedError

        answers: list[ParsedFile | str] = []
        try:
            with self._acquire_worker() as worker:
                worker.send(requests)
                answers.extend(worker.receive(request, self.on_progress) for request in requests)
                if self._config.static_embedder:
                    return worker.with_static_vectors(answers)
                return answers
        except WorkerEndedError as exc:
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
    def _acquire_worker(self) -> Iterator[Worker]:
        """An idle worker, else a new one; afterwards it is idle again, or ended by an exception."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self._new_worker()
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
