"""Loads `grammar_queries.json`: the language of each file name, and the compiled grammar and
queries of each language.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from tree_sitter import Language, Parser, Query, QueryError

from feeder.errors import UserError
from feeder.nodes import HEADER_VERSION
from feeder.parse.grammar_schema import schema_errors

CONTENT_PATTERN_BYTES = 65_536
"""How much of a file is looked at where its ending leaves the language open."""


PARSER_VERSION = "6"
"""Counted up when the same file gives other nodes than before."""


_KEYED_BY_EXTENSION = (
    "code_extensions",
    "noncode_ts_grammar",
    "text_extensions",
    "content_patterns",
)


_KNOWN_CAPTURE = re.compile(
    r"package|namespace|type|method|call|object|holder|closure|member|name|scope|body|end|clause|doc|apart"
    r"|h[1-6]|anchor|markup|frame|codeblock|table|inset|part|embedded|content|ending|_.*"
)


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

_SETTING_AFTER_CONDITION = re.compile(r"\(#(?!set!)[^()]*\)\s*\(#set!")


_SEPARATE_CATEGORIES = frozenset({"Embedded", "Part"})
"""Categories whose queries are asked by themselves."""


class Grammar(NamedTuple):
    """A language's parser and its queries, compiled into one.

    `noise` is text that the grammar is never shown; `errors` finds what it could not read, and
    `conditionals` what it is then spared. `patterns` find what queries do not. `shape` is how a
    language of data is built, and empty for others. `embedded` finds the parts in another language,
    `parts` where a long text is cut.
    """

    parser: Parser
    query: Query
    error_query: Query
    noise: re.Pattern[bytes] | None
    conditionals: re.Pattern[bytes] | None
    patterns: tuple[re.Pattern[bytes], ...]
    data_shape: dict[str, Any]
    embedded_query: Query | None
    split_query: Query | None


class Grammars:
    """The languages of a `grammar_queries.json`; parsers and queries are made when first used."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._grammar = cache(self._compile)

    @property
    def fingerprint(self) -> str:
        """What shapes nodes and the hashes of their texts: versions, grammars and settings."""
        grammars = ("tree-sitter-language-pack", "tree-sitter-markdown")
        return " ".join((PARSER_VERSION, HEADER_VERSION, *map(version, grammars), self.digest))

    @property
    def digest(self) -> str:
        """A short hash of all settings: an index made with another one is made anew."""
        text = json.dumps(self._settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def detect_language(self, path: str, content: bytes) -> tuple[str, str]:
        """The language of a file and its kind: `code`, `document` or `text`.

        The whole name is looked up first, then the ending, which is empty for a name without a dot,
        then `name.*`, where `name` is what stands before the first dot.
        """
        name = path.rpartition("/")[2].lower()
        ending = name.rpartition(".")[2] if "." in name else ""
        keys = name, ending, f"{name.partition('.')[0]}.*"
        for key in keys:
            for rule in self._settings["content_patterns"].get(key, ()):
                if re.search(
                    rule["pattern"].encode(), content[:CONTENT_PATTERN_BYTES], re.MULTILINE
                ):
                    return rule["language"], "code"
            if language := self._settings["code_extensions"].get(key):
                return language, "code"
            if language := self._settings["noncode_ts_grammar"].get(key):
                return language, "document"
        known = self._settings["text_extensions"]
        return next((known[key] for key in keys if key in known), "text"), "text"

    @property
    def languages(self) -> list[str]:
        """Every language that is read by a grammar."""
        with_queries = {name for _, name, _ in self._queries()}
        others = self._settings["document_nodes"].keys() | self._settings["patterns"].keys()
        return sorted(with_queries | others)

    def grammar(self, language: str) -> Grammar:
        """The parser and query of a language; raises UserError where they cannot be made."""
        return self._grammar(language)

    def compile_all(self) -> None:
        """Compiles every query, so that a mistake is named before any file is read."""
        for language in self.languages:
            grammar = self.grammar(language)
            queries = filter(None, (grammar.query, grammar.embedded_query, grammar.split_query))
            captures = set().union(*map(capture_names, queries))
            captures.update(*(each.groupindex for each in grammar.patterns))
            if unknown := sorted(name for name in captures if not _KNOWN_CAPTURE.fullmatch(name)):
                raise UserError(
                    f"The queries of '{language}' capture @{unknown[0]}, which has no meaning. "
                    f"Take a capture of docs/reference/languages.md, or begin its name with _."
                )

    def _queries(self) -> Iterator[tuple[str, str, list[str]]]:
        for category, languages in self._settings["grammar_queries"].items():
            for language, queries in languages.items():
                yield category, language, queries

    def _compile(self, language: str) -> Grammar:
        known = load_language(language)
        own = [
            (c, query)
            for c, name, queries in self._queries()
            if name == language
            for query in queries
        ]
        _reject_late_settings(language, own)
        categories = {category for category, _ in own}
        try:
            query = Query(known, _join_queries(own, categories - _SEPARATE_CATEGORIES))
            embedded = (
                Query(known, _join_queries(own, {"Embedded"})) if "Embedded" in categories else None
            )
            parts = (
                Query(known, _join_queries(own, {"Part", "Doc"})) if "Part" in categories else None
            )
        except QueryError:
            _raise_query_error(known, language, own)
            raise
        errors = Query(known, "(ERROR) @error")
        shape = self._settings["document_nodes"].get(language, {})
        noise, conditionals = (
            self._hidden_pattern(language, kind) for kind in ("noise", "conditionals")
        )
        patterns = tuple(
            re.compile(pattern.encode(), re.MULTILINE)
            for pattern in self._settings["patterns"].get(language, ())
        )
        hidden = (noise, conditionals, patterns)
        return Grammar(Parser(known), query, errors, *hidden, shape, embedded, parts)

    def _hidden_pattern(self, language: str, kind: str) -> re.Pattern[bytes] | None:
        pattern = self._settings["hidden_text"].get(language, {}).get(kind)
        return re.compile(pattern.encode(), re.MULTILINE) if pattern else None


def capture_names(query: Query) -> set[str]:
    """What the patterns of a query capture."""
    return {query.capture_name(index) for index in range(query.capture_count)}


@cache
def load_language(name: str) -> Language:
    """A grammar by its name; raises UserError for one that is not shipped."""
    if name == "markdown":
        # the pack's own markdown crashes the process on 255 quote marks in a row
        import tree_sitter_markdown

        return Language(tree_sitter_markdown.language())
    from tree_sitter_language_pack import get_language

    try:
        return get_language(name)  # type: ignore[arg-type]  # its names are a Literal type
    except LookupError as exc:
        raise UserError(
            f"No grammar named '{name}' is shipped. Use a name of tree-sitter-language-pack 0.13."
        ) from exc


def load_grammars(user_file: Path | None = None) -> Grammars:
    """The shipped settings, with a user's own file merged over them.

    Raises UserError where that file is not of the form in `docs/reference/languages.md`.
    """
    settings = json.loads(files("feeder").joinpath("grammar_queries.json").read_text("utf-8"))
    if user_file:
        settings = _merge_settings(settings, _read_user_file(user_file))
        for misfit in schema_errors(settings):
            raise UserError(
                f"In the grammar file {user_file}, {misfit}. See docs/reference/languages.md."
            )
    return Grammars(settings)


def _read_user_file(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text("utf-8-sig"))
        json.dumps(settings, ensure_ascii=False).encode()  # \ud800 is JSON, but no text
    except (OSError, ValueError, RecursionError) as exc:
        raise UserError(
            f"The grammar file {path} cannot be read: {exc}. Give --grammar a JSON file."
        ) from exc
    if not isinstance(settings, dict):
        raise UserError(
            f"The grammar file {path} holds no JSON object. Start from grammar_queries.json."
        )
    for section in _KEYED_BY_EXTENSION:
        if isinstance(endings := settings.get(section), dict):
            settings[section] = {
                ending.lower().removeprefix("."): value for ending, value in endings.items()
            }
    return settings


def _merge_settings(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in override.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = _merge_settings(base[key], value) if both else value
    return merged


def _join_queries(queries: list[tuple[str, str]], categories: set[str]) -> str:
    return "\n".join(query for category, query in queries if category in categories)


def _reject_late_settings(language: str, queries: list[tuple[str, str]]) -> None:
    """Raises UserError where py-tree-sitter 0.26 would write beyond the memory of its settings."""
    for category, query in queries:
        if _SETTING_AFTER_CONDITION.search(_STRING.sub('""', query)):
            raise UserError(
                f"In the {category} query of '{language}' a condition stands before #set!. "
                f"Put #set! before the conditions of its pattern: {query}"
            )


def _raise_query_error(grammar: Language, language: str, queries: list[tuple[str, str]]) -> None:
    """Raises the UserError that says which of a language's queries does not compile, and where."""
    for category, query in queries:
        try:
            Query(grammar, query)
        except QueryError as exc:
            raise UserError(
                f"The {category} query of '{language}' does not compile: {exc}. "
                f"Mend it in the grammar file: {query}"
            ) from exc


QUERY_DEPTH = 1000
"""Levels of the tree that queries look into: matching a deeper tree takes minutes."""
