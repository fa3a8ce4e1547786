"""Which comments belong to the entry below them, and which to the one before them on their line?"""

import re
from bisect import bisect_left, bisect_right

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.layout import SourceText

QUERY_DEPTH = 1000
"""Levels of the tree that queries look into: matching a deeper tree takes minutes."""

_SEPARATOR = re.compile(rb"[ \t]*,?[ \t]*")


class Comments:
    """The comments of a file: what the queries of its language capture as `@doc`."""

    def __init__(self, source: SourceText, root: Syntax, query: Query) -> None:
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(QUERY_DEPTH)
        # in a tree that is one error, a query takes time that is quadratic in its size
        captures = {} if root.type == "ERROR" else cursor.captures(root)
        found = sorted((one.start_byte, one.end_byte) for one in captures.get("doc", ()))
        self._source = source
        self._starts = [start for start, _ in found]
        self._ends = [source.strip_end(end) for _, end in found]

    def start_with_comments(self, start: int, earliest: int) -> int:
        """The start of the comments that stand right above, without a blank line, else `start`."""
        content = self._source.content
        while (index := bisect_right(self._ends, start) - 1) >= 0:
            comment = self._source.line_start(self._starts[index])
            between = content[self._ends[index] : start]
            if (
                comment < earliest
                or between.count(b"\n") != 1
                or between.strip()
                or content[comment : self._starts[index]].strip()
            ):
                break
            start = comment
        return start

    def end_with_comment(self, end: int) -> int:
        """Where the comma and the comment end that follow on the line of what ends at `end`."""
        separator = _SEPARATOR.match(self._source.content, end)
        at = separator.end() if separator else end
        index = bisect_left(self._starts, at)
        if index < len(self._starts) and self._starts[index] == at:
            comment = self._ends[index]
            return comment if comment <= self._source.line_end(at) else at
        return at
