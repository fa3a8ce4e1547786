"""What is a declaration called? As a query captured it, on one line and of a bounded length."""

import re

from feeder.parse.layout import Source
from feeder.parse.patterns import Captures, Stretch

NAME_LIMIT = 100
"""Characters of one name: a string that a call is known by can have any number."""

_READ = 4 * NAME_LIMIT + 40
"""Bytes of a name that are looked at."""
_SEPARATORS = ("::", "\\")
_ROOTED = re.compile(rb"::\s*[^\W\d]")
_WORD = re.compile(r"\w")
"""What is in every name but an operator's, which may be of separators: `::`, `+:`."""
_BESIDE_NAME = re.compile(r"(?<=\w)<(?!=)[^<>]*>|(?<!\w)[&@](?=\w)|(?<=\w) (?=[^\w\s]+$)")
"""Type arguments (`Cart<T>`), the mark of a name that would be a keyword (`&End`, `@class`), and
the blank in `operator ()`."""
_QUOTES = "\"\"\"|'''|\"|'|`"
_STRING = re.compile(
    rf"(?P<quote>{_QUOTES})(?P<text>.*?)(?P=quote)?"
    rf"|[^\W\d]{{0,3}}[$@#]{{0,3}}(?P<mark>{_QUOTES})(?P<marked>.+)(?P=mark)",
    re.DOTALL,
)
"""With what may stand before a string's text: `r"`, `$@"`."""


def name_of(source: Source, captures: Captures) -> str:
    """The name as it was captured, from its first part to its last, with what qualifies it.

    Empty where none was.
    """
    if "name" not in captures:
        return ""
    first, last = captures["name"][0], captures["name"][-1]
    parts = [_bare(source, part, part) for part in captures.get("scope", ())]
    return ".".join([*parts, _bare(source, first, last)])


def is_rooted(source: Source, captures: Captures) -> bool:
    """Whether the name says by itself that nothing around it qualifies it: `::Cart`."""
    names = captures.get("name", ())
    return any(_ROOTED.match(source.content, one.start_byte) for one in names[:1])


def _bare(source: Source, first: Stretch, last: Stretch) -> str:
    name = source.text(first.start_byte, min(last.end_byte, first.start_byte + _READ))
    if name.isidentifier():
        return name[:NAME_LIMIT]
    if string := _STRING.fullmatch(name):
        return _on_one_line(string["text"] or string["marked"] or "")
    name = _on_one_line(name)
    if not _WORD.search(name):
        return name
    for separator in _SEPARATORS:
        name = name.replace(separator, ".")
    while (bare := _BESIDE_NAME.sub("", name)) != name:
        name = bare
    bare = name.strip('"`.:')
    # a quote behind a name is part of it in Haskell: foldl'
    return (bare.strip("'") if bare.startswith("'") else bare) or name


def _on_one_line(text: str) -> str:
    """The text with single blanks and no control characters, cut at the limit."""
    text = " ".join(text.split())
    return "".join(filter(str.isprintable, text))[:NAME_LIMIT].strip()
