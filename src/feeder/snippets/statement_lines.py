"""Finds the last line of a statement from its first one, for a constant that is longer than its
node.
"""

import re
from collections.abc import Sequence

from feeder.snippets.layout import QUOTED_PATTERN

MAX_STATEMENT_LINES = 3_000
"""Lines that are searched for the end of a statement."""

TEXT_DELIMITER = re.compile(r'"""|' + r"'''|`")
"""A delimiter of texts of several lines."""

CONTINUED_ENDS = ("=", "\\")
"""Ends of lines after which a statement goes on."""

TEXT_SIGN = "_"
"""Stands for a quoted text."""


def statement_end(lines: Sequence[str], row: int) -> int:
    """The last row of the statement that begins in `row`: where its brackets and texts are closed.

    `row` itself if that is not the case within `MAX_STATEMENT_LINES`.
    """
    depth, delimiter = 0, ""
    for at in range(row, min(len(lines), row + MAX_STATEMENT_LINES)):
        code, delimiter = _without_texts(lines[at], delimiter)
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        if depth <= 0 and not delimiter and not code.rstrip().endswith(CONTINUED_ENDS):
            return at
    return row


def _without_texts(line: str, delimiter: str) -> tuple[str, str]:
    """The line with a sign for each quoted text, and the delimiter of the text open at its end.

    `delimiter` is that of the text open at its beginning.
    """
    code, rest = "", line
    while rest:
        if delimiter:
            _, closed, rest = rest.partition(delimiter)
            delimiter = "" if closed else delimiter
        elif opened := TEXT_DELIMITER.search(rest):
            code += f"{rest[: opened.start()]}{TEXT_SIGN}"
            rest, delimiter = rest[opened.end() :], opened[0]
        else:
            code, rest = code + rest, ""
    return QUOTED_PATTERN.sub(TEXT_SIGN, code), delimiter
