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

C_WORDS = C_KEYWORDS | {
    *("auto", "bool", "break", "case", "char", "class", "const", "constexpr", "continue"),
    *("default", "delete", "double", "else", "enum", "extern", "false", "float", "goto", "inline"),
    *("int", "long", "new", "nullptr", "private", "protected", "public", "register", "restrict"),
    *("short", "signed", "static", "struct", "template", "this", "throw", "true", "try"),
    *("typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile"),
}
"""Words in the text of a macro that are no names."""

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

_LOCAL = re.compile(rb"\w[\s*]+([A-Za-z_]\w*)\s*=(?!=)")
"""A variable that the text of a macro declares: `int size = 2`."""


def expanded_names(macro: str, parameters: bytes, text: bytes) -> Iterator[Site]:
    """Yields the names in the text of a macro.

    A use of the macro is one of what it calls, and of the only name that it consists of: their
    receiver is the macro. Offsets are those in the text. In Ruby the macro is an alias, empty for
    an operator such as `[]`, and the text the name of a method.
    """
    text = text[:EXPANSION_LIMIT]
    bound = {*WORD.findall(parameters), *_LOCAL.findall(text)}
    only = text.strip().lstrip(b":")  # a symbol of Ruby
    for match in _EXPANDED_NAME.finditer(text):
        source = match["name"]
        if source is None or source in bound:
            continue
        is_only = source == only.rstrip(b"?!")
        name = checked_name(only if is_only else source)
        if not name or name == macro or name in C_WORDS:
            continue
        receiver = expanded_in(macro) if macro and (match["call"] or is_only) else ""
        kind = CALL if match["call"] else MENTION
        yield match.start("name"), relation_of(kind, name, receiver)
