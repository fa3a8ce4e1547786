"""Finds the definitions, references and implementations of the symbol at a place, and what the
symbol uses itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.errors import UserError
from feeder.relations.definitions import Definitions, find_definitions
from feeder.relations.found_definition import LOCAL_TYPE
from feeder.relations.modules import say_no_references, say_nothing_implements
from feeder.relations.references import (
    ReferencePage,
    find_implementations,
    find_references,
)
from feeder.relations.sites import Implementation, ReferenceFilter
from feeder.relations.targets import Target, resolve_target, target_node
from feeder.relations.uses import UsePage, find_uses
from feeder.snippets.outline import MEMBER_TYPE

MAX_REFERENCES, MAX_USES, MAX_IMPLEMENTATIONS = 100, 50, 100
"""Entries of each list; the totals count all."""

_POSITION = re.compile(r".+:\d+:\d+", re.DOTALL)


class SymbolRelations(NamedTuple):
    """The definitions of a name, the surest first, and what refers to the first of them.

    `definitions` is None for a node that was named itself, `uses` for a name at a position, and
    `references` for a section or chunk, to which no code refers. There may be more definitions,
    references or implementations where the search for them was cut.
    """

    name: str
    definitions: Definitions | None
    references: ReferencePage | None
    implementations: Sequence[Implementation]
    uses: UsePage | None
    has_more_implementations: bool = False

    def as_json(self) -> dict[str, Any]:
        """All lists, of which each is the first part of its total; the totals may be too small
        where their `at_least` says so. A reason says why a list is empty.
        """
        definitions = self.definitions.definitions if self.definitions else []
        references, uses = self.references, self.uses
        target = references.target if references else None
        has_subtypes = bool(target and (target.is_type or target.owner))
        reason = references.reason(0) if references else say_no_references(self.name)
        return {
            "name": self.name,
            "definitions": [definition._asdict() for definition in definitions],
            "references": references.as_json()["references"] if references else [],
            "total": references.total if references else 0,
            "resolved": references.resolved if references else 0,
            "at_least": bool(references and references.at_least),
            "left_out": len(references.left_out) if references else 0,
            "reason": reason or None,
            "implementations": [
                implementation._asdict()
                for implementation in self.implementations[:MAX_IMPLEMENTATIONS]
            ],
            "implementations_total": len(self.implementations),
            "implementations_at_least": self.has_more_implementations,
            "implementations_reason": say_nothing_implements(target)
            if target and has_subtypes and not self.implementations
            else None,
            "uses": uses.as_json()["references"] if uses else [],
            "uses_total": uses.total if uses else 0,
            "uses_at_least": bool(uses and uses.at_least),
            "uses_reason": (uses and uses.reason) or None,
        }


def symbol_relations(corpus: Corpus, place: str) -> SymbolRelations:
    """The relations of the name at `path:line:column`, else of the node that a target names.

    Raises UserError if there is no such name or node.
    """
    if _POSITION.fullmatch(place):
        definitions = find_definitions(corpus, place)
        first = definitions.definitions[0]
        if first.node_type == LOCAL_TYPE:
            return SymbolRelations(definitions.name, definitions, None, (), None)
        lines = f"{first.path}:{first.start_line}-{first.end_line}"
        is_member = first.node_type == MEMBER_TYPE
        target = resolve_target(corpus, f"{first.path}#{first.symbol}" if is_member else lines)
        return _relations(corpus, definitions.name, definitions, target)
    target = resolve_target(corpus, place)
    symbol = target_node(corpus, target).symbol or place
    relations = _relations(corpus, symbol, None, target)
    return relations._replace(uses=find_uses(corpus, target, ReferenceFilter(limit=MAX_USES)))


def _relations(
    corpus: Corpus, name: str, definitions: Definitions | None, target: Target
) -> SymbolRelations:
    try:
        references = find_references(corpus, target, name, ReferenceFilter(limit=MAX_REFERENCES))
    except UserError:
        # a section or chunk, to which no code refers
        return SymbolRelations(name, definitions, None, (), None)
    implementations: Sequence[Implementation] = ()
    is_cut = False
    if references.target.is_type or references.target.owner:
        _, implementations, is_cut = find_implementations(corpus, target, name)
    return SymbolRelations(name, definitions, references, implementations, None, is_cut)
