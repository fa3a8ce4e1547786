"""Tells which definition a node is: its name, the type around it, and the files that can see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Set

from feeder.relations.modules import MODULE_EXPORTS, Definition
from feeder.store.hits import Hit
from feeder.traits import traits

MAX_MODIFIERS = 4
"""Words of a declaration that may be its modifiers: `public extension Cart`."""

PRIVATE_PATTERN = re.compile(r"(?:@[\w.]+(?:\([^)]*\))? |(?!class )\w+ )*?(?:file)?private ")
"""The beginning of a declaration that only its own file sees.

The constructor alone is private in `class Cart private constructor()` of Kotlin.
"""

CONSTRUCTORS = frozenset({"__init__", "constructor", "__construct", "initialize", "init"})


def definition_of(hit: Hit, types: Set[str], is_other_type: Callable[[str], bool]) -> Definition:
    """The definition in a node.

    `types` are the symbols of the types in its file; `is_other_type` tells whether
    another file declares a type, as for members in Go, C++ and Swift.
    """
    symbol = hit.symbol or ""
    outer, _, name = symbol.rpartition(".")
    is_type = hit.node_type == "class"
    own = traits(hit.language)
    if own.extension_receivers and re.search(rf"\.{re.escape(name)}[(:= ]", hit.signature or ""):
        return Definition(
            hit.path,
            hit.language or "",
            symbol,
            name,
            "",
            is_type,
            is_local=_is_private(hit),
            is_extension=True,
            is_function=not is_type,
            signature=hit.signature or "",
        )
    owner = outer if outer in types else ""
    if not owner and outer and hit.node_type == "method":
        owner = outer if is_other_type(outer) else ""
    if owner and (name in CONSTRUCTORS or name == owner.rpartition(".")[2]):
        return Definition(
            hit.path,
            hit.language or "",
            owner,
            owner.rpartition(".")[2],
            owner.rpartition(".")[0] if owner.rpartition(".")[0] in types else "",
            is_type=True,
        )
    is_static = own.family == "c" and (hit.signature or "").startswith("static ")
    is_local = is_static and not is_type and not is_header(hit.path)
    is_local |= own.family == "scripts" and symbol == MODULE_EXPORTS
    is_local |= _is_private(hit)
    is_abstract = own.structural_interfaces and bool(owner) and not is_type and _is_bodyless(hit)
    return Definition(
        hit.path,
        hit.language or "",
        symbol,
        name,
        owner,
        is_type,
        is_local,
        is_abstract=is_abstract,
        is_function=hit.node_type == "method" and not _is_property(hit),
        is_everywhere=_has_prefix(hit, own.global_names),
        signature="" if is_type else hit.signature or "",
    )


def _is_bodyless(hit: Hit) -> bool:
    """Tells whether a method of Go is one of an interface."""
    return not (hit.signature or "").startswith("func")


def is_added_to(hit: Hit) -> bool:
    """Tells whether a node adds to a type of its name, as `impl Cart` and `extension Cart` do."""
    word = traits(hit.language).adding_block
    words = (hit.signature or "").partition(" {")[0].replace("<", " ").split()
    return bool(word) and hit.node_type == "class" and word in words[:MAX_MODIFIERS]


def is_open_enum(hit: Hit) -> bool:
    """Tells whether constants of an enum are visible without its name: `enum color { RED };`."""
    return _has_prefix(hit, traits(hit.language).open_enums)


def is_tag(hit: Hit, name: str) -> bool:
    """Tells whether a name is a type's tag in C: `node` in `typedef struct node { … } Node`."""
    words = (hit.signature or "").split(" ", 3)
    return traits(hit.language).family == "c" and words[:1] == ["typedef"] and words[2:3] == [name]


def _has_prefix(hit: Hit, pattern: str) -> bool:
    """Tells whether a declaration begins with a pattern, which a language may not have."""
    return bool(pattern) and bool(re.match(pattern, hit.signature or ""))


def _is_private(hit: Hit) -> bool:
    """Tells whether only its own file sees a declaration: `private fun add()`."""
    is_file_private = traits(hit.language).file_private
    return is_file_private and bool(PRIVATE_PATTERN.match(hit.signature or ""))


def _is_property(hit: Hit) -> bool:
    """Tells whether a node is a property, which has a body in Kotlin."""
    word = traits(hit.language).function_word
    return bool(word) and not re.search(rf"\b{word}\b", hit.signature or "")


def is_header(path: str) -> bool:
    """Tells whether a file of C is a header: `cart.h`, `cart.hpp`."""
    return path.rpartition(".")[2].startswith("h")
