"""Binds the socket, makes or checks the token, runs uvicorn, and opens the page in a browser
without showing the token on a command line. Imports no web framework at module level, so that a
missing extra is reported.
"""

from __future__ import annotations

import errno
import secrets
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from feeder.errors import UserError
from feeder.private_files import create_private_file

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp


DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8421

PORT_ATTEMPTS = 20
"""Ports that are tried, from the first on, before any that is free."""

MIN_TOKEN_CHARS = 16
"""The least of one that a user makes."""

INSTALL_HINT = "Install it with: pip install 'headfeed[serve]'"


class Address(NamedTuple):
    """Where a server listens, and the token that it wants."""

    host: str
    port: int
    token: str

    def __str__(self) -> str:
        """To be opened in a browser: what stands behind # is not sent."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/#token={quote(self.token, safe='')}"


def listen(host: str | None, port: int | None, token: str | None) -> tuple[socket.socket, Address]:
    """A socket that listens, and its address; raises UserError where that cannot be."""
    if host and not token:
        raise UserError(
            f"--host {host} lets other machines in: say with --token, or FEEDER_TOKEN, who may ask."
        )
    some = _bind(host or DEFAULT_HOST, port)
    bound_port: int = some.getsockname()[1]
    return some, Address(host or DEFAULT_HOST, bound_port, _validate_token(token))


def run_server(app: ASGIApp, sock: socket.socket) -> None:
    """Answers until Ctrl-C, which waits for nothing; the calls that run then are dropped."""
    with suppress(KeyboardInterrupt):
        uvicorn_server(app).run([sock])


def uvicorn_server(app: ASGIApp) -> uvicorn.Server:
    """The server that takes requests for an application; in the main thread, Ctrl-C ends it."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            # uvicorn would raise the signal once more at its end, which is a second Ctrl-C
            if current_thread() is not main_thread():
                yield
                return
            previous = signal.signal(signal.SIGINT, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(signal.SIGINT, previous)

    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=0,
    )
    return Server(config)


def check_installed() -> None:
    """Raises UserError where what serves is not installed."""
    for name in ("starlette", "uvicorn"):
        if find_spec(name) is None:
            raise UserError(f"The web server is not installed. {INSTALL_HINT}")


def _validate_token(token: str | None) -> str:
    if token is None:
        return secrets.token_urlsafe(32)
    if (
        len(token) < MIN_TOKEN_CHARS
        or not token.isascii()
        or not token.isprintable()
        or " " in token
    ):
        raise UserError(
            f"--token has at least {MIN_TOKEN_CHARS} letters, digits or signs, and no space. "
            "Make one with: openssl rand -hex 16"
        )
    return token


def _bind(host: str, port: int | None) -> socket.socket:
    """Where no port is said, the first near the usual one that is free, else any."""
    if port is not None:
        return _create_socket(host, port, f"Say another than --port {port}, or none.")
    for near in range(DEFAULT_PORT, DEFAULT_PORT + PORT_ATTEMPTS):
        try:
            return _create_socket(host, near, "")
        except _PortTaken:
            continue
    return _create_socket(host, 0, "Say one with --port.")


class _PortTaken(UserError):
    """Somebody else listens there."""


def _create_socket(host: str, port: int, remedy: str) -> socket.socket:
    try:
        [(family, _, _, _, place), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return socket.create_server(place[:2], family=family)
    except socket.gaierror as exc:
        raise UserError(f"--host {host} is no name or address of this machine.") from exc
    except OSError as exc:
        kind = _PortTaken if exc.errno == errno.EADDRINUSE else UserError
        raise kind(f"{host} port {port}: {exc.strerror}. {remedy}".rstrip()) from exc


REDIRECT_PAGE = """\
<!doctype html><meta charset="utf-8"><title>feeder</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={0}"><p><a href="{0}">feeder</a></p>
"""


@contextmanager
def redirect_page(address: str) -> Iterator[Path]:
    """A page that leads there, which its owner alone reads, until the end of the block.

    A browser is told its name: what stands on a command line is shown to everybody.
    """
    with TemporaryDirectory(prefix="feeder-", ignore_cleanup_errors=True) as folder:
        page = Path(folder, "open.html")
        create_private_file(page)
        page.write_text(REDIRECT_PAGE.format(escape(address)), "utf-8")
        yield page
