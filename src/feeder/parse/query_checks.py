"""Loads the grammar of a language, and checks queries before they are run."""

import re
from functools import cache

from tree_sitter import Language, Query

from feeder.errors import UserError

_KNOWN_CAPTURE = re.compile(
    r"package|namespace|type|method|call|object|holder|closure|member|name|label|scope|body|end"
    r"|clause|doc|apart"
    r"|h[1-6]|anchor|markup|frame|codeblock|table|inset|part|embedded|content|ending|expression|component"
    r"|calls|inherits|implements|uses|mentions|exported|exports|extends|owner|accesses|attributes|argument_label"
    r"|tokens|visible|visible_tokens|symbol|key|wildcard|implicit|locals|local_scope|statement|macro|expands|imports|module|alias|receiver|binds"
    r"|bound|constructed|made|unnamed|variant|base|fields|parameter|returns|visibility|_.*"
)

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

_SETTING_AFTER_CONDITION = re.compile(r"\(#(?!set!)[^()]*\)\s*\(#set!")


@cache
def load_language(name: str) -> Language:
    """The grammar of a language; raises UserError for a name that no package ships."""
    if name == "markdown":
        # the language pack's markdown grammar crashes the process on 255 quote marks in a row
        import tree_sitter_markdown

        return Language(tree_sitter_markdown.language())
    from tree_sitter_language_pack import get_language

    try:
        return get_language(name)  # type: ignore[arg-type]  # its names are a Literal type
    except LookupError as exc:
        raise UserError(
            f"There is no grammar named '{name}'.", "Use a name of tree-sitter-language-pack 0.13."
        ) from exc


def capture_names(query: Query) -> set[str]:
    """The names of all captures in a query."""
    return {query.capture_name(index) for index in range(query.capture_count)}


def unknown_captures(names: set[str]) -> list[str]:
    """The names that no capture has, sorted; a name that begins with `_` may be any."""
    return sorted(name for name in names if not _KNOWN_CAPTURE.fullmatch(name))


def has_late_setting(query: str) -> bool:
    """True for a `#set!` behind a predicate: py-tree-sitter 0.26 then writes out of bounds."""
    return bool(_SETTING_AFTER_CONDITION.search(_STRING.sub('""', query)))
