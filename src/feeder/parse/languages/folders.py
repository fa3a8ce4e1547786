"""Reads the folders of languages and compiles them into the sections of `grammar_queries.json`."""

import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from feeder.errors import UserError, os_reason
from feeder.parse.grammar_schema import (
    HIDDEN_ROLES,
    HIDDEN_SCHEMA,
    LANGUAGE_SCHEMA,
    PATTERNS_SCHEMA,
    Schema,
    schema_errors,
)
from feeder.parse.languages.pattern_source import PatternError, compact_pattern
from feeder.parse.languages.query_source import (
    CATEGORIES,
    CORRECT_IT,
    GUIDE,
    Pattern,
    read_patterns,
)
from feeder.parse.languages.unchecked import without_checks

Settings = dict[str, Any]
"""The sections of `grammar_queries.json`, or some of them."""

QUERY_FILES = ("nodes.scm", "relations.scm")

EXTENSION_SECTIONS = ("code_extensions", "noncode_ts_grammar", "text_extensions")

_SECTION_OF_KIND = {"code": "code_extensions", "document": "noncode_ts_grammar"}


class Example(NamedTuple):
    """A text with what a grammar cannot read, and the text that the grammar is given instead."""

    before: str
    after: str


@dataclass
class Language:
    """The queries and patterns of a language."""

    name: str
    queries: dict[str, list[str]] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    hidden: dict[str, str] = field(default_factory=dict)
    document: dict[str, Any] = field(default_factory=dict)
    traits: dict[str, Any] = field(default_factory=dict)


class LanguageFolder:
    """A folder that describes the language of its name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().name
        self.config = read_toml(path / "language.toml", LANGUAGE_SCHEMA)

    def read_queries(self) -> Iterator[Pattern]:
        """Yields the patterns of the query files."""
        for name in QUERY_FILES:
            if (path := self.path / name).is_file():
                yield from read_patterns(path)

    @property
    def package(self) -> str | None:
        """The package with the grammar; None for the language pack, or for a shipped language's."""
        package: str | None = self.config.get("package")
        return package

    @cached_property
    def _hidden(self) -> Settings:
        path = self.path / "hidden.toml"
        return read_toml(path, HIDDEN_SCHEMA) if path.is_file() else {}

    def hidden_patterns(self) -> dict[str, str]:
        """The patterns of `hidden.toml`, by their roles."""
        fragments = self._hidden.get("fragments", {})
        return {
            role: _compact(self.path / "hidden.toml", role, self._hidden[role], fragments)
            for role in HIDDEN_ROLES
            if role in self._hidden
        }

    def hidden_examples(self) -> Iterator[tuple[str, Example]]:
        """Yields the examples of `hidden.toml` with their roles; fragments have the first role."""
        tables = {
            role: [self._hidden[role]]
            for role in ("noise", "unknown", "conditionals")
            if role in self._hidden
        }
        next(iter(tables.values()), []).extend(self._hidden.get("fragments", {}).values())
        for role, holders in tables.items():
            for holder in holders:
                for example in holder.get("examples", ()):
                    yield role, Example(*example)

    def patterns(self) -> list[str]:
        """The patterns of `patterns.toml`, which find declarations."""
        path = self.path / "patterns.toml"
        if not path.is_file():
            return []
        config = read_toml(path, PATTERNS_SCHEMA)
        fragments = config.get("fragments", {})
        return [
            _compact(path, f"patterns[{index}]", entry, fragments)
            for index, entry in enumerate(config["patterns"])
        ]

    def content_patterns(self) -> Iterator[tuple[str, int, str]]:
        """Yields the extension, the order and the pattern of each rule about a file's content."""
        path, fragments = self.path / "language.toml", self.config.get("fragments", {})
        for index, rule in enumerate(self.config.get("content", ())):
            pattern = _compact(path, f"content[{index}]", rule, fragments)
            for extension in rule["extensions"]:
                yield _key(extension), rule.get("order", 0), pattern

    def own(self) -> Language:
        """The language without what it inherits."""
        queries: dict[str, list[str]] = {}
        unchecked = self.config.get("unchecked", ())
        for pattern in self.read_queries():
            quick = pattern._replace(words=without_checks(pattern.words, unchecked))
            _add_query(queries.setdefault(pattern.category, []), quick)
        return Language(
            self.name,
            queries,
            self.patterns(),
            self.hidden_patterns(),
            self.config.get("document", {}),
            self.config.get("traits", {}),
        )


