"""Loads the grammar of a language, and checks queries before they are run."""

import re
from functools import cache
from importlib import import_module

from tree_sitter import Language, Query

from feeder.errors import UserError

_KNOWN_CAPTURE = re.compile(
    r"package|namespace|type|method|call|object|holder|closure|member|name|label|scope|body|end"
    r"|clause|doc|apart"
    r"|h[1-6]|anchor|markup|frame|codeblock|table|inset|part|embedded|content|ending|expression|component"
    r"|calls|inherits|implements|uses|mentions|exported|exports|extends|owner|accesses|attributes|argument_label"
    r"|tokens|visible|visible_tokens|symbol|key|shorthand|wildcard|implicit|locals|local_scope|member_scope|statement"
    r"|macro|expands|imports|module|alias|receiver|binds"
    r"|bound|constructed|made|unnamed|variant|base|fields|overrides|unpacked|parameter|returns|visibility|_.*"
)

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

_SETTING_AFTER_CONDITION = re.compile(r"\(#(?!set!)[^()]*\)\s*\(#set!")


@cache
def load_language(name: str, package: str | None = None) -> Language:
    """The grammar of a language, from its own package or from the language pack.

    Raises UserError for a name that the pack does not have, and for a package that is not installed
    or has no such grammar.
    """
    if package:
        return _load_own(name, package)
    from tree_sitter_language_pack import get_language

    try:
        return get_language(name)  # type: ignore[arg-type]  # its names are a Literal type
    except LookupError as exc:
        raise UserError(
            f"There is no grammar named '{name}'.", "Use a name of tree-sitter-language-pack 0.13."
        ) from exc


def _load_own(name: str, package: str) -> Language:
    try:
        module = import_module(package.replace("-", "_"))
    except ImportError as exc:
        raise UserError(
            f"The grammar of '{name}' cannot be loaded: {exc}.", f"Install {package}."
        ) from exc
    # a package with several grammars names each one
    load = getattr(module, f"language_{name}", None) or getattr(module, "language", None)
    if load is None:
        raise UserError(f"{package} has no grammar of '{name}'.", "Name another package.")
    return Language(load())


def capture_names(query: Query) -> set[str]:
    """The names of all captures in a query."""
    return {query.capture_name(index) for index in range(query.capture_count)}


def unknown_captures(names: set[str]) -> list[str]:
    """The names that no capture has, sorted; a name that begins with `_` may be any."""
    return sorted(name for name in names if not _KNOWN_CAPTURE.fullmatch(name))


def has_late_setting(query: str) -> bool:
    """True for a `#set!` behind a predicate: py-tree-sitter 0.26 then writes out of bounds."""
    return bool(_SETTING_AFTER_CONDITION.search(_STRING.sub('""', query)))
