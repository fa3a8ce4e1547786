"""How much memory do the program and the processes that it has started take? For Linux only."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_OTHERS = ("FEEDER_", "CLOUDFLARE_", "GITHUB_", "RUNNER_", "PYTHONDONTWRITEBYTECODE")
"""With the last one, each start compiles all that it imports, nearly as long as it runs."""
_KINDS = {
    b"feeder.parse.worker": "a parser",
    b"feeder.embedding.onnx_process": "the model",
    b"git\0": "git",
}


class Sample(NamedTuple):
    """A process' memory at a moment, in MB: its own without mapped files, and all at its peak."""

    pid: int
    kind: str
    now_mb: float
    peak_mb: float


def environment() -> dict[str, str]:
    """This process' variables, without those that would change what the program does."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)}


def sampled(pid: int) -> Iterator[Sample]:
    """The program and the processes that it has started, as far as they are still there."""
    for process in _family(pid):
        facts = _facts(process)
        if "VmHWM" in facts:  # else it has ended
            now, peak = (int(facts[name].split()[0]) / 1000 for name in ("RssAnon", "VmHWM"))
            yield Sample(process, _kind(pid, process), now, peak)


def shares(pid: int) -> Iterator[tuple[str, float]]:
    """The kind of each of these processes, and its share of the memory in MB.

    A page that several of them map counts in parts (PSS), so that the sum is what all take.
    """
    for process in _family(pid):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended
            continue
        facts = dict(line.split(":", 1) for line in lines[1:])
        yield _kind(pid, process), int(facts["Pss"].split()[0]) * 1024 / 1e6


def _family(pid: int) -> list[int]:
    """The program first; empty when it has ended."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        children = " ".join((thread / "children").read_text() for thread in threads)
    except OSError:
        return []
    return [pid, *map(int, children.split())]


def _facts(process: int) -> dict[str, str]:
    """What the kernel says of a process, as strings; empty when it has ended."""
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
    return next((kind for mark, kind in _KINDS.items() if mark in line), "another")


def processor_ms(pid: int) -> float:
    """What the processes that a program has started have taken of the processor, all threads."""
    return sum(_thread_ms(task) for child in _family(pid)[1:] for task in _threads(child))


def _threads(process: int) -> list[Path]:
    return list(Path(f"/proc/{process}/task").iterdir())


def _thread_ms(task: Path) -> float:
    return int((task / "schedstat").read_text().split()[0]) / 1e6
