"""Finds the callers of a definition and the callers of these, as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.relation import IMPORT
from feeder.relations.modules import (
    Definition,
    say_no_caller,
    say_nothing_refers,
    unindexed_references,
)
from feeder.relations.name_lines import NO_LINES, NameLines, count_lines, lines_with_name
from feeder.relations.references import ReferenceFinder, member_lines, target_json
from feeder.relations.sites import KIND_NAMES, Reference, ReferenceFilter
from feeder.relations.targets import Target
from feeder.store.relations import RelatedNode
from feeder.store.scope import is_test_path

MAX_DEPTH = 10
"""Levels of a tree of callers."""


class Caller:
    """A node that refers to a definition, with the nodes that refer to it.

    `omitted` counts the callers of this node that a limit left out. Callers of a node that stands
    elsewhere in the tree, or that refers by name only, are not followed.
    """

    def __init__(self, node: RelatedNode, references: Sequence[Reference]) -> None:
        self.node = node
        self.resolved = any(reference.resolved for reference in references)
        self.lines = sorted({reference.line for reference in references})
        self.callers: list[Caller] = []
        self.omitted = 0

    def as_json(self) -> dict[str, Any]:
        """The caller and its callers for `--json`."""
        return {
            "id": self.node.id,
            "path": self.node.path,
            "symbol": self.node.symbol,
            "node_type": self.node.node_type,
            "start_line": self.node.first_line,
            "end_line": self.node.last_line,
            "is_test": is_test_path(self.node.path),
            "resolved": self.resolved,
            "lines": self.lines,
            "callers": [caller.as_json() for caller in self.callers],
            "omitted": self.omitted,
        }


class CallerTree(NamedTuple):
    """The callers of a target; `total` counts all of the tree, with the omitted ones.

    `is_limited` tells whether the limit left out callers, or those of the last ones. Without a
    caller, `excluded` counts the references that are none, and without any reference `name_lines`
    are the lines of code with the name.
    """

    target: Definition
    callers: list[Caller]
    omitted: int
    total: int
    at_least: bool
    is_limited: bool
    excluded: int = 0
    name_lines: NameLines = NO_LINES

    def as_json(self) -> dict[str, Any]:
        """The tree for `--json`."""
        return {
            "target": target_json(self.target),
            "callers": [caller.as_json() for caller in self.callers],
            "omitted": self.omitted,
            "total": self.total,
            "at_least": self.at_least,
            "excluded": self.excluded,
            **self.name_lines.as_json(),
            "reason": self.reason() or None,
        }

    def reason(self, listed: int | None = None) -> str:
        """Why no caller is listed; empty if there is one. `listed` as for `ReferencePage`."""
        if self.total:
            return ""
        if self.excluded:
            return say_no_caller(self.target, self.excluded)
        return say_nothing_refers(self.target, count_lines(self.name_lines, listed))


def find_callers(
    corpus: Corpus, target: Target, text: str, requested: ReferenceFilter, depth: int
) -> CallerTree:
    """The tree of callers down to a depth, with at most `requested.limit` nodes.

    All nodes of one level come before the next level. With `tests` `only`, what leads to no
    test is left out.
    """
    builder = _TreeBuilder(ReferenceFinder(corpus), requested)
    definition = builder.finder.reader.definition(target, text)
    is_constructor = builder.finder.reader.is_constructor(target, definition)
    calls = builder.finder.subtypes.constructor_calls(definition) if is_constructor else ()
    root = builder.build(definition, depth, list(calls))
    if requested.tests == "only":
        root.callers = list(_leading_to_tests(root.callers))
    omitted = root.omitted + sum(caller.omitted for caller in _all_callers(root.callers))
    total = sum(1 for _ in _all_callers(root.callers)) + omitted
    is_limited = builder.is_stopped or omitted > 0
    answered = builder.finder.reader.in_answer(definition, has_sites=bool(root.callers))
    is_cut = builder.finder.reader.is_cut or bool(unindexed_references(answered))
    at_least = is_cut or is_limited
    tree = CallerTree(answered, root.callers, root.omitted, total, at_least, is_limited)
    if total:
        return tree
    if excluded := len(builder.finder.references(definition)):
        return tree._replace(excluded=excluded)
    lines = lines_with_name(corpus, definition, member_lines(target, definition))
    return tree._replace(name_lines=lines)


class _TreeBuilder:
    def __init__(self, finder: ReferenceFinder, requested: ReferenceFilter) -> None:
        self.finder = finder
        self.is_stopped = False
        """True if the limit was reached before the callers of all nodes were looked for."""
        self._requested = requested
        self._seen: set[tuple[str, str | None]] = set()

    def build(self, definition: Definition, depth: int, base_calls: Sequence[Reference]) -> Caller:
        """A node for the definition itself, with its callers.

        `base_calls` are calls of a constructor by constructors below its type.
        """
        root = Caller(RelatedNode("", definition.path, None, "", None, 0, 0, "", 0, 0), ())
        self._seen.add((definition.path, definition.symbol))
        level: list[tuple[Caller, Definition]] = [(root, definition)]
        left = self._requested.limit
        for levels_below in reversed(range(depth)):
            following: list[tuple[Caller, Definition]] = []
            for parent, called in level:
                callers = list(self._callers(called, base_calls if called is definition else ()))
                parent.callers = callers[: max(left, 0)]
                parent.omitted = len(callers) - len(parent.callers)
                left -= len(parent.callers)
                following += self._to_follow(parent.callers)
            self.is_stopped |= left <= 0 and levels_below > 0 and bool(following)
            level = following if left > 0 else []
        return root

    def _callers(self, definition: Definition, base_calls: Sequence[Reference]) -> Iterator[Caller]:
        """Yields the nodes that refer to a definition, except for imports."""
        by_node: dict[str, list[Reference]] = {}
        for reference in [*self.finder.references(definition), *base_calls]:
            if self._is_requested(reference):
                by_node.setdefault(reference.node.id, []).append(reference)
        for references in by_node.values():
            node = references[0].node
            if (node.path, node.symbol) != (definition.path, definition.symbol):
                yield Caller(node, references)

    def _is_requested(self, one: Reference) -> bool:
        if one.kind == KIND_NAMES[IMPORT] and one.kind not in self._requested.kinds:
            return False
        if self._requested.kinds and one.kind not in self._requested.kinds:
            return False
        return not (self._requested.tests == "no" and is_test_path(one.path))

    def _to_follow(self, callers: Sequence[Caller]) -> Iterator[tuple[Caller, Definition]]:
        for caller in callers:
            node = caller.node
            key = node.path, node.symbol
            if caller.resolved and node.symbol and key not in self._seen:
                self._seen.add(key)
                for definition, hit in self.finder.reader.named_definitions(node.symbol):
                    if (hit.path, hit.symbol) == key:
                        yield caller, definition
                        break


def _all_callers(callers: Sequence[Caller]) -> Iterator[Caller]:
    for caller in callers:
        yield caller
        yield from _all_callers(caller.callers)


def _leading_to_tests(callers: Sequence[Caller]) -> Iterator[Caller]:
    for caller in callers:
        caller.callers = list(_leading_to_tests(caller.callers))
        if caller.callers or is_test_path(caller.node.path):
            yield caller
