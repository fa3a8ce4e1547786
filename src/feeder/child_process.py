"""Runs a module of this program in a child process that exchanges pickled messages over stdin
and stdout.
"""

# Not multiprocessing, hence not pebble: fork is unsafe beside other threads, spawn runs the
# caller's `__main__` again. pebble's SIGTERM does not reach a parser that hangs in native code: it
# stands still for 3 s before it kills, and such a worker outlives a killed parent.

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from feeder.config import SECRET_VARIABLES

_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})

_READY_MARKER = b"\0feeder\n"
"""What comes before the first answer: a user's start-up files may have printed something."""
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
_BOOTSTRAP = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = sys.argv[2:]
__import__(sys.argv[1], fromlist=["serve"]).serve()
"""


class ChildProcess:
    """A process that runs `serve` of a module of this program, with some more variables."""

    def __init__(self, module: str, variables: Mapping[str, str] = _NO_VARIABLES) -> None:
        known = {name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES}
        self.process = subprocess.Popen(
            # -P: nothing of the folder that the program runs in is imported
            [sys.executable, "-P", "-c", _BOOTSTRAP, module, *sys.path],
            env={**known, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # Ctrl-C is for the program: one that just begins would die loudly
        )
        assert self.process.stdin and self.process.stdout
        self._requests, self._responses = self.process.stdin, self.process.stdout
        self._is_ready = False

    def send(self, message: object) -> None:
        """Raises OSError where the process has ended."""
        pickle.dump(message, self._requests, pickle.HIGHEST_PROTOCOL)
        self._requests.flush()

    def receive(self) -> Any:
        """The next answer; raises EOFError where the process has ended without it."""
        while not self._is_ready:
            line = self._responses.readline()
            if not line:
                raise EOFError("it has not begun")
            self._is_ready = line.endswith(_READY_MARKER)
        try:
            return pickle.load(self._responses)
        except pickle.UnpicklingError as exc:  # it ended in the midst of it
            raise EOFError(str(exc)) from exc

    def kill(self) -> None:
        """Stops the process, whatever it does."""
        self.process.kill()

    def stop(self) -> None:
        """Stops the process and leaves nothing of it."""
        self.kill()
        self.process.wait()
        for pipe in (self._requests, self._responses):
            with suppress(OSError):  # what it did not read any more
                pipe.close()


def open_channel() -> tuple[BinaryIO, BinaryIO]:
    """What the process' `serve` reads messages from, and what it writes answers to."""
    answers = os.fdopen(os.dup(1), "wb")
    answers.write(_READY_MARKER)
    answers.flush()
    os.dup2(2, 1)  # what a library prints is no answer
    return sys.stdin.buffer, answers


def wait_with_usage(process: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """Waits as Popen does; the exit code and the peak of memory in bytes, 0 where unknown."""
    if sys.platform == "win32":
        return process.wait(), 0
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:  # `kill` has reaped it
        return process.wait(), 0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * _MAXRSS_BYTES


def peak_memory_bytes() -> int:
    """The most memory that this process has had, 0 where unknown.

    Not what `getrusage` says, which begins with the peak of whoever started the program.
    """
    status = Path("/proc/self/status")
    found = re.search(rb"VmHWM:\s+(\d+) kB", status.read_bytes()) if status.exists() else None
    return int(found[1]) * 1024 if found else 0
