"""Results of a search before they are shown: scored nodes, grouping of the parts of a node,
deduplication of equal texts, and facet counts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from posixpath import commonpath, dirname
from typing import NamedTuple

from feeder.nodes import DOCUMENT_TYPES, MIN_DUPLICATE_LINES, MIN_DUPLICATE_WORDS, Member
from feeder.notes import Note
from feeder.query.request_filters import Pagination
from feeder.snippets.excerpts import Excerpt
from feeder.store import Database
from feeder.store.hits import Hit
from feeder.store.node_parts import PartRange, PartsByNode, part_ranges, read_part_ranges
from feeder.store.scope import is_test_path
from feeder.text import normalize_symbol


class PartMatch(NamedTuple):
    """The matching part of a node that is indexed in parts: its lines, and `matching` parts `of`
    all.
    """

    start_line: int
    end_line: int
    matching: int
    of: int


class Result(NamedTuple):
    """A scored node.

    `ranks` are its ranks from 1 by retriever; `score_parts` add up to the score. `member` is the
    name in the node that the query matches. `grouped` are further parts of the node, `duplicates`
    nodes with the same text.
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
    """A page of results out of `total`, or more than `total` where `at_least`.

    `all_results` are those of every page. `corrected_words` were searched in place of misspelt
    ones. Not `has_match` if no node has the name or a word of the query.
    """

    results: Sequence[Result] = ()
    total: int = 0
    notes: Sequence[Note] = ()
    at_least: bool = False
    all_results: Sequence[Result] = ()
    corrected_words: Sequence[str] = ()
    has_match: bool = True


ExcerptLookup = Callable[[Sequence[Hit]], Mapping[str, Excerpt]]
"""Current lines of nodes, by id; without nodes whose lines are not available or uncertain."""

MAX_DEDUPLICATED = 100
"""Best nodes whose texts are compared; their files are read for it."""


def grouping_candidates(results: Iterable[Result]) -> list[Hit]:
    """The hits that may be grouped or deduplicated: with an equal name or of an equal kind."""
    hits = [result.hit for result in results]
    named = [hit for same in _groups_by_key(hits, _group_key) for hit in same]
    formed = (
        hit
        for same in _groups_by_key(hits[: MAX_DEDUPLICATED + len(named)], _duplicate_key)
        for hit in same
    )
    return list({hit.id: hit for hit in (*named, *formed)}.values())


def group_results(
    results: Iterable[Result],
    ranges: Mapping[str, PartRange],
    find_excerpts: ExcerptLookup | None = None,
) -> list[Result]:
    """Groups the parts of each node under the best one, and nodes with the same text likewise.

    `ranges` are the part ranges of all `grouping_candidates`, so that groups do not depend on the
    page. Texts are compared for the best `MAX_DEDUPLICATED` only, and if `find_excerpts` is given.
    """
    groups: dict[Hashable, list[Result]] = {}
    for result in results:
        groups.setdefault(_group_key(result.hit, ranges), []).append(result)
    nodes = [merge_parts(first, rest, ranges.get(first.hit.id)) for first, *rest in groups.values()]
    return (
        [*_deduplicate(nodes[:MAX_DEDUPLICATED], find_excerpts), *nodes[MAX_DEDUPLICATED:]]
        if find_excerpts
        else nodes
    )


def merge_parts(first: Result, others: Sequence[Result], part_range: PartRange | None) -> Result:
    """Returns the first result with the others grouped under it, and with the lines of the whole
    node where it is one of several parts.
    """
    result = first._replace(grouped=tuple(others)) if others else first
    if part_range is None or part_range.part_count < 2:
        return result
    hit = result.hit
    # a section's code block, a Pascal declaration are of the group, and no pieces of it
    kind = hit.node_type, hit.signature
    matching = 1 + sum((other.hit.node_type, other.hit.signature) == kind for other in others)
    piece = PartMatch(hit.start_line, hit.end_line, matching, part_range.part_count)
    return result._replace(
        hit=hit._replace(start_line=part_range.first_line, end_line=part_range.last_line),
        part_match=piece,
    )


def _groups_by_key(hits: Iterable[Hit], key: Callable[[Hit], Hashable]) -> list[list[Hit]]:
    groups: dict[Hashable, list[Hit]] = defaultdict(list)
    for hit in hits:
        groups[key(hit)].append(hit)
    return [group for group in groups.values() if len(group) > 1]


