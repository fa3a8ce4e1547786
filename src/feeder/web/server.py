"""Binds the socket, makes or checks the token, runs uvicorn, and opens the page in a browser
without showing the token on a command line.

Imports no web framework at module level, so that a missing extra is reported.
"""

from __future__ import annotations

import errno
import os
import secrets
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from feeder.errors import INTERRUPT_SIGNALS, UserError
from feeder.private_files import create_private_file, temporary_folder

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp


DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8421
PORT_ATTEMPTS = 20
"""Ports that are tried, from the default on, before any free one is taken."""
MIN_TOKEN_CHARS = 16
"""The minimum length of a user's token."""

REDIRECT_PAGE = """\
<!doctype html><meta charset="utf-8"><title>feeder</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={0}"><p><a href="{0}">feeder</a></p>
"""


class Address(NamedTuple):
    """The address of a server, and its token."""

    host: str
    port: int
    token: str

    def __str__(self) -> str:
        """The address for a browser, which does not send what follows `#`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/#token={quote(self.token, safe='')}"


def listen(host: str | None, port: int | None, token: str | None) -> tuple[socket.socket, Address]:
    """Binds a socket; raises UserError if that fails, or if `host` is given without a token."""
    if host and not token:
        text = f"--host {host} lets other machines connect. Set --token or FEEDER_TOKEN, which they"
        raise UserError(f"{text} have to send.")
    sock = _bind(host or DEFAULT_HOST, port)
    bound_port: int = sock.getsockname()[1]
    return sock, Address(host or DEFAULT_HOST, bound_port, _validate_token(token))


def run_server(app: ASGIApp, sock: socket.socket) -> None:
    """Serves until Ctrl-C, which does not wait for running calls."""
    with suppress(KeyboardInterrupt):
        uvicorn_server(app).run([sock])


def uvicorn_server(app: ASGIApp) -> uvicorn.Server:
    """The uvicorn server for an application; in the main thread, Ctrl-C ends it."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            # uvicorn would raise the signal once more at its end, which is a second Ctrl-C
            if current_thread() is not main_thread():
                yield
                return
            # none raises KeyboardInterrupt, which code within the event loop may lose
            previous = {
                number: signal.signal(number, self.handle_exit)
                for number in INTERRUPT_SIGNALS
                if signal.getsignal(number) != signal.SIG_IGN
            }
            try:
                yield
            finally:
                for number, handler in previous.items():
                    signal.signal(number, handler)

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
    """Raises UserError if the packages of the extra `serve` are missing."""
    for name in ("starlette", "uvicorn"):
        if find_spec(name) is None:
            from feeder.installation import install_hint

            raise UserError("The web server is not installed.", install_hint("serve"))


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
            f"--token must have at least {MIN_TOKEN_CHARS} letters, digits or symbols, and no "
            "space.",
            "Generate one with: openssl rand -hex 16",
        )
    return token


def is_loopback(host: str) -> bool:
    """True for localhost and for addresses that other machines cannot reach."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _bind(host: str, port: int | None) -> socket.socket:
    """Binds the port; without one, the first free one from the default on, else any."""
    if port is not None:
        return _create_socket(host, port, f"Use another port than {port}, or leave --port out.")
    for near in range(DEFAULT_PORT, DEFAULT_PORT + PORT_ATTEMPTS):
        try:
            return _create_socket(host, near, "")
        except _PortTaken:
            continue
    return _create_socket(host, 0, "Choose a free one with --port.")


class _PortTaken(UserError):
    """Another program listens on the port."""


def _create_socket(host: str, port: int, remedy: str) -> socket.socket:
    try:
        [(family, _, _, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return socket.create_server(address[:2], family=family)
    except OSError as exc:
        if isinstance(exc, socket.gaierror) or exc.errno == errno.EADDRNOTAVAIL:
            problem = f"--host {host} is not a name or address of this machine."
            raise UserError(problem, "Use one that is.") from exc
        kind = _PortTaken if exc.errno == errno.EADDRINUSE else UserError
        raise kind(f"{host} port {port}: {os.strerror(exc.errno or 0)}.", remedy) from exc


@contextmanager
def redirect_page(address: str) -> Iterator[Path]:
    """A temporary page, readable for its owner only, that redirects to the address.

    A browser is started with the page's name, as all users can read command lines.
    """
    with temporary_folder() as folder:
        page = folder / "open.html"
        create_private_file(page)
        page.write_text(REDIRECT_PAGE.format(escape(address)), "utf-8")
        yield page
