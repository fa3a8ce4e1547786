"""Checks a user's grammar file against the form that docs/reference/languages.md describes."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, get_args

Leaf = Callable[[object], str | None]
"""Says what a value has to be, and None of one that is."""


class Items(NamedTuple):
    """A list."""

    form: "Form"


class Each(NamedTuple):
    """An object whose keys are the user's."""

    key: Leaf
    form: "Form"


class Fields(NamedTuple):
    """An object whose keys are given."""

    forms: Mapping[str, "Form"]
    required: frozenset[str] = frozenset()


Form = Leaf | Items | Each | Fields


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else "a string"


def _flag(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _language(value: object) -> str | None:
    from tree_sitter_language_pack import SupportedLanguage

    if value in get_args(SupportedLanguage):
        return None
    return f"the name of a grammar in tree-sitter-language-pack 0.13, not {value!r:.40}"


def _pattern(value: object) -> str | None:
    if not isinstance(value, str):
        return "a string"
    try:
        re.compile(value.encode())
    except (re.error, OverflowError, RecursionError) as exc:
        return f"a regular expression ({exc})"
    return None


_TYPES = Each(_text, _text)
_NAMES = Items(_text)

GRAMMAR_FILE = Fields(
    {
        "code_extensions": Each(_text, _language),
        "noncode_ts_grammar": Each(_text, _language),
        "text_extensions": Each(_text, _text),
        "content_patterns": Each(
            _text,
            Items(
                Fields(
                    {"pattern": _pattern, "language": _language},
                    frozenset({"pattern", "language"}),
                )
            ),
        ),
        "patterns": Each(_language, Items(_pattern)),
        "hidden_text": Each(_language, Fields({"noise": _pattern, "conditionals": _pattern})),
        "document_nodes": Each(
            _language,
            Fields(
                {
                    "root": _text,
                    "document": _text,
                    "entries": _TYPES,
                    "values": _TYPES,
                    "items": _TYPES,
                    "names": _NAMES,
                    "numbered": _NAMES,
                    "prose": _NAMES,
                    "dotted": _flag,
                    "xpath": _flag,
                },
                frozenset({"root", "entries"}),
            ),
        ),
        "grammar_queries": Each(_text, Each(_language, Items(_text))),
    }
)


def misfits(value: Any, form: Form = GRAMMAR_FILE, at: str = "") -> Iterator[str]:
    """What is wrong with a grammar file, in order: `grammar_queries.Method.lua must be a list`."""
    if isinstance(form, Items):
        yield from _of_list(value, form, at)
    elif isinstance(form, Each | Fields):
        yield from _of_object(value, form, at)
    elif must_be := form(value):
        yield f"{at} must be {must_be}"


def _of_list(value: Any, form: Items, at: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{at} must be a list"
        return
    for index, item in enumerate(value):
        yield from misfits(item, form.form, f"{at}[{index}]")


def _of_object(value: Any, form: Each | Fields, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at} must be an object"
    elif isinstance(form, Each):
        for key, inner in value.items():
            if must_be := form.key(key):
                yield f"a key of {at} must be {must_be}"
            yield from misfits(inner, form.form, _below(at, key))
    else:
        for key in sorted(form.required - value.keys()):
            yield f"{_below(at, key)} must be given"
        for key, inner in value.items():
            if key in form.forms:
                yield from misfits(inner, form.forms[key], _below(at, key))
            else:
                yield f"{_below(at, key)} must be one of {', '.join(form.forms)}"


def _below(at: str, key: str) -> str:
    name = key if re.fullmatch(r"[\w+-]+", key) else repr(key)
    return f"{at}.{name}" if at else name
