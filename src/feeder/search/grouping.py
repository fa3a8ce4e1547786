"""Which hits are one? The pieces of a node, a section with its code, and copies of a text."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from feeder.nodes import DOCUMENT_TYPES
from feeder.search.excerpts import Excerpt
from feeder.search.results import PartMatch, Result
from feeder.store.pieces import PartRange
from feeder.store.word_search import Hit
from feeder.symbols import normalize_symbol

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
