"""Masks secrets in text before anything is made of it.

Start with `mask_text`. detect-secrets finds tokens of a known form and random-looking values
assigned to names such as `password`; tokens of newer services and passwords in long lines are
found here. Nothing is verified and no network is asked. To take less time than parsing, each
detector reads only lines that hold a marker of its kind.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from feeder.parse.secrets.passwords import find_passwords
from feeder.parse.secrets.tokens import SecretSpan, find_tokens

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


MASK_VERSION = "2"
"""Counted up when the same text is masked in another way than before."""


_FILLERS = ("", "x", "\u03c7", "\u1e8b", "\U0001d5d1")
"""A letter for each number of bytes."""

_VISIBLE_CHARACTER = re.compile(r"\S")


class MaskedText(NamedTuple):
    """A text without its secrets, and how many they were."""

    content: bytes
    secret_count: int


def masking_fingerprint() -> str:
    """What decides which values are masked."""
    from importlib.metadata import version

    return f"{MASK_VERSION} {version('detect-secrets')}"


def mask_text(path: str, content: bytes) -> MaskedText:
    """The UTF-8 text with a letter in place of each visible character of a secret.

    Every other character stays where it was, counted in bytes, in characters and in lines. A line
    with `pragma: allowlist secret` in a comment is left as it is. Takes time in proportion to the
    text, and a small share of what parsing it takes.
    """
    spans = _merge_spans(
        [*find_tokens(path, content), *find_passwords(path, content), *find_private_keys(content)]
    )
    if not spans:
        return MaskedText(content, 0)
    parts: list[bytes] = []
    at = 0
    for start, end in spans:
        parts += content[at:start], _fill(content[start:end])
        at = end
    return MaskedText(b"".join((*parts, content[at:])), len(spans))


def _fill(secret: bytes) -> bytes:
    text = secret.decode()
    return _VISIBLE_CHARACTER.sub(lambda match: _FILLERS[len(match[0].encode())], text).encode()


def _merge_spans(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """The spans in order, those that meet as one."""
    merged: list[SecretSpan] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