def find_folders(root: Path) -> list[LanguageFolder]:
    """The folders of languages in a folder, or the folder itself; raises UserError without any."""
    if (root / "language.toml").is_file():
        return [LanguageFolder(root)]
    paths = sorted(path.parent for path in root.glob("*/language.toml"))
    if not paths:
        raise UserError(
            f"The folder {root} is not a language folder: it has no language.toml.",
            f"Its format is described in {GUIDE}.",
        )
    return list(map(LanguageFolder, paths))


def compile_folders(folders: Sequence[LanguageFolder], shipped: Settings) -> Settings:
    """The sections of `grammar_queries.json` of these languages.

    A language may inherit one of `shipped`. Raises UserError for what is wrong in a folder.
    """
    settings: Settings = {
        **{section: {} for section in EXTENSION_SECTIONS},
        "content_patterns": _content_patterns(folders),
    }
    for folder in folders:
        _add_extensions(settings, folder)
    own = {folder.name: folder for folder in folders}
    languages = [_with_inherited(folder, own, shipped) for folder in folders]
    settings["packages"] = {folder.name: folder.package for folder in folders if folder.package}
    settings["patterns"] = {
        language.name: language.patterns for language in languages if language.patterns
    }
    settings["hidden_text"] = {
        language.name: language.hidden for language in languages if language.hidden
    }
    settings["document_nodes"] = {
        language.name: language.document for language in languages if language.document
    }
    settings["traits"] = {
        language.name: language.traits for language in languages if language.traits
    }
    settings["grammar_queries"] = {
        category: {
            language.name: language.queries[category]
            for language in languages
            if category in language.queries
        }
        for category in CATEGORIES
    }
    return settings


def replace_languages(shipped: Settings, compiled: Settings, names: Container[str]) -> Settings:
    """The shipped settings with the languages of these names, and extensions, from `compiled`."""

    def without_names(languages: Settings) -> Settings:
        return {name: value for name, value in languages.items() if name not in names}

    taken = {extension for section in EXTENSION_SECTIONS for extension in compiled[section]}
    merged: Settings = {}
    for section in EXTENSION_SECTIONS:
        others = {key: name for key, name in shipped[section].items() if key not in taken}
        merged[section] = others | compiled[section]
    rules = compiled["content_patterns"]
    merged["content_patterns"] = rules | {
        extension: rules.get(extension, [])
        + [rule for rule in shipped_rules if rule["language"] not in names]
        for extension, shipped_rules in shipped["content_patterns"].items()
    }
    merged["packages"] = shipped["packages"] | compiled["packages"]
    for section in ("patterns", "hidden_text", "document_nodes", "traits"):
        merged[section] = without_names(shipped[section]) | compiled[section]
    merged["grammar_queries"] = {
        category: without_names(shipped["grammar_queries"].get(category, {}))
        | compiled["grammar_queries"][category]
        for category in CATEGORIES
    }
    return merged


def _add_extensions(settings: Settings, folder: LanguageFolder) -> None:
    section = _SECTION_OF_KIND[folder.config.get("kind", "code")]
    for key, extensions in ((section, "extensions"), ("text_extensions", "text_extensions")):
        for extension in folder.config.get(extensions, ()):
            add_extension(settings, key, extension, folder.name, folder.path / "language.toml")