def _group_key(hit: Hit, ranges: Mapping[str, PartRange] | None = None) -> Hashable:
    """The key of results that are one hit: the name in a file; the line for parts of a long line.

    Overloads differ in their signatures. In Pascal a declaration is grouped with its definition.
    """
    if hit.symbol and hit.language != "pascal":
        run = ranges.get(hit.id) if ranges else None
        return hit.repo, hit.path, hit.symbol, hit.node_type, hit.signature, run
    name = hit.symbol or hit.logical_path
    if not name and hit.start_line == hit.end_line:
        return hit.repo, hit.path, hit.start_line
    return (hit.repo, hit.path, name) if name else hit.id


def _duplicate_key(hit: Hit) -> Hashable:
    """The key that nodes with the same text share."""
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
    """Makes one hit of nodes with the same text; duplicates have their current lines."""
    long = (result.hit for result in nodes if _is_comparable(result.hit))
    excerpts = find_excerpts(
        [hit for group in _groups_by_key(long, _sized_duplicate_key) for hit in group]
    )
    unique: dict[Hashable, Result] = {}
    for result in nodes:
        excerpt = excerpts.get(result.hit.id)
        key = _comparable_text(result.hit, excerpt) or result.hit.id
        original = unique.setdefault(key, result)
        if original is not result and excerpt:
            current = result.hit._replace(start_line=excerpt.first, end_line=excerpt.last)
            unique[key] = original._replace(
                duplicates=(*original.duplicates, result._replace(hit=current))
            )
    return list(unique.values())


def _is_comparable(hit: Hit) -> bool:
    return hit.node_type in DOCUMENT_TYPES or _line_count(hit) >= MIN_DUPLICATE_LINES


def _comparable_text(hit: Hit, excerpt: Excerpt | None) -> Hashable:
    """The lines of a node, or the words of a document; None for a text too short to compare."""
    if excerpt and hit.node_type in DOCUMENT_TYPES:
        words = tuple(word for line in excerpt.lines for word in line.split())
        return words if len(words) >= MIN_DUPLICATE_WORDS else None
    lines = tuple(excerpt.lines) if excerpt else ()
    return lines if len(lines) >= MIN_DUPLICATE_LINES and any(map(str.strip, lines)) else None


MAX_FACET_VALUES = 20
"""Values counted for each facet, the most frequent ones."""

Facets = Mapping[str, Mapping[str, int]]


def count_facets(results: Sequence[Result]) -> Facets:
    """Counts results by the values of each filter, the most frequent first."""
    hits = [result.hit for result in results]
    return {
        "language": _top_counts(hit.language for hit in hits if hit.language),
        "path": _top_counts(_diverging_folders([hit.path for hit in hits])),
        "node_type": _top_counts(hit.node_type for hit in hits),
        "tests": _top_counts("only" if is_test_path(hit.path) else "no" for hit in hits),
    }


def _top_counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common(MAX_FACET_VALUES))


def _diverging_folders(paths: Sequence[str]) -> Iterator[str]:
    """The folders below the common one, from the root: `/src/a` and `/src/b`."""
    folders = [dirname(path) for path in paths]
    common = commonpath(folders) if folders else ""
    above = f"{common}/" if common else ""
    for folder in folders:
        if below := f"{folder}/".removeprefix(above).partition("/")[0]:
            yield f"/{above}{below}"


class RankedResults(NamedTuple):
    """All results of a search, the best first.

    Not `is_complete` if a model failed; `is_truncated` if more nodes may match. `spans` are the
    lines of the parts of all nodes with equal names; None if they must still be read. No node has
    the `missing_words`; `corrected_words` were searched in place of misspelt ones. Not `has_match`
    if no node has the name or a word of the query.
    """

    results: Sequence[Result]
    notes: Sequence[Note] = ()
    is_complete: bool = True
    is_truncated: bool = False
    spans: PartsByNode | None = None
    missing_words: Sequence[str] = ()
    corrected_words: Sequence[str] = ()
    has_match: bool = True


def paginate(
    database: Database,
    ranked: RankedResults,
    pagination: Pagination,
    find_excerpts: ExcerptLookup | None = None,
) -> ResultList:
    """Groups and deduplicates ranked results and returns a page of them.

    All results that may be grouped are compared for every page, so that no hit is on two pages or
    on none. Without `find_excerpts` texts are not compared.
    """
    end = pagination.offset + pagination.limit
    related = grouping_candidates(ranked.results)
    hits = [*related, *(result.hit for result in ranked.results[: end + len(related)])]
    part_ranges_by_id = (
        read_part_ranges(database, hits)
        if ranked.spans is None
        else part_ranges(hits, ranked.spans)
    )
    groups = group_results(ranked.results, part_ranges_by_id, find_excerpts)
    page, all_results = groups[pagination.offset : end], tuple(groups)
    return ResultList(
        page,
        len(groups),
        ranked.notes,
        ranked.is_truncated,
        all_results,
        ranked.corrected_words,
        ranked.has_match,
    )
