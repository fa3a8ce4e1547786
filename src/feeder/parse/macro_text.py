"""Finds the names in the text of a macro, which is not parsed."""

import re
from collections.abc import Iterator

from feeder.parse.relation_names import WORD, Site, checked_name, relation_of
from feeder.relation import CALL, MENTION, expanded_in

EXPANSION_LIMIT = 2_000
"""Bytes of the text of a macro that are searched for names."""

C_KEYWORDS = frozenset(
    {"defined", "do", "for", "if", "return", "sizeof", "switch", "typeof", "while"}
)
"""Words before `(` in the text of a macro that are no calls."""

_EXPANDED_NAME = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.){,12}'"
    rb"|(?:\.|->|::)\s*\w+"
    rb"|(?P<name>[A-Za-z_]\w*)(?P<call>\s*\()?",
    re.DOTALL,
)
"""A name in the text of a macro; comments, strings and members match without a name.

A comment or a string without an end, as where the text is cut, extends to the end of the text. `'`
may also separate digits, as in C++.
"""


def expanded_names(macro: str, parameters: bytes, text: bytes) -> Iterator[Site]:
    """Yields the names that the text of a macro calls, or the only name that it consists of.

    Offsets are those in the text. In Ruby the macro is an alias, and the text the name of a method.
    """
    bound = set(WORD.findall(parameters))
    text = text[:EXPANSION_LIMIT]
    only = text.strip().lstrip(b":")  # a symbol of Ruby
    for match in _EXPANDED_NAME.finditer(text):
        source = match["name"]
        if not macro or source is None or source in bound:
            continue
        is_only = source == only.rstrip(b"?!")
        name = checked_name(only if is_only else source)
        if name == macro or not (match["call"] or is_only):
            continue
        relation = relation_of(CALL if match["call"] else MENTION, name, expanded_in(macro))
        if relation.name and relation.name not in C_KEYWORDS:
            yield match.start("name"), relation
