"""Runs blocking work on daemon threads for asynchronous request handlers, and cancels it when
the client disconnects. Used by the HTTP transport and the web application.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from starlette.requests import Request

from feeder.mcp import ProgressCallback


class WorkCancelled(Exception):
    """Nobody waits for the answer any more."""


class _Job(NamedTuple):
    work: Callable[[ProgressCallback], Any]
    future: Future[Any]
    cancelled: Event

    def check_cancelled(self, _: str) -> None:
        """Nobody is told of it; whoever does the work learns here that it is not wanted."""
        if self.cancelled.is_set():
            raise WorkCancelled


class ThreadPool:
    """So many threads, which do not keep the process from its end."""

    def __init__(self, threads: int) -> None:
        self._queue: SimpleQueue[_Job] = SimpleQueue()
        for _ in range(threads):
            Thread(target=self._worker_loop, name="crew", daemon=True).start()

    async def run(self, work: Callable[[ProgressCallback], Any]) -> Any:
        """What `work` gives, or raises; where this is cancelled it ends at the next `tell`.

        Work that has not begun by then never does.
        """
        job = _Job(work, Future(), Event())
        self._queue.put(job)
        try:
            return await asyncio.wrap_future(job.future)
        finally:
            job.cancelled.set()

    def _worker_loop(self) -> None:
        while True:
            _execute(self._queue.get())


def _execute(job: _Job) -> None:
    if not job.future.set_running_or_notify_cancel():
        return
    try:
        job.future.set_result(job.work(job.check_cancelled))
    except BaseException as exc:  # whoever waits has it
        job.future.set_exception(exc)


DISCONNECTED: Final = object()


async def run_until_disconnect(request: Request, work: Coroutine[Any, Any, object]) -> object:
    """What work gives; `GONE` where whoever asked has hung up before."""
    working = asyncio.create_task(work)
    gone = asyncio.create_task(_wait_for_disconnect(request))
    await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
    if working.done():
        gone.cancel()
        return working.result()
    working.cancel()
    return DISCONNECTED


async def _wait_for_disconnect(request: Request) -> None:
    """What is left of a body is of no interest."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
