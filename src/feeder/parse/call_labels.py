"""Finds the labels of a call's arguments in its text: `total` in `Cart(total=3)`."""

import re
from collections.abc import Iterator, Mapping, Set

from feeder.parse.relation_names import CapturedRelation, Site, relation_of
from feeder.relation import CALL, LITERAL_KEY, MENTION

_TOKEN = re.compile(
    rb"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'|#[^\n]*"
    rb"|[()\[\]{}]|(?<=[(,\s])([A-Za-z_\x80-\xff][\w\x80-\xff]*)\s*=(?!=)"
)
"""Strings, comments, brackets, and a name before `=`."""


def label_sites(
    content: bytes, sites: Mapping[int, CapturedRelation], declared: Set[int]
) -> Iterator[Site]:
    """Yields the labels of the calls that construct a value, as fields of its type.

    `declared` are the offsets of labels; what looks like one elsewhere is none. A call inside
    another one is read together with it, unless it is inside a string.
    """
    types = dict(_constructed_types(content, sites))
    read: set[int] = set()
    for start in sorted(types):
        if start in read:
            continue
        brackets: list[str] = []
        for match in _TOKEN.finditer(content, start):
            sign, at = match[0], match.start()
            if match[1]:
                if brackets[-1] and at in declared:
                    yield at, relation_of(MENTION, match[1].decode(), brackets[-1] + LITERAL_KEY)
            elif sign in (b"(", b"[", b"{"):
                read.add(at)
                brackets.append(types.get(at, ""))
            elif sign in (b")", b"]", b"}"):
                brackets.pop()
            if not brackets:
                break


def _constructed_types(
    content: bytes, sites: Mapping[int, CapturedRelation]
) -> Iterator[tuple[int, str]]:
    """Yields the offset of `(` and the type of each call that constructs a value, as far as its
    name tells: it begins with a capital letter. A receiver that is another call tells none.
    """
    for start, relation in sites.items():
        name = relation.name
        opening = start + len(name.encode())
        if relation.kind != CALL or not name.lstrip("_")[:1].isupper():
            continue
        type_names = [*filter(None, relation.qualifier.split(".")), name]
        if content[opening : opening + 1] == b"(" and all(map(str.isidentifier, type_names)):
            yield opening, ".".join(type_names)
