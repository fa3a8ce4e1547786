"""Makes untrusted text safe for a terminal: escapes control and bidirectional characters, masks
secrets.
"""

import json
import re
import unicodedata
from itertools import groupby

_ZERO_WIDTH_JOINERS = "\u200c\u200d"
"""Invisible, but words of Persian and Hindi and many an emoji fall apart without them."""
_MIN_MASKED_CHARS = 8
"""Characters of a short secret that are not its half only, but tell too much."""


def escape_line(text: str) -> str:
    r"""The text as one line: what a terminal would obey instead of show comes as `\uXXXX`.

    These are control characters but the tab, line ends, invisible characters and those that turn
    the direction of writing, and halves of characters.
    """
    return "\t".join(map(_escape, text.split("\t")))


def escape_lines(text: str) -> str:
    """The same for a text of several lines; a JSON document means the same after it."""
    return "\n".join(map(escape_line, text.split("\n")))


def _escape(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        character if _is_printable(character) else _escape_character(character)
        for character in text
    )


def _is_printable(character: str) -> bool:
    is_space = unicodedata.category(character) == "Zs"
    return character.isprintable() or is_space or character in _ZERO_WIDTH_JOINERS


def _escape_character(character: str) -> str:
    """As JSON writes it, beyond the first 65,536 characters in two halves."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def mask_secret(text: str, secret: str) -> str:
    """The text with `***` for the secret and for any half of it, also as a URL or JSON has it."""
    import html
    from urllib.parse import quote

    hidden = bytearray(len(text))
    for written in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], html.escape(secret)}:
        _mark_secret(hidden, text, written)
    runs = groupby(zip(text, hidden, strict=True), key=lambda pair: pair[1])
    return "".join("***" if is_hidden else "".join(c for c, _ in run) for is_hidden, run in runs)


def _mark_secret(hidden: bytearray, text: str, secret: str) -> None:
    """Marks where in the text a half of the secret is."""
    size = max(len(secret) // 2, min(_MIN_MASKED_CHARS, len(secret)))
    for start in range(len(secret) - size + 1):
        part = re.escape(secret[start : start + size])
        for found in re.finditer(f"(?={part})", text):
            hidden[found.start() : found.start() + size] = b"\1" * size
