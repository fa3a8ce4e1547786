"""Defines the relation of a node, and the codec of the column `relations`.

A node's relations are stored as text: each one is a blank, the name, a sign for the kind, the
qualifier, `:` and the lines of its sites, counted from the node's first line. No other module knows
this form; SQL that has to look into the column takes its texts from here.

    ` add(cart:0,3 Cart@acme.shop=Basket:1`

is a call of `add` with the receiver `cart` on two lines, and an import of `Cart` as `Basket`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

CALL, INHERITS, IMPLEMENTS, UNNAMED, USE, MENTION = "(", "^", "+", "<", "~", "."
IMPORT, EXPORT = "@", ";"
BINDING, PARAMETER, RETURNS, VISIBILITY = "=", "%", ">", "#"
"""The kinds of relations. Several kinds are a text with each of them, such as `CALL + MENTION`.

`INHERITS` and `IMPLEMENTS` in a class are its own bases, elsewhere those of a local class.
`UNNAMED` is the base of a class without a name: `new Listener() { … }`. A constant of an enum that
has a body inherits from the enum, whose name is the qualifier of a relation without a name.
"""

LITERAL_KEY = "{}"
"""The qualifier of a name before `:` in a literal: a field, or the key of a map.

The type of the literal precedes it where that is written: `Cart{}` for `Cart { total: 0 }`.
"""

UNNAMED_MEMBER = "{}()"
"""The end of the qualifier of a member that a class without a name declares, behind its base:
`Listener{}()` for `heard` in `new Listener() { void heard() {} }`."""

LITERAL = '"'
"""The receiver of a member of a string or number that is written there: `", ".join(names)`."""

MAX_PATTERNS = 100
"""Names whose regular expressions are cached."""

ITEM_PATTERN = re.compile(r" ([^\s(^+<~.@;=%>#]*)([(^+<~.@;=%>#])(\S*):([\d,]+)")
_KINDS = "[(^+<~.@;=%>#]"
"""The kinds as a character class, of regular expressions and of GLOB."""
_GLOB_SIGNS = re.compile(r"[*?[]")
_SITE_NAMES = re.compile(r" ([^\s(^+<~.@=%>#]+)[(^+<~.]")


class Relation(NamedTuple):
    """One relation of a node.

    `kind` is one of the constants above. `qualifier` is the receiver of a call or mention, the
    module of an import with its alias, the name by which others import what is exported, the type
    of a binding or parameter. `lines` is encoded; see `line_numbers`.

    A manifest, such as `package.json`, exports files by the name of a module: `name` is empty, the
    qualifier is that module, `=` and the path, from the manifest's folder.
    """

    name: str
    kind: str
    qualifier: str
    lines: str

    def line_numbers(self, first_line: int) -> Iterator[int]:
        """Yields the line of each site, given the first line of the node."""
        for line in self.lines.split(","):
            yield first_line + int(line)

    @property
    def module(self) -> str:
        """The module of an import, without the alias."""
        return self.qualifier.partition("=")[0]

    @property
    def alias(self) -> str:
        """The other name by which an import binds its name; may be empty."""
        return alias_of(self.qualifier)


def alias_of(qualifier: str) -> str:
    """The alias in the qualifier of an import: `acme.shop=Basket` → `Basket`; may be empty."""
    return qualifier.partition("=")[2]


def expanded_in(macro: str) -> str:
    """The receiver of a name in the text of a macro; in Ruby, of a method in an alias of it."""
    return f"={macro}"


def macro_of(receiver: str) -> str:
    """The macro in whose text a site is, or the alias in Ruby; empty for another receiver."""
    return receiver[1:] if receiver.startswith("=") else ""


# writing


def encode_relation(name: str, kind: str, qualifier: str) -> str:
    """Encodes a relation up to its lines."""
    return f" {name}{kind}{qualifier}:"


def encode_import(module: str, alias: str) -> str:
    """Encodes the qualifier of an import."""
    return f"{module}={alias}" if alias else module


def encode_relations(relations: Iterable[str], lines: Iterable[int], first_line: int) -> str:
    """Encodes the relations of a node that begins on `first_line`, each with its line.

    A relation is given as `encode_relation` returns it; equal ones are stored once.
    """
    encoded: dict[str, str] = {}
    before = encoded.get
    for text, line in zip(relations, lines, strict=True):
        others = before(text)
        if others is None:
            encoded[text] = f"{text}{line - first_line}"
        else:
            encoded[text] = f"{others},{line - first_line}"
    return "".join(encoded.values())


# reading


@cache
def _item_pattern(kinds: str) -> re.Pattern[str]:
    """Finds the relations of some kinds; of all with none."""
    if not kinds:
        return ITEM_PATTERN
    return re.compile(ITEM_PATTERN.pattern.replace(f"({_KINDS})", f"([{re.escape(kinds)}])"))


@lru_cache(MAX_PATTERNS)
def _named_pattern(name: str) -> re.Pattern[str]:
    """Finds the relations of a name."""
    pattern = ITEM_PATTERN.pattern
    return re.compile(pattern.replace("([^\\s(^+<~.@;=%>#]*)", f"({re.escape(name)})"))


@lru_cache(MAX_PATTERNS)
def _received_pattern(name: str) -> re.Pattern[str]:
    """Finds the calls and mentions whose receiver begins with a name."""
    pattern = _item_pattern(CALL + MENTION).pattern
    return re.compile(pattern.replace("(\\S*)", rf"({re.escape(name)}(?:\.\S*)?)"))


def decode_relations(stored: str, kinds: str = "") -> list[Relation]:
    """Decodes all relations, or only those of some kinds, which is much faster."""
    if kinds and not has_kind(stored, kinds):
        return []
    return list(map(Relation._make, _item_pattern(kinds).findall(stored)))


def decode_named(stored: str, name: str) -> list[Relation]:
    """Decodes the relations of a name."""
    return list(map(Relation._make, _named_pattern(name).findall(stored)))


def decode_declared(stored: str, name: str, kinds: str) -> list[Relation]:
    """Decodes the relations of a name and of some kinds, without compiling a pattern."""
    return _decode_at(stored, named_texts(name, kinds))


def decode_received(stored: str, name: str) -> list[Relation]:
    """Decodes the calls and mentions whose receiver begins with a name, as in `Cart.create`."""
    if name not in stored:
        return []
    return list(map(Relation._make, _received_pattern(name).findall(stored)))


def decode_binding_imports(stored: str, bound: str) -> list[Relation]:
    """Decodes imports that may bind a name: by their name, their alias or their module."""
    texts = f" {bound}{IMPORT}", f"={bound}:", f" {IMPORT}{bound}:", f" {IMPORT}{bound}="
    return [relation for relation in _decode_at(stored, texts) if relation.kind == IMPORT]


def decode_site_names(stored: str) -> list[str]:
    """Decodes only the names of calls, bases, types and mentions, with repetitions."""
    return _SITE_NAMES.findall(stored)


def _decode_at(stored: str, texts: Iterable[str]) -> list[Relation]:
    """Decodes the relations that have one of some texts, in their order."""
    starts: set[int] = set()
    for text in texts:
        at = stored.find(text)
        while at >= 0:
            starts.add(stored.rfind(" ", 0, at + 1))
            at = stored.find(text, at + 1)
    items = (ITEM_PATTERN.match(stored, start) for start in sorted(starts - {-1}))
    return [Relation._make(item.groups()) for item in items if item]


def has_kind(stored: str, kinds: str) -> bool:
    """True if relations may be of one of some kinds; false if none is."""
    return any(kind in stored for kind in kinds)


def has_named(stored: str, name: str, kinds: str) -> bool:
    """True if a name has a relation of one of some kinds."""
    return any(text in stored for text in named_texts(name, kinds))


def has_qualified(stored: str, kinds: str, qualifier: str) -> bool:
    """True if a relation of one of some kinds has a qualifier, as a parameter its type."""
    return any(text in stored for text in qualified_texts(kinds, qualifier))


# searching in SQL


def named_texts(name: str, kinds: str) -> list[str]:
    """The texts of which a node's relations contain one if a name has one of some kinds."""
    return [f" {name}{kind}" for kind in kinds]


