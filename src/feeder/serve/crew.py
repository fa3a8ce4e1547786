"""Who does work that takes its time, beside a loop that must not wait? A few threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

from feeder.serve import Tell


class Dropped(Exception):
    """Nobody waits for the answer any more."""


class _Job(NamedTuple):
    work: Callable[[Tell], Any]
    done: Future[Any]
    dropped: Event

    def tell(self, _: str) -> None:
        """Nobody is told of it; whoever does the work learns here that it is not wanted."""
        if self.dropped.is_set():
            raise Dropped


class Crew:
    """So many threads, which do not keep the process from its end."""

    def __init__(self, threads: int) -> None:
        self._waiting: SimpleQueue[_Job] = SimpleQueue()
        for _ in range(threads):
            Thread(target=self._run, name="crew", daemon=True).start()

    async def do(self, work: Callable[[Tell], Any]) -> Any:
        """What `work` gives, or raises; where this is cancelled it ends at the next `tell`.

        Work that has not begun by then never does.
        """
        job = _Job(work, Future(), Event())
        self._waiting.put(job)
        try:
            return await asyncio.wrap_future(job.done)
        finally:
            job.dropped.set()

    def _run(self) -> None:
        while True:
            _do(self._waiting.get())


def _do(job: _Job) -> None:
    if not job.done.set_running_or_notify_cancel():
        return
    try:
        job.done.set_result(job.work(job.tell))
    except BaseException as exc:  # whoever waits has it
        job.done.set_exception(exc)
