"""Main loop of a worker process: receives batches of files over a pipe and answers with a
parsed file for each, within limits of time and memory.
"""

import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import BinaryIO, TypeVar

from msgspec import Raw

from feeder.child_process import (
    encodable_texts,
    encode_message,
    open_channel,
    read_message,
    write_message,
)
from feeder.errors import UserError
from feeder.parse import NodeEncoder, ParsedFile, StaticEmbedder
from feeder.parse.extract import DocumentProgress, progress_listener
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammars import Grammars
from feeder.parse.worker_answers import (
    OUT_OF_MEMORY,
    Answer,
    Failed,
    Parsed,
    Progress,
    Ready,
    Refused,
    Vectors,
)
from feeder.parse.worker_messages import (
    WALL_CLOCK_FACTOR,
    Limits,
    ParseFile,
    ParseRequest,
    WorkerConfig,
)

GC_THRESHOLD = 200_000
"""New objects between two garbage collections: the captures of a file are many, without cycles."""


def serve() -> None:
    """Main function of a worker: reads its config, then answers batches until its input ends."""
    # imported before the first time limit starts
    import feeder.parse.file_parser
    import feeder.parse.secrets.passwords
    import feeder.parse.secrets.tokens  # noqa: F401 - like the others

    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 20, 20)

    try:
        requests, answers = open_channel()
        config = read_message(requests, WorkerConfig)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the program has ended before it needed this process
    try:
        grammars = load_grammars(config.grammar_file)
    except UserError as exc:
        write_message(answers, encode_message(Refused(*encodable_texts(exc))))
        return
    for code in filter(None, (config.parse_file, config.static_embedder)):
        code.load()
    _apply_limits(config.limits)
    write_message(answers, encode_message(Ready()))
    progress_listener.set(partial(_send_progress, answers))
    with suppress(EOFError):
        while True:
            for answer in _answer_batch(config, grammars, _receive_batch(requests)):
                write_message(answers, answer)


def _send_progress(answers: BinaryIO, progress: DocumentProgress) -> None:
    write_message(answers, encode_message(Progress(progress)))


def _receive_batch(requests: BinaryIO) -> list[ParseRequest]:
    try:
        return read_message(requests, list[ParseRequest])
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _answer_batch(
    config: WorkerConfig, grammars: Grammars, requests: list[ParseRequest]
) -> Iterator[bytes]:
    """Yields an encoded answer for each file, then one with the static vectors of their nodes."""
    files: list[ParsedFile] = []
    embedder: StaticEmbedder | None = config.static_embedder and config.static_embedder.load()
    for request in requests:
        timeout_s = config.limits.timeout_for(request.path, request.plain_text_reason)
        parse = partial(_parse_request, config, grammars, request)
        encode = request.encode and request.encode.load()
        file, answer = _run_limited(timeout_s, parse, partial(_encode_file, encode))
        if file:
            files.append(file)
        yield answer
    if embedder:
        timeout_s = config.limits.plain_text_timeout_s
        yield _run_limited(timeout_s, partial(_embed_files, embedder, files), Vectors)[1]


Result = TypeVar("Result")


def _run_limited(
    timeout_s: float, work: Callable[[], Result], answer: Callable[[Result], Answer]
) -> tuple[Result | None, bytes]:
    """The result of the work, None if it fails, and the encoded answer that tells it."""
    _alarm(timeout_s)
    try:
        result = work()
        return result, encode_message(answer(result))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except UserError as exc:
        return None, encode_message(Refused(*encodable_texts(exc)))
    except Exception as exc:
        return None, encode_message(Failed(f"the parser failed ({type(exc).__name__})"))
    finally:
        _alarm(0)


def _encode_file(encode: NodeEncoder | None, file: ParsedFile) -> Parsed:
    if not encode:
        return Parsed(file)
    encoded = Raw(encode_message(encode(file)))
    return Parsed(file._replace(nodes=[], line_runs=()), encoded)


def _embed_files(embedder: StaticEmbedder, files: list[ParsedFile]) -> list[tuple[bytes, ...]]:
    from feeder.parse.file_parser import static_vectors

    return static_vectors(files, embedder)


def _parse_request(config: WorkerConfig, grammars: Grammars, request: ParseRequest) -> ParsedFile:
    # imported in the worker only: it is a tenth of the time of a run that has nothing to parse
    from feeder.parse.file_parser import parse_as_plain_text, parse_file

    path, content, reason, keep_source, _ = request
    options = {"mask_secrets": config.mask_secrets, "keep_source": keep_source}
    if reason:
        return parse_as_plain_text(grammars, path, content, reason, **options)
    if config.parse_file:
        parse: ParseFile = config.parse_file.load()
        return parse(grammars, path, content)
    return parse_file(grammars, path, content, **options)


def _apply_limits(limits: Limits) -> None:
    """Sets the memory limit, unblocks the alarm's signals and discards all output."""
    if sys.platform != "win32":
        import resource

        for alarm_signal in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(alarm_signal, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF, signal.SIGALRM})
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(ValueError, OSError):  # the caller's limit is lower, or macOS
            resource.setrlimit(resource.RLIMIT_AS, (limits.max_bytes, limits.max_bytes))
    devnull = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(devnull, stream)


if sys.platform == "win32":

    def _alarm(timeout_s: float) -> None:
        if timeout_s:
            faulthandler.dump_traceback_later(timeout_s, exit=True)
        else:
            faulthandler.cancel_dump_traceback_later()

else:

    def _alarm(timeout_s: float) -> None:
        """Kills this process after `timeout_s` seconds of processor time; 0 cancels that.

        Processor time, so that a file's nodes do not depend on the machine's load, and after
        `WALL_CLOCK_FACTOR` times as long also by the clock, since a process may wait forever. The
        worker sets the alarm itself: it holds even if the parent has been killed.
        """
        signal.setitimer(signal.ITIMER_PROF, timeout_s)
        signal.setitimer(signal.ITIMER_REAL, WALL_CLOCK_FACTOR * timeout_s)
