"""The languages of a `grammar_queries.json`: detection by file, compiled grammars and queries."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import Any, Literal, NamedTuple, Protocol

from tree_sitter import Language, Node, Parser, Query, QueryCursor, QueryError

from feeder.errors import UserError
from feeder.nodes import HEADER_VERSION
from feeder.package_versions import installed_version
from feeder.parse.grammar_schema import HIDDEN_ROLES
from feeder.parse.hidden_text import HiddenText
from feeder.parse.query_checks import (
    capture_names,
    has_late_setting,
    load_language,
    unknown_captures,
)

PARSER_VERSION = "16"
"""Incremented when the same file yields other nodes than before."""

CONTENT_PATTERN_BYTES = 65_536
"""Bytes of a file that `content_patterns` search when its extension has several languages."""

QUERY_DEPTH = 1000
"""Levels of the syntax tree in which a match may start: deeper trees take minutes."""

_SEPARATE_CATEGORIES = frozenset({"Embedded", "Part"})
"""Categories whose queries are compiled and run on their own."""

_DETAIL_CATEGORIES = frozenset({"Relation", "Member", "Doc"})
"""Categories whose queries find no declarations, but nearly all matches."""


class Capture(Protocol):
    """A captured range of a file: a syntax node, or a group of a regular expression."""

    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    def child_by_field_name(self, name: str, /) -> Node | None: ...


Captures = Mapping[str, Sequence[Capture]]
"""One match of a query or a pattern, by the names of its captures or groups."""


Matches = list[tuple[int, dict[str, list[Node]]]]
"""The matches of a query, each with the index of its pattern."""


class Grammar(NamedTuple):
    """A language's parser and its compiled queries.

    `query` joins the queries of all categories but those of `embedded_query`, which finds regions
    in other languages, and `split_query`, which finds split points. `declaration_query` returns
    the part of `query` that finds declarations, compiled when first needed. `noise` is blanked
    before the text is parsed, `unknown` if there are syntax errors, `conditionals` only if many.
    `lines` captures what a line declares that the grammar cannot read.
    `patterns` capture declarations that queries cannot. `data_shape` are the arguments of
    `entries.Shape`, empty unless the language is a data format.
    """

    parser: Parser
    query: Query
    noise: HiddenText | None
    unknown: HiddenText | None
    conditionals: re.Pattern[bytes] | None
    lines: re.Pattern[bytes] | None
    patterns: tuple[re.Pattern[bytes], ...]
    data_shape: dict[str, Any]
    embedded_query: Query | None
    split_query: Query | None
    declaration_query: Callable[[], Query]


class Grammars:
    """The languages of a `grammar_queries.json`; each grammar is compiled when first used."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._grammar = cache(self._compile)
        self._content_rules = cache(self._compile_content_rules)

    @property
    def fingerprint(self) -> str:
        """Identifies what shapes nodes: the versions of parser and grammars, and the settings."""
        packages = ("tree-sitter-language-pack", *sorted({*self._settings["packages"].values()}))
        versions = filter(None, map(installed_version, packages))
        return " ".join((PARSER_VERSION, HEADER_VERSION, *versions, self.digest))

    @cached_property
    def digest(self) -> str:
        """The first 16 hex digits of the SHA-256 of all settings but traits.

        No trait shapes a node but visibility, whose change raises `PARSER_VERSION`.
        """
        settings = {key: value for key, value in self._settings.items() if key != "traits"}
        text = json.dumps(settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def detect_language(self, path: str, content: bytes) -> tuple[str, str]:
        """The language of a file and its kind: `code`, `document` or `text`.

        Looks up the file name, then its extension (empty without a dot), then `stem.*`, where
        `stem` is the name up to its first dot.
        """
        name = path.rpartition("/")[2].lower()
        extension = name.rpartition(".")[2] if "." in name else ""
        keys = name, extension, f"{name.partition('.')[0]}.*"
        for key in keys:
            if key in self._settings["content_patterns"]:
                for pattern, language in self._content_rules(key):
                    if pattern.search(content, 0, CONTENT_PATTERN_BYTES):
                        return language, "code"
            if language := self._settings["code_extensions"].get(key):
                return language, "code"
            if language := self._settings["noncode_ts_grammar"].get(key):
                return language, "document"
        text_languages = self._settings["text_extensions"]
        return next((text_languages[key] for key in keys if key in text_languages), "text"), "text"

    @property
    def languages(self) -> list[str]:
        """Every language that has a grammar, sorted."""
        with_queries = {name for _, name, _ in self._queries()}
        others = self._settings["document_nodes"].keys() | self._settings["patterns"].keys()
        return sorted(with_queries | others)

    def grammar(self, language: str) -> Grammar:
        """The compiled grammar of a language; raises UserError for one that does not compile."""
        return self._grammar(language)

    def compile_all(self) -> None:
        """Compiles every query; raises UserError for an invalid one or an unknown capture."""
        for language in self.languages:
            grammar = self.grammar(language)
            queries = filter(None, (grammar.query, grammar.embedded_query, grammar.split_query))
            captures = set().union(*map(capture_names, queries))
            captures.update(*(pattern.groupindex for pattern in grammar.patterns))
            if unknown := unknown_captures(captures):
                raise UserError(
                    f"The queries of '{language}' use the unknown capture @{unknown[0]}.",
                    "Use a capture listed in languages/README.md of feeder's repository, or start "
                    "its name with _.",
                )

    def _compile_content_rules(self, extension: str) -> list[tuple[re.Pattern[bytes], str]]:
        return [
            (_compile_pattern(rule["pattern"]), rule["language"])
            for rule in self._settings["content_patterns"][extension]
        ]

    def _queries(self) -> Iterator[tuple[str, str, list[str]]]:
        for category, languages in self._settings["grammar_queries"].items():
            for language, queries in languages.items():
                yield category, language, queries

    def _compile(self, language: str) -> Grammar:
        grammar = load_language(language, self._settings["packages"].get(language))
        queries = [
            (category, query)
            for category, name, category_queries in self._queries()
            if name == language
            for query in category_queries
        ]
        _reject_late_settings(language, queries)
        categories = {category for category, _ in queries}

        def compile_categories(*selected: str) -> Query:
            return Query(grammar, "\n".join(query for name, query in queries if name in selected))

        joined = categories - _SEPARATE_CATEGORIES
        try:
            query = compile_categories(*joined)
            embedded_query = compile_categories("Embedded") if "Embedded" in categories else None
            split_query = compile_categories("Part", "Doc") if "Part" in categories else None
        except QueryError:
            _raise_query_error(grammar, language, queries)
            raise
        hidden_text = self._settings["hidden_text"].get(language, {})
        noise, unknown, conditionals, lines = map(hidden_text.get, HIDDEN_ROLES)
        return Grammar(
            Parser(grammar),
            query,
            HiddenText(noise) if noise else None,
            HiddenText(unknown) if unknown else None,
            _compile_pattern(conditionals) if conditionals else None,
            _compile_pattern(lines) if lines else None,
            tuple(map(_compile_pattern, self._settings["patterns"].get(language, ()))),
            self._settings["document_nodes"].get(language, {}),
            embedded_query,
            split_query,
            cache(partial(compile_categories, *(joined - _DETAIL_CATEGORIES))),
        )


def query_cursor(query: Query) -> QueryCursor:
    """A cursor that matches no deeper than `QUERY_DEPTH`."""
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    return cursor


def query_matches(query: Query, root: Node) -> Matches:
    """The matches of a query, each with the index of its pattern."""
    return query_cursor(query).matches(root, _fulfils_predicate)


def _fulfils_predicate(
    predicate: str,
    args: list[tuple[str, Literal["capture", "string"]]],
    pattern_index: int,
    captures: dict[str, list[Node]],
) -> bool:
    """Evaluates `#has-parent?`, and empties `captures`; unknown predicates are always true.

    `(#has-parent? @method "program" "class body_statement")` is true for a node in a `program`, or
    in a `body_statement` in a `class`. tree-sitter takes milliseconds to compile a pattern with
    several levels, so one pattern with this predicate replaces a copy for each parent.
    """
    try:
        if predicate != "has-parent?":
            return True
        (name, _), *parents = args
        return name in captures and any(
            _is_within(captures[name][0], types.split()) for types, _ in parents
        )
    finally:
        # py-tree-sitter 0.26 never frees this dict, and each node in it keeps its whole tree
        captures.clear()


def _is_within(node: Node, types: list[str]) -> bool:
    """True if the types are those of the node's parents, the innermost last."""
    parent: Node | None = node
    for type_ in reversed(types):
        parent = parent and parent.parent
        if parent is None or parent.type != type_:
            return False
    return True


def _compile_pattern(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode(), re.MULTILINE)


def _reject_late_settings(language: str, queries: list[tuple[str, str]]) -> None:
    for category, query in queries:
        if has_late_setting(query):
            raise UserError(
                f"The {category} query of '{language}' has #set! after a predicate.",
                f"Move #set! before the predicates of its pattern: {query}",
            )


def _raise_query_error(grammar: Language, language: str, queries: list[tuple[str, str]]) -> None:
    """Raises UserError for the first query that does not compile, with the error's position."""
    for category, query in queries:
        try:
            Query(grammar, query)
        except QueryError as exc:
            raise UserError(
                f"The {category} query of '{language}' does not compile: {exc}.",
                f"Correct it in the grammar file: {query}",
            ) from exc
