"""Results of a search before they are shown: scored nodes, grouping of the parts of a node,
deduplication of equal texts, and facet counts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from posixpath import commonpath, dirname
from typing import NamedTuple

from feeder.nodes import DOCUMENT_TYPES, Member
from feeder.search.excerpts import Excerpt
from feeder.store.hits import Hit
from feeder.store.node_parts import PartRange, PartsByNode
from feeder.store.scope import is_test_path
from feeder.text import normalize_symbol


class PartMatch(NamedTuple):
    """The lines of a node that answer, where it is kept in pieces; and how many of them do."""

    start_line: int
    end_line: int
    matching: int
    of: int


class Result(NamedTuple):
    """A node that answers: its score and what that is made of, its ranks from 1 by what found it.

    `parts` are the rules' shares, which add up to the score; `member` is what the query names,
    where that is a part of the node. `others` are one hit with it, `copies` have the same text.
    """

    hit: Hit
    score: float
    ranks: Mapping[str, int]
    member: Member | None = None
    score_parts: Mapping[str, float] = {}
    grouped: "tuple[Result, ...]" = ()
    duplicates: "tuple[Result, ...]" = ()
    part_match: PartMatch | None = None


class ResultList(NamedTuple):
    """Nodes from a place on, the number of all that were found, and what has to be said.

    Where `at_least`, there may be more of them than `total`, which were not looked at. `every` has
    those before and after, too.
    """

    results: Sequence[Result] = ()
    total: int = 0
    notes: Sequence[str] = ()
    at_least: bool = False
    all_results: Sequence[Result] = ()


ExcerptLookup = Callable[[Sequence[Hit]], Mapping[str, Excerpt]]
"""Nodes' lines as they are now, by id, without those that are not here or may be other lines."""

MAX_DEDUPLICATED = 100
"""Nodes, of the best, whose texts are compared: files are read for it."""

MIN_DUPLICATE_LINES = 3
"""Texts of fewer lines are often the same by chance: an import, a getter."""

MIN_DUPLICATE_WORDS = 12
"""The same for documents, whose lines are others in a PDF than in the DOCX that it was made of."""


def grouping_candidates(results: Iterable[Result]) -> list[Hit]:
    """The hits that may be one with another: of one name in a file, or of one form."""
    hits = [one.hit for one in results]
    named = [hit for same in _groups_by_key(hits, _group_key) for hit in same]
    formed = (
        hit
        for same in _groups_by_key(hits[: MAX_DEDUPLICATED + len(named)], _duplicate_key)
        for hit in same
    )
    return list({hit.id: hit for hit in (*named, *formed)}.values())


def group_results(
    results: Iterable[Result],
    runs: Mapping[str, PartRange],
    find_excerpts: ExcerptLookup | None = None,
) -> list[Result]:
    """Each group's best, with the rest of it as its `others`, and its `copies`.

    What is named alike is one where it is of one run. `runs` has those of all that are `akin`, so
    that groups are the same whichever of them are shown. Copies are looked for among the best.
    """
    groups: dict[Hashable, list[Result]] = {}
    for one in results:
        groups.setdefault(_group_key(one.hit, runs), []).append(one)
    nodes = [merge_parts(first, rest, runs.get(first.hit.id)) for first, *rest in groups.values()]
    return (
        [*_deduplicate(nodes[:MAX_DEDUPLICATED], find_excerpts), *nodes[MAX_DEDUPLICATED:]]
        if find_excerpts
        else nodes
    )


def merge_parts(first: Result, others: Sequence[Result], run: PartRange | None) -> Result:
    """The first with the others; a piece of a node becomes the node, with the lines of all."""
    one = first._replace(grouped=tuple(others))
    if run is None or run.part_count < 2:
        return one
    hit = one.hit
    # a section's code block, a Pascal declaration are of the group, and no pieces of it
    kind = hit.node_type, hit.signature
    matching = 1 + sum((of.hit.node_type, of.hit.signature) == kind for of in others)
    piece = PartMatch(hit.start_line, hit.end_line, matching, run.part_count)
    return one._replace(
        hit=hit._replace(start_line=run.first_line, end_line=run.last_line), part_match=piece
    )


def _groups_by_key(hits: Iterable[Hit], key: Callable[[Hit], Hashable]) -> list[list[Hit]]:
    same: dict[Hashable, list[Hit]] = defaultdict(list)
    for hit in hits:
        same[key(hit)].append(hit)
    return [some for some in same.values() if len(some) > 1]


