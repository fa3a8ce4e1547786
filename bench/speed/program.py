"""Runs the program as a process and measures its time and memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from processes import environment, memory_shares

SAMPLE_S = 0.03


class FinishedRun(NamedTuple):
    """A finished run: wall seconds, CPU seconds of all its processes, and its output."""

    wall_s: float
    cpu_s: float
    out: str

    @property
    def report(self) -> Any:
        """The JSON report on stdout."""
        return json.loads(self.out)


class Program(NamedTuple):
    """An installed `feeder`, and its name in the tables."""

    name: str
    command: tuple[str, ...]

    @classmethod
    def at(cls, name: str, path: Path) -> "Program":
        """Returns the program at a path. Raises SystemExit if there is none."""
        if not path.is_file():
            raise SystemExit(f"There is no program at {path}: name one with --feeder.")
        return cls(name, (str(path.absolute()),))

    def timed(self, *arguments: str, variables: Mapping[str, str] | None = None) -> FinishedRun:
        """Runs the program with additional environment variables and measures its time."""
        return run_command([*self.command, *arguments], variables)

    def peaks(self, *arguments: str) -> dict[str, float]:
        """Runs the program and returns the peak memory in MB by kind of process, and of all.

        Sampling slows the run down, so its time is not measured.
        """
        peaks: dict[str, float] = defaultdict(float)
        with _start([*self.command, *arguments], None) as process:
            while process.poll() is None:
                kinds: dict[str, float] = defaultdict(float)
                for kind, mb in memory_shares(process.pid):
                    kinds[kind] += mb
                    kinds["all"] += mb
                for kind, mb in kinds.items():
                    peaks[kind] = max(peaks[kind], mb)
                time.sleep(SAMPLE_S)
        _expect_done(process.returncode, arguments)
        return peaks


def find_installed() -> Path:
    """Returns the path of the program beside this interpreter."""
    return Path(sys.executable).with_name("feeder")


def run_command(command: Sequence[str], variables: Mapping[str, str] | None = None) -> FinishedRun:
    """Runs a command to its end. Raises RuntimeError if it fails."""
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        process = _start(command, variables, out.fileno())
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        _expect_done(process.returncode, command)
        out.seek(0)
        return FinishedRun(wall_s, usage.ru_utime + usage.ru_stime, out.read().decode())


def _start(
    command: Sequence[str], variables: Mapping[str, str] | None, out: int = subprocess.DEVNULL
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, env=environment() | dict(variables or {}), stdout=out)


def _expect_done(code: int, command: Sequence[str]) -> None:
    if code:
        raise RuntimeError(f"{' '.join(command)} ended with {code}")
