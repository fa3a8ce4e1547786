"""Work that takes its time: beside the loop, and only as long as somebody waits."""

import asyncio
from threading import Event

import pytest

from feeder.mcp import ProgressCallback
from feeder.mcp.thread_pool import ThreadPool, WorkCancelled


def test_what_work_gives_or_raises_is_handed_over() -> None:
    def fails(_: ProgressCallback) -> None:
        raise LookupError("no")

    async def both() -> None:
        crew = ThreadPool(1)
        assert await crew.run(lambda _: 7) == 7
        with pytest.raises(LookupError, match="no"):
            await crew.run(fails)
        assert await crew.run(lambda _: 8) == 8

    asyncio.run(both())


def test_work_that_has_not_begun_never_does() -> None:
    """Its thread is busy, and whoever waited for it has gone."""
    begun, gate, done = Event(), Event(), list[str]()

    def first(_: ProgressCallback) -> None:
        begun.set()
        assert gate.wait(60)

    async def drop() -> None:
        crew = ThreadPool(1)
        busy = asyncio.create_task(crew.run(first))
        dropped = asyncio.create_task(crew.run(lambda _: done.append("dropped")))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        dropped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await dropped
        gate.set()
        await busy
        await crew.run(lambda _: done.append("last"))

    asyncio.run(drop())
    assert done == ["last"]


def test_work_that_runs_learns_that_it_is_not_wanted() -> None:
    """At its next step, by an error of its own."""
    begun, gate, learnt = Event(), Event(), Event()

    def work(tell: ProgressCallback) -> None:
        tell("wanted so far")
        begun.set()
        assert gate.wait(60)
        try:
            tell("not any more")
        except WorkCancelled:
            learnt.set()
            raise

    async def drop() -> None:
        task = asyncio.create_task(ThreadPool(1).run(work))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()

    asyncio.run(drop())
    assert learnt.wait(60)
