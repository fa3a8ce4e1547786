"""The thread pool: calls run beside the event loop and are cancelled when nobody waits."""

import asyncio
from threading import Event

import pytest

from feeder.mcp import ProgressCallback
from feeder.mcp.thread_pool import ThreadPool, WorkCancelled


def test_result_or_exception_of_a_call_is_returned() -> None:
    def fails(_: ProgressCallback) -> None:
        raise LookupError("no")

    async def both() -> None:
        crew = ThreadPool(1)
        assert await crew.run(lambda _: 7) == 7
        with pytest.raises(LookupError, match="no"):
            await crew.run(fails)
        assert await crew.run(lambda _: 8) == 8

    asyncio.run(both())


def test_queued_call_is_dropped_on_cancellation() -> None:
    """All threads are busy, and its caller has gone."""
    started, gate, done = Event(), Event(), list[str]()

    def first(_: ProgressCallback) -> None:
        started.set()
        assert gate.wait(60)

    async def drop() -> None:
        crew = ThreadPool(1)
        busy = asyncio.create_task(crew.run(first))
        dropped = asyncio.create_task(crew.run(lambda _: done.append("dropped")))
        while not started.is_set():
            await asyncio.sleep(0.01)
        dropped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await dropped
        gate.set()
        await busy
        await crew.run(lambda _: done.append("last"))

    asyncio.run(drop())
    assert done == ["last"]


def test_running_call_is_cancelled_at_its_next_step() -> None:
    """By an exception."""
    started, gate, learnt = Event(), Event(), Event()

    def work(tell: ProgressCallback) -> None:
        tell("wanted so far")
        started.set()
        assert gate.wait(60)
        try:
            tell("not any more")
        except WorkCancelled:
            learnt.set()
            raise

    async def drop() -> None:
        task = asyncio.create_task(ThreadPool(1).run(work))
        while not started.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()

    asyncio.run(drop())
    assert learnt.wait(60)
