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

from feeder.notes import WORDS_ONLY
from worker_cost.account import REPO, Index

PROGRAM = Path(__file__).with_name("isolate.mjs")
ROOT = PROGRAM.parents[2]
RETRIES = 2
"""Repetitions of a request whose answer lacks its vectors."""
_SERVICE = re.compile(r'(\w+);dur=[\d.]+;desc="(\d+) calls?(?:, (\d+) rows read)?"')


class Cost(NamedTuple):
    """The cost of an answer: CPU milliseconds, requests to D1, subrequests, D1 rows read, and the
    processor milliseconds of D1's engine.
    """

    cpu_ms: float
    d1_requests: int
    subrequests: int
    rows: int
    d1_ms: float


class ServiceCalls(NamedTuple):
    """The number of calls of a service for an answer, and the rows that D1 read."""

    calls: int
    rows: int


def service_calls(server_timing: str) -> dict[str, ServiceCalls]:
    """Parses the Worker's `Server-Timing` header: the calls of each service."""
    services = _SERVICE.findall(server_timing)
    return {name: ServiceCalls(int(count), int(rows or 0)) for name, count, rows in services}


class IncompleteAnswer(Exception):
    """An answer without the vectors: its cost is not that of a query."""


def _is_words_only_note(note: str) -> bool:
    return note.startswith(WORDS_ONLY)


class Isolate:
    """A running Worker."""

    def __init__(self, address: str, process: int, services: int, *, by_words: bool) -> None:
        """`process` runs the Worker, `services` D1's engine."""
        self._by_words = by_words
        self._process = process
        self._services = services
        self.client = httpx.Client(base_url=address, trust_env=False, timeout=120)

    def search(self, query: Mapping[str, str]) -> Cost:
        """Sends one query and measures it; an error response for an unknown filter counts too.

        Raises IncompleteAnswer if the vectors were not searched, also when the query is repeated.
        """
        return self.get("search", query)

    def get(self, endpoint: str, params: Mapping[str, str]) -> Cost:
        """Sends one request to an endpoint and measures it, as `search` does."""
        answer, cpu_ms, d1_ms = self._send(endpoint, params)
        for _ in range(RETRIES):  # the stand-in may be too slow beside other work
            if not self._lacks_vectors(answer):
                break
            answer, cpu_ms, d1_ms = self._send(endpoint, params)
        if note := self._lacks_vectors(answer):
            raise IncompleteAnswer(f"{dict(params)}: {note}")
        calls = service_calls(answer.headers["server-timing"])
        subrequests = sum(call.calls for call in calls.values())
        rows = sum(call.rows for call in calls.values())
        d1 = calls["d1"] if answer.is_success else calls.get("d1", ServiceCalls(0, 0))
        return Cost(cpu_ms, d1.calls, subrequests, rows, d1_ms)

    def _send(
        self, endpoint: str, params: Mapping[str, str]
    ) -> tuple[httpx.Response, float, float]:
        """Returns the answer, and the CPU milliseconds of the Worker and of D1."""
        before_ms, services_ms = processor_ms(self._process), processor_ms(self._services)
        answer = self.client.get(f"/api/{endpoint}", params=params)
        cpu_ms = processor_ms(self._process) - before_ms
        d1_ms = processor_ms(self._services) - services_ms
        if answer.is_server_error:
            answer.raise_for_status()
        return answer, cpu_ms, d1_ms

    def _lacks_vectors(self, answer: httpx.Response) -> str:
        """Returns the note that vectors were not searched; empty if they were, or need not be."""
        notes = [] if self._by_words else answer.json().get("notes") or []
        return next(filter(_is_words_only_note, notes), "")

    def not_found_ms(self) -> float:
        """Returns the CPU milliseconds of a request to an unknown path."""
        before_ms = processor_ms(self._process)
        self.client.get("/api/nothing")
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
            address, services = process.stdout.readline().strip(), index.standin.process_id
            yield Isolate(address, process.pid, services, by_words=by_words)
        finally:
            process.stdin.close()
            process.wait(60)
