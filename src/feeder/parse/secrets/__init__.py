"""Which values of a text are secrets? They are masked before anything is made of it.

What looks like one is detect-secrets' knowledge: its detectors of tokens that have a form of their
own, and of what is assigned to a `password` or `secret_key` where that looks random; other tokens
are read at their name. It verifies nothing and asks no network. As all detectors over all lines
take longer than parsing, each only reads lines that hold a sign of its kind, which plain searches
find.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from feeder.parse.private_keys import find_private_keys
from feeder.parse.secrets.nearby import SecretSpan
from feeder.parse.secrets.passwords import find_passwords
from feeder.parse.secrets.tokens import find_tokens

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
