"""Parses again what a syntax error has swallowed.

A grammar that does not know a construct often loses its place: the rest of the file, or the members
of a class, become one error. Then the smallest blocks are looked for that the grammar cannot parse
where they stand, with all else left out. In such a block as few tokens as possible are blanked, or
all of it. The rest of the file parses as if the construct were not there. What a block that was
blanked declares is read from its first line.

This costs several parses of parts of the file, and happens only in files with syntax errors.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Range

from feeder.line_ranges import LineRange
from feeder.parse.blocks import Block, split_blocks
from feeder.parse.captures import NODE_TYPES
from feeder.parse.declared_lines import (
    Definition,
    declared_names,
    definitions_in,
    definitions_of,
    longer_declarations,
    read_declarations,
)
from feeder.parse.grammars import Captures, Grammar, Matches, query_matches
from feeder.parse.mending import DEPTH_LIMIT, Mender, error_nodes
from feeder.parse.syntax_tree import (
    blank_hidden,
    parse_blanked,
    parse_first_branches,
    parse_range,
    unparsed_lines,
)

SIZE_LIMIT = 400_000
"""Bytes of a file above which nothing is tried."""

RESTORE_LIMIT = 8
"""How many changes are taken back to see whether they are needed."""

ERRORS_LIMIT = 50
"""Errors that are looked at to find out whether they are local."""

_NOT_NEWLINE = re.compile(rb"[^\r\n]")

_MISREAD_NAME = re.compile(rb"(?:class|enum|interface|record|struct|trait|union|void)[ \t]+\w")
"""A name that stands before the real one: `record` in `value record Cart(int size)`."""

_STRUCTURE = frozenset({"package", "namespace"})


class ParsedText(NamedTuple):
    """A syntax tree with the matches of its grammar's query, and what it lacks: declarations that
    were read from lines, and the lines, counted from 0, that the grammar got only in part.
    """

    root: Syntax
    matches: Matches
    declarations: Sequence[Captures] = ()
    mended: Sequence[int] = ()

    @property
    def unparsed(self) -> list[LineRange]:
        """The lines that the grammar could not parse, or only in part."""
        return [*unparsed_lines(self.root), *((line + 1, line + 1) for line in self.mended)]


def parse_code(grammar: Grammar, content: bytes, byte_range: Range | None = None) -> ParsedText:
    """Parses a file of code, or a range of it, and again what a syntax error has swallowed."""
    if byte_range:
        root = parse_range(grammar, content, byte_range)
    else:
        root, content = parse_blanked(grammar, content)
    if not root.has_error or not grammar.query.pattern_count:
        return ParsedText(root, query_matches(grammar.query, root))
    if byte_range:
        content = _blank_outside(content, byte_range)
        if grammar.noise:
            content = blank_hidden(content, grammar.noise)
    left_out: Sequence[int] = ()
    if not byte_range:
        root, left_out = parse_first_branches(grammar, content, root)
    parsed = ParsedText(root, query_matches(grammar.query, root), mended=left_out)
    mended = None
    if root.has_error and len(content) <= SIZE_LIMIT:
        mended = _recover(grammar, content, parsed, byte_range)
    return mended or parsed


def _blank_outside(content: bytes, byte_range: Range) -> bytes:
    start, end = byte_range.start_byte, byte_range.end_byte
    before, after = (_NOT_NEWLINE.sub(b" ", part) for part in (content[:start], content[end:]))
    return before + content[start:end] + after


def _recover(
    grammar: Grammar, content: bytes, parsed: ParsedText, byte_range: Range | None
) -> ParsedText | None:
    """Mends a text whose tree has errors; None if that finds no more definitions than before."""

    def parse(text: bytes) -> Syntax:
        grammar.parser.included_ranges = [byte_range] if byte_range else []
        try:
            return grammar.parser.parse(text).root_node
        finally:
            grammar.parser.included_ranges = []

    before = definitions_in(parsed.matches)
    is_misread = any(
        definition.has_error and _MISREAD_NAME.match(content, definition.name)
        for definition in before
    )
    if not is_misread and _errors_are_local(grammar, content, parsed.root, before):
        return None
    mender = Mender(
        grammar,
        content,
        {definition.first_line for definition in before if definition.kind in _STRUCTURE},
    )
    mender.run()
    if not mender.changed_lines():
        return None
    other = parse(b"".join(mender.lines))
    after = definitions_of(grammar.declaration_query(), other)
    line_starts = [0, *accumulate(map(len, mender.lines))]
    read = read_declarations(grammar, content, mender.blanked, after, line_starts)
    if not _better(mender, before, after, read):
        return None
    lines_read = {match["name"][0].start_byte: _lines(match, line_starts) for match in read}
    other = _restore(grammar, mender, other, after, parse, lines_read=lines_read)
    read = read_declarations(grammar, content, mender.blanked, after, line_starts)
    longer = longer_declarations(grammar, other, mender.conditionals, line_starts)
    matches = query_matches(grammar.query, other)
    return ParsedText(other, matches, [*read, *longer], mender.blanked_lines())


def _lines(declaration: Captures, line_starts: Sequence[int]) -> tuple[int, int]:
    """The line of the name of a declaration that was read from a line, and its last line.

    The line of the name is -1 if no word such as `class` makes it certain: it may be a call.
    """
    end = next(declaration[kind][0].end_byte for kind in NODE_TYPES if kind in declaration)
    name = declaration["name"][0].start_byte
    first = bisect_right(line_starts, name) - 1 if "_word" in declaration else -1
    return first, bisect_left(line_starts, end) - 1


def _restore(  # noqa: PLR0913 - the text, and what it has to declare
    grammar: Grammar,
    mender: "Mender",
    root: Syntax,
    definitions: set[Definition],
    parse: Callable[[bytes], Syntax],
    *,
    lines_read: Mapping[int, tuple[int, int]],
) -> Syntax:
    """Takes back each change without which the text has the same definitions.

    `lines_read` has the name's line and the last line of those that were read from lines, by the
    offsets of their names: a tree must have those that are certain, and end none earlier.
    """
    for numbers in mender.changes()[:RESTORE_LIMIT]:
        changed = mender.restore(numbers)
        other = parse(b"".join(mender.lines))
        found = definitions_of(grammar.declaration_query(), other)
        ends = {definition.name: definition.last_line for definition in found}
        is_cut = any(
            ends.get(name, -1 if line in numbers else last) < last
            for name, (line, last) in lines_read.items()
        )
        if _ranges(found) >= _ranges(definitions) and not is_cut:
            root = other
            mender.forget(numbers)
        else:
            mender.restore(numbers, changed)
    return root


def _ranges(definitions: set[Definition]) -> set[tuple[int, int, int]]:
    return {
        (definition.name, definition.first_line, definition.last_line) for definition in definitions
    }


def _better(
    mender: "Mender", before: set[Definition], after: set[Definition], read: list[Captures]
) -> bool:
    """True if the mended text has other definitions than before, and lacks none that was right."""
    mended = b"".join(mender.lines)
    names = {definition.name for definition in after} | {
        match["name"][0].start_byte for match in read
    }
    names_before = {definition.name for definition in before}
    blanked = {name for name in names_before if mended[name : name + 1] == b" "}
    ends = {(definition.name, definition.last_line): definition.first_line for definition in after}
    rows = {(definition.first_line, definition.last_line) for definition in after}
    whole = _whole_blocks(mender.original, before | after)
    lost = {
        block.name
        for block in before & whole
        if ends.get((block.name, block.last_line), sys.maxsize) > block.first_line
        and (block.first_line, block.last_line) not in rows
        and block.name not in names - {other.name for other in after}
    }
    if not lost <= blanked or len(names - names_before) < len(lost):
        return False
    if len(names) < len(names_before - blanked) and not names_before - blanked <= names:
        return False
    torn = [
        {definition for definition in found - whole if definition.has_error}
        for found in (before, after)
    ]
    return len(torn[1]) <= len(torn[0]) and (bool(read) or _ranges(before) != _ranges(after))


def _whole_blocks(lines: Sequence[bytes], definitions: set[Definition]) -> set[Definition]:
    """The definitions that end where the block of their first line does."""
    firsts = sorted({definition.first_line for definition in definitions})
    ends: set[tuple[int, int]] = set()
    within: list[Sequence[int]] = [range(len(lines))]
    while within:
        for block in split_blocks(lines, within.pop()):
            inside = firsts[bisect_left(firsts, block.first) : bisect_right(firsts, block.last)]
            ends.update((number, block.last) for number in inside if number in block.frame)
            if len(inside) > 1 or (inside and inside[0] not in block.frame):
                within.append(block.interior())
    return {
        definition
        for definition in definitions
        if (definition.first_line, definition.last_line) in ends
    }


def _errors_are_local(
    grammar: Grammar, content: bytes, root: Syntax, definitions: set[Definition]
) -> bool:
    """True if no error swallows more than its own block of text."""
    functions = {
        (definition.first_line, definition.last_line)
        for definition in definitions
        if NODE_TYPES[definition.kind] == "method"
    }
    names = {definition.name for definition in definitions}
    tree = _BlockTree(content.splitlines(keepends=True))
    for count, error in enumerate(error_nodes(root)):
        blocks = tree.around(error.start_point.row, error.end_point.row)
        if count == ERRORS_LIMIT or not blocks:
            return False
        if _crosses_blocks(error, blocks[-1]):
            return False
        depth = next(
            (
                index + 1
                for index, block in enumerate(blocks)
                if any((first, block.last) in functions for first in block.frame)
            ),
            None,
        )
        if not _keeps_to_block(error, blocks[:depth], tree.lines):
            return False
        if depth is None and not _declared_offsets(grammar, tree, blocks[-1]) <= names:
            return False
    return True


def _crosses_blocks(error: Syntax, block: Block) -> bool:
    """True if an error has lines of several blocks inside the innermost block around it."""
    rows = range(error.start_point.row, error.end_point.row + 1)
    return len(rows) > 1 and any(row not in block.frame for row in rows)


def _declared_offsets(grammar: Grammar, tree: "_BlockTree", block: Block) -> set[int]:
    """The offset of the name that a block's outer lines declare, if they declare one."""
    declared = declared_names(grammar, tree.lines, block)[-1:]
    return {tree.starts[line] + start for line, start, _ in declared}


