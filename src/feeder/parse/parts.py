"""Before which lines is a long text cut, because a part of it begins there?"""

from bisect import bisect_right

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.comments import QUERY_DEPTH
from feeder.parse.layout import SourceText


def find_split_points(source: SourceText, root: Syntax, query: Query | None) -> dict[int, int]:
    """The lines on which parts begin, and in how many others each of them lies.

    Captures: `@part` a part, `@doc` a comment, with which the part right below it begins.
    """
    if not query or root.type == "ERROR":
        return {}
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    captures = cursor.captures(root)
    docs = sorted((one.start_byte, one.end_byte) for one in captures.get("doc", ()))
    found = sorted((one.start_byte, -one.end_byte) for one in captures.get("part", ()))
    lines: dict[int, int] = {}
    open_: list[int] = []
    for start, minus_end in found:
        while open_ and open_[-1] <= start:
            open_.pop()
        begin = _start_with_docs(source, docs, start)
        if not source.content[source.line_start(begin) : begin].strip():
            lines.setdefault(source.line_at(begin), len(open_))
        open_.append(-minus_end)
    return lines


def _start_with_docs(source: SourceText, docs: list[tuple[int, int]], start: int) -> int:
    """Where the comments begin that stand above `start`, with nothing but white space between."""
    index = bisect_right(docs, (start,)) - 1
    while index >= 0 and not source.content[docs[index][1] : start].strip():
        if source.content[source.line_start(docs[index][0]) : docs[index][0]].strip():
            break
        start = docs[index][0]
        index -= 1
    return start
