"""Main loop of a worker process: receives batches of files over a pipe and answers with a
parsed file for each, within limits of time and memory.
"""

import faulthandler
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, NamedTuple

from feeder.child_process import open_channel
from feeder.errors import UserError
from feeder.parse import ParsedFile, StaticEmbedder
from feeder.parse.extract import DocumentProgress, progress_listener
from feeder.parse.grammars import Grammars, load_grammars
from feeder.source import file_types

WALL_CLOCK_FACTOR = 4
"""By how many times a machine that has other things to do may be slower."""
OUT_OF_MEMORY = 70
"""Exit code where Python was given no more memory."""

File = tuple[str, bytes]


class ParseRequest(NamedTuple):
    """A file, the reason where it is to become plain text, and whether its text is to be kept."""

    path: str
    content: bytes
    plain_text_reason: str | None = None
    keep_source: bool = False


ParseFile = Callable[[Grammars, str, bytes], ParsedFile]


class Limits(NamedTuple):
    """What a file may take for its grammar and, where that fails, for becoming plain text.

    A document has longer. Seconds are those of the processor; on the clock they may be four times
    as many. Vectors of the files that a worker gets at once may take as long as plain text. Only
    Linux holds a process to the memory.
    """

    timeout_s: float = 5.0
    plain_text_timeout_s: float = 4.0
    document_timeout_s: float = 30.0
    max_bytes: int = 1_500_000_000

    def timeout_for(self, path: str, plain_text_reason: str | None) -> float:
        """What one request may take; with a reason it is for plain text."""
        if plain_text_reason:
            return self.plain_text_timeout_s
        return self.document_timeout_s if file_types.document_extension(path) else self.timeout_s


class WorkerConfig(NamedTuple):
    """What a worker is told once: a user's own grammars, what parses a file, and so on."""

    grammar_file: Path | None
    parse_file: ParseFile | None
    limits: Limits
    mask_secrets: bool
    static_embedder: StaticEmbedder | None = None


def serve() -> None:
    """What a worker runs: takes its order, then answers for file by file until stdin ends."""
    _stub_requests_module()
    import feeder.parse.file_parser  # noqa: F401 - before the first file's clock runs

    requests, answers = open_channel()
    order: WorkerConfig = pickle.load(requests)
    try:
        grammars = load_grammars(order.grammar_file)
    except UserError as exc:
        pickle.dump(exc, answers)
        return
    _apply_limits(order.limits)
    pickle.dump("ready", answers)
    answers.flush()
    progress_listener.set(partial(_send_progress, answers))
    with suppress(EOFError):
        while True:
            for answer in _answer_batch(order, grammars, _receive_batch(requests)):
                answers.write(answer)
                answers.flush()


def _send_progress(answers: BinaryIO, progress: DocumentProgress) -> None:
    """Says where in a document it is, before the answer for that."""
    pickle.dump(progress, answers)
    answers.flush()


def _stub_requests_module() -> None:
    """No parser asks a network; detect-secrets could, and takes twice as long to load then."""
    requests = ModuleType("requests")
    vars(requests)["Response"] = object
    sys.modules["requests"] = requests


def _receive_batch(requests: BinaryIO) -> list[ParseRequest]:
    try:
        batch: list[ParseRequest] = pickle.load(requests)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    return batch


def _answer_batch(
    config: WorkerConfig, grammars: Grammars, requests: list[ParseRequest]
) -> Iterator[bytes]:
    """An answer for each file, then one with the vectors of all their nodes, where they are made.

    Each is pickled: nodes, or a reason why there are none, or UserError that ends the run.
    """
    files = []
    for request in requests:
        seconds = config.limits.timeout_for(request.path, request.plain_text_reason)
        file, raw = _run_limited(seconds, partial(_parse_request, config, grammars, request))
        files.append(file)
        yield raw
    if config.static_embedder:
        _, raw = _run_limited(
            config.limits.plain_text_timeout_s, partial(_embed_files, config.static_embedder, files)
        )
        yield raw


def _run_limited(timeout_s: float, work: Callable[[], object]) -> tuple[object, bytes]:
    """What the work gives, and the same pickled; what it fails with in its place."""
    _alarm(timeout_s)
    try:
        found = work()
        return found, pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except UserError as exc:
        return exc, pickle.dumps(exc)
    except Exception as exc:
        reason = f"the parser failed ({type(exc).__name__})"
        return reason, pickle.dumps(reason)
    finally:
        _alarm(0)


def _embed_files(embedder: StaticEmbedder, files: list[object]) -> list[tuple[bytes, ...]]:
    from feeder.parse.file_parser import static_vectors

    return static_vectors([file for file in files if isinstance(file, ParsedFile)], embedder)


def _parse_request(config: WorkerConfig, grammars: Grammars, request: ParseRequest) -> ParsedFile:
    # loaded in the worker alone: a run that has nothing to parse would spend a tenth of its time
    from feeder.parse.file_parser import parse_as_plain_text, parse_file

    path, content, reason, texts = request
    masks = config.mask_secrets
    if reason:
        return parse_as_plain_text(
            grammars, path, content, reason, mask_secrets=masks, keep_source=texts
        )
    if config.parse_file:
        return config.parse_file(grammars, path, content)
    return parse_file(grammars, path, content, mask_secrets=masks, keep_source=texts)


def _apply_limits(limits: Limits) -> None:
    """Limits the memory, lets the alarm through and silences what crashing parsers print."""
    if sys.platform != "win32":
        import resource

        for ending in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(ending, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF, signal.SIGALRM})
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(ValueError, OSError):  # the caller's limit is lower, or macOS
            resource.setrlimit(resource.RLIMIT_AS, (limits.max_bytes, limits.max_bytes))
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)


if sys.platform == "win32":
    TIMED_OUT = {1}

    def _alarm(timeout_s: float) -> None:
        if timeout_s:
            faulthandler.dump_traceback_later(timeout_s, exit=True)
        else:
            faulthandler.cancel_dump_traceback_later()

else:
    TIMED_OUT = {-signal.SIGPROF, -signal.SIGALRM}

    def _alarm(timeout_s: float) -> None:
        """Has the process ended after `timeout_s` seconds of work, wherever it hangs; 0 ends that.

        By the processor's time, so that what a file becomes does not depend on what else the
        machine does; by the clock when that is several times as long, since a process may wait for
        ever. The alarm is the worker's own, so that it does not outlive a killed parent for longer.
        """
        signal.setitimer(signal.ITIMER_PROF, timeout_s)
        signal.setitimer(signal.ITIMER_REAL, WALL_CLOCK_FACTOR * timeout_s)
