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
"""The address that the token form posts to."""

PUBLIC_PATHS = frozenset({"/", *page_files.file_paths()})
"""Paths that need no token, as their content is the same for everybody without a cookie."""


class AccessControl(NamedTuple):
    """The host, port and token of a server, and the checks of a request against them.

    A request carries the token itself or a cookie derived from it.
    """

    host: str
    port: int
    token: str

    @property
    def cookie_name(self) -> str:
        """The name of the cookie, with the port, as servers on other ports share their cookies."""
        return f"feeder-{self.port}"

    @property
    def cookie_value(self) -> str:
        """The value of the cookie, from which the token cannot be derived."""
        return hmac.new(self.token.encode(), b"cookie", hashlib.sha256).hexdigest()

    def check_request(self, path: str, headers: Headers) -> ErrorResponse | None:
        """The error response to a request that is not allowed; None if it is."""
        host = headers.get("host", "")
        if not self._is_own_host(host):
            remedy = "Use the address that `feeder serve` printed."
            return ErrorResponse(421, f"{host} is not an address of this server.", remedy)
        if not _is_same_site(host, path, headers):
            remedy = "Send it from this server's own page."
            return ErrorResponse(403, "The request comes from another site's page.", remedy)
        if path not in PUBLIC_PATHS and path != SESSION_PATH and not self.is_authenticated(headers):
            remedy = (
                "Send the header `Authorization: Bearer TOKEN` "
                "with the token that `feeder serve` printed."
            )
            return ErrorResponse(401, "The token is missing or wrong.", remedy)
        return None

    def _is_own_host(self, host: str) -> bool:
        """True for localhost, the configured host, an IP address and this machine's name.

        Another site's page could make any other name lead here (DNS rebinding).
        """
        name = _host_name(host)
        if name in ("localhost", self.host.lower()) or _is_ip_address(name):
            return True
        machine = socket.gethostname().lower()
        return _is_ip_address(self.host) and not _is_loopback(self.host) and name == machine

    def is_authenticated(self, headers: Headers) -> bool:
        """True if the request has the token or the cookie."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.is_valid_token(token.strip())
        cookies = cookie_parser(headers.get("cookie", ""))
        return _is_equal_constant_time(cookies.get(self.cookie_name, ""), self.cookie_value)

    def is_valid_token(self, typed: str) -> bool:
        """Compares in constant time."""
        return _is_equal_constant_time(typed, self.token)

    def set_cookie(self, response: Response) -> None:
        """Adds the cookie, which scripts cannot read."""
        response.set_cookie(self.cookie_name, self.cookie_value, httponly=True, samesite="strict")


class AccessMiddleware:
    """ASGI middleware that answers requests that are not allowed with an error."""

    def __init__(self, app: ASGIApp, access: AccessControl) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Checks the request and adds the security headers to the response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                own = ((name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items())
                message["headers"] = [*message["headers"], *(h for h in own if h[0] not in present)]
            await send(message)

        error = self._access.check_request(scope["path"], Headers(scope=scope))
        if error is None:
            await self._app(scope, receive, send_with_headers)
            return
        challenge = {"www-authenticate": "Bearer"} if error.status == 401 else {}
        response = error.to_response({"connection": "close", **challenge})
        await response(scope, receive, send_with_headers)


def _host_name(host: str) -> str:
    """The name in `name:port`, in lower case; an IPv6 address without brackets."""
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
    """True for programs, which send no origin, and for the server's own page in a browser.

    Any site may link to the public paths.
    """
    origin = headers.get("origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return False
    return path in PUBLIC_PATHS or headers.get("sec-fetch-site", "none") in OWN_FETCH_SITES


def _is_equal_constant_time(typed: str, secret: str) -> bool:
    return hmac.compare_digest(typed.encode(errors="replace"), secret.encode())
