"""How does JavaScript read a regular expression of Python's? So none is written twice.

What the two read otherwise is written out: in Python `\\w`, `\\d`, `\\s` and `\\b` know all
scripts, `$` matches before a last line's end, `.` a `\\r`, and a small `i` is any of four letters.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What is blank, for a class."""


class _Signs(NamedTuple):
    """What stands in the classes of JavaScript for Python's `\\w`, `\\d`, `\\s`, and for an `i`.

    `letter` is what of `\\w` is no digit and no `_`.
    """

    word: str
    letter: str
    digit: str
    space: str
    i: str


_ALL = _Signs(
    r"\p{L}\p{N}_",
    r"\p{L}\p{Nl}\p{No}",
    r"\p{Nd}",
    SPACE,
    "i\u0131\u0130",
)
# beyond ASCII a letter, a digit and a blank stand for all others
_ASCII = _Signs(r"0-9A-Z_a-z\xaa\xb2", r"A-Za-z\xaa", r"0-9\xb2", r"\t-\r\x1c-\x20\xa0", "i")
_SYNTAX = r"^$\.*+?()[]{}|/"
_TOKEN = re.compile(r"\\.|\[\^\\W(?:\\d)?_?\]|\[\^?|\(\?P<|.", re.DOTALL)


def javascript(pattern: re.Pattern[str]) -> dict[str, str]:
    """Flags and sources for `new RegExp`, of texts in ASCII and, with the flag `u`, of `all`.

    Classes of all scripts take JavaScript a millisecond to compile. Raises ValueError for an escape
    that is not known.
    """
    sources = {"ascii": "".join(_tokens(pattern, _ASCII)), "all": "".join(_tokens(pattern, _ALL))}
    return {**sources, "flags": "i" if pattern.flags & re.IGNORECASE else ""}


def _tokens(pattern: re.Pattern[str], signs: _Signs) -> Iterator[str]:
    is_verbose, any_case = pattern.flags & re.VERBOSE, pattern.flags & re.IGNORECASE
    inside, outside = _inside(signs), _outside(signs)
    in_class = False
    for token in _TOKEN.findall(pattern.pattern):
        if in_class:
            in_class = token != "]"
            yield inside.get(token) or _escaped(token, rf"{_SYNTAX}-")
        elif any_case and token in "iI":
            yield f"[{signs.i}]"
        elif not (is_verbose and token.isspace()):
            in_class = token in ("[", "[^")
            yield outside.get(token) or _escaped(token, _SYNTAX)


def _inside(signs: _Signs) -> dict[str, str]:
    return {r"\w": signs.word, r"\d": signs.digit, r"\s": signs.space}


def _outside(signs: _Signs) -> dict[str, str]:
    word = signs.word
    return {
        **{name: f"[{these}]" for name, these in _inside(signs).items()},
        r"\W": f"[^{word}]",
        r"[^\W_]": f"[{signs.letter}{signs.digit}]",
        r"[^\W\d]": f"[{signs.letter}_]",
        r"[^\W\d_]": f"[{signs.letter}]",
        r"\b": f"(?:(?<=[{word}])(?![{word}])|(?<![{word}])(?=[{word}]))",
        r"\A": "^",
        r"\Z": "$",
        "$": r"(?=\n?$)",
        ".": r"[^\n]",
        "(?P<": "(?<",
    }


def _escaped(token: str, syntax: str) -> str:
    """JavaScript escapes the signs of its syntax alone."""
    if token[0] != "\\" or token[1] in syntax or token[1] in "nrtfvx":
        return token
    if token[1].isalnum():
        raise ValueError(f"{token} is not known in JavaScript. Add it to worker/regexes.py.")
    return token[1]
