"""Answers of a worker process, as typed data: a parser that hostile files have taken over can send
wrong values, and no code.
"""

import signal
import sys

from msgspec import Raw, Struct

from feeder.parse import ParsedFile
from feeder.parse.extract import DocumentProgress

OUT_OF_MEMORY = 70
"""Exit code of a worker that ran out of memory."""

if sys.platform == "win32":
    TIMED_OUT = {1}
else:
    TIMED_OUT = {-signal.SIGPROF, -signal.SIGALRM}
"""Exit codes of a worker that exceeded a time limit."""


class Ready(Struct, tag=True, array_like=True):
    """The settings are received, and requests can follow."""


class Progress(Struct, tag=True, array_like=True):
    """A position in a long document, sent before its answer."""

    position: DocumentProgress


class Parsed(Struct, tag=True, array_like=True):
    """A parsed file, and the encoded result of the request's `NodeEncoder`, nil without one."""

    file: ParsedFile
    encoded: Raw = Raw(b"\xc0")


class Vectors(Struct, tag=True, array_like=True):
    """The static vectors of each parsed file of a batch."""

    of_files: list[tuple[bytes, ...]]


class Failed(Struct, tag=True, array_like=True):
    """A file could not be parsed, or vectors not be computed, for a reason."""

    reason: str


class Refused(Struct, tag=True, array_like=True):
    """A UserError, which ends the run."""

    problem: str
    remedy: str


Answer = Ready | Progress | Parsed | Vectors | Failed | Refused
