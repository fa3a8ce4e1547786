"""How does JavaScript read a regular expression of Python's? So none is written twice.

What the two read otherwise is written out: in Python `\\w`, `\\d`, `\\s` and `\\b` know all scripts,
`$` matches before a last line's end, `.` a `\\r`, and a small `i` is any of four letters.
"""

import re
from collections.abc import Iterator

WORD, DIGIT = r"\p{L}\p{N}_", r"\p{Nd}"
SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CLASSES = {r"\w": WORD, r"\d": DIGIT, r"\s": SPACE}
_OUTSIDE = {
    **{name: f"[{signs}]" for name, signs in _CLASSES.items()},
    r"\b": f"(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))",
    r"\A": "^",
    r"\Z": "$",
    "$": r"(?=\n?$)",
    ".": r"[^\n]",
    "(?P<": "(?<",
}
_SYNTAX = r"^$\.*+?()[]{}|/"
_TOKEN = re.compile(r"\\.|\[\^?|\(\?P<|.", re.DOTALL)


def javascript(pattern: re.Pattern[str]) -> dict[str, str]:
    """Source and flags for `new RegExp`; raises ValueError for an escape that is not known."""
    flags = "iu" if pattern.flags & re.IGNORECASE else "u"
    return {"source": "".join(_tokens(pattern)), "flags": flags}


def _tokens(pattern: re.Pattern[str]) -> Iterator[str]:
    is_verbose, any_case = pattern.flags & re.VERBOSE, pattern.flags & re.IGNORECASE
    in_class = False
    for token in _TOKEN.findall(pattern.pattern):
        if in_class:
            in_class = token != "]"
            yield _CLASSES.get(token) or _escaped(token, rf"{_SYNTAX}-")
        elif any_case and token in "iI":
            yield "[iıİ]"
        elif not (is_verbose and token.isspace()):
            in_class = token[0] == "["
            yield _OUTSIDE.get(token) or _escaped(token, _SYNTAX)


def _escaped(token: str, syntax: str) -> str:
    """JavaScript escapes the signs of its syntax alone."""
    if token[0] != "\\" or token[1] in syntax or token[1] in "nrtfvx":
        return token
    if token[1].isalnum():
        raise ValueError(f"{token} is not known in JavaScript. Add it to worker/regexes.py.")
    return token[1]
