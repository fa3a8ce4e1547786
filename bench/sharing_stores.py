"""Stores of published indexes for the benches: shared by several clients, which may be killed."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from threading import Condition, Thread
from typing import Protocol
from unittest import mock

from feeder.retry import Clock
from feeder.share import packs, publish, pull
from feeder.share.github_release import UPLOAD_S, GitHubRelease
from feeder.share.stores import Folder, Pace, Target, Versioned
from feeder.shared_settings import GITHUB_API, GITHUB_TOKENS
from share.github_server import REPOSITORY, WRITER, GitHubServer, github_server
from share.memory_store import Killed, MemoryStore

MOMENTS = ("before", "within", "after")
"""When a client is killed: before a request is received, while it is, or before its response."""
OTHER_UPLOAD_S = UPLOAD_S + 1
PACK_BYTES = 1 << 15
"""Makes several packs of a small index."""


class SharedStore(Protocol):
    """A store that several clients open."""

    def open(self) -> Target: ...

    def pass_time(self, seconds: float) -> None:
        """Makes all files older."""
        ...

    def receive_part(self, name: str) -> None:
        """Leaves what an upload leaves whose connection ends."""
        ...

    def has_unfinished_upload(self) -> bool: ...


class SharedMemory:
    """A store in memory."""

    def __init__(self) -> None:
        self._store = MemoryStore()

    def open(self) -> Target:
        return self._store

    def pass_time(self, seconds: float) -> None:
        for name in self._store.changed_s:
            self._store.changed_s[name] -= seconds

    def receive_part(self, name: str) -> None:
        """A part of an object is not stored."""

    def has_unfinished_upload(self) -> bool:
        return False


class SharedFolder:
    """A store in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()

    def open(self) -> Target:
        return Folder(self._folder)

    def pass_time(self, seconds: float) -> None:
        for file in self._folder.iterdir():
            changed_s = file.stat().st_mtime - seconds
            os.utime(file, (changed_s, changed_s))

    def receive_part(self, name: str) -> None:
        """As a program that is killed before it renames its temporary file."""
        (self._folder / f".{name}.part").write_bytes(b"x")

    def has_unfinished_upload(self) -> bool:
        return False


class SharedRelease:
    """A store in a release of a stand-in for GitHub."""

    def __init__(self, server: GitHubServer) -> None:
        self._server = server

    def open(self) -> Target:
        return GitHubRelease(f"github:{REPOSITORY}", Pace(None), is_written=True)

    def pass_time(self, seconds: float) -> None:
        self._server.pass_time(seconds)

    def receive_part(self, name: str) -> None:
        if "feeder-index" in self._server.releases and name not in self._server.files():
            self._server.add(name, state="starter")

    def has_unfinished_upload(self) -> bool:
        oldest_s = time.time() - UPLOAD_S
        return any(
            file.state == "starter" and file.changed_s > oldest_s
            for file in self._server.files().values()
        )


@contextmanager
def memory(_: Path) -> Iterator[SharedStore]:
    yield SharedMemory()


@contextmanager
def folder(place: Path) -> Iterator[SharedStore]:
    yield SharedFolder(place)


@contextmanager
def release(_: Path) -> Iterator[SharedStore]:
    with (
        github_server() as server,
        mock.patch.dict(os.environ),
        mock.patch.object(Clock, "wait", lambda *_: None),
    ):
        os.environ.update({GITHUB_API: server.api, GITHUB_TOKENS[0]: WRITER})
        yield SharedRelease(server)


STORES = {"memory": memory, "folder": folder, "release": release}


class Client:
    """A store as one process sees it, which may be killed at its request number `dies_at`."""

    def __init__(
        self,
        store: Target,
        turns: "Turns | None" = None,
        dies_at: int | None = None,
        moment: str = MOMENTS[0],
        receive_part: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._turns = turns
        self._dies_at = dies_at
        self._moment = moment
        self._receive_part = receive_part
        self._requests = 0

    def read(self, name: str, limit: int) -> Versioned | None:
        with self._request():
            return self._store.read(name, limit)

    def names(self) -> dict[str, float]:
        with self._request():
            return self._store.names()

    def write(self, name: str, data: bytes) -> None:
        with self._request(name):
            self._store.write(name, data)

    def replace(self, name: str, data: bytes, version: str | None) -> bool:
        with self._request():
            return self._store.replace(name, data, version)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            with self._request():
                self._store.delete([name])

    def close(self) -> None:
        self._store.close()

    @contextmanager
    def _request(self, written: str = "") -> Iterator[None]:
        """Waits for its turn, and raises Killed from the last request on."""
        self._requests += 1
        is_last = self._requests == self._dies_at
        if self._dies_at and self._requests > self._dies_at:
            raise Killed
        if self._turns:
            self._turns.wait()
        if is_last and self._moment == "within" and written:
            self._receive_part(written)
        if is_last and self._moment != "after":
            raise Killed
        yield
        if is_last:
            raise Killed


class Turns:
    """Runs several acts at once. At each request, `draw` chooses the one that goes on."""

    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self._changed = Condition()
        self._running: list[int] = []
        self._chosen = -1

    def run(self, acts: Sequence[Callable[[], None]]) -> None:
        """Returns when all have ended; raises the first error of one."""
        errors: list[BaseException] = []

        def run_one(number: int) -> None:
            try:
                self._wait_until_chosen(number)
                acts[number]()
            except BaseException as exc:  # raised below
                errors.append(exc)
            finally:
                self._running.remove(number)
                self._choose()

        self._running = list(range(len(acts)))
        threads = [Thread(target=run_one, args=(number,)) for number in self._running]
        self._choose()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def wait(self) -> None:
        """Called by the act that goes on, from any of its threads, before a request."""
        number = self._chosen
        self._choose()
        self._wait_until_chosen(number)

    def _choose(self) -> None:
        with self._changed:
            self._chosen = self._draw.choice(self._running) if self._running else -1
            self._changed.notify_all()

    def _wait_until_chosen(self, number: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._chosen == number)


@contextmanager
def small_packs_in_order() -> Iterator[None]:
    """Several packs of a small index; uploads and downloads of a client come one after another."""
    with ExitStack() as stack:
        for module, name, value in (
            (packs, "PACK_BYTES", PACK_BYTES),
            (publish, "_THREADS", 1),
            (pull, "_THREADS", 1),
        ):
            stack.enter_context(mock.patch.object(module, name, value))
        yield
