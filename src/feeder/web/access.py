"""Access control: checks Host, Origin, Sec-Fetch-Site and the token or session key of each request
before its body is read, and adds the security headers to each response.

No cookie is set: a browser sends those of 127.0.0.1 to servers on all of its ports
(docs/explanation/serve.md).
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import socket
from ipaddress import ip_address
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feeder.mcp.http import ErrorResponse
from feeder.web import page_files
from feeder.web.page_files import OWN_FETCH_SITES, SECURITY_HEADERS

SESSION_PATH, DOCUMENT_PATH = "/session", "/document"
"""The addresses of forms: for the token, and for a document. Their handlers check the key."""

_HOST = re.compile(r"(?:\[([^\[\]]+)\]|([^\[\]:@/?#\s]+))(?::\d*)?")

FORM_PATHS = frozenset({SESSION_PATH, DOCUMENT_PATH})

PUBLIC_PATHS = frozenset({"/", *page_files.file_paths()})
"""Paths that need no token, as their content is the same for everybody."""

PROCESS_SALT = secrets.token_bytes(32)
"""Makes the session keys of this process invalid when it ends, also with the same token."""


class AccessControl(NamedTuple):
    """The host, port and token of a server, and the checks of a request against them.

    A request carries the token itself or a session key derived from it.
    """

    host: str
    port: int
    token: str
    salt: bytes = PROCESS_SALT

    @property
    def session_key(self) -> str:
        """The key that the page keeps in place of the token, which cannot be derived from it."""
        return hmac.new(self.token.encode(), self.salt, hashlib.sha256).hexdigest()

    def check_request(self, path: str, headers: Headers) -> ErrorResponse | None:
        """The error response to a request that is not allowed; None if it is."""
        host = headers.get("host", "")
        if not self._is_own_host(host):
            remedy = "Use the address that `feeder serve` printed."
            return ErrorResponse(421, f"{host} is not an address of this server.", remedy)
        if not _is_same_site(host, path, headers):
            remedy = "Send it from this server's own page."
            return ErrorResponse(403, "The request comes from another site's page.", remedy)
        is_checked_here = path not in PUBLIC_PATHS and path not in FORM_PATHS
        if is_checked_here and not self.is_authenticated(headers):
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
        """True if the request has the token or the session key in its header."""
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.is_valid(secret.strip())

    def is_valid(self, secret: str) -> bool:
        """True for the token and for the session key; compares in constant time."""
        is_token = _is_equal_constant_time(secret, self.token)
        return _is_equal_constant_time(secret, self.session_key) or is_token


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
    """The name in `name:port`, in lower case; an IPv6 address without brackets. Empty if `host` has
    another form, such as `user@name`.
    """
    match = _HOST.fullmatch(host)
    return (match[1] or match[2]).lower() if match else ""


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
