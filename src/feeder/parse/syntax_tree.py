"""Parses source text into a tree-sitter syntax tree.

Text that the grammar cannot parse, such as preprocessor branches, is blanked first.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node as Syntax
from tree_sitter import Range

from feeder.line_ranges import LineRange, merge_ranges
from feeder.parse.grammars import Grammar
from feeder.parse.hidden_text import HiddenText

ERROR_SHARE = 0.1
"""Share of bytes in syntax errors from which a file is parsed again without conditionals."""
_ERROR_DEPTH = 100
"""Levels of the syntax tree in which error nodes are looked for."""
_NOT_LINE_END = re.compile(rb"[^\r\n\\]|\\(?!\r?\n)")
"""A byte that is neither part of a line end nor a backslash before one, which continues a macro."""


def parse_range(grammar: Grammar, content: bytes, byte_range: Range) -> Syntax:
    """Parses a range of a file; the offsets in the syntax tree are those of the file."""
    if grammar.noise:
        start, end = byte_range.start_byte, byte_range.end_byte
        blanked = blank_hidden(content[start:end], grammar.noise)
        content = content[:start] + blanked + content[end:]
    grammar.parser.included_ranges = [byte_range]
    try:
        return grammar.parser.parse(content).root_node
    finally:
        grammar.parser.included_ranges = []


def parse_tree(grammar: Grammar, content: bytes) -> Syntax:
    """Parses a file as `parse_blanked` does."""
    return parse_blanked(grammar, content)[0]


def parse_blanked(grammar: Grammar, content: bytes) -> tuple[Syntax, bytes]:
    """Returns the tree of a file, and the text that was parsed.

    The grammar's noise is blanked first, and what it does not know if that leaves fewer errors; no
    offset moves. A language that has only patterns gets an empty tree.
    """
    if not (grammar.query.pattern_count or grammar.embedded_query or grammar.data_shape):
        content = b""
    if grammar.noise:
        content = blank_hidden(content, grammar.noise)
    root = grammar.parser.parse(content).root_node
    if grammar.unknown and root.has_error:
        blanked = blank_hidden(content, grammar.unknown)
        if blanked != content:
            other = grammar.parser.parse(blanked).root_node
            if _error_bytes(other) <= _error_bytes(root):
                return other, blanked
    return root, content


def parse_first_branches(
    grammar: Grammar, content: bytes, root: Syntax
) -> tuple[Syntax, Sequence[int]]:
    """Parses a file with the first branch of each conditional, if that loses less than the errors.

    It is tried if the errors of `root` cover more than `ERROR_SHARE` of the file. The errors of the
    new tree and the text of the other branches must together be at most half of them. Returns the
    tree, or `root`, and the lines of the other branches, counted from 0.
    """
    error_bytes = _error_bytes(root)
    if grammar.conditionals is None or error_bytes <= ERROR_SHARE * len(content):
        return root, ()
    blanked = blank_hidden(content, grammar.conditionals)
    directives_blanked = grammar.conditionals.sub(
        lambda match: _NOT_LINE_END.sub(b" ", match[0]), content
    )
    pairs = enumerate(zip(directives_blanked.splitlines(), blanked.splitlines(), strict=True))
    left_out = {
        number: len(line.strip())
        for number, (line, other) in pairs
        if line.strip() != other.strip()
    }
    other = grammar.parser.parse(blanked).root_node
    if 2 * (_error_bytes(other) + sum(left_out.values())) > error_bytes:
        return root, ()
    return other, list(left_out)


def _error_bytes(root: Syntax) -> int:
    """The number of bytes in error nodes; descends only into nodes that contain one."""
    total = 0
    level = [root]
    for _ in range(_ERROR_DEPTH + 1):
        below: list[Syntax] = []
        for node in level:
            if node.is_error:
                total += node.end_byte - node.start_byte
            elif node.has_error:
                below += node.children
        level = below
    return total


def unparsed_lines(root: Syntax) -> tuple[LineRange, ...]:
    """The lines that the grammar could not parse, where the tree has ERROR or MISSING nodes.

    They are lines of the file, also for a tree of `parse_range`. What was blanked before parsing is
    in no such node. A node that ends with a line end does not reach into the next line.
    """
    ranges: list[LineRange] = []
    to_visit = [root] if root.has_error else []
    while to_visit:
        node = to_visit.pop()
        if node.is_error or node.is_missing:
            (first, _), (last, end_column) = node.start_point, node.end_point
            last += end_column > 0 or last == 0
            ranges.append((min(first + 1, last), last))
        else:
            to_visit += [child for child in node.children if child.has_error or child.is_missing]
    return merge_ranges(ranges)


def blank_hidden(content: bytes, hidden: HiddenText | re.Pattern[bytes]) -> bytes:
    """Replaces the bytes that the pattern's groups match by blanks.

    `mark` is blanked alone, `opening` and `closing` together. Of `end`, the first byte becomes a
    semicolon. `open`, `turn` and `close` are a conditional's directives (`#if`, `#else`, `#endif`),
    which are blanked with all text between the first `turn` and `close`. The text is searched with
    a line end before its first line: a pattern that begins with `\\n` runs several times faster
    than one that begins with `^`.
    """
    content = b"\n" + content
    blanked = bytearray(content)
    depth, hidden_depth, hidden_from = 0, 0, 0
    for match in hidden.finditer(content):
        role = match.lastgroup or "mark"
        start, end = match.span(match.lastgroup or 0)
        if role == "open":
            depth += 1
        elif role == "turn" and depth and not hidden_depth:
            hidden_depth, hidden_from = depth, start
        elif role == "close" and depth:
            if hidden_depth == depth:
                start, hidden_depth = hidden_from, 0
            depth -= 1
        elif role == "closing":
            _blank(blanked, *match.span("opening"))
        _blank(blanked, start, end)
        if role == "end":
            blanked[start] = ord(";")
    return bytes(blanked[1:])


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = _NOT_LINE_END.sub(b" ", text[start:end])
