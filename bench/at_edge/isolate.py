"""Runs the Worker as a process, queries it over HTTP and measures its CPU time."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
from processes import processor_ms

from at_edge.account import REPO, Index

PROGRAM = Path(__file__).with_name("isolate.mjs")
ROOT = PROGRAM.parents[2]
_SERVICE = re.compile(r'(\w+);dur=[\d.]+;desc="(\d+) asked(?:, (\d+) rows read)?"')


class Cost(NamedTuple):
    """The cost of an answer: CPU milliseconds, D1 round trips, subrequests and D1 rows read."""

    cpu_ms: float
    round_trips: int
    subrequests: int
    rows: int


class Isolate:
    """A running Worker."""

    def __init__(self, address: str, process: int) -> None:
        self._process = process
        self._client = httpx.Client(base_url=address, trust_env=False, timeout=120)

    def asked(self, question: Mapping[str, str]) -> Cost:
        """Sends one query and measures it; an error response for an unknown filter counts too."""
        before_ms = processor_ms(self._process)
        answer = self._client.get("/api/search", params=question)
        cpu_ms = processor_ms(self._process) - before_ms
        if answer.is_server_error:
            answer.raise_for_status()
        services = _SERVICE.findall(answer.headers["server-timing"])
        asked = {name: int(times) for name, times, _ in services}
        rows = sum(int(some or 0) for _, _, some in services)
        return Cost(cpu_ms, asked.get("d1", 0), sum(asked.values()), rows)

    def refused(self) -> float:
        """Returns the CPU milliseconds of a request to an unknown path."""
        before_ms = processor_ms(self._process)
        self._client.get("/api/nothing")
        return processor_ms(self._process) - before_ms


@contextmanager
def isolate(script: Path, index: Index, *, by_words: bool) -> Iterator[Isolate]:
    """Starts a new isolate over an index; with `by_words` it has no binding to vectors."""
    options = {
        "script": str(script),
        "vars": {"PUBLIC": "true", "REPO": REPO},
        "token": index.standin.token,
        "database": index.database,
        "index": None if by_words else index.vectors,
    }
    pipe = subprocess.PIPE
    command = ["node", str(PROGRAM), json.dumps(options)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield Isolate(process.stdout.readline().strip(), process.pid)
        finally:
            process.stdin.close()
            process.wait(60)
