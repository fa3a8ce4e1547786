"""Finds the labels of a call's arguments in its text: `total` in `Cart(total=3)`."""

import re
from collections.abc import Iterator, Mapping, Set

from feeder.parse.relation_names import CapturedRelation, Site, relation_of
from feeder.relation import CALL, LITERAL_KEY, MENTION

CALL_LIMIT, FILE_LIMIT = 5_000, 5_000_000
"""Bytes of a call, and of all calls of a file, that are searched for labels."""

_TOKEN = re.compile(
    rb"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'|#[^\n]*"
    rb"|[()\[\]{}]|(?<=[(,\s])([A-Za-z_]\w*)\s*=(?!=)"
)
"""Strings, comments, brackets, and a name before `=`."""


def label_sites(
    content: bytes, sites: Mapping[int, CapturedRelation], declared: Set[int]
) -> Iterator[Site]:
    """Yields the labels of the calls that construct a value, as fields of its type.

    `declared` are the offsets of labels; what looks like one elsewhere is none.
    """
    left = FILE_LIMIT
    for start, relation in sites.items():
        name = relation.name
        if relation.kind != CALL or not name.lstrip("_")[:1].isupper() or left <= 0:
            continue
        type_names = [*filter(None, relation.qualifier.split(".")), name]
        if not all(map(str.isidentifier, type_names)):
            continue  # the receiver is another call
        labels, size = _call_labels(content, start + len(name.encode()))
        left -= size
        for at, label in labels:
            if at in declared:
                yield at, relation_of(MENTION, label.decode(), ".".join(type_names) + LITERAL_KEY)


def _call_labels(content: bytes, start: int) -> tuple[list[tuple[int, bytes]], int]:
    """The offset and name of each label, and of what looks like one, of the call whose `(` is at
    `start`, and the bytes that were read; nothing if there is none.
    """
    labels: list[tuple[int, bytes]] = []
    depth = 0
    if content[start : start + 1] != b"(":
        return labels, 0
    for match in _TOKEN.finditer(content, start, start + CALL_LIMIT):
        sign = match[0]
        if depth == 1 and match[1]:
            labels.append((match.start(1), match[1]))
        depth += (sign in (b"(", b"[", b"{")) - (sign in (b")", b"]", b"}"))
        if not depth:
            return labels, match.end() - start
    return labels, CALL_LIMIT