def add_extension(settings: Settings, section: str, extension: str, name: str, path: Path) -> None:
    """Adds the language of an extension; raises UserError if it has one already."""
    key = _key(extension)
    for other in EXTENSION_SECTIONS:
        if key in settings[other]:
            raise UserError(
                f"{path}: the extension '{key}' already belongs to the language "
                f"'{settings[other][key]}'.",
                "Remove one of them.",
            )
    settings[section][key] = name


def _key(extension: str) -> str:
    return extension.lower().removeprefix(".")


def _content_patterns(folders: Sequence[LanguageFolder]) -> Settings:
    rules = [
        (extension, order, folder.name, pattern)
        for folder in folders
        for extension, order, pattern in folder.content_patterns()
    ]
    by_extension: dict[str, list[dict[str, str]]] = {}
    for extension, _, language, pattern in sorted(rules, key=lambda rule: rule[:2]):
        by_extension.setdefault(extension, []).append({"pattern": pattern, "language": language})
    return by_extension


def _with_inherited(
    folder: LanguageFolder,
    own: Mapping[str, LanguageFolder],
    shipped: Settings,
    heirs: tuple[str, ...] = (),
) -> Language:
    """The language of a folder, its own queries and patterns behind those that it inherits."""
    language = folder.own()
    base_name = folder.config.get("inherits")
    if base_name is None:
        return language
    if base_name in heirs:
        raise UserError(
            f"{folder.path / 'language.toml'}: '{folder.name}' inherits from itself.",
            "Remove 'inherits'.",
        )
    if base_name in own and base_name != folder.name:
        base = _with_inherited(own[base_name], own, shipped, (*heirs, folder.name))
    else:
        base = _shipped_language(base_name, shipped)
        if base == Language(base_name):
            raise UserError(
                f"{folder.path / 'language.toml'}: there is no language '{base_name}' to inherit.",
                "Name a shipped language, or a folder beside this one.",
            )
    for category, queries in base.queries.items():
        language.queries[category] = queries + language.queries.get(category, [])
    language.patterns = base.patterns + language.patterns
    language.hidden = base.hidden | language.hidden
    language.document = base.document | language.document
    language.traits = base.traits | language.traits
    return language


def _shipped_language(name: str, shipped: Settings) -> Language:
    sections = ("patterns", "hidden_text", "document_nodes", "traits")
    patterns, hidden, document, traits = (
        shipped.get(section, {}).get(name) for section in sections
    )
    queries = {
        category: languages[name]
        for category, languages in shipped.get("grammar_queries", {}).items()
        if name in languages
    }
    return Language(name, queries, patterns or [], hidden or {}, document or {}, traits or {})


def _add_query(queries: list[str], pattern: Pattern) -> None:
    if pattern.text in queries:
        raise UserError(
            f"{pattern.path}:{pattern.words[0].line}: this pattern occurs twice in the file.",
            "Remove one of them.",
        )
    queries.append(pattern.text)


def _compact(
    path: Path, place: str, entry: Mapping[str, str], fragments: Mapping[str, Mapping[str, str]]
) -> str:
    """The pattern of a TOML table, compacted; raises UserError for one that is none."""
    sources = {name: fragment["pattern"] for name, fragment in fragments.items()}
    try:
        pattern = compact_pattern(entry["pattern"], sources)
        re.compile(pattern.encode(), re.MULTILINE)
    except (PatternError, re.error, OverflowError, RecursionError) as exc:
        raise UserError(
            f"{path}: {place}.pattern is not a valid regular expression: {exc}.",
            f"How patterns are written is described in {GUIDE}.",
        ) from exc
    return pattern


def read_toml(path: Path, schema: Schema) -> Settings:
    if not path.exists():
        raise UserError(
            f"There is no {path.name} in {path.parent}.",
            f"Pass the folder of one language, as described in {GUIDE}.",
        )
    try:
        config = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as exc:
        raise UserError(
            f"{path} cannot be read: {os_reason(exc)}.",
            CORRECT_IT,
        ) from exc
    for error in schema_errors(config, schema):
        raise UserError(f"{path}: {error}.", CORRECT_IT)
    return config