def _keeps_to_block(error: Syntax, blocks: Sequence[Block], lines: Sequence[bytes]) -> bool:
    """True if each block around an error is exactly one node: no other block was damaged."""
    spans = {(node.start_point.row, node.end_point.row) for node in _ancestors(error)}
    return all(
        any((first, block.last) in spans for first in block.frame)
        for block in blocks
        if block.first != block.last
        and not (len(block.frame) == 1 and lines[block.first].rstrip().endswith(b":"))
    )


def _ancestors(error: Syntax) -> Iterator[Syntax]:
    node = error.parent
    while node and node.parent:
        if not node.is_error:
            yield node
        node = node.parent


class _BlockTree:
    """The blocks of a text, divided when they are first needed."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.lines = lines
        self.starts = [0, *accumulate(map(len, lines))]
        self._outer = split_blocks(lines, range(len(lines)))
        self._inner: dict[Block, list[Block]] = {}

    def around(self, first: int, last: int) -> list[Block]:
        """The blocks that contain some lines, the outer ones first."""
        found: list[Block] = []
        blocks = self._outer
        while len(found) < DEPTH_LIMIT:
            block = next(
                (block for block in blocks if block.first <= first and last <= block.last), None
            )
            if block is None:
                break
            found.append(block)
            if block not in self._inner:
                self._inner[block] = split_blocks(self.lines, block.interior())
            blocks = self._inner[block]
        return found
