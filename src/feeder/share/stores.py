"""Places that keep published indexes: a folder, files behind an HTTPS address, an object store."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from feeder.atomic_file import replace_file
from feeder.errors import ServiceError, UserError
from feeder.file_locks import lock_file

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 30.0
_MIN_BYTES_PER_S = 1_000_000
CONNECTIONS = 8


class Versioned(NamedTuple):
    """The contents of a file, and what identifies them for `replace`."""

    data: bytes
    version: str


class Source(Protocol):
    """A store to read from. Calls may come from several threads."""

    def read(self, name: str, limit: int) -> Versioned | None:
        """Returns a file; None if there is none. Raises ServiceError above `limit` bytes."""
        ...

    def close(self) -> None: ...


class Target(Source, Protocol):
    """A store to publish to."""

    def names(self) -> dict[str, float]:
        """Returns the files by name, with the time of their last change in seconds since 1970."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Writes a file whose contents its name determines."""
        ...

    def replace(self, name: str, data: bytes, version: str | None) -> bool:
        """Writes a file that still has this version, or does not exist (None); else returns False.

        Readers see the old contents or the new ones.
        """
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Deletes files; those that are gone are no error."""
        ...


class Pace:
    """Ends a download that would take too long: after `limit_s`, a slow one and a slow answer."""

    def __init__(self, limit_s: float | None) -> None:
        self.limit_s = limit_s
        self._began_s = time.monotonic()
        self._bytes = 0

    def add(self, count: int) -> None:
        """Counts bytes that have arrived; raises ServiceError if they come too slowly."""
        self._bytes += count
        elapsed_s = time.monotonic() - self._began_s
        if self.limit_s and elapsed_s > self.limit_s:
            self._check_rate(elapsed_s)

    def _check_rate(self, elapsed_s: float) -> None:
        if self._bytes / elapsed_s < _MIN_BYTES_PER_S:
            raise ServiceError(
                f"It sent {self._bytes / 1e6:.1f} MB in {elapsed_s:.1f} s, which is too slow."
            )


def failure_at(place: str, reason: str) -> str:
    """Says why the index at a place is not used; the reason, a sentence, may name the place."""
    shown = without_password(place)
    names_place = "/" in shown and shown in reason  # a plain word may stand there by chance
    return reason if names_place else f"The index at {shown} cannot be used. {reason}"


def without_password(place: str) -> str:
    """Returns a place as it may be shown."""
    return re.sub(r"//[^/@]*@", "//", place)


class Folder:
    """A store in a folder of this machine, or of one that is mounted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str, limit: int) -> Versioned | None:
        place = self._folder / name
        try:
            # a repository's link to a pipe or a terminal would be waited for
            if not place.is_file():
                return None
            with place.open("rb") as file:
                data = file.read(limit + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if len(data) > limit:
            raise too_large(name)
        return Versioned(data, _version(data))

    def names(self) -> dict[str, float]:
        found: dict[str, float] = {}
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    found[entry.name] = entry.stat().st_mtime
        return found

    def write(self, name: str, data: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._folder / name, data, mode=0o666)

    def replace(self, name: str, data: bytes, version: str | None) -> bool:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / ".lock").open("ab") as lock:
            lock_file(lock.fileno(), waits=True)
            current = self.read(name, limit=1 << 30)
            if (current and current.version) != version:
                return False
            self.write(name, data)
        return True

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            (self._folder / name).unlink(missing_ok=True)

    def close(self) -> None:
        pass


class HTTPSource:
    """A store behind an address, with the files below it."""

    def __init__(self, address: str, pace: Pace) -> None:
        from feeder.http_client import create_client

        check_encrypted(address)
        self._address = address.rstrip("/")
        self._pace = pace
        timeout_s = pace.limit_s or TIMEOUT_S
        self._client = create_client({"Accept-Encoding": "identity"}, timeout_s, CONNECTIONS)
        self._client.follow_redirects = True
        # called before each request, those to which others redirect included
        self._client.event_hooks = {"request": [self._check_request]}

    def read(self, name: str, limit: int) -> Versioned | None:
        import httpx

        from feeder.http_client import connection_error

        url = f"{self._address}/{name}"
        try:
            with self._client.stream("GET", url) as response:
                if response.status_code in (403, 404, 410) and name.endswith(".json"):
                    return None
                if response.status_code != 200:
                    raise ServiceError(f"It answered HTTP {response.status_code}.")
                data = read_body(response, name, limit, self._pace)
        except httpx.RequestError as exc:
            reason = str(exc) or type(exc).__name__
            raise connection_error(
                exc, reason, without_password(self._address), "the address"
            ) from exc
        return Versioned(data, _version(data))

    def _check_request(self, request: httpx.Request) -> None:
        """A server elsewhere may not redirect to this machine, nor without encryption."""
        check_encrypted(str(request.url))
        if request.url.scheme != "https" and self._address.startswith("https://"):
            raise ServiceError("It redirects to an address that is not encrypted.")

    def close(self) -> None:
        self._client.close()


def check_encrypted(address: str) -> None:
    """Raises UserError for an address of another machine that is not https://."""
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        shown = without_password(address.partition("?")[0])
        raise UserError(f"{shown} is not encrypted.", "Use https://.")


def read_body(response: httpx.Response, name: str, limit: int, pace: Pace) -> bytes:
    """Reads the body of a response; raises ServiceError above `limit` bytes."""
    data = bytearray()
    for chunk in response.iter_raw():  # as it arrives: others wait until a buffer is full
        data += chunk
        if len(data) > limit:
            raise too_large(name)
        pace.add(len(chunk))
    return bytes(data)


def too_large(name: str) -> ServiceError:
    """Returns the error of a file above its limit."""
    return ServiceError(f"{name} is larger than allowed.")


def _version(data: bytes) -> str:
    from feeder.share.manifest import sha256

    return sha256(data)
