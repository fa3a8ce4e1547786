"""Finds random-looking values that are assigned to names such as `password`, `secret` or
`token`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from feeder.parse.secrets.rules import assignment_patterns, compiled, is_id, is_placeholder, is_uuid
from feeder.parse.secrets.tokens import (
    SecretSpan,
    is_allowlisted,
    line_span,
    marker_offsets,
    scan_lines,
)

_KEYWORDS = (b"key", b"pass", b"pwd", b"secret")
_KEYWORD = re.compile(b"|".join(_KEYWORDS))
_MAX_KEYWORDS, _MAX_LINE_LENGTH = 4, 300
"""Maximum keywords and characters of a line in which assignments of any form are searched."""
_SECRET_NAMES = (b"pass", b"pwd", b"secret", b"token", b"bearer")
_ASSIGNED_VALUE = re.compile(
    rb"""(?:bearer\ |(?:pass|pwd|secret|token)\w{0,20}+
    (?:\\?["'])?\]?(?::[ \t]?[\w.?]{1,30}+(?=[ \t]?=))?
    (?:=|[ \t]{0,9}(?::|:?=>?)[ \t]{0,9}\\?["'`]))
    (?P<value>[\w.!@\#$%^&*~+/=-]{12,200}+)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A value assigned to a secret name, in quotes or right after `=`, or after `Bearer`."""
_DIGIT = re.compile(r"[0-9]")
_VALUE_WITH_DIGIT = re.compile(
    r"(?<![\w.$!@#%^&*~+/=-])(?=[\w.$!@#%^&*~+/=-]{12})[\w.$!@#%^&*~+/=-]*?[0-9]", re.ASCII
)
# the last part of detect-secrets' own pattern, whose first part takes cubic time
_CODE_REFERENCE = re.compile(r"[:!=]\s*[\w.-]+[\[(].*[\])]")
_RANDOM_WORD = re.compile(r"(?=[A-Za-z0-9]{12})(?:[A-Za-z]*[0-9]+[A-Za-z]+){2}")
_RANDOM_PUNCTUATION = re.compile(r"[!#$%^&*+=]")
_CODE_CHARACTERS = re.compile(r"[\s<>\[\]{}|\\?]|://")


def find_passwords(path: str, content: bytes) -> Iterator[SecretSpan]:
    """Yields the passwords in a text."""
    lowercase = content.lower()
    offsets = {
        name: list(marker_offsets(lowercase, name))
        for name in {*_KEYWORDS, *_SECRET_NAMES}
        if name in lowercase
    }
    if keywords := sorted(chain.from_iterable(offsets.get(name, ()) for name in _KEYWORDS)):
        detect = partial(_keyword_assignments, path)
        yield from scan_lines(path, content, keywords, detect)
    for name in filter(offsets.__contains__, _SECRET_NAMES):
        yield from _named_values(path, content, offsets[name])


def looks_random(value: str) -> bool:
    """True if a value looks generated rather than like a name, a path or a sentence.

    It has at least 12 characters, with letters and digits that alternate or with punctuation that
    names do not have.
    """
    if len(value) < 12 or _CODE_CHARACTERS.search(value):
        return False
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and bool(_RANDOM_WORD.search(value) or _RANDOM_PUNCTUATION.search(value))


def _keyword_assignments(path: str, line: str) -> Iterator[SecretSpan]:
    """The random-looking values that are assigned to a secret name in a line."""
    if (
        len(line) > _MAX_LINE_LENGTH
        or not _DIGIT.search(line)
        or not _VALUE_WITH_DIGIT.search(line)
    ):
        return
    if len(_KEYWORD.findall(line.lower().encode())) > _MAX_KEYWORDS:
        return
    if _CODE_REFERENCE.search(line):
        return
    for match in filter(
        None, (compiled(pattern).search(line) for pattern in assignment_patterns(path))
    ):
        value = match["value"]
        is_name = is_id(value, line) or is_uuid(value)
        if looks_random(value) and not is_name and not is_placeholder(value):
            yield from (same.span() for same in re.finditer(re.escape(value), line))


def _named_values(path: str, content: bytes, offsets: Iterable[int]) -> Iterator[SecretSpan]:
    """The random-looking values of more names, and in lines of any length."""
    searched_to = 0
    for offset in offsets:
        if offset >= searched_to and (match := _ASSIGNED_VALUE.match(content, offset)):
            searched_to = match.end()
            value = match["value"].decode()
            if looks_random(value) and not is_uuid(value) and not is_placeholder(value):
                start, end = line_span(content, offset)
                if not is_allowlisted(path, content, start, content[start:end].decode()):
                    yield match.span("value")
