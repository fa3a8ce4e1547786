"""Where are the bodies of private keys?"""

import re
from collections.abc import Iterator

from feeder.parse.secrets.nearby import SecretSpan

_PRIVATE_KEY_START = re.compile(rb"BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY|PuTTY-User-Key-File-\d")
_PRIVATE_KEY_MARKERS = (b"PRIVATE KEY", b"PuTTY-User-Key")
_KEY_FIRST_LINE = re.compile(rb"[A-Za-z0-9+/]{40}")
_KEY_BODY = re.compile(
    rb"[A-Za-z0-9+/]{40,}(?:[^A-Za-z0-9+/=]{1,40}[A-Za-z0-9+/]{16,})*={0,2}"
    rb"(?:[^A-Za-z0-9+/=]{1,40}=?[A-Za-z0-9+/]+={0,2}(?=(?:\\[nr]|[^A-Za-z0-9+/=]){0,40}END ))*"
)
"""Base64 in lines, however they are quoted, of which only the last before the end may be short."""
_KEY_HEADER_MAX_BYTES = 500
"""What may stand between the first line of a private key and its base64."""


def find_private_keys(content: bytes) -> Iterator[SecretSpan]:
    """Where the bodies of private keys are, of which detect-secrets knows the first line."""
    if not any(mark in content for mark in _PRIVATE_KEY_MARKERS):
        return
    for match in _PRIVATE_KEY_START.finditer(content):
        first = _KEY_FIRST_LINE.search(content, match.end(), match.end() + _KEY_HEADER_MAX_BYTES)
        if first and (lines := _KEY_BODY.match(content, first.start())):
            yield lines.span()
