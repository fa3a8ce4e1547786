"""The visibility of a declaration by its language's conventions.

These are `_name` in Python, a capital in Go, `export` in TypeScript, `pub` in Rust and the like:
the trait `visibility` of the language has them.
"""

import re
from collections.abc import Iterable, Iterator

from feeder.relation import VISIBILITY, decode_relations, encode_relation, encode_relations
from feeder.traits import Visibility, traits

PUBLIC, PRIVATE = "public", "private"

_MODIFIERS = {
    "pub": PUBLIC,
    "export": PUBLIC,
    "open": PUBLIC,
    "published": PUBLIC,
    "fileprivate": PRIVATE,
}
"""Modifiers that are found as another one too."""

_SECTIONS = {
    "colon": re.compile(rb"^[ \t]*(public|private|protected)[ \t]*:(?!:)", re.MULTILINE),
    "line": re.compile(rb"^[ \t]*(public|private|protected)[ \t]*(?:#.*)?\r?$", re.MULTILINE),
}
"""Lines that set the visibility of all members below them."""

Owner = tuple[str, str]
"""The signature of the type around a declaration, and the last section above it or nothing."""


def visibility_relations(
    relations: str, language: str, symbol: str, signature: str, owner: Owner | None
) -> str:
    """Returns the encoded visibility that a declaration's relations lack; empty if it is unknown.

    `owner` is None for a declaration that is no member of a type.
    """
    if written := [relation.name for relation in decode_relations(relations, VISIBILITY)]:
        others = [_MODIFIERS[name] for name in written if name in _MODIFIERS]
        names = [name for name in dict.fromkeys(others) if name not in written]
    else:
        rules = traits(language).visibility
        names = [_by_convention(rules, symbol.rpartition(".")[2], signature, owner)]
    encoded = [encode_relation(name, VISIBILITY, "") for name in names if name]
    return encode_relations(encoded, [0] * len(encoded), 0)


def _by_convention(rules: Visibility, name: str, signature: str, owner: Owner | None) -> str:
    if rules.capital:
        return PUBLIC if name[:1].isupper() else PRIVATE
    visibility = _of_outside(rules, signature) if owner is None else _of_member(rules, owner)
    prefix = rules.private_prefix
    if visibility and prefix and name.startswith(prefix):
        is_special = name.startswith(2 * prefix) and name.endswith(2 * prefix)  # __init__
        return visibility if is_special else PRIVATE
    return visibility


def _of_outside(rules: Visibility, signature: str) -> str:
    """The visibility of a declaration outside of types."""
    if rules.member_operator and rules.member_operator in signature:
        return ""  # a member of a type in another file
    return PRIVATE if rules.static and signature.startswith("static ") else rules.outside


def _of_member(rules: Visibility, owner: Owner) -> str:
    """The visibility of a member of a type."""
    type_signature, section = owner
    if section:
        return section
    is_public = rules.public_types and re.match(rules.public_types, type_signature)
    return PUBLIC if is_public else rules.member


def sections(
    form: str, content: bytes, gaps: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """Yields the sections of a type by their offset, given the ranges that no member covers.

    `form` is the trait of the language.
    """
    for start, end in gaps:
        for match in _SECTIONS[form].finditer(content, start, end):
            yield match.start(), match[1].decode()
