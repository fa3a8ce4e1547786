"""Access control: checks Host, Origin, Sec-Fetch-Site and the token or cookie of each request
before its body is read, and adds the security headers to each response.
"""

from __future__ import annotations

import hashlib
import hmac
import socket
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feeder.mcp.http import ErrorResponse
from feeder.web import page_files
from feeder.web.page_files import OWN_FETCH_SITES, SECURITY_HEADERS

SESSION_PATH = "/session"
"""Where a form brings the token."""

PUBLIC_PATHS = frozenset({"/", *page_files.file_paths()})
"""Paths that need no token: what lies there is the same for everybody who has no cookie."""


class AccessControl(NamedTuple):
    """What a server is asked under, and by whom: a token, or the cookie that is made of it."""

    host: str
    port: int
    token: str

    @property
    def cookie_name(self) -> str:
        """Its name: ports share their cookies."""
        return f"feeder-{self.port}"

    @property
    def cookie_value(self) -> str:
        """It does not tell the token, which may open more than this."""
        return hmac.new(self.token.encode(), b"cookie", hashlib.sha256).hexdigest()

    def check_request(self, path: str, headers: Headers) -> ErrorResponse | None:
        """Why a request is refused; None where it is not."""
        host = headers.get("host", "")
        if not self._is_own_host(host):
            return ErrorResponse(
                421, f"{host} is no name of this server.", "Ask the address it said."
            )
        if not _is_same_site(host, path, headers):
            return ErrorResponse(
                403, "Another site's page asks.", "Ask from this server's own page."
            )
        if path not in PUBLIC_PATHS and path != SESSION_PATH and not self.is_authenticated(headers):
            remedy = "Send the header `Authorization: Bearer TOKEN`, with the token it said."
            return ErrorResponse(401, "The token is missing, or another one.", remedy)
        return None

    def _is_own_host(self, host: str) -> bool:
        """No page can make a number, or the name that was said, lead to another machine."""
        name = _host_name(host)
        if name in ("localhost", self.host.lower()) or _is_ip_address(name):
            return True
        own = socket.gethostname().lower()
        return _is_ip_address(self.host) and not _is_loopback(self.host) and name == own

    def is_authenticated(self, headers: Headers) -> bool:
        """Whether who asks has the token, or the cookie."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.is_valid_token(token.strip())
        cookies = cookie_parser(headers.get("cookie", ""))
        return _is_equal_constant_time(cookies.get(self.cookie_name, ""), self.cookie_value)

    def is_valid_token(self, typed: str) -> bool:
        """Whether it is the token."""
        return _is_equal_constant_time(typed, self.token)

    def set_cookie(self, response: Response) -> None:
        """A browser remembers who asks, where no script reads it."""
        response.set_cookie(self.cookie_name, self.cookie_value, httponly=True, samesite="strict")


class AccessMiddleware:
    """An application around another, to which only those come who may ask."""

    def __init__(self, app: ASGIApp, access: AccessControl) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses, or asks the other; either way with the headers that keep a browser safe."""

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                more = ((name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items())
                message["headers"] = [*message["headers"], *(h for h in more if h[0] not in own)]
            await send(message)

        refusal = self._access.check_request(scope["path"], Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, safely)
            return
        challenge = {"www-authenticate": "Bearer"} if refusal.status == 401 else {}
        response = refusal.to_response({"connection": "close", **challenge})
        await response(scope, receive, safely)


def _host_name(host: str) -> str:
    """Of `name:port`, in small letters; an address of IPv6 without its brackets."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_ip_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return ip_address(host).is_loopback


def _is_same_site(host: str, path: str, headers: Headers) -> bool:
    """Programs say no origin; a browser says it, or how far away the page is that asks.

    A link may lead from anywhere to what is the same for everybody.
    """
    origin = headers.get("origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return False
    return path in PUBLIC_PATHS or headers.get("sec-fetch-site", "none") in OWN_FETCH_SITES


def _is_equal_constant_time(one: str, other: str) -> bool:
    """In a time that does not tell how much of it is right."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode())
