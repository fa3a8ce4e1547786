"""What goes on in a process that only parses: batches of files in, an answer for each file out.

Before that of a long document it tells now and then where in it it is.
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

from feeder.errors import UserError
from feeder.parse import Meaning, Parsed
from feeder.parse.extract.telling import Place, listener
from feeder.parse.grammars import Grammars, load_grammars
from feeder.peer import channel
from feeder.tree import kinds

PATIENCE = 4
"""By how many times a machine that has other things to do may be slower."""
OUT_OF_MEMORY = 70
"""Exit code where Python was given no more memory."""

File = tuple[str, bytes]


class Request(NamedTuple):
    """A file, the reason where it is to become plain text, and whether its text is to be kept."""

    path: str
    content: bytes
    reason: str | None = None
    texts: bool = False


ParseFile = Callable[[Grammars, str, bytes], Parsed]


class Limits(NamedTuple):
    """What a file may take for its grammar and, where that fails, for becoming plain text.

    A document has longer. Seconds are those of the processor; on the clock they may be four times
    as many. Vectors of the files that a worker gets at once may take as long as plain text. Only
    Linux holds a process to the memory.
    """

    timeout_s: float = 5.0
    text_timeout_s: float = 4.0
    document_timeout_s: float = 30.0
    max_bytes: int = 1_500_000_000

    def seconds(self, path: str, reason: str | None) -> float:
        """What one request may take; with a reason it is for plain text."""
        if reason:
            return self.text_timeout_s
        return self.document_timeout_s if kinds.document_extension(path) else self.timeout_s


class Order(NamedTuple):
    """What a worker is told once: a user's own grammars, what parses a file, and so on."""

    own: Path | None
    parse: ParseFile | None
    limits: Limits
    mask_secrets: bool
    meaning: Meaning | None = None


def serve() -> None:
    """What a worker runs: takes its order, then answers for file by file until stdin ends."""
    _leave_out_requests()
    import feeder.parse.files  # noqa: F401 - before the first file's clock runs

    requests, answers = channel()
    order: Order = pickle.load(requests)
    try:
        grammars = load_grammars(order.own)
    except UserError as exc:
        pickle.dump(exc, answers)
        return
    _confine(order.limits)
    pickle.dump("ready", answers)
    answers.flush()
    listener.set(partial(_tell, answers))
    with suppress(EOFError):
        while True:
            for answer in _answers(order, grammars, _requested(requests)):
                answers.write(answer)
                answers.flush()


def _tell(answers: BinaryIO, place: Place) -> None:
    """Says where in a document it is, before the answer for that."""
    pickle.dump(place, answers)
    answers.flush()


def _leave_out_requests() -> None:
    """No parser asks a network; detect-secrets could, and takes twice as long to load then."""
    requests = ModuleType("requests")
    vars(requests)["Response"] = object
    sys.modules["requests"] = requests


def _requested(requests: BinaryIO) -> list[Request]:
    try:
        batch: list[Request] = pickle.load(requests)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    return batch


def _answers(order: Order, grammars: Grammars, requests: list[Request]) -> Iterator[bytes]:
    """An answer for each file, then one with the vectors of all their nodes, where they are made.

    Each is pickled: nodes, or a reason why there are none, or UserError that ends the run.
    """
    files = []
    for request in requests:
        seconds = order.limits.seconds(request.path, request.reason)
        file, raw = _guarded(seconds, partial(_parsed, order, grammars, request))
        files.append(file)
        yield raw
    if order.meaning:
        _, raw = _guarded(order.limits.text_timeout_s, partial(_meanings, order.meaning, files))
        yield raw


def _guarded(timeout_s: float, work: Callable[[], object]) -> tuple[object, bytes]:
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


def _meanings(meaning: Meaning, files: list[object]) -> list[tuple[bytes, ...]]:
    from feeder.parse.files import meanings

    return meanings([file for file in files if isinstance(file, Parsed)], meaning)


def _parsed(order: Order, grammars: Grammars, request: Request) -> Parsed:
    # loaded in the worker alone: a run that has nothing to parse would spend a tenth of its time
    from feeder.parse.files import parse_file, plain_file

    path, content, reason, texts = request
    masks = order.mask_secrets
    if reason:
        return plain_file(grammars, path, content, reason, mask_secrets=masks, texts=texts)
    if order.parse:
        return order.parse(grammars, path, content)
    return parse_file(grammars, path, content, mask_secrets=masks, texts=texts)


def _confine(limits: Limits) -> None:
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
        signal.setitimer(signal.ITIMER_REAL, PATIENCE * timeout_s)
