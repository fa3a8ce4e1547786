"""Reads what a syntax tree declares, and what the lines of a block do that cannot be parsed."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query

from feeder.parse.blocks import Block
from feeder.parse.captures import NODE_TYPES
from feeder.parse.grammars import Capture, Captures, Grammar, Matches, query_matches

_METHOD_WORDS = rb"(?P<_word>fun|func|function|def|defp|fn|sub|procedure|proc|macro)"
_TYPE_WORDS = (
    rb"(?P<_word>class|struct|enum|interface|trait|object|protocol|record|union|mixin|namespace)"
)
_LINE_PATTERNS = (
    re.compile(
        rb"^[ \t]*(?:[\w@]+(?:\([^()\n]*\))?[ \t]+){0,6}?(?P<method>" + _METHOD_WORDS + rb"[ \t]+"
        rb"(?P<name>[\w$]+[?!]?|`[^`\n]+`)).*",
        re.MULTILINE,
    ),
    re.compile(
        rb"^[ \t]*(?:[\w@]+(?:\([^()\n]*\))?[ \t]+){0,6}?(?P<type>" + _TYPE_WORDS + rb"\b"
        rb"(?:[ \t]+(?:class|struct|const)\b)?"
        rb"(?:[ \t]*(?:\[\[[^\]\n]*\]\]|\w+\(\([^()\n]*\)\)))*[ \t]*(?P<name>\w+\b|`[^`\n]+`))"
        rb"(?![ \t]*[*&]|[ \t]+(?!(?:constructor|private|protected)\b)\w+[ \t]*\().*",
        re.MULTILINE,
    ),
    re.compile(
        rb"^[ \t]*(?!(?:if|for|while|switch|catch|return|else|do|try|using|lock|with|when|guard|"
        rb"typedef|param|"
        rb"extension|foreach|assert|throw|new|await|yield|case|super|this|synchronized)\b)"
        rb"(?P<method>(?:[\w:<>,\[\]?.]+[ \t*&]+){0,8}"
        rb"(?P<name>(?!(?:[A-Z0-9_]+|void|bool|char|int|long|float|double)\b)~?[\w$]+)[ \t]*\().*",
        re.MULTILINE,
    ),
)


class Definition(NamedTuple):
    """A declaration as the query matches it; `name` is the offset of its name."""

    kind: str
    name: int
    first_line: int
    last_line: int
    has_error: bool


Errors = list[tuple[int, int]]
"""The first and the last line of each error."""


def definitions_of(query: Query, root: Syntax) -> set[Definition]:
    return definitions_in(query_matches(query, root))


def definitions_in(matches: Matches) -> set[Definition]:
    found = set()
    for _, captures in matches:
        kind = next(filter(captures.__contains__, NODE_TYPES), None)
        if kind and "name" in captures:
            whole = captures[kind][0]
            last = captures["end"][-1] if "end" in captures else whole
            rows = whole.start_point.row, max(whole.end_point.row, last.end_point.row)
            found.add(Definition(kind, captures["name"][-1].start_byte, *rows, whole.has_error))
    return found


def _line_patterns(grammar: Grammar) -> Sequence[re.Pattern[bytes]]:
    return (grammar.lines, *_LINE_PATTERNS) if grammar.lines else _LINE_PATTERNS


def _header(block: Block) -> Iterator[int]:
    """The lines of a block above its interior."""
    return (number for index, number in enumerate(block.frame) if number == block.first + index)


def declared_names(
    grammar: Grammar, lines: Sequence[bytes], block: Block
) -> list[tuple[int, int, int]]:
    """Where a block's outer lines say what it declares, its name last: line, start and end.

    Before the name come its scope and the word that makes it a type or a function.
    """
    for number in _header(block):
        for pattern in _line_patterns(grammar):
            if match := pattern.match(lines[number]):
                names = [name for name in ("_word", "scope", "name") if match.groupdict().get(name)]
                return [(number, *match.span(name)) for name in names]
    return []


class _LineCapture(NamedTuple):
    start_byte: int
    end_byte: int

    def child_by_field_name(self, _name: str, /) -> None:
        """Returns None: a line has no fields."""


class _LongerCapture(NamedTuple):
    """A syntax node with a later end."""

    node: Syntax
    end_byte: int

    @property
    def start_byte(self) -> int:
        return self.node.start_byte

    def child_by_field_name(self, name: str, /) -> Syntax | None:
        return self.node.child_by_field_name(name)


def longer_declarations(
    grammar: Grammar, root: Syntax, blocks: Sequence[Block], starts: Sequence[int]
) -> list[Captures]:
    """The declarations that end within a conditional, as its last branches were blanked."""
    found: dict[int, dict[str, Sequence[Capture]]] = {}
    for _, captures in query_matches(grammar.declaration_query(), root) if blocks else ():
        kind = next(filter(captures.__contains__, NODE_TYPES), None)
        if kind in {"method", "type"} and "name" in captures:
            whole = captures[kind][0]
            first, end = whole.start_point.row, whole.end_point.row
            last = max(
                (block.last for block in blocks if first < block.first <= end < block.last),
                default=0,
            )
            if last and whole.start_byte not in found:
                longer = _LongerCapture(whole, starts[last + 1])
                found[whole.start_byte] = {**captures, kind: [longer]}
    return list(found.values())


def read_declarations(
    grammar: Grammar,
    content: bytes,
    blocks: Sequence[Block],
    known: set[Definition],
    starts: Sequence[int],
) -> list[Captures]:
    """What the outer lines of blanked blocks declare, up to the blocks' ends.

    `_word` is the word that makes it certain: `class`, `func`.
    """
    names = {declared.name for declared in known}
    functions = [declared for declared in known if NODE_TYPES[declared.kind] == "method"]
    found: list[Captures] = []
    for block in blocks:
        if any(
            function.first_line <= block.first and block.last <= function.last_line
            for function in functions
        ):
            continue
        declared = _read_declaration(grammar, content, block, starts)
        if declared and declared["name"][0].start_byte not in names:
            found.append(declared)
    return found


def _read_declaration(
    grammar: Grammar, content: bytes, block: Block, starts: Sequence[int]
) -> Captures | None:
    for number in _header(block):
        start, end = starts[number], starts[block.last + 1]
        for pattern in _line_patterns(grammar):
            match = pattern.match(content, start, starts[number + 1])
            if match is None:
                continue
            kind = "method" if "method" in pattern.groupindex else "type"
            captures = {
                name: [_LineCapture(*match.span(name))]
                for name in pattern.groupindex
                if name != kind and match.start(name) >= 0
            }
            body = min(starts[number + 1], end)
            return captures | {
                kind: [_LineCapture(match.start(kind), end)],
                "body": [_LineCapture(body, end)],
            }
    return None
