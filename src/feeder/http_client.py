"""Creates HTTP clients and turns connection failures into errors with a remedy.

Shared by all services.
"""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from feeder.errors import FeederError, TransientError, UserError

if TYPE_CHECKING:
    import httpx


MAX_MASKED_CHARS = 10_000
"""Characters of an error page that are masked before its first words are shown."""


def json_bytes(value: object) -> bytes:
    """Encodes a request body as compact JSON in ASCII."""
    return json.dumps(value, separators=(",", ":")).encode()


def summarize_error_page(page: str, mask: Callable[[str], str]) -> str:
    """Returns the title or the first 80 characters of a response that should have been JSON.

    It is masked before it is cut, because half of a secret is one too.
    """
    title = re.search(r"<title>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    return mask((title[1] if title else page).strip()[:MAX_MASKED_CHARS])[:80]


def create_client(
    headers: dict[str, str], timeout: "httpx.Timeout | float", max_connections: int
) -> "httpx.Client":
    """Creates a client that follows no redirect.

    Raises UserError if the proxy or certificate settings of the environment are invalid.
    """
    import httpx

    try:
        return httpx.Client(
            headers=headers,
            timeout=timeout,
            limits=httpx.Limits(max_connections=max_connections),
        )
    except (ValueError, OSError, ImportError, httpx.InvalidURL) as exc:
        raise UserError(
            f"The network settings are invalid ({exc}).",
            "Correct HTTPS_PROXY, ALL_PROXY or SSL_CERT_FILE.",
        ) from exc


def connection_error(
    exc: "httpx.RequestError", reason: str, address: str, setting: str
) -> FeederError:
    """Turns a failed request into an error; wrong settings are permanent, all else is transient.

    `setting` names the option or variable that the address comes from.
    """
    import httpx

    reason = re.sub(r"^\[Errno -?\d+\] ", "", reason)
    if isinstance(exc, httpx.ProxyError):
        return UserError(
            f"The proxy refused the connection to {address} ({reason}).", "Correct HTTPS_PROXY."
        )
    if "CERTIFICATE" in reason.upper():
        return UserError(
            f"The certificate of {address} is not trusted ({reason}).",
            "Set SSL_CERT_FILE to the certificate of the authority that signed it, or correct "
            f"{setting}.",
        )
    if isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout):
        return TransientError(
            f"{address} cannot be reached ({reason}).", f"Check the network, DNS and {setting}."
        )
    return TransientError(
        f"{address} sent an incomplete response ({reason}).", "Run the command again later."
    )
