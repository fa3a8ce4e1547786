"""`HiddenText`: finds what a grammar cannot read, by the regular expression of a `hidden.toml`."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

# private; the tests, which run on the oldest and the newest Python, would show a change
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
"""A character of a regular expression, an escaped one, or a character class."""

_FLAGS = re.compile(r"\(\?[a-z]+\)")

_INNER_PLACES = {
    _constants.SUBPATTERN: 3,
    _constants.ASSERT: 1,
    _constants.MAX_REPEAT: 2,
    _constants.MIN_REPEAT: 2,
    _constants.POSSESSIVE_REPEAT: 2,
}
"""Where the arguments of an operation have the pattern inside it."""


class HiddenText:
    """A regular expression that searches for each of its outer alternatives alone.

    It finds the matches of the whole expression, in less time: together, 26 alternatives would be
    tried at each byte of a file. An alternative whose matches all contain a text, such as
    `property`, is not even compiled for a file without that text.
    """

    def __init__(self, pattern: str) -> None:
        self._alternatives = list(map(_Alternative, split_alternatives(pattern)))

    def finditer(self, content: bytes) -> Iterator[re.Match[bytes]]:
        """Yields the matches in order. Where several begin, the first alternative wins."""
        lowercase = content.lower()
        found = {
            place: match
            for place, alternative in enumerate(self._alternatives)
            if alternative.may_match(lowercase) and (match := alternative.pattern.search(content))
        }
        while found:
            first = min(found, key=lambda place: (found[place].start(), place))
            match = found[first]
            yield match
            end = max(match.end(), match.start() + 1)
            for place in [place for place, other in found.items() if other.start() < end]:
                following = self._alternatives[place].pattern.search(content, end)
                if following and end <= len(content):
                    found[place] = following
                else:
                    del found[place]


class _Alternative:
    """An alternative of a pattern, compiled when first needed."""

    def __init__(self, source: str) -> None:
        self._source = source.encode()

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return re.compile(self._source, re.MULTILINE)

    @cached_property
    def _texts(self) -> list[bytes]:
        parsed = _parser.parse(self._source, re.MULTILINE)
        return [text.lower().encode("latin-1") for text in required_texts(parsed)]

    def may_match(self, lowercase: bytes) -> bool:
        """False if a content, in lower case, lacks what each match has."""
        return not self._texts or any(text in lowercase for text in self._texts)


def split_alternatives(pattern: str) -> list[str]:
    """The outer alternatives of a regular expression, each with the flags at its beginning."""
    match = _FLAGS.match(pattern)
    flags = match[0] if match else ""
    alternatives = [flags]
    depth = 0
    for part in _PART.findall(pattern.removeprefix(flags)):
        depth += (part == "(") - (part == ")")
        if part == "|" and not depth:
            alternatives.append(flags)
        else:
            alternatives[-1] += part
    return alternatives


def required_texts(pattern: Sequence[tuple[Any, Any]]) -> frozenset[str]:
    """Texts, one of which is in each match of a parsed pattern; empty if none is known.

    `(a|b)?property \\w+ of` → `property `.
    """
    best: frozenset[str] = frozenset()
    run = ""
    for operation, argument in [*pattern, (None, None)]:
        if operation is _constants.LITERAL:
            run += chr(argument)
            continue
        texts: frozenset[str] = frozenset()
        if operation is _constants.BRANCH:
            branches = list(map(required_texts, argument[1]))
            texts = frozenset().union(*branches) if all(branches) else texts
        elif operation is _constants.ATOMIC_GROUP:
            texts = required_texts(argument)
        elif operation in _INNER_PLACES and (
            operation in {_constants.SUBPATTERN, _constants.ASSERT} or argument[0]
        ):
            texts = required_texts(argument[_INNER_PLACES[operation]])
        best = max(best, frozenset(filter(None, [run])), texts, key=_shortest)
        run = ""
    return best


def _shortest(texts: frozenset[str]) -> int:
    return min(map(len, texts), default=0)
