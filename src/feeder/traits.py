"""What code asks about a language in place of its name.

A language says its traits in the table `[traits]` of `languages/NAME/language.toml`;
`languages/README.md` explains each with an example.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

_COMPILED = Path(__file__).with_name("grammar_queries.json")

_RELATION_CATEGORIES = ("Relation", "Embedded")
"""The categories of queries for relations, and for other languages inside, which have them."""


class Visibility(NamedTuple):
    """The visibility of a declaration without a modifier, by a language's conventions."""

    outside: str = ""
    member: str = ""
    public_types: str = ""
    private_prefix: str = ""
    capital: bool = False
    static: bool = False
    member_operator: str = ""
    sections: str = ""


class Traits(NamedTuple):
    """The traits of a language; a language without any has these values."""

    family: str = ""
    imports: str = "paths"
    imported_receivers: bool = False
    reexports: bool = False
    adding_block: str = ""
    case_insensitive: bool = False
    line_comments: Sequence[str] = ("//",)
    character_quotes: bool = False
    package_scope: str = ""
    global_scope: bool = False
    implicit_receiver: bool = False
    lends_receivers: bool = False
    lending_calls: Sequence[str] = ()
    split_types: bool = False
    method_first: bool = False
    redeclares_names: bool = False
    base_receiver: str = ""
    variable_sigil: str = ""
    builtin_types: Sequence[str] = ()
    functions_apart: bool = False
    file_private: bool = False
    unseen_implementations: str = ""
    structural_interfaces: bool = False
    nearest_types: bool = False
    methods_by_path: bool = False
    redeclared_fields: bool = False
    extension_receivers: bool = False
    function_word: str = ""
    name_endings: str = ""
    name_sigil: str = ""
    setter_ending: str = ""
    open_enums: str = ""
    global_names: str = ""
    attribute_ending: str = ""
    cascades: bool = False
    method_aliases: bool = False
    defining_calls: str = ""
    omits_parameters: bool = False
    constructor: str = ""
    base_constructors: Sequence[str] = ()
    unindexed_members: str = ""
    only_imports: bool = False
    syntax_calls: Mapping[str, str] = MappingProxyType({})
    visibility: Visibility = Visibility()
    has_relations: bool = False


@cache
def traits(language: str | None) -> Traits:
    """The traits of a shipped language; another one has the default values."""
    return all_traits().get(language or "", _DEFAULT)


_DEFAULT = Traits(global_scope=True)
"""Relations of such a language come from a user's grammar file: names are compared alone."""


@cache
def all_traits() -> dict[str, Traits]:
    """The traits of each shipped language that has any, or has relations."""
    settings: dict[str, Any] = json.loads(_COMPILED.read_bytes())
    queries = settings["grammar_queries"]
    with_relations = {name for category in _RELATION_CATEGORIES for name in queries[category]}
    written = settings["traits"]
    return {
        name: _from_written(written.get(name, {}), has_relations=name in with_relations)
        for name in sorted(written.keys() | with_relations)
    }


def _from_written(written: dict[str, Any], *, has_relations: bool) -> Traits:
    visibility = Visibility(**written.get("visibility", {}))
    own = {"visibility": visibility, "has_relations": has_relations}
    return Traits(**{"global_scope": not has_relations, **written, **own})


def are_compatible(language: str | None, other: str) -> bool:
    """Tells whether code of one language can refer to names of another one."""
    if language == other:
        return True
    family = traits(language).family
    return bool(family) and family == traits(other).family
