"""Runs a module of this program in a child process.

Both sides exchange pickled messages over stdin and stdout.
"""

# Not multiprocessing, and so not pebble: fork is unsafe beside other threads, and spawn runs the
# caller's `__main__` again. pebble's SIGTERM does not reach a parser that hangs in native code: it
# blocks for 3 s before it kills, and such a worker outlives a killed parent.

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
"""Precedes the first response: Python start-up files of the user may have printed before it."""
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
_BOOTSTRAP = """
import gc, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
gc.set_threshold(50_000)  # while modules load, Python would look for cycles after each 700 objects
sys.path[:] = sys.argv[2:]
__import__(sys.argv[1], fromlist=["serve"]).serve()
"""


class ChildProcess:
    """A process that runs `serve` of the given module, with additional environment variables."""

    def __init__(self, module: str, variables: Mapping[str, str] = _NO_VARIABLES) -> None:
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
        pickle.dump(message, self._requests, pickle.HIGHEST_PROTOCOL)
        self._requests.flush()

    def receive(self) -> Any:
        """Returns the next response; raises EOFError if the process has ended without one."""
        while not self._is_ready:
            line = self._responses.readline()
            if not line:
                raise EOFError("the process ended before its first response")
            self._is_ready = line.endswith(_READY_MARKER)
        try:
            return pickle.load(self._responses)
        except pickle.UnpicklingError as exc:  # it ended within a response
            raise EOFError(str(exc)) from exc

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
