"""Finds the labels of a call's arguments in its text: `total` in `Cart(total=3)`."""

import re
from collections.abc import Iterator

CALL_LIMIT = 5_000
"""Bytes of a call that are searched for labels."""

_TOKEN = re.compile(
    rb"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'|#[^\n]*"
    rb"|[()\[\]{}]|(?<=[(,\s])([A-Za-z_]\w*)\s*=(?!=)"
)
"""Strings, comments, brackets, and a name before `=`."""


def call_labels(content: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yields the offset and name of each label, and of what looks like one, of the call whose `(`
    is at `start`; nothing if there is none.
    """
    depth = 0
    if content[start : start + 1] != b"(":
        return
    for match in _TOKEN.finditer(content, start, start + CALL_LIMIT):
        sign = match[0]
        if depth == 1 and match[1]:
            yield match.start(1), match[1]
        depth += (sign in (b"(", b"[", b"{")) - (sign in (b")", b"]", b"}"))
        if not depth:
            return
