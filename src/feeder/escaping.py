"""Makes untrusted text safe for a terminal, and writes counts.

Escapes control and bidirectional characters, and masks secrets.
"""

import json
import re
import unicodedata
from itertools import groupby

_ZERO_WIDTH_JOINERS = "\u200c\u200d"
"""Invisible, but Persian and Hindi words and many emoji need them."""
_MIN_MASKED_CHARS = 8
"""Shortest part of a secret that is masked, where half of the secret is shorter."""


def escape_line(text: str) -> str:
    r"""Returns the text as one line, with `\uXXXX` for characters that a terminal would interpret.

    These are control characters except tab, line ends, invisible and bidirectional characters, and
    lone surrogates.
    """
    return "\t".join(map(_escape, text.split("\t")))


def escape_lines(text: str) -> str:
    """Escapes each line as `escape_line` does; a JSON document keeps its meaning."""
    return "\n".join(map(escape_line, text.split("\n")))


def count_of(number: int, noun: str) -> str:
    """Returns a count with its noun: "1 file", "1,200 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size_of(count: int) -> str:
    """Returns a number of bytes with its unit: "3.3 MB", "34 kB", "340 bytes"."""
    if count >= 999_500:  # which rounds to 1,000 kB
        return f"{count / 1e6:,.1f} MB"
    return f"{count / 1000:.0f} kB" if count >= 1000 else count_of(count, "byte")


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
    """Writes it as JSON does: one UTF-16 unit, or two beyond U+FFFF."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def mask_secret(text: str, secret: str) -> str:
    """Replaces the secret, and any half of it, by `***`.

    Also finds it as a URL, JSON or HTML encodes it.
    """
    import html
    from urllib.parse import quote

    hidden = bytearray(len(text))
    for encoded in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], html.escape(secret)}:
        _mark_secret(hidden, text, encoded)
    runs = groupby(zip(text, hidden, strict=True), key=lambda pair: pair[1])
    return "".join("***" if is_hidden else "".join(c for c, _ in run) for is_hidden, run in runs)


def _mark_secret(hidden: bytearray, text: str, secret: str) -> None:
    """Sets the bytes of `hidden` to 1 at each character that belongs to half of the secret."""
    size = max(len(secret) // 2, min(_MIN_MASKED_CHARS, len(secret)))
    for start in range(len(secret) - size + 1):
        part = re.escape(secret[start : start + size])
        for match in re.finditer(f"(?={part})", text):
            hidden[match.start() : match.start() + size] = b"\1" * size
