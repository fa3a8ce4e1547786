"""What is a declaration called? As a query captured it, on one line and of a bounded length."""

import re

from feeder.parse.layout import SourceText
from feeder.parse.patterns import Capture, Captures

NAME_LIMIT = 100
"""Characters of one name: a string that a call is known by can have any number."""

_NAME_BYTES_READ = 4 * NAME_LIMIT + 40
"""Bytes of a name that are looked at."""
_SEPARATORS = ("::", "\\")
_GLOBAL_NAME = re.compile(rb"::\s*[^\W\d]")
_WORD_CHARACTER = re.compile(r"\w")
"""What is in every name but an operator's, which may be of separators: `::`, `+:`."""
_NAME_DECORATION = re.compile(r"(?<=\w)<(?!=)[^<>]*>|(?<!\w)[&@](?=\w)|(?<=\w) (?=[^\w\s]+$)")
"""Type arguments (`Cart<T>`), the mark of a name that would be a keyword (`&End`, `@class`), and
the blank in `operator ()`."""
_QUOTES = "\"\"\"|'''|\"|'|`"
_STRING_LITERAL = re.compile(
    rf"(?P<quote>{_QUOTES})(?P<text>.*?)(?P=quote)?"
    rf"|[^\W\d]{{0,3}}[$@#]{{0,3}}(?P<mark>{_QUOTES})(?P<marked>.+)(?P=mark)",
    re.DOTALL,
)
"""With what may stand before a string's text: `r"`, `$@"`."""


def declared_name(source: SourceText, captures: Captures) -> str:
    """The name as it was captured, from its first part to its last, with what qualifies it.

    Empty where none was.
    """
    if "name" not in captures:
        return ""
    first, last = captures["name"][0], captures["name"][-1]
    parts = [_clean_name(source, part, part) for part in captures.get("scope", ())]
    return ".".join([*parts, _clean_name(source, first, last)])


def is_fully_qualified(source: SourceText, captures: Captures) -> bool:
    """Whether the name says by itself that nothing around it qualifies it: `::Cart`."""
    names = captures.get("name", ())
    return any(_GLOBAL_NAME.match(source.content, one.start_byte) for one in names[:1])


def _clean_name(source: SourceText, first: Capture, last: Capture) -> str:
    name = source.text(first.start_byte, min(last.end_byte, first.start_byte + _NAME_BYTES_READ))
    if name.isidentifier():
        return name[:NAME_LIMIT]
    if string := _STRING_LITERAL.fullmatch(name):
        return _single_line(string["text"] or string["marked"] or "")
    name = _single_line(name)
    if not _WORD_CHARACTER.search(name):
        return name
    for separator in _SEPARATORS:
        name = name.replace(separator, ".")
    while (bare := _NAME_DECORATION.sub("", name)) != name:
        name = bare
    bare = name.strip('"`.:')
    # a quote behind a name is part of it in Haskell: foldl'
    return (bare.strip("'") if bare.startswith("'") else bare) or name


def _single_line(text: str) -> str:
    """The text with single blanks and no control characters, cut at the limit."""
    text = " ".join(text.split())
    return "".join(filter(str.isprintable, text))[:NAME_LIMIT].strip()
