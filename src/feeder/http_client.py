"""Creates HTTP clients and turns connection failures into errors with a remedy; shared by all
services.
"""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from feeder.errors import FeederError, TransientError, UserError

if TYPE_CHECKING:
    import httpx


MAX_MASKED_CHARS = 10_000
"""Of a page that is no JSON: its first words are shown."""


def json_bytes(value: object) -> bytes:
    """The content of a call: compact and all ASCII, so that no odd character breaks it."""
    return json.dumps(value, separators=(",", ":")).encode()


def summarize_error_page(page: str, mask: Callable[[str], str]) -> str:
    """What a page that should have been JSON says: its title, or how it begins."""
    title = re.search(r"<title>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    # masked before it is cut: half a secret is one too
    return mask((title[1] if title else page).strip()[:MAX_MASKED_CHARS])[:80]


def create_client(
    headers: dict[str, str], timeout: "httpx.Timeout | float", max_connections: int
) -> "httpx.Client":
    """A connection that follows no redirect; raises UserError for what the environment says."""
    import httpx

    try:
        return httpx.Client(
            headers=headers,
            timeout=timeout,
            limits=httpx.Limits(max_connections=max_connections),
        )
    except (ValueError, OSError, ImportError, httpx.InvalidURL) as exc:
        raise UserError(
            f"The settings of the network cannot be used ({exc}). Mend HTTPS_PROXY, ALL_PROXY or "
            "SSL_CERT_FILE."
        ) from exc


def connection_error(
    exc: "httpx.RequestError", reason: str, address: str, setting: str
) -> FeederError:
    """No answer at all; only settings that are wrong are worth no other try.

    `setting` is what named the address.
    """
    import httpx

    if isinstance(exc, httpx.ProxyError):
        return UserError(f"The proxy does not let {address} through ({reason}). Mend HTTPS_PROXY.")
    if "CERTIFICATE" in reason.upper():
        return UserError(
            f"The certificate of {address} is not trusted ({reason}). Name the authority that "
            f"signed it in SSL_CERT_FILE, or mend {setting}."
        )
    if isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout):
        return TransientError(
            f"{address} cannot be reached ({reason}). Check the network, its names (DNS) and "
            f"{setting}."
        )
    return TransientError(f"{address} gave no whole answer ({reason}). Run again later.")
