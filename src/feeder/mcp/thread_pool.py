"""Runs blocking work on daemon threads for asynchronous request handlers, and cancels it when
the client disconnects. Used by the HTTP transport and the web application.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from feeder.mcp import ProgressCallback

if TYPE_CHECKING:
    from starlette.requests import Request

DISCONNECTED: Final = object()
"""The result of work whose client has disconnected."""


class WorkCancelled(Exception):
    """Ends work whose result nobody waits for any more."""


class _Job(NamedTuple):
    work: Callable[[ProgressCallback], Any]
    future: Future[Any]
    cancelled: Event

    def check_cancelled(self, _: str) -> None:
        """The job's progress callback: reports nothing, raises WorkCancelled when cancelled."""
        if self.cancelled.is_set():
            raise WorkCancelled


class ThreadPool:
    """A fixed number of daemon threads, which do not keep the process from ending."""

    def __init__(self, threads: int) -> None:
        self._queue: SimpleQueue[_Job] = SimpleQueue()
        for _ in range(threads):
            Thread(target=self._worker_loop, name="thread-pool", daemon=True).start()

    async def run(self, work: Callable[[ProgressCallback], Any]) -> Any:
        """Runs `work` on a thread; returns its result or raises its exception.

        When this coroutine is cancelled, work that has begun ends at its next progress callback,
        and work that has not never begins.
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
    except BaseException as exc:  # raised where the result is awaited
        job.future.set_exception(exc)


async def run_until_disconnect(request: Request, work: Coroutine[Any, Any, object]) -> object:
    """The result of `work`; DISCONNECTED, and the work cancelled, if the client leaves before."""
    task = asyncio.create_task(work)
    disconnect = asyncio.create_task(_wait_for_disconnect(request))
    await asyncio.wait((task, disconnect), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        disconnect.cancel()
        return task.result()
    task.cancel()
    return DISCONNECTED


async def _wait_for_disconnect(request: Request) -> None:
    # the rest of a body, if any, is dropped
    while (await request.receive())["type"] != "http.disconnect":
        pass
