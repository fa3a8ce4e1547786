"""Finds where a name is defined, also the name at a position in a file."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from feeder.errors import UserError
from feeder.nodes import MENTION
from feeder.search.index_status import Corpus
from feeder.search.query_plan import path_from_root
from feeder.search.references import ReferenceFinder, with_text
from feeder.search.resolution import FileFacts
from feeder.search.targets import resolve_target
from feeder.store.hits import Hit
from feeder.store.relations import RelatedNode, Relation, line_numbers

_WORD = re.compile(r"[\w$]+")
RUBY_WORD_PATTERN = re.compile(r"[\w$]+(?:[?!](?!=))?")
"""A name of Ruby, which may end with `?` or `!`."""


class FoundDefinition(NamedTuple):
    """A node that defines the name, `resolved` if the position cannot mean another one."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    node_type: str
    resolved: bool


class Definitions(NamedTuple):
    """The definitions of a name, the surest first; there are more if `at_least`."""

    name: str
    definitions: list[FoundDefinition]
    at_least: bool

    def as_json(self) -> dict[str, Any]:
        """The definitions for `--json`."""
        return {
            "target": {"name": self.name},
            "definitions": [one._asdict() for one in self.definitions],
            "total": len(self.definitions),
            "at_least": self.at_least,
        }


_POSITION = re.compile(r"(?P<path>.+):(?P<line>\d+):(?P<column>\d+)", re.DOTALL)


def find_definitions(corpus: Corpus, text: str, directory: str = "") -> Definitions:
    """The definitions of a name, or with `path:line:column` of the name that stands there."""
    position = _POSITION.fullmatch(text)
    if not position:
        return definitions_of_name(corpus, text)
    path = path_from_root(position["path"], corpus.base)
    line, column = int(position["line"]), int(position["column"])
    return definitions_at(corpus, path, line, column, directory)


def definitions_of_name(corpus: Corpus, name: str) -> Definitions:
    """The definitions of a name or qualified name; raises UserError if there is none."""
    finder = ReferenceFinder(corpus)
    matches = finder.named_definitions(name.rpartition("#")[2])
    if not matches:
        raise UserError(
            f"The index has no definition of {name}. Search for it: feeder search {name}"
        )
    is_only = len(matches) == 1 and not finder.is_cut
    ordered = sorted(matches, key=lambda one: (one[1].path, one[1].start_line))
    definitions = [found_definition(hit, resolved=is_only) for _, hit in ordered]
    return Definitions(name, definitions, finder.is_cut)


def definitions_at(
    corpus: Corpus, path: str, line: int, column: int, directory: str = ""
) -> Definitions:
    """The definitions of the name at a line and column of an indexed file, both from 1.

    Raises UserError if no name stands there, or the index has no definition of it.
    """
    target = resolve_target(corpus, f"{path}:{line}", directory)
    finder = ReferenceFinder(corpus)
    facts = finder.facts([target.path])[target.path]
    is_ruby = any(hit.language == "ruby" for hit in target.hits)
    pattern = RUBY_WORD_PATTERN if is_ruby else _WORD
    name = _word_at(corpus, target.path, line, column, pattern)
    matches = finder.named_definitions(name)
    if not matches and is_ruby:  # valid?1:2
        name = name.rstrip("?!")
        matches = finder.named_definitions(name)
    if not matches:
        raise UserError(f"The index has no definition of {name}.")
    relations = list(_relations_at(facts, name, line))
    results: list[tuple[bool | None, Hit]] = []
    for one, hit in matches:
        resolver = finder.resolver(one)
        states = [resolver.resolve(facts, node, relation, line) for node, relation in relations]
        is_declared_here = hit.path == target.path and hit.start_line <= line <= hit.end_line
        state = True if True in states or (not states and is_declared_here) else None
        results.append((state if state or False not in states else False, hit))
    sure = [hit for state, hit in results if state]
    possible = sure or [hit for state, hit in results if state is False] or [h for _, h in results]
    definitions = [found_definition(hit, resolved=bool(sure)) for hit in possible]
    return Definitions(name, definitions, not sure and finder.is_name_cut(name))


def found_definition(hit: Hit, *, resolved: bool) -> FoundDefinition:
    """The definition in a node."""
    return FoundDefinition(
        hit.path, hit.start_line, hit.end_line, hit.symbol or "", hit.node_type, resolved
    )


def _relations_at(facts: FileFacts, name: str, line: int) -> list[tuple[RelatedNode, Relation]]:
    """The relations of a name on a line of a file; as a mention if the index has none."""
    nodes = [node for node in facts.nodes if node.start_line <= line <= node.end_line]
    matches = [
        (node, relation)
        for node in nodes
        for relation in node.decode()
        if relation.name == name and line in line_numbers(node, relation)
    ]
    return matches or [(node, Relation(name, MENTION, "", "")) for node in nodes[-1:]]


def _word_at(corpus: Corpus, path: str, line: int, column: int, pattern: re.Pattern[str]) -> str:
    from feeder.search.references import Reference

    node = RelatedNode("", path, None, "", None, line, line, "", line, line)
    [read] = with_text(corpus, [Reference(path, line, 0, "", False, "", node, "", "")])
    words = [
        word[0] for word in pattern.finditer(read.text) if word.start() < column <= word.end() + 1
    ]
    if words:
        return words[-1]  # wide?width
    raise UserError(f"No name stands at {path}:{line}:{column}. Give the column of a name.")
