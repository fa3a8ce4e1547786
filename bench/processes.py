"""Reads memory and CPU time of the program and its child processes from /proc. Needs Linux."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_CLEARED_PREFIXES = ("FEEDER_", "CLOUDFLARE_", "GITHUB_", "RUNNER_", "PYTHONDONTWRITEBYTECODE")
"""Variables that child processes do not inherit.

With PYTHONDONTWRITEBYTECODE each start would compile all imports, which takes as long as the run.
"""
_KIND_BY_COMMAND = {
    b"feeder.parse.worker": "a parser",
    b"feeder.embedding.onnx_process": "the model",
    b"git\0": "git",
}


class Sample(NamedTuple):
    """Memory of a process in MB: current anonymous memory, and peak of all resident memory."""

    pid: int
    kind: str
    now_mb: float
    peak_mb: float


def environment() -> dict[str, str]:
    """Returns this process' environment without the variables that configure the program."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(_CLEARED_PREFIXES)
    }


def sample_processes(pid: int) -> Iterator[Sample]:
    """Yields a sample of the program and of each of its running child processes."""
    for process in _family(pid):
        fields = _status_fields(process)
        if "VmHWM" in fields:  # missing once the process has ended
            now_kb, peak_kb = (int(fields[name].split()[0]) / 1000 for name in ("RssAnon", "VmHWM"))
            yield Sample(process, _kind(pid, process), now_kb, peak_kb)


def memory_shares(pid: int) -> Iterator[tuple[str, float]]:
    """Yields the kind and the proportional set size (PSS) in MB of each of these processes.

    A page that several processes map is divided among them, so the sum is their total memory.
    """
    for process in _family(pid):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended
            continue
        fields = dict(line.split(":", 1) for line in lines[1:])
        yield _kind(pid, process), int(fields["Pss"].split()[0]) * 1024 / 1e6


def _family(pid: int) -> list[int]:
    """Lists the program and its children; empty if the program has ended."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        children = " ".join((thread / "children").read_text() for thread in threads)
    except OSError:
        return []
    return [pid, *map(int, children.split())]


def _status_fields(process: int) -> dict[str, str]:
    """Returns the fields of /proc/PID/status; empty if the process has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return {}
    return dict(line.split(":", 1) for line in lines)


def _kind(program: int, process: int) -> str:
    if process == program:
        return "feeder"
    try:
        line = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it has ended
        line = b""
    return next((kind for command, kind in _KIND_BY_COMMAND.items() if command in line), "another")


def processor_ms(pid: int) -> float:
    """Returns the CPU milliseconds of all threads of a program's child processes."""
    return sum(_thread_ms(task) for child in _family(pid)[1:] for task in _threads(child))


def _threads(process: int) -> list[Path]:
    return list(Path(f"/proc/{process}/task").iterdir())


def _thread_ms(task: Path) -> float:
    return int((task / "schedstat").read_text().split()[0]) / 1e6
