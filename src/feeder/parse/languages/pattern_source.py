"""Reads the regular expressions of a language, which are written with blanks, comments and names.

As with Python's `re.VERBOSE`, a blank or a `#` belongs to the pattern only in brackets or behind a
backslash. A reference to a fragment, written as PCRE writes the call of a named group, stands for
the fragment's text: `languages/README.md` has examples.
"""

import re
from collections.abc import Mapping

_PART = re.compile(
    r"(?P<escape>\\.)|(?P<brackets>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<blank>\s+|\#[^\n]*)"
    r"|\(\?&(?P<fragment>\w+)\)|.",
    re.DOTALL,
)

_ESCAPED_BLANKS = {r"\ ": " ", r"\#": "#"}


class PatternError(ValueError):
    """A regular expression that cannot be read: the message says why."""


def compact_pattern(source: str, fragments: Mapping[str, str]) -> str:
    """The pattern without blanks and comments, with its fragments in place of their names.

    Raises PatternError for an unknown fragment, and for one that contains itself.
    """
    return _compact(source, fragments, ())


def fragment_names(source: str) -> list[str]:
    """The names of the fragments in a pattern, in their order."""
    return [match["fragment"] for match in _PART.finditer(source) if match["fragment"]]


def _compact(source: str, fragments: Mapping[str, str], outer: tuple[str, ...]) -> str:
    text = ""
    for match in _PART.finditer(source):
        if name := match["fragment"]:
            if name not in fragments:
                raise PatternError(f"there is no fragment '{name}'")
            if name in outer:
                raise PatternError(f"the fragment '{name}' contains itself")
            text += _compact(fragments[name], fragments, (*outer, name))
        elif match["escape"]:
            text += _ESCAPED_BLANKS.get(match[0], match[0])
        elif not match["blank"]:
            text += match[0]
    return text
