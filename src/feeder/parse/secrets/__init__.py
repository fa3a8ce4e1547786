"""Masks secrets in text, before nodes are made of it.

Start with `mask_text`; `rules` has the patterns, most of them from detect-secrets. `secrets` never
verifies a secret and never opens the network. To take less time than parsing, each rule reads only
lines with a marker of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from feeder.parse.secrets.tokens import SecretSpan

MASK_VERSION = "2 1.5.0"
"""Changed when the same text is masked in another way than before; stored in each index."""

UNMASKED = "unmasked"
"""In place of the version in an index whose secrets are not masked."""

_FILLERS = ("", "x", "\u03c7", "\u1e8b", "\U0001d5d1")
"""Replacement characters, by their number of bytes in UTF-8."""

_VISIBLE_CHARACTER = re.compile(r"\S")

_PRIVATE_KEY_START = re.compile(rb"BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY|PuTTY-User-Key-File-\d")

_PRIVATE_KEY_MARKERS = (b"PRIVATE KEY", b"PuTTY-User-Key")

_KEY_FIRST_LINE = re.compile(rb"[A-Za-z0-9+/]{40}")

_KEY_BODY = re.compile(
    rb"[A-Za-z0-9+/]{40,}(?:[^A-Za-z0-9+/=]{1,40}[A-Za-z0-9+/]{16,})*={0,2}"
    rb"(?:[^A-Za-z0-9+/=]{1,40}=?[A-Za-z0-9+/]+={0,2}(?=(?:\\[nr]|[^A-Za-z0-9+/=]){0,40}END ))*"
)
"""Lines of base64 in any quotes; only the last lines before `END` may be short."""

_KEY_HEADER_MAX_BYTES = 500
"""Maximum bytes between the first line of a private key and its base64."""


class MaskedText(NamedTuple):
    """A masked text and the number of secrets that were found."""

    content: bytes
    secret_count: int


def mask_text(path: str, content: bytes) -> MaskedText:
    """Replaces each visible character of a secret in UTF-8 text by a filler of as many bytes.

    All offsets stay the same, in bytes, characters and lines. Secrets on a line with `pragma:
    allowlist secret` are not masked. Takes linear time, a small share of the time to parse.
    """
    # imported here: a run that parses nothing needs only the version
    from feeder.parse.secrets.passwords import find_passwords
    from feeder.parse.secrets.tokens import find_tokens

    spans = _merge_spans(
        [*find_tokens(path, content), *find_passwords(path, content), *find_private_keys(content)]
    )
    if not spans:
        return MaskedText(content, 0)
    parts: list[bytes] = []
    offset = 0
    for start, end in spans:
        parts += content[offset:start], _fill(content[start:end])
        offset = end
    return MaskedText(b"".join((*parts, content[offset:])), len(spans))


def mask_lines(path: str, lines: Sequence[str], rows: Iterable[int]) -> dict[int, str]:
    """Some of a text's lines, by index, masked as in the whole text, in the time that they need.

    All secrets but private keys lie within a line; a pragma may be on the line above.
    """
    text = "\n".join(lines)
    requested = {row: lines[row] for row in rows}
    if not any(marker.decode() in text for marker in _PRIVATE_KEY_MARKERS):
        near = sorted({near for row in requested for near in (max(0, row - 1), row)})
        text = "\n".join(lines[row] for row in near)
        places = {row: at for at, row in enumerate(near)}
    else:
        places = {row: row for row in requested}
    masked = mask_text(path, text.encode()).content.decode().split("\n")
    return {row: masked[places[row]] for row in requested}


def find_private_keys(content: bytes) -> Iterator[SecretSpan]:
    """The base64 bodies of private keys."""
    if not any(marker in content for marker in _PRIVATE_KEY_MARKERS):
        return
    for match in _PRIVATE_KEY_START.finditer(content):
        first = _KEY_FIRST_LINE.search(content, match.end(), match.end() + _KEY_HEADER_MAX_BYTES)
        if first and (body := _KEY_BODY.match(content, first.start())):
            yield body.span()


def _fill(secret: bytes) -> bytes:
    text = secret.decode()
    return _VISIBLE_CHARACTER.sub(lambda match: _FILLERS[len(match[0].encode())], text).encode()


def _merge_spans(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """The spans in order; overlapping ones are merged."""
    merged: list[SecretSpan] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
