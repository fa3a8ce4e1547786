"""Runs a module of this program in a child process.

Both sides exchange messages over stdin and stdout: MessagePack, decoded to the type that the
receiver expects. A message is data; it cannot name code that its receiver would run.
"""

# Not multiprocessing, and so not pebble: fork is unsafe beside other threads, and spawn runs the
# caller's `__main__` again. pebble's SIGTERM does not reach a parser that hangs in native code: it
# blocks for 3 s before it kills, and such a worker outlives a killed parent.

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, BinaryIO, TypeVar

from feeder.errors import UserError

_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})

_READY_MARKER = b"\0feeder\n"
"""Precedes the first response: Python start-up files of the user may have printed before it."""
_SIZE_BYTES = 4
"""Each message is preceded by its size, an unsigned integer of so many bytes."""
_MAX_MESSAGE_BYTES = 1_000_000_000
"""A parser's memory is limited to 1.5 GB: a larger message is none of ours."""
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
_BOOTSTRAP = """
import gc, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
gc.set_threshold(50_000)  # while modules load, Python would look for cycles after each 700 objects
sys.path[:] = sys.argv[2:]
sys.modules["typing_extensions"] = None  # it takes half of msgspec's time to load, for nothing
import msgspec
del sys.modules["typing_extensions"]
__import__(sys.argv[1], fromlist=["serve"]).serve()
"""


Message = TypeVar("Message")


class MessageError(Exception):
    """A received message does not have the expected form."""


class ChildProcess:
    """A process that runs `serve` of the given module, with additional environment variables."""

    def __init__(self, module: str, variables: Mapping[str, str] = _NO_VARIABLES) -> None:
        # imported here: a child process needs no settings
        from feeder.config import SECRET_VARIABLES

        inherited = {
            name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES
        }
        self.process = subprocess.Popen(
            # -P: imports nothing from the current directory
            [sys.executable, "-P", "-c", _BOOTSTRAP, module, *sys.path],
            env={**inherited, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C goes to the parent only: a starting child would print a traceback
            process_group=0,
        )
        assert self.process.stdin and self.process.stdout
        self._requests, self._responses = self.process.stdin, self.process.stdout
        self._is_ready = False

    def send(self, message: object) -> None:
        """Sends a message; raises OSError if the process has ended."""
        write_message(self._requests, encode_message(message))

    def receive(self, expected: type[Message]) -> Message:
        """Returns the next response, of the expected type.

        Raises EOFError if the process has ended without one, MessageError if it is another one.
        """
        while not self._is_ready:
            line = self._responses.readline()
            if not line:
                raise EOFError("the process ended before its first response")
            self._is_ready = line.endswith(_READY_MARKER)
        return read_message(self._responses, expected)

    def kill(self) -> None:
        """Kills the process without waiting for its end."""
        self.process.kill()

    def stop(self) -> None:
        """Kills the process, waits for its end and closes its pipes."""
        self.kill()
        self.process.wait()
        for pipe in (self._requests, self._responses):
            with suppress(OSError):  # unread requests
                pipe.close()


def open_channel() -> tuple[BinaryIO, BinaryIO]:
    """Returns the streams of the child's side: for requests and for responses."""
    responses = os.fdopen(os.dup(1), "wb")
    responses.write(_READY_MARKER)
    responses.flush()
    os.dup2(2, 1)  # libraries print to stderr
    return sys.stdin.buffer, responses


def encode_message(message: object) -> bytes:
    """Encodes structs, named tuples, collections of them, paths and plain values.

    Raises UnicodeEncodeError for a text with a lone surrogate.
    """
    # imported here: a run that has nothing to parse starts no process
    from msgspec import msgpack

    return msgpack.encode(message, enc_hook=os.fsencode)  # a path is the only other type


def decode_message(data: bytes, expected: type[Message]) -> Message:
    """Decodes a message of the expected type; raises MessageError for any other data."""
    from msgspec import MsgspecError, msgpack

    try:
        return msgpack.decode(data, type=expected, dec_hook=_decode_path)
    except (MsgspecError, ValueError, RecursionError) as exc:
        raise MessageError(str(exc)) from exc


def _decode_path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, bytes):
        return Path(os.fsdecode(value))
    raise ValueError(f"a message cannot contain {kind.__name__}")


def encodable_texts(error: UserError) -> tuple[str, str]:
    """Problem and remedy of an error, which may name a file that is not UTF-8, as valid Unicode."""
    problem, remedy = (
        text.encode("utf-8", "backslashreplace").decode() for text in (error.problem, error.remedy)
    )
    return problem, remedy


def write_message(stream: IO[bytes], data: bytes) -> None:
    """Writes an encoded message; raises OSError if the reader has ended."""
    stream.write(len(data).to_bytes(_SIZE_BYTES, "big"))
    stream.write(data)
    stream.flush()


def read_message(stream: IO[bytes], expected: type[Message]) -> Message:
    """Reads a message of the expected type.

    Raises EOFError at the end of the stream, MessageError for anything else than such a message.
    """
    size = int.from_bytes(_read_exactly(stream, _SIZE_BYTES), "big")
    if size > _MAX_MESSAGE_BYTES:
        raise MessageError(f"a message of {size:,} bytes is too large")
    return decode_message(_read_exactly(stream, size), expected)


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the process ended within a message")
    return data


def wait_with_usage(process: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """Waits for the process; returns its exit code and its peak memory in bytes, 0 if unknown."""
    if sys.platform == "win32":
        return process.wait(), 0
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:  # already reaped
        return process.wait(), 0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * _MAXRSS_BYTES


def peak_memory_bytes() -> int:
    """Returns this process's peak memory in bytes, 0 if unknown.

    `getrusage` does not tell it: its figure includes the peak of the parent process.
    """
    status = Path("/proc/self/status")
    match = re.search(rb"VmHWM:\s+(\d+) kB", status.read_bytes()) if status.exists() else None
    return int(match[1]) * 1024 if match else 0
