"""Finds the sites that refer to a definition, and the types below a type.

Start with `find_references` and `find_implementations`. Sites come from the
relations of nodes in the index; only the text and columns of a page's lines are read from files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.errors import UserError
from feeder.relations.bases import with_sites_through_types
from feeder.relations.families import FamilyFinder
from feeder.relations.go_members import GoMembers
from feeder.relations.local_types import LocalTypeFinder
from feeder.relations.modules import (
    Definition,
    say_none_listed,
    say_nothing_refers,
    unindexed_references,
)
from feeder.relations.name_lines import NO_LINES, NameLines, count_lines, lines_with_name
from feeder.relations.other_names import OtherNames
from feeder.relations.relation_reader import RelationReader
from feeder.relations.site_finder import SiteFinder
from feeder.relations.site_text import with_text
from feeder.relations.sites import (
    OVERRIDE,
    Implementation,
    LeftOut,
    Reference,
    ReferenceFilter,
    SiteOrder,
)
from feeder.relations.subtypes import SubtypeFinder
from feeder.relations.targets import Target
from feeder.store.rows import decode_members


class ReferencePage(NamedTuple):
    """References from an offset on out of `total`, or more than `total` where `at_least`: some were
    not read, or are of a kind that is not indexed.

    `left_out` are lines with the name that mean something else. `name_lines` are the lines of code
    with the name, read only if there is no reference. `excluded` counts the references that the
    filters leave out.
    """

    target: Definition
    references: list[Reference]
    total: int
    resolved: int
    at_least: bool
    offset: int
    left_out: Sequence[LeftOut] = ()
    name_lines: NameLines = NO_LINES
    excluded: int = 0

    def as_json(self) -> dict[str, Any]:
        """The page for `--json`."""
        return {
            "target": target_json(self.target),
            "references": [reference.as_json() for reference in self.references],
            "total": self.total,
            "resolved": self.resolved,
            "at_least": self.at_least,
            "left_out": len(self.left_out),
            "excluded": self.excluded,
            **self.name_lines.as_json(),
            "reason": self.reason() or None,
        }

    def reason(self, listed: int | None = None) -> str:
        """Why no reference is listed; empty if there is one.

        `listed` of the lines with the name are shown, by default all that were read.
        """
        if self.total:
            return ""
        if self.excluded:
            return say_none_listed(self.target, self.excluded)
        lines = count_lines(self.name_lines, listed)
        return say_nothing_refers(self.target, lines, len(self.left_out))


def target_json(target: Definition) -> dict[str, Any]:
    """The target for `--json`."""
    return {"path": target.path, "symbol": target.symbol, "language": target.language}


class ReferenceFinder:
    """Finds references; each file, name and type is read once."""

    def __init__(self, corpus: Corpus) -> None:
        self.reader = RelationReader(corpus)
        go = GoMembers(self.reader)
        self.subtypes = SubtypeFinder(self.reader, go)
        self.local_types = LocalTypeFinder(self.reader, self.subtypes)
        self.families = FamilyFinder(self.reader, self.subtypes, go)
        self.sites = SiteFinder(self.reader)
        self._other_names = OtherNames(self.sites, self.families)

    def references(self, definition: Definition) -> list[Reference]:
        """The sites of a definition's name, without their text; the surest and nearest first."""
        resolver = self.families.resolver(definition)
        matches = list(self.sites.sites(definition, resolver, definition.name))
        matches += self._other_names.sites(definition, resolver, matches)
        if definition.owner:
            matches = with_sites_through_types(
                self.sites, self.families, self.subtypes, definition, matches
            )
        return sorted(dict.fromkeys(matches), key=SiteOrder(definition))

    def unnamed_overrides(self, definition: Definition) -> list[Implementation]:
        """The lines that declare a member in objects and in classes without a name."""
        resolver = self.families.resolver(definition)
        sites = self.sites.sites(definition, resolver, definition.name)
        return [
            Implementation(
                site.path,
                site.line,
                site.line,
                site.node.symbol or "",
                site.resolved,
                1,
                is_local=True,
            )
            for site in sorted(sites, key=SiteOrder(definition))
            if site.kind == OVERRIDE
        ]


def find_references(
    corpus: Corpus, target: Target, text: str, requested: ReferenceFilter
) -> ReferencePage:
    """The page of references to a target; raises UserError if it is no declaration."""
    finder = ReferenceFinder(corpus)
    definition = finder.reader.definition(target, text)
    sites = finder.references(definition)
    if finder.reader.is_constructor(target, definition):
        base_calls = finder.subtypes.constructor_calls(definition)
        sites = sorted([*sites, *base_calls], key=SiteOrder(definition))
    if overriding := finder.subtypes.overriding(definition):
        sites = sorted([*sites, *overriding], key=SiteOrder(definition))
    matches = [site for site in sites if requested.selects(site.kind, site.path)]
    page = matches[requested.offset : requested.offset + requested.limit]
    answered = finder.reader.in_answer(definition, has_sites=bool(sites))
    own_lines = member_lines(target, definition)
    listed = {(site.path, site.line) for site in sites}
    return ReferencePage(
        answered,
        with_text(corpus, page),
        len(matches),
        sum(match.resolved for match in matches),
        finder.reader.is_cut or bool(unindexed_references(answered)),
        requested.offset,
        [site for place, site in sorted(finder.sites.left_out.items()) if place not in listed],
        NO_LINES if sites else lines_with_name(corpus, definition, own_lines),
        len(sites) - len(matches),
    )


def member_lines(target: Target, definition: Definition) -> set[int]:
    """The lines that declare a definition as a member of a target's nodes."""
    members = [member for hit in target.hits for member in decode_members(hit.members)]
    members += [target.member] if target.member else []
    return {member.line for member in members if member.name == definition.name}


def find_implementations(
    corpus: Corpus, target: Target, text: str
) -> tuple[Definition, list[Implementation], bool]:
    """The definition, with the types below a type or the members that override a member.

    The last value is True if there may be more.
    """
    finder = ReferenceFinder(corpus)
    definition = finder.reader.in_answer(finder.reader.definition(target, text))
    if definition.is_type:
        types = finder.subtypes.implementations(definition)
        types += finder.local_types.types_below(definition)
        return definition, types, finder.reader.is_cut
    if not definition.owner:
        raise UserError(
            f"{definition.symbol} is neither a type nor a member of one.", "Use the name of a type."
        )
    overriding = [
        Implementation(
            hit.path, hit.start_line, hit.end_line, hit.symbol or "", member.resolved, member.depth
        )
        for hit, member in finder.subtypes.members_below(definition)
    ]
    overriding += finder.subtypes.implementing_fields(definition)
    unnamed = finder.unnamed_overrides(definition)
    possible = finder.local_types.possible_overrides(definition, overriding, unnamed)
    return definition, [*overriding, *unnamed, *possible], finder.reader.is_cut
