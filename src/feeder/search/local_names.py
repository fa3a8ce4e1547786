"""Tells the name that a node declares from a parameter or variable of the same name inside it.

Start with `name_role`. Only the node's lines are read, so what they say is a guess by their form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

SKIPPED_LINE_PATTERN = re.compile(r"\s*(?:#|//|/?\*|--|<!--|@[\w.]+(?:\(.*\))?\s*$|\[.*\]\s*$)")
"""The beginning of a line of comment, or a line of a decorator or attribute alone."""

QUALIFIED_BEFORE = re.compile(r"(?:[.@#]|::|->)\s*$")
"""The text before a member's name."""

REFERRED_BEFORE = re.compile(r"(?:#|::)\s*$")
"""The text before a method of Java that is not called."""

CALL_AFTER = re.compile(r"\s*(?:<[^()]*>|\[[^()]*\])?\s*\(")
"""The text behind the name of a function or a call, with type parameters."""

ASSIGNED_AFTER = re.compile(
    r"\s*(?::\s*[^=(),]+)?(?::=|(?:[-+*/%&|^]|\?\?|\|\||&&|<<|>>)?=(?![=>~]))"
)
"""The text behind a variable that gets a value, with its type."""

DECLARED_BEFORE = re.compile(r"\b(?:let|var|val|const|mut|auto|for|foreach)\s+[(\[{]?\s*$")
"""The text before a variable that is declared."""

VALUE_BEFORE = re.compile(r"[=:]\s*$")
"""The text before a parameter's default value or type."""

LOOP_BEFORE = re.compile(r"\b(?:for|foreach|if|while|switch)\s*\([^()]*$")
"""The text before a variable that a statement declares in its parentheses."""

CALLED_ONLY_LANGUAGES = frozenset({"java"})
"""Languages in which a function's name without parentheses behind it is a variable or field, except
in `Cart::add` and in comments.
"""

RESULT_LANGUAGES = frozenset({"pascal"})
"""Languages in which a function's result is assigned to its name."""


class Role(Enum):
    """The meaning of a name in the node that declares it: the node itself, a parameter or variable,
    or something else.
    """

    DECLARED = "declared"
    LOCAL = "local"
    OTHER = "other"


class Place(NamedTuple):
    """A name in lines: the index of the line, and of the name's first character in it."""

    row: int
    start: int


class NodeText(NamedTuple):
    """The lines of a node with the name that it declares; `word` matches names of its language."""

    lines: Sequence[str]
    name: str
    word: re.Pattern[str]

    def around(self, place: Place) -> tuple[str, str]:
        """The parts of the line before and behind a place of the name."""
        line = self.lines[place.row]
        return line[: place.start], line[place.start + len(self.name) :]


def name_role(text: NodeText, at: Place, language: str | None, *, is_function: bool) -> Role:
    """Returns the meaning of the name at a place in the lines of the node that declares it."""
    declared = _declared_place(text)
    if at == declared:
        return Role.DECLARED
    before, after = text.around(at)
    if not is_function or CALL_AFTER.match(after):
        return Role.OTHER
    if language in CALLED_ONLY_LANGUAGES:
        return Role.OTHER if REFERRED_BEFORE.search(before) else Role.LOCAL
    is_local = not QUALIFIED_BEFORE.search(before) and (
        (declared and _is_parameter(text, declared))
        or (language not in RESULT_LANGUAGES and _is_variable(text))
    )
    return Role.LOCAL if is_local else Role.OTHER


def _places(text: NodeText) -> Iterator[Place]:
    """Yields the places of the name, except in lines of comment and of decorators."""
    for row, line in enumerate(text.lines):
        if text.name in line and not SKIPPED_LINE_PATTERN.match(line):
            for match in text.word.finditer(line):
                if match[0] == text.name:
                    yield Place(row, match.start())


def _declared_place(text: NodeText) -> Place | None:
    """The first place, or the first one on its line that has parameters behind it."""
    first: Place | None = None
    for place in _places(text):
        if first and place.row > first.row:
            break
        first = first or place
        if CALL_AFTER.match(text.around(place)[1]):
            return place
    return first


def _is_parameter(text: NodeText, declared: Place) -> bool:
    """Tells whether the parentheses behind the declared name have the name again."""
    depth = 0
    for line in [text.around(declared)[1], *text.lines[declared.row + 1 :]]:
        end = len(line)
        for at, character in enumerate(line):
            depth += (character == "(") - (character == ")")
            if character in "){" and depth <= 0:
                end = at
                break
        for match in text.word.finditer(line[:end]):
            before = line[: match.start()]
            is_named = match[0] == text.name and not QUALIFIED_BEFORE.search(before)
            is_value = VALUE_BEFORE.search(before) or CALL_AFTER.match(line[match.end() :])
            if is_named and not is_value:
                return True
        if end < len(line):
            return False
    return False


def _is_variable(text: NodeText) -> bool:
    """Tells whether a statement declares a variable of the name, or assigns to it."""
    for place in _places(text):
        before, after = text.around(place)
        if QUALIFIED_BEFORE.search(before):
            continue
        if DECLARED_BEFORE.search(before):
            return True
        line = text.lines[place.row]
        is_argument = before.count("(") > before.count(")") or line.rstrip().endswith(",")
        if ASSIGNED_AFTER.match(after) and (not is_argument or LOOP_BEFORE.search(before)):
            return True
    return False
