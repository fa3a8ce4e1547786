"""The program as users run it: a process with a beginning and an end, watched from outside."""

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

from processes import environment, shares

SAMPLE_S = 0.03


class Ran(NamedTuple):
    """A run to its end: seconds by the clock and of all its processes' cores, and what it said."""

    wall_s: float
    cpu_s: float
    out: str

    @property
    def report(self) -> Any:
        """What `--json` says."""
        return json.loads(self.out)


class Program(NamedTuple):
    """An installed `feeder`, and what it is called in the tables."""

    name: str
    command: tuple[str, ...]

    @classmethod
    def at(cls, name: str, place: Path) -> "Program":
        """The one at a place; raises SystemExit where there is none."""
        if not place.is_file():
            raise SystemExit(f"There is no program at {place}: name one with --feeder.")
        return cls(name, (str(place.absolute()),))

    def timed(self, *arguments: str, more: Mapping[str, str] | None = None) -> Ran:
        """A run that nothing disturbs, with `more` variables of the environment."""
        return ran([*self.command, *arguments], more)

    def peaks(self, *arguments: str) -> dict[str, float]:
        """The most memory in MB that the program, its parsers and all took, at one moment each.

        Looking takes time: a run of its own, whose seconds count for nothing.
        """
        peaks: dict[str, float] = defaultdict(float)
        with _started([*self.command, *arguments], None) as process:
            while process.poll() is None:
                kinds: dict[str, float] = defaultdict(float)
                for kind, mb in shares(process.pid):
                    kinds[kind] += mb
                    kinds["all"] += mb
                for kind, mb in kinds.items():
                    peaks[kind] = max(peaks[kind], mb)
                time.sleep(SAMPLE_S)
        _expect_done(process.returncode, arguments)
        return peaks


def installed() -> Path:
    """The program beside this interpreter."""
    return Path(sys.executable).with_name("feeder")


def ran(command: Sequence[str], more: Mapping[str, str] | None = None) -> Ran:
    """A command to its end; raises RuntimeError with its last words when it fails."""
    with tempfile.TemporaryFile() as out:
        began = time.perf_counter()
        process = _started(command, more, out.fileno())
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        _expect_done(process.returncode, command)
        out.seek(0)
        return Ran(wall_s, usage.ru_utime + usage.ru_stime, out.read().decode())


def _started(
    command: Sequence[str], more: Mapping[str, str] | None, out: int = subprocess.DEVNULL
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, env=environment() | dict(more or {}), stdout=out)


def _expect_done(code: int, command: Sequence[str]) -> None:
    if code:
        raise RuntimeError(f"{' '.join(command)} ended with {code}")
