"""Where are the bodies of private keys?"""

import re
from collections.abc import Iterator

from feeder.parse.secrets.nearby import Span

_PRIVATE_KEY = re.compile(rb"BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY|PuTTY-User-Key-File-\d")
_KEY_MARKS = (b"PRIVATE KEY", b"PuTTY-User-Key")
_KEY_LINE = re.compile(rb"[A-Za-z0-9+/]{40}")
_KEY_LINES = re.compile(
    rb"[A-Za-z0-9+/]{40,}(?:[^A-Za-z0-9+/=]{1,40}[A-Za-z0-9+/]{16,})*={0,2}"
    rb"(?:[^A-Za-z0-9+/=]{1,40}=?[A-Za-z0-9+/]+={0,2}(?=(?:\\[nr]|[^A-Za-z0-9+/=]){0,40}END ))*"
)
"""Base64 in lines, however they are quoted, of which only the last before the end may be short."""
_KEY_HEADERS_BYTES = 500
"""What may stand between the first line of a private key and its base64."""


def private_keys(content: bytes) -> Iterator[Span]:
    """Where the bodies of private keys are, of which detect-secrets knows the first line."""
    if not any(mark in content for mark in _KEY_MARKS):
        return
    for match in _PRIVATE_KEY.finditer(content):
        first = _KEY_LINE.search(content, match.end(), match.end() + _KEY_HEADERS_BYTES)
        if first and (lines := _KEY_LINES.match(content, first.start())):
            yield lines.span()
