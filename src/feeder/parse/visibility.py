"""The visibility of a declaration by its language's conventions.

These are `_name` in Python, a capital in Go, `export` in TypeScript, `pub` in Rust and the like.
"""

import re
from collections.abc import Iterable, Iterator

from feeder.relation import VISIBILITY, decode_relations, encode_relation, encode_relations

PUBLIC, PRIVATE, INTERNAL = "public", "private", "internal"

_MODIFIERS = {
    "pub": PUBLIC,
    "export": PUBLIC,
    "open": PUBLIC,
    "published": PUBLIC,
    "fileprivate": PRIVATE,
}
"""Modifiers that are found as another one too."""

_SCRIPTS = frozenset({"typescript", "tsx", "javascript", "vue", "svelte"})
_PUBLIC_BY_DEFAULT = frozenset({"kotlin", "scala", "groovy", "php"})
_INTERFACE = re.compile(r"(?:\w+ )*@?interface\b")
_SECTIONS = {
    "cpp": re.compile(rb"^[ \t]*(public|private|protected)[ \t]*:(?!:)", re.MULTILINE),
    "ruby": re.compile(rb"^[ \t]*(public|private|protected)[ \t]*(?:#.*)?\r?$", re.MULTILINE),
}
"""Lines that set the visibility of all members below them."""

SECTION_LANGUAGES = frozenset(_SECTIONS)

Owner = tuple[str, str]
"""The signature of the type around a declaration, and the last section above it or nothing."""


def visibility_relations(
    relations: str, language: str, symbol: str, signature: str, owner: Owner | None
) -> str:
    """Returns the encoded visibility that a declaration's relations lack; empty if it is unknown.

    `owner` is None for a declaration that is no member of a type.
    """
    if written := [one.name for one in decode_relations(relations, VISIBILITY)]:
        others = [_MODIFIERS[name] for name in written if name in _MODIFIERS]
        names = [name for name in dict.fromkeys(others) if name not in written]
    else:
        names = [_by_convention(language, symbol.rpartition(".")[2], signature, owner)]
    encoded = [encode_relation(name, VISIBILITY, "") for name in names if name]
    return encode_relations(encoded, [0] * len(encoded), 0)


def _by_convention(  # noqa: PLR0911 - one for each convention
    language: str, name: str, signature: str, owner: Owner | None
) -> str:
    if language in {"python", "dart"}:
        is_special = name.startswith("__") and name.endswith("__")
        return PUBLIC if is_special or not name.startswith("_") else PRIVATE
    if language == "go":
        return PUBLIC if name[:1].isupper() else PRIVATE
    if language in _PUBLIC_BY_DEFAULT:
        return PUBLIC
    if language == "swift":
        return INTERNAL
    if language in {"c", "cpp", "objc"} and owner is None:
        is_member = language == "cpp" and "::" in signature  # of a type in another file
        return "" if is_member else PRIVATE if signature.startswith("static ") else PUBLIC
    if language in _SCRIPTS:  # a module may export a name further below
        return "" if owner is None else PRIVATE if name.startswith("#") else PUBLIC
    if language in {"cpp", "ruby"}:
        return _by_section(language, owner)
    if owner and language in {"java", "csharp"} and _INTERFACE.match(owner[0]):
        return PUBLIC
    if language == "csharp":
        return PRIVATE if owner else INTERNAL
    return ""


def _by_section(language: str, owner: Owner | None) -> str:
    if owner and owner[1]:
        return owner[1]
    is_private = language == "cpp" and owner is not None and not owner[0].startswith("struct")
    return PRIVATE if is_private else PUBLIC


def sections(
    language: str, content: bytes, gaps: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """Yields the sections of a type by their offset, given the ranges that no member covers."""
    for start, end in gaps:
        for match in _SECTIONS[language].finditer(content, start, end):
            yield match.start(), match[1].decode()