def qualified_texts(kinds: str, qualifier: str) -> list[str]:
    """The texts of which they contain one if one of some kinds has a qualifier and no alias."""
    return [f"{kind}{qualifier}:" for kind in kinds]


def aliased_text(kind: str, qualifier: str) -> str:
    """The text that they contain if an import from a module has an alias."""
    return f"{kind}{qualifier}="


def named_glob(name: str) -> str:
    """The GLOB pattern of relations in which a name has any kind."""
    literal = _GLOB_SIGNS.sub(r"[\g<0>]", name)
    return f"* {literal}{_KINDS}*"


def sql_has_named(column: str, name: str, kinds: str) -> str:
    """SQL: the relations in a column have a name, given as an expression, in one of some kinds."""
    texts = (f"instr({column}, ' ' || {name} || '{kind}')" for kind in kinds)
    return " OR ".join(texts)


def sql_has_receiver_or_type(column: str, name: str) -> str:
    """SQL: a name begins a receiver, or is the type of a binding or parameter."""
    ends_of_kinds = (CALL, ".:"), (MENTION, ".:"), (BINDING, ":"), (PARAMETER, ":")
    return " OR ".join(
        f"instr({column}, '{kind}' || {name} || '{end}')"
        for kind, ends in ends_of_kinds
        for end in ends
    )


def sql_imported_qualifier(column: str, name: str) -> str:
    """SQL: the module and alias of the import of a name; empty without an import of it."""
    imported = f"instr({column}, ' ' || {name} || '{IMPORT}')"
    rest = f"substr({column}, {imported} + length({name}) + 2)"
    return f"""
iif({imported},
  substr({rest}, 1, instr({rest}, ':') - 1), '')"""


def sql_alias(qualifier: str) -> str:
    """SQL: the alias in the qualifier of an import; all of it without one."""
    return f"substr({qualifier}, instr({qualifier}, '=') + 1)"


def sql_has_alias(qualifier: str) -> str:
    """SQL: the qualifier of an import has an alias."""
    return f"instr({qualifier}, '=')"
