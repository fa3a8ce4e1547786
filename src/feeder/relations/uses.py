"""Finds the definitions that a node or a file itself refers to: the outgoing references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.relation import Relation
from feeder.relations.file_facts import FileFacts
from feeder.relations.found_definition import FoundDefinition, found_definition
from feeder.relations.modules import Definition, say_refers_to_nothing, unindexed_uses
from feeder.relations.references import ReferenceFinder
from feeder.relations.resolution import Resolver
from feeder.relations.site_text import with_text
from feeder.relations.sites import KIND_NAMES, Reference, ReferenceFilter
from feeder.relations.targets import Target, target_node
from feeder.store.hits import Hit
from feeder.store.relations import RelatedNode, line_numbers

MAX_DEFINITIONS = 30
"""Definitions of one name that are compared with a site: the nearest files come first."""


class Use(NamedTuple):
    """A site in the target and a definition that it refers to, or may refer to."""

    reference: Reference
    definition: FoundDefinition

    def as_json(self) -> dict[str, Any]:
        """The site as `Reference.as_json`, with its definition."""
        definition = self.definition._asdict()
        del definition["resolved"]
        return {**self.reference.as_json(), "definition": definition}


class UsePage(NamedTuple):
    """Uses from an offset on out of `total`, or more than `total` where `at_least`.

    `symbol` is empty if the target is a file or has no name. `unindexed` says why the index has not
    all uses; empty if it has.
    """

    path: str
    symbol: str
    language: str
    uses: list[Use]
    total: int
    resolved: int
    at_least: bool
    offset: int
    unindexed: str = ""

    def as_json(self) -> dict[str, Any]:
        """The page for `--json`."""
        return {
            "target": {"path": self.path, "symbol": self.symbol, "language": self.language},
            "references": [use.as_json() for use in self.uses],
            "total": self.total,
            "resolved": self.resolved,
            "at_least": self.at_least,
            "reason": self.reason or None,
        }

    @property
    def reason(self) -> str:
        """Why no use is listed; empty if there is one."""
        if self.total:
            return ""
        return say_refers_to_nothing(self.symbol or self.path, self.unindexed)


def find_uses(corpus: Corpus, target: Target, requested: ReferenceFilter) -> UsePage:
    """The page of what the nodes of a target, with those inside of them, refer to.

    The filter of tests selects the files of the definitions. Names that the index does not define
    are left out.
    """
    finder = UseFinder(corpus)
    hits = [target_node(corpus, target)] if target.lines else target.hits
    facts = finder.reader.facts([target.path])[target.path]
    nodes = [node for node in facts.nodes if _is_within(node, hits)]
    uses = [
        use
        for use in finder.uses(facts, nodes)
        if requested.selects(use.reference.kind, use.definition.path)
    ]
    page = uses[requested.offset : requested.offset + requested.limit]
    texts = with_text(corpus, [use.reference for use in page])
    symbol = "" if target.is_file or not hits else hits[0].symbol or ""
    language = (hits[0].language if hits else "") or ""
    has_some = any(node.relations for node in facts.nodes)
    unindexed = unindexed_uses(language, has_some=has_some)
    return UsePage(
        target.path,
        symbol,
        language,
        [use._replace(reference=text) for use, text in zip(page, texts, strict=True)],
        len(uses),
        sum(use.reference.resolved for use in uses),
        finder.is_cut or bool(unindexed),
        requested.offset,
        unindexed,
    )


class UseFinder:
    """Resolves the relations of nodes to definitions."""

    def __init__(self, corpus: Corpus) -> None:
        self._finder = ReferenceFinder(corpus)
        self.reader = self._finder.reader
        self.is_cut = False
        self._resolvers: dict[Definition, Resolver] = {}

    def uses(self, facts: FileFacts, nodes: Iterable[RelatedNode]) -> list[Use]:
        """The uses of nodes of one file; resolved ones first, then in the order of their lines."""
        uses = [
            use
            for node in nodes
            for relation in node.decode()
            if relation.kind in KIND_NAMES and relation.name
            for use in self._uses_of_relation(facts, node, relation)
        ]
        return sorted(dict.fromkeys(uses), key=_order)

    def _uses_of_relation(
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Iterator[Use]:
        states: defaultdict[tuple[int, bool], list[Hit]] = defaultdict(list)
        for definition, hit in self._candidates(facts, relation.name):
            if _is_own(node, hit):
                continue
            resolver = self._resolver(definition)
            for line, result in resolver.resolve_lines(facts, node, relation):
                if not result.is_elsewhere:
                    states[line, result.is_resolved].append(hit)
        kind = KIND_NAMES[relation.kind]
        for line in line_numbers(node, relation):
            is_resolved = (line, True) in states
            for hit in states.get((line, is_resolved), ()):
                site = Reference(
                    node.path,
                    line,
                    0,
                    kind,
                    is_resolved,
                    "",
                    node,
                    relation.name,
                    relation.qualifier,
                )
                yield Use(site, found_definition(hit, resolved=is_resolved))

    def _candidates(self, facts: FileFacts, name: str) -> list[tuple[Definition, Hit]]:
        """The definitions of a name, or of the name that the file imports under this one."""
        names = [name, *(import_.name for import_ in facts.imported(name) if import_.name)]
        candidates = [
            definition
            for name in dict.fromkeys(names)
            for definition in self.reader.named_definitions(name)
        ]
        if len(candidates) > MAX_DEFINITIONS:
            self.is_cut = True
            candidates.sort(key=lambda one: -_common_folders(facts.path, one[1].path))
        return candidates[:MAX_DEFINITIONS]

    def _resolver(self, definition: Definition) -> Resolver:
        if definition not in self._resolvers:
            self._resolvers[definition] = self._finder.families.resolver(definition)
        return self._resolvers[definition]


def _is_within(node: RelatedNode, hits: Sequence[Hit]) -> bool:
    return any(hit.start_line <= node.start_line <= node.end_line <= hit.end_line for hit in hits)


def _is_own(node: RelatedNode, hit: Hit) -> bool:
    """Tells whether the definition is the node itself, which a recursive call does not list."""
    return (node.path, node.symbol) == (hit.path, hit.symbol)


def _common_folders(path: str, other: str) -> int:
    """The number of leading folders in common; one more for the same file."""
    if path == other:
        return len(path)
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return next((i for i, (left, right) in enumerate(pairs) if left != right), path.count("/"))


def _order(use: Use) -> tuple[Any, ...]:
    site, definition = use
    return not site.resolved, site.line, definition.path, definition.start_line, site.kind
