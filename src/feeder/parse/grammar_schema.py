"""Schemas of `grammar_queries.json` and of the files in a language's folder, and their validation
with a path for each error.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, get_args

from feeder.traits import Traits, Visibility

Check = Callable[[object], str | None]
"""Returns what a value must be, such as `a string`; None for a valid one."""


class ListOf(NamedTuple):
    """A list whose items match a schema."""

    item: "Schema"


class MapOf(NamedTuple):
    """An object with any keys that pass a check, whose values match one schema."""

    key_check: Check
    value: "Schema"


class ObjectOf(NamedTuple):
    """An object with fixed keys, each with its own schema."""

    fields: Mapping[str, "Schema"]
    required: frozenset[str] = frozenset()


Schema = Check | ListOf | MapOf | ObjectOf


def _check_string(value: object) -> str | None:
    return None if isinstance(value, str) else "a string"


def _check_boolean(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _check_language(value: object) -> str | None:
    from tree_sitter_language_pack import SupportedLanguage

    if value in get_args(SupportedLanguage):
        return None
    return f"the name of a grammar in tree-sitter-language-pack 0.13, not {value!r:.40}"


def _check_package(value: object) -> str | None:
    if isinstance(value, str) and re.fullmatch(r"tree-sitter-[a-z-]+", value):
        return None
    return "the name of a package that begins with tree-sitter-"


def _check_regex(value: object) -> str | None:
    if not isinstance(value, str):
        return "a string"
    try:
        re.compile(value.encode())
    except (re.error, OverflowError, RecursionError) as exc:
        return f"a regular expression ({exc})"
    return None


def _check_integer(value: object) -> str | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else "a whole number"


def _check_kind(value: object) -> str | None:
    return None if value in {"code", "document"} else '"code" or "document"'


def _check_category(value: object) -> str | None:
    return None if value in {"docs", "config"} else '"docs" or "config"'


def _check_imports(value: object) -> str | None:
    forms = ("paths", "modules", "folders", "crates", "symbols")
    return None if value in forms else f"one of {', '.join(forms)}"


def _check_package_scope(value: object) -> str | None:
    return None if value in {"package", "folder"} else '"package" or "folder"'


def _check_visibility(value: object) -> str | None:
    words = ("public", "internal", "private")
    return None if value in words else f"one of {', '.join(words)}"


def _check_sections(value: object) -> str | None:
    return None if value in {"colon", "line"} else '"colon" or "line"'


def _check_example(value: object) -> str | None:
    if isinstance(value, list) and list(map(type, value)) == [str, str]:
        return None
    return "two strings: a text, and what becomes of it"


HIDDEN_ROLES = ("noise", "unknown", "conditionals", "lines")
"""The patterns of `hidden.toml`: what is hidden, and what a line declares."""

_STRING_MAP = MapOf(_check_string, _check_string)
_STRING_LIST = ListOf(_check_string)

_DOCUMENT_SCHEMA = ObjectOf(
    {
        "root": _check_string,
        "document": _check_string,
        "entries": _STRING_MAP,
        "values": _STRING_MAP,
        "items": _STRING_MAP,
        "names": _STRING_LIST,
        "numbered": _STRING_LIST,
        "prose": _STRING_LIST,
        "dotted": _check_boolean,
        "xpath": _check_boolean,
    },
    frozenset({"root", "entries"}),
)


def _fields_of(defaults: Mapping[str, object], special: Mapping[str, Schema]) -> ObjectOf:
    """The schema of fields by the types of their defaults, but for those with a schema given."""
    by_type: Mapping[type, Schema] = {bool: _check_boolean, str: _check_string, tuple: _STRING_LIST}
    return ObjectOf(
        {name: special.get(name) or by_type[type(value)] for name, value in defaults.items()}
    )


_VISIBILITY_SCHEMA = _fields_of(
    Visibility._field_defaults,
    {
        "outside": _check_visibility,
        "member": _check_visibility,
        "public_types": _check_regex,
        "sections": _check_sections,
    },
)

TRAITS_SCHEMA = _fields_of(
    {name: value for name, value in Traits._field_defaults.items() if name != "has_relations"},
    {
        "imports": _check_imports,
        "package_scope": _check_package_scope,
        **dict.fromkeys(("open_enums", "global_names", "defining_calls"), _check_regex),
        "syntax_calls": MapOf(_check_string, _check_regex),
        "visibility": _VISIBILITY_SCHEMA,
    },
)
"""The form of `[traits]` in `language.toml`."""

GRAMMAR_FILE_SCHEMA = ObjectOf(
    {
        "code_extensions": MapOf(_check_string, _check_language),
        "noncode_ts_grammar": MapOf(_check_string, _check_language),
        "text_extensions": MapOf(_check_string, _check_string),
        "content_patterns": MapOf(
            _check_string,
            ListOf(
                ObjectOf(
                    {"pattern": _check_regex, "language": _check_language},
                    frozenset({"pattern", "language"}),
                )
            ),
        ),
        "packages": MapOf(_check_language, _check_package),
        "patterns": MapOf(_check_language, ListOf(_check_regex)),
        "hidden_text": MapOf(_check_language, ObjectOf(dict.fromkeys(HIDDEN_ROLES, _check_regex))),
        "document_nodes": MapOf(_check_language, _DOCUMENT_SCHEMA),
        "traits": MapOf(_check_language, TRAITS_SCHEMA),
        "grammar_queries": MapOf(_check_string, MapOf(_check_language, ListOf(_check_string))),
    }
)


_SOURCE_PATTERN = ObjectOf(
    {"pattern": _check_string, "examples": ListOf(_check_example)}, frozenset({"pattern"})
)

_FRAGMENTS = MapOf(_check_string, _SOURCE_PATTERN)

LANGUAGE_SCHEMA = ObjectOf(
    {
        "inherits": _check_language,
        "package": _check_package,
        "kind": _check_kind,
        "extensions": _STRING_LIST,
        "text_extensions": _STRING_LIST,
        "aliases": _STRING_LIST,
        "category": _check_category,
        "unchecked": _STRING_LIST,
        "content": ListOf(
            ObjectOf(
                {"extensions": _STRING_LIST, "pattern": _check_string, "order": _check_integer},
                frozenset({"extensions", "pattern"}),
            )
        ),
        "fragments": _FRAGMENTS,
        "document": _DOCUMENT_SCHEMA,
        "traits": TRAITS_SCHEMA,
    }
)
"""The form of `language.toml`."""

HIDDEN_SCHEMA = ObjectOf({**dict.fromkeys(HIDDEN_ROLES, _SOURCE_PATTERN), "fragments": _FRAGMENTS})
"""The form of `hidden.toml`."""

PATTERNS_SCHEMA = ObjectOf(
    {"patterns": ListOf(_SOURCE_PATTERN), "fragments": _FRAGMENTS}, frozenset({"patterns"})
)
"""The form of `patterns.toml`."""

OTHERS_SCHEMA = MapOf(
    _check_string,
    ObjectOf({"extensions": _STRING_LIST, "aliases": _STRING_LIST, "category": _check_category}),
)
"""The form of `languages/others.toml`, by the name of a language."""

NODE_TYPES_SCHEMA = MapOf(_check_string, _STRING_LIST)
"""The form of `languages/node_types.toml`: other names of each node type."""


def schema_errors(
    value: Any, schema: Schema = GRAMMAR_FILE_SCHEMA, path: str = ""
) -> Iterator[str]:
    """Yields the errors of a grammar file: `grammar_queries.Method.lua must be a list`."""
    if isinstance(schema, ListOf):
        yield from _list_errors(value, schema, path)
    elif isinstance(schema, MapOf | ObjectOf):
        yield from _object_errors(value, schema, path)
    elif must_be := schema(value):
        yield f"{path} must be {must_be}"


def _list_errors(value: Any, schema: ListOf, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{path} must be a list"
        return
    for index, item in enumerate(value):
        if (first := value.index(item)) < index:
            yield f"{path}[{index}] must differ from {path}[{first}]"
        yield from schema_errors(item, schema.item, f"{path}[{index}]")


def _object_errors(value: Any, schema: MapOf | ObjectOf, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} must be an object"
    elif isinstance(schema, MapOf):
        for key, inner in value.items():
            if must_be := schema.key_check(key):
                yield f"a key of {path} must be {must_be}"
            yield from schema_errors(inner, schema.value, _child_path(path, key))
    else:
        for key in sorted(schema.required - value.keys()):
            yield f"{_child_path(path, key)} is missing"
        for key, inner in value.items():
            if key in schema.fields:
                yield from schema_errors(inner, schema.fields[key], _child_path(path, key))
            else:
                yield f"{_child_path(path, key)} is an unknown key; use {', '.join(schema.fields)}"


def _child_path(path: str, key: str) -> str:
    name = key if re.fullmatch(r"[\w+-]+", key) else repr(key)
    return f"{path}.{name}" if path else name
