"""Finds where a name is defined, also the name at a position in a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.errors import AmbiguousTargetError, NotInIndexError, UserError
from feeder.nodes import Member
from feeder.query.query_plan import path_from_root
from feeder.relation import BINDING, MENTION, PARAMETER, Relation
from feeder.relations.file_facts import FileFacts
from feeder.relations.found_definition import LOCAL_TYPE, FoundDefinition, found_definition
from feeder.relations.modules import Definition
from feeder.relations.outcomes import Evidence, Resolution, elsewhere, surest
from feeder.relations.references import ReferenceFinder
from feeder.relations.site_text import with_text
from feeder.relations.sites import Reference
from feeder.relations.targets import (
    EMPTY_TARGET_ERROR,
    Target,
    check_no_file,
    members_named,
    resolve_target,
)
from feeder.snippets.outline import MEMBER_TYPE
from feeder.store.hits import Hit
from feeder.store.relations import RelatedNode, line_numbers
from feeder.store.rows import decode_members
from feeder.traits import traits


class Definitions(NamedTuple):
    """The definitions of a name, the surest first; there are more if `at_least`.

    `is_possible` is False if the name at a position can be none of them, such as a local variable.
    """

    name: str
    definitions: list[FoundDefinition]
    at_least: bool
    is_possible: bool = True

    def as_json(self) -> dict[str, Any]:
        """The definitions for `--json`."""
        return {
            "target": {"name": self.name},
            "definitions": [definition._asdict() for definition in self.definitions],
            "total": len(self.definitions),
            "at_least": self.at_least,
        }


_LINE = re.compile(r".*[./].*:\d+", re.DOTALL)
_POSITION = re.compile(r"(?P<path>.+):(?P<line>\d+):(?P<column>\d+)", re.DOTALL)


def find_definitions(corpus: Corpus, text: str, directory: str = "") -> Definitions:
    """The definitions of a name, or with `path:line:column` of the name that stands there.

    Raises UserError if there is none.
    """
    if not text.strip():
        raise UserError(*EMPTY_TARGET_ERROR)
    position = _POSITION.fullmatch(text)
    if not position:
        return definitions_of_name(corpus, text, directory)
    path = path_from_root(position["path"], corpus.base)
    line, column = int(position["line"]), int(position["column"])
    return definitions_at(corpus, path, line, column, directory)


def resolve_definition(corpus: Corpus, text: str, directory: str = "") -> tuple[Target, str]:
    """The target that a text names, and its name; of `path:line:column` the definition of the name
    that stands there.

    Raises UserError if there is none, or if the files do not say which of several it is.
    """
    if not _POSITION.fullmatch(text):
        name = path_from_root(text, corpus.base)
        return resolve_target(corpus, name, directory), name
    result = find_definitions(corpus, text, directory)
    if result.definitions[0].node_type == LOCAL_TYPE:
        local = result.definitions[0]
        owner = local.symbol.rpartition(".")[0]
        raise UserError(
            f"{result.name} at {text} is a local of {owner}, line {local.start_line}.",
            "References to local names are not indexed; read the function.",
        )
    names = [f"{definition.path}#{definition.symbol}" for definition in result.definitions]
    if not result.is_possible or (len(names) > 1 and not result.definitions[0].resolved):
        if result.is_possible:
            statement = f"{result.name} at {text} may be one of these definitions"
            raise AmbiguousTargetError(statement, names, "Choose one of them.")
        statement = f"{result.name} at {text} is a local name or text, not one of these definitions"
        raise AmbiguousTargetError(statement, names, "Choose the one you mean.")
    return resolve_target(corpus, names[0]), names[0]


def definitions_of_name(corpus: Corpus, name: str, directory: str) -> Definitions:
    """The definitions of a name or qualified name, or of `src/cart.py#add` those in the file.

    Raises UserError if there is none.
    """
    finder = ReferenceFinder(corpus)
    path, _, symbol = name.rpartition("#")
    matches, is_cut = _named_definitions(corpus, finder, symbol)
    if "/" in path and matches:
        ending = f"/{path.removeprefix('./').lstrip('/')}"
        matches = [match for match in matches if f"/{match[1].path}".endswith(ending)]
        if not matches:
            raise NotInIndexError(
                f"The index has no definition of '{symbol}' in {path}.",
                f"Definitions in other files: feeder definition {symbol}",
            )
    if not matches:
        if _LINE.fullmatch(name):
            raise UserError(f"{name} has no column.", f"Add it: feeder definition {name}:COLUMN")
        check_no_file(corpus, name, directory)
        raise NotInIndexError(
            f"The index has no definition of '{name}'.", f"Search for it: feeder search {name}"
        )
    is_only = len(matches) == 1 and not is_cut
    ordered = sorted((match for _, match in matches), key=lambda one: (one.path, one.start_line))
    definitions = [match._replace(resolved=is_only) for match in ordered]
    return Definitions(name, definitions, is_cut)


def _named_definitions(
    corpus: Corpus, finder: ReferenceFinder, name: str
) -> tuple[list[tuple[Definition, FoundDefinition]], bool]:
    """The nodes of a name, else the members of it, and whether there may be more."""
    if named := finder.reader.named_definitions(name):
        nodes = [(definition, found_definition(hit, resolved=False)) for definition, hit in named]
        return nodes, finder.reader.is_name_cut(name)
    pairs, is_cut = members_named(corpus, name)
    members = []
    for hit, member in pairs:
        one = finder.reader.member_definition(hit, member.name)
        line = member.line
        members.append((one, FoundDefinition(one.path, line, line, one.symbol, MEMBER_TYPE, False)))
    return members, is_cut


def definitions_at(
    corpus: Corpus, path: str, line: int, column: int, directory: str = ""
) -> Definitions:
    """The definitions of the name at a line and column of an indexed file, both from 1.

    Raises UserError if no name stands there, or the index has no definition of it.
    """
    target = resolve_target(corpus, f"{path}:{line}", directory)
    finder = ReferenceFinder(corpus)
    facts = finder.reader.facts([target.path])[target.path]
    own = traits(target.hits[0].language if target.hits else None)
    endings = own.name_endings
    ending = f"(?:[{endings}](?!=))?" if endings else ""
    name = _word_at(corpus, target.path, line, column, re.compile(rf"[\w$]+{ending}"))
    if own.name_sigil:
        name = name.removeprefix(own.name_sigil)
    if not _relations_at(facts, name, line, declared=False):
        declared = _member_at(finder, target.hits, name, line) or _local_at(facts, name, line)
        if declared:
            return Definitions(name, [declared], at_least=False)
    matches, is_cut = _named_definitions(corpus, finder, name)
    if not matches and endings:  # valid?1:2
        name = name.rstrip(endings)
        matches, is_cut = _named_definitions(corpus, finder, name)
    if not matches:
        is_name = bool(_relations_at(facts, name, line))  # and no keyword
        problem = f"The index has no definition of '{name}'."
        raise NotInIndexError(problem, name=name if is_name else "")
    relations = _relations_at(facts, name, line)
    around = [
        match
        for _, match in matches
        if match.path == target.path and match.start_line <= line <= match.end_line
    ]
    if around and not relations:  # the name in its own declaration
        innermost = min(around, key=lambda one: one.end_line - one.start_line)
        return Definitions(name, [innermost._replace(resolved=True)], at_least=False)
    is_reference = bool(relations)
    relations = relations or _mention_at(facts, name, line)
    results: list[tuple[Resolution, FoundDefinition]] = []
    for definition, match in matches:
        resolver = finder.families.resolver(definition)
        sites = [resolver.resolve(facts, node, relation, line) for node, relation in relations]
        result = surest(sites) if sites else elsewhere(Evidence.LOCAL)
        results.append((result, match))
    sure = [match for result, match in results if result.is_resolved]
    by_name = [match for result, match in results if not result.is_elsewhere]
    if is_reference and not by_name:
        raise NotInIndexError(
            f"{name} at {path}:{line}:{column} is not in the index: it is not one of "
            "the definitions of this name.",
            f"List the definitions of this name: feeder definition {name}",
        )
    possible = sure or by_name or [match for _, match in results]
    definitions = [match._replace(resolved=bool(sure)) for match in possible]
    return Definitions(name, definitions, not sure and is_cut, bool(sure or by_name))


def _member_at(
    finder: ReferenceFinder, hits: Sequence[Hit], name: str, line: int
) -> FoundDefinition | None:
    """The member that a line declares; a constructor's parameter may be one:
    `constructor(private total: number)`.
    """
    for hit in hits:
        if Member(name, line) in decode_members(hit.members):
            symbol = finder.reader.member_definition(hit, name).symbol
            return FoundDefinition(hit.path, line, line, symbol, MEMBER_TYPE, True)
    return None


def _local_at(facts: FileFacts, name: str, line: int) -> FoundDefinition | None:
    """The parameter or variable that a name without a relation is, if its declaration is recorded.

    The last declaration above the line counts, in the innermost function that has one.
    """
    functions = [node for node in _nodes_at(facts, line) if node.node_type == "method"]
    for node in sorted(functions, key=lambda one: one.end_line - one.start_line):
        lines = [
            number
            for relation in node.decode_declared(name, BINDING + PARAMETER)
            for number in line_numbers(node, relation)
            if number <= line
        ]
        if lines:
            symbol = f"{node.symbol}.{name}"
            return FoundDefinition(facts.path, max(lines), max(lines), symbol, LOCAL_TYPE, True)
    return None


def _relations_at(
    facts: FileFacts, name: str, line: int, *, declared: bool = True
) -> list[tuple[RelatedNode, Relation]]:
    """The relations of a name on a line of a file, also those that declare it."""
    return [
        (node, relation)
        for node in _nodes_at(facts, line)
        for relation in node.decode()
        if relation.name == name
        and (declared or relation.kind not in BINDING + PARAMETER)
        and line in line_numbers(node, relation)
    ]


def _mention_at(facts: FileFacts, name: str, line: int) -> list[tuple[RelatedNode, Relation]]:
    """A name that has no relation on a line, as a mention in the innermost node there."""
    return [(node, Relation(name, MENTION, "", "")) for node in _nodes_at(facts, line)[-1:]]


def _nodes_at(facts: FileFacts, line: int) -> list[RelatedNode]:
    return [node for node in facts.nodes if node.start_line <= line <= node.end_line]


def _word_at(corpus: Corpus, path: str, line: int, column: int, pattern: re.Pattern[str]) -> str:
    node = RelatedNode("", path, None, "", None, line, line, "", line, line)
    [read] = with_text(corpus, [Reference(path, line, 0, "", False, "", node, "", "")])
    words = [
        word[0] for word in pattern.finditer(read.text) if word.start() < column <= word.end() + 1
    ]
    if words:
        return words[-1]  # wide?width
    raise UserError(f"There is no name at {path}:{line}:{column}.", "Use the column of a name.")
