"""Translates Python's regular expressions to JavaScript's, so that none is written twice.

What the two languages read differently is spelled out: Python's `\\w`, `\\d`, `\\s` and `\\b` know
all scripts, its `$` matches before a final line feed, its `.` matches `\\r`, and a case-insensitive
`i` matches four letters.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Python's white space, as the inside of a character class."""


class _CharacterClasses(NamedTuple):
    """Insides of JavaScript's classes for Python's `\\w`, `\\d`, `\\s` and a case-insensitive `i`.

    `letter` is `\\w` without digits and `_`.
    """

    word: str
    letter: str
    digit: str
    space: str
    i: str


_UNICODE_CLASSES = _CharacterClasses(
    r"\p{L}\p{N}_",
    r"\p{L}\p{Nl}\p{No}",
    r"\p{Nd}",
    SPACE,
    "i\u0131\u0130",
)
# one letter, digit and blank beyond ASCII each; RegexVariants puts them in place of all others
_ASCII_CLASSES = _CharacterClasses(
    r"0-9A-Z_a-z\xaa\xb2", r"A-Za-z\xaa", r"0-9\xb2", r"\t-\r\x1c-\x20\xa0", "i"
)
_JS_SYNTAX = r"^$\.*+?()[]{}|/"
_TOKEN = re.compile(r"\\.|\[\^\\W(?:\\d)?_?\]|\[\^?|\(\?P<|.", re.DOTALL)


def to_javascript(pattern: re.Pattern[str]) -> dict[str, str]:
    """Flags and sources for `new RegExp`: `ascii` for ASCII, `all` (with the flag `u`) for any.

    There are two, since classes of all scripts take JavaScript a millisecond to compile. Raises
    ValueError for an escape that has no translation yet.
    """
    return {
        "ascii": "".join(_translate(pattern, _ASCII_CLASSES)),
        "all": "".join(_translate(pattern, _UNICODE_CLASSES)),
        "flags": "i" if pattern.flags & re.IGNORECASE else "",
    }


def _translate(pattern: re.Pattern[str], classes: _CharacterClasses) -> Iterator[str]:
    is_verbose, any_case = pattern.flags & re.VERBOSE, pattern.flags & re.IGNORECASE
    class_tokens, pattern_tokens = _class_tokens(classes), _pattern_tokens(classes)
    in_class = False
    for token in _TOKEN.findall(pattern.pattern):
        if in_class:
            in_class = token != "]"
            yield class_tokens.get(token) or _unescape(token, rf"{_JS_SYNTAX}-")
        elif any_case and token in "iI":
            yield f"[{classes.i}]"
        elif not (is_verbose and token.isspace()):
            in_class = token in ("[", "[^")
            yield pattern_tokens.get(token) or _unescape(token, _JS_SYNTAX)


def _class_tokens(classes: _CharacterClasses) -> dict[str, str]:
    """Translations within square brackets."""
    return {r"\w": classes.word, r"\d": classes.digit, r"\s": classes.space}


def _pattern_tokens(classes: _CharacterClasses) -> dict[str, str]:
    """Translations outside square brackets."""
    word = classes.word
    return {
        **{name: f"[{inside}]" for name, inside in _class_tokens(classes).items()},
        r"\W": f"[^{word}]",
        r"\S": f"[^{classes.space}]",
        r"[^\W_]": f"[{classes.letter}{classes.digit}]",
        r"[^\W\d]": f"[{classes.letter}_]",
        r"[^\W\d_]": f"[{classes.letter}]",
        r"\b": f"(?:(?<=[{word}])(?![{word}])|(?<![{word}])(?=[{word}]))",
        r"\A": "^",
        r"\Z": "$",
        "$": r"(?=\n?$)",
        ".": r"[^\n]",
        "(?P<": "(?<",
    }


def _unescape(token: str, syntax: str) -> str:
    """Without the backslash where JavaScript, with the flag `u`, refuses it."""
    if token[0] != "\\" or token[1] in syntax or token[1] in "nrtfvx":
        return token
    if token[1].isalnum():
        raise ValueError(
            f"{token} has no translation to JavaScript. Add it to feeder/edge/javascript_regex.py."
        )
    return token[1]