def _group_key(hit: Hit, runs: Mapping[str, PartRange] | None = None) -> Hashable:
    """Overloads differ in their signatures; a Pascal declaration stands with what it declares.

    Pieces of one long line without a name are shown alike: that line.
    """
    if hit.symbol and hit.language != "pascal":
        run = runs.get(hit.id) if runs else None
        return hit.repo, hit.path, hit.symbol, hit.node_type, hit.signature, run
    name = hit.symbol or hit.logical_path
    if not name and hit.start_line == hit.end_line:
        return hit.repo, hit.path, hit.start_line
    return (hit.repo, hit.path, name) if name else hit.id


def _duplicate_key(hit: Hit) -> Hashable:
    """What nodes of one text have in common; what has no name is in no pieces."""
    if hit.symbol:
        return hit.node_type, hit.signature, normalize_symbol(hit.symbol).rpartition(".")[2]
    if hit.node_type in DOCUMENT_TYPES:
        return DOCUMENT_TYPES
    return hit.node_type, hit.language, None if hit.logical_path else _line_count(hit)


def _sized_duplicate_key(hit: Hit) -> Hashable:
    return _duplicate_key(hit), 0 if hit.node_type in DOCUMENT_TYPES else _line_count(hit)


def _line_count(hit: Hit) -> int:
    return hit.end_line - hit.start_line + 1


def _deduplicate(nodes: Sequence[Result], find_excerpts: ExcerptLookup) -> list[Result]:
    """Copies have the lines where they are now."""
    long = (one.hit for one in nodes if _is_comparable(one.hit))
    excerpts = find_excerpts(
        [hit for same in _groups_by_key(long, _sized_duplicate_key) for hit in same]
    )
    kept: dict[Hashable, Result] = {}
    for one in nodes:
        excerpt = excerpts.get(one.hit.id)
        key = _comparable_text(one.hit, excerpt) or one.hit.id
        known = kept.setdefault(key, one)
        if known is not one and excerpt:
            now = one.hit._replace(start_line=excerpt.first, end_line=excerpt.last)
            kept[key] = known._replace(duplicates=(*known.duplicates, one._replace(hit=now)))
    return list(kept.values())


def _is_comparable(hit: Hit) -> bool:
    return hit.node_type in DOCUMENT_TYPES or _line_count(hit) >= MIN_DUPLICATE_LINES


def _comparable_text(hit: Hit, excerpt: Excerpt | None) -> Hashable:
    """Its lines, of a document its words, where they are enough to be no chance."""
    if excerpt and hit.node_type in DOCUMENT_TYPES:
        words = tuple(word for line in excerpt.lines for word in line.split())
        return words if len(words) >= MIN_DUPLICATE_WORDS else None
    lines = tuple(excerpt.lines) if excerpt else ()
    return lines if len(lines) >= MIN_DUPLICATE_LINES and any(map(str.strip, lines)) else None


MAX_FACET_VALUES = 20
"""Of each, those that most hits have."""

Facets = Mapping[str, Mapping[str, int]]


def count_facets(results: Sequence[Result]) -> Facets:
    """Hits by each value of the filter that it is called after, the most first."""
    hits = [one.hit for one in results]
    return {
        "language": _top_counts(hit.language for hit in hits if hit.language),
        "path": _top_counts(_diverging_folders([hit.path for hit in hits])),
        "node_type": _top_counts(hit.node_type for hit in hits),
        "tests": _top_counts("only" if is_test_path(hit.path) else "no" for hit in hits),
    }


def _top_counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common(MAX_FACET_VALUES))


def _diverging_folders(paths: Sequence[str]) -> Iterator[str]:
    """Where the folders of paths part: `/src/a` and `/src/b`, from the root."""
    folders = [dirname(path) for path in paths]
    common = commonpath(folders) if folders else ""
    above = f"{common}/" if common else ""
    for folder in folders:
        if below := f"{folder}/".removeprefix(above).partition("/")[0]:
            yield f"/{above}{below}"


class RankedResults(NamedTuple):
    """All nodes that were found, the best first, and what has to be said.

    It is not `is_whole` where a model failed; it `is_cut` where more nodes would answer. `spans`
    are of all that is named alike, None where they have to be asked for.
    """

    results: Sequence[Result]
    notes: Sequence[str] = ()
    is_complete: bool = True
    is_truncated: bool = False
    spans: PartsByNode | None = None


class Pagination(NamedTuple):
    """How many nodes are wanted, after how many others."""

    limit: int
    offset: int = 0
