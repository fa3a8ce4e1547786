"""Parses source text into a tree-sitter syntax tree.

Text that the grammar cannot read, such as preprocessor branches, is blanked first.
"""

import re

from tree_sitter import Node as Syntax
from tree_sitter import QueryCursor, Range

from feeder.parse.grammars import Grammar

ERROR_SHARE = 0.1
"""A file of which the grammar misreads more than this share is read once more."""
_ERROR_DEPTH = 100
_NON_NEWLINE = re.compile(rb"[^\r\n]")


def parse_range(grammar: Grammar, content: bytes, byte_range: Range) -> Syntax:
    """The syntax tree of a part of a file, whose offsets are the file's."""
    if grammar.noise:
        start, end = byte_range.start_byte, byte_range.end_byte
        shown = _blank_hidden(content[start:end], grammar.noise)
        content = content[:start] + shown + content[end:]
    grammar.parser.included_ranges = [byte_range]
    try:
        return grammar.parser.parse(content).root_node
    finally:
        grammar.parser.included_ranges = []


def parse_tree(grammar: Grammar, content: bytes) -> Syntax:
    """The syntax tree of a file.

    What is noise to the grammar is blanked first, so that no offset moves. Where errors still cover
    much of the file, it is read again with one branch of each conditional; half the errors decide
    for that reading. A language that has only patterns is not read.
    """
    if not (grammar.query.pattern_count or grammar.embedded_query or grammar.data_shape):
        content = b""
    if grammar.noise:
        content = _blank_hidden(content, grammar.noise)
    root = grammar.parser.parse(content).root_node
    if grammar.conditionals is None or not root.has_error:
        return root
    garbled = _error_bytes(grammar, root)
    if garbled <= ERROR_SHARE * len(content):
        return root
    other = grammar.parser.parse(_blank_hidden(content, grammar.conditionals)).root_node
    return other if 2 * _error_bytes(grammar, other) <= garbled else root


def _error_bytes(grammar: Grammar, root: Syntax) -> int:
    """How many bytes lie in error nodes."""
    cursor = QueryCursor(grammar.error_query)
    cursor.set_max_start_depth(_ERROR_DEPTH)
    errors = cursor.captures(root).get("error", [])
    total, seen = 0, 0
    for start, end in sorted((error.start_byte, error.end_byte) for error in errors):
        total += max(0, end - max(start, seen))
        seen = max(seen, end)
    return total


def _blank_hidden(content: bytes, hidden: re.Pattern[bytes]) -> bytes:
    """The content with blanks for what the pattern's groups match, byte for byte.

    `mark` is blanked for itself; `open`, `turn` and `close` are a conditional's directives (`#if`,
    `#else`, `#endif`), and all between its first `turn` and its `close` goes too.
    """
    shown = bytearray(content)
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
        shown[start:end] = _NON_NEWLINE.sub(b" ", content[start:end])
    return bytes(shown)
