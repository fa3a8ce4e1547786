"""Texts of every script and case that both languages must process alike."""

import json
import sys
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from hypothesis import strategies as st

# what a Python older or newer than the Worker's engine knows of is no matter of its code
KNOWN = [
    sign
    for sign in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(sign) not in ("Cn", "Cs", "Co")
]
SAMPLES: list[str] = json.loads(Path(__file__).with_name("texts.json").read_text("utf-8"))
"""Each in another script, or with its own traps."""
SURROGATES = ["\ud800", "\udfff", "\udc00x", "x\udbff"]

_MANY = [range(0x3400, 0xA000), range(0xAC00, 0xD7A4), range(0xE000, 0xF900)]
_MANY += [range(0x20000, 0xE0000), range(0xE1000, sys.maxunicode + 1)]


def some(signs: Iterable[str]) -> list[str]:
    """Generates a few characters of large uniform ranges: ideographs, Hangul, private use, empty
    planes.
    """
    return [sign for sign in signs if ord(sign) % 61 < 2 or not _is_one_of_many(ord(sign))]


def _is_one_of_many(code: int) -> bool:
    return any(code in codes[1:-1] for codes in _MANY)


signs = st.sampled_from(KNOWN)
_latin = st.sampled_from([*"aAbBzZ09 _-.:/\"*#>()\\`'\t\n\r\x1c\x85"])
_joined = st.lists(
    st.one_of(_latin, signs, st.sampled_from(SAMPLES), st.sampled_from(SURROGATES)), max_size=30
).map("".join)


def _without_pairs(text: str) -> bool:
    """True if no two surrogates are adjacent, which JSON would join."""
    return not any("\ud800" <= one < "\udc00" <= other < "\ue000" for one, other in pairwise(text))


texts = _joined.filter(_without_pairs)
"""Mixtures of signs of all scripts, of halves of characters, and of samples."""
