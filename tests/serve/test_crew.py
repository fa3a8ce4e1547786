"""Work that takes its time: beside the loop, and only as long as somebody waits."""

import asyncio
from threading import Event

import pytest

from feeder.serve import Tell
from feeder.serve.crew import Crew, Dropped


def test_what_work_gives_or_raises_is_handed_over() -> None:
    def fails(_: Tell) -> None:
        raise LookupError("no")

    async def both() -> None:
        crew = Crew(1)
        assert await crew.do(lambda _: 7) == 7
        with pytest.raises(LookupError, match="no"):
            await crew.do(fails)
        assert await crew.do(lambda _: 8) == 8

    asyncio.run(both())


def test_work_that_has_not_begun_never_does() -> None:
    """Its thread is busy, and whoever waited for it has gone."""
    begun, gate, done = Event(), Event(), list[str]()

    def first(_: Tell) -> None:
        begun.set()
        assert gate.wait(60)

    async def drop() -> None:
        crew = Crew(1)
        busy = asyncio.create_task(crew.do(first))
        dropped = asyncio.create_task(crew.do(lambda _: done.append("dropped")))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        dropped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await dropped
        gate.set()
        await busy
        await crew.do(lambda _: done.append("last"))

    asyncio.run(drop())
    assert done == ["last"]


def test_work_that_runs_learns_that_it_is_not_wanted() -> None:
    """At its next step, by an error of its own."""
    begun, gate, learnt = Event(), Event(), Event()

    def work(tell: Tell) -> None:
        tell("wanted so far")
        begun.set()
        assert gate.wait(60)
        try:
            tell("not any more")
        except Dropped:
            learnt.set()
            raise

    async def drop() -> None:
        task = asyncio.create_task(Crew(1).do(work))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()

    asyncio.run(drop())
    assert learnt.wait(60)
