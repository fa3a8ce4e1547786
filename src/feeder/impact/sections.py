"""Arranges an impact for a reader: what breaks others first, with its callers, then the rest.

Entry point: `impact_sections`. Clients put spaces between the parts of a line.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from feeder.escaping import count_of
from feeder.impact.changed_nodes import EDITED, ChangedNode
from feeder.impact.touched import HISTORY, Impact, ImpactReference, ImpactTest, RenameImpact
from feeder.store.scope import is_test_path

MAX_CALLERS = 12
"""References listed below one changed signature or deleted name."""

MAX_REFERENCES = 5
"""References listed to another changed node."""

MAX_TESTS = 10
"""Tests listed; all that the change edits are."""

MAX_CONFLICTS = 5
"""Files with a merge conflict that are named."""

MAX_TOGETHER = 10
"""Files listed that usually change with the changed ones."""


class Section(NamedTuple):
    """A title, lines in parts, of which the first tells the indentation by its spaces, and the
    number of entries that are not among them.
    """

    title: str
    lines: Sequence[Sequence[str]]
    omitted: int = 0


def impact_sections(shown: Impact, whole: Impact) -> Iterator[Section]:
    """The sections that have lines; `shown` has the first entries of each list of `whole`."""
    breaking = [node for node in shown.change.nodes if is_breaking(node)]
    others = [node for node in shown.change.nodes if not is_breaking(node)]
    references = _first_of_each(
        reference for reference in shown.references if not is_breaking(reference.of)
    )
    all_references = sum(not is_breaking(reference.of) for reference in whole.references)
    all_others = sum(not is_breaking(node) for node in whole.change.nodes)
    named = {node.id: node.name for node in whole.change.nodes}
    by_history = sum(_is_by_history(test) for test in whole.tests)
    listed = _listed_tests(shown)
    tests = [_test_parts(test) for test in listed]
    if by_history:
        files = f"{count_of(by_history, 'more test file')} {'has' if by_history == 1 else 'have'}"
        tests.append([f"{files} changed together with these files in the past"])
    sections = (
        Section(
            "Renamed files",
            [line for rename in shown.renames for line in _rename_lines(rename)],
            len(whole.renames) - len(shown.renames),
        ),
        Section(
            "Signatures and deletions",
            list(_breaking_lines(breaking, shown, whole)),
            sum(map(is_breaking, whole.change.nodes)) - len(breaking),
        ),
        Section(
            "Other changes" if breaking else "Changed",
            list(map(_node_parts, others)),
            all_others - len(others),
        ),
        Section(
            "References", list(map(_reference_parts, references)), all_references - len(references)
        ),
        Section("Tests", tests, len(whole.tests) - len(listed) - by_history),
        Section(
            "Usually changed together",
            [
                [file.path, f"({file.commits} of {count_of(file.of, 'commit')})"]
                for file in shown.together[:MAX_TOGETHER]
            ],
            len(whole.together) - len(shown.together[:MAX_TOGETHER]),
        ),
        Section(
            "Documents",
            [
                [f"{document.path}:{document.line}", named.get(document.of, ""), document.text]
                for document in shown.documents
            ],
            len(whole.documents) - len(shown.documents),
        ),
        Section(
            "Similar code",
            [
                [
                    f"{duplicate.path}:{duplicate.start_line}-{duplicate.end_line}",
                    duplicate.symbol,
                    f"({duplicate.similarity:.0%} like {named.get(duplicate.of, '')})",
                ]
                for duplicate in shown.similar
            ],
            len(whole.similar) - len(shown.similar),
        ),
    )
    yield from (section for section in sections if section.lines)


def impact_summary(whole: Impact) -> str:
    """The line below the sections: what was compared, and how much was found.

    Conflicts of a merge are named first, since they hide functions.
    """
    change = whole.change
    head = "the working tree" if change.is_on_disk else "HEAD"
    if not change.paths:
        return f"No file differs between {change.base[:7]} and {head}."
    counts = whole.counts
    renamed = f"{count_of(counts['renamed'], 'file')} renamed, " if counts["renamed"] else ""
    at_least = "at least " if whole.at_least else ""
    summary = (
        f"Compared {head} with {change.base[:7]}: {renamed}{count_of(counts['changed'], 'node')} "
        f"changed; {at_least}{count_of(counts['references'], 'reference')}, "
        f"{count_of(counts['tests'], 'test file')}."
    )
    return " ".join(filter(None, [_conflict_note(change.conflicts), summary]))


def _conflict_note(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    files = "A file has" if len(paths) == 1 else f"{len(paths):,} files have"
    more = f" and {len(paths) - MAX_CONFLICTS} more" if len(paths) > MAX_CONFLICTS else ""
    listed = f"{', '.join(paths[:MAX_CONFLICTS])}{more}"
    return (
        f"{files} merge conflicts, so this list may be wrong there: {listed}. "
        "Resolve them, then run this again."
    )


def is_breaking(node: ChangedNode) -> bool:
    """Tells whether a change may break what refers to a node: another signature, or none.

    Nothing refers to a test.
    """
    return node.signature_changed and node.is_code and not is_test_path(node.path)


def _breaking_lines(
    nodes: Iterable[ChangedNode], shown: Impact, whole: Impact
) -> Iterator[list[str]]:
    """Each node with its signatures, and below nodes of one name their references once."""
    by_name: defaultdict[str, list[ChangedNode]] = defaultdict(list)
    for node in nodes:
        by_name[node.name].append(node)
    totals = Counter(reference.of.name for reference in whole.references)
    references: defaultdict[str, dict[tuple[str, int], ImpactReference]] = defaultdict(dict)
    for reference in shown.references:
        # one site may mean each of several nodes of a name
        if references[reference.of.name].setdefault(_place(reference), reference) is not reference:
            totals[reference.of.name] -= 1
    for name, same in by_name.items():
        for node in same:
            yield _node_parts(node)
            if node.change == EDITED and node.old_signature != node.signature:
                yield [f"  was {node.old_signature}"]
                yield [f"  now {node.signature}"]
        sites = list(references[name].values())[:MAX_CALLERS]
        for site in sites:
            place, *rest = _site_parts(site, "")
            yield [f"  {place}", *rest]
        if totals[name] > len(sites):
            yield [f"  … {totals[name] - len(sites):,} {'more' if sites else 'references'}"]
        elif not sites:
            yield ["  no references found"]


def _rename_lines(rename: RenameImpact) -> Iterator[list[str]]:
    """The two paths, and the sites that still import the old one."""
    yield ["renamed", f"{rename.file.old_path} → {rename.file.path}"]
    for site in rename.imports[:MAX_CALLERS]:
        yield [f"  {site.path}:{site.line}", "imports the old path:", site.text.strip()]
    if len(rename.imports) > MAX_CALLERS:
        yield [f"  … {len(rename.imports) - MAX_CALLERS:,} more"]


def _place(one: ImpactReference) -> tuple[str, int]:
    return one.reference.path, one.reference.line


def _first_of_each(references: Iterable[ImpactReference]) -> list[ImpactReference]:
    """The first references to each changed node."""
    counts: Counter[str] = Counter()
    listed = []
    for reference in references:
        counts[reference.of.id] += 1
        if counts[reference.of.id] <= MAX_REFERENCES:
            listed.append(reference)
    return listed


def _site_parts(one: ImpactReference, name: str) -> list[str]:
    site = one.reference
    by_name = "" if site.resolved else "(by name only)"
    edited = "(edited too)" if one.is_edited else ""
    place = f"{site.path}:{site.line}"
    return list(filter(None, [place, site.kind, name, site.text.strip(), by_name, edited]))


def _reference_parts(one: ImpactReference) -> list[str]:
    return _site_parts(one, one.of.name)


def _node_parts(node: ChangedNode) -> list[str]:
    place = f"{node.path}:{node.start_line}-{node.end_line}"
    return list(filter(None, [node.change, place, node.name]))


def _listed_tests(impact: Impact) -> list[ImpactTest]:
    """The first tests, without those that only history connects."""
    tests = [test for test in impact.tests if not _is_by_history(test)]
    return tests[: max(MAX_TESTS, len(impact.change.tests))]


def _is_by_history(test: ImpactTest) -> bool:
    return test.reasons == (HISTORY,)


def _test_parts(one: ImpactTest) -> list[str]:
    return list(filter(None, [one.path, one.node, f"({', '.join(one.reasons)})"]))
