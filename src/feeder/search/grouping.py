"""Which hits are one? The pieces of a node, a section with its code, and copies of a text."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from feeder.nodes import DOCUMENT_TYPES
from feeder.search.found import Found, Piece
from feeder.search.sources import Excerpt
from feeder.store.pieces import PartRange
from feeder.store.reading import Hit
from feeder.symbols import normalize_symbol

LinesOf = Callable[[Sequence[Hit]], Mapping[str, Excerpt]]
"""Nodes' lines as they are now, by id, without those that are not here or may be other lines."""
COMPARED = 100
"""Nodes, of the best, whose texts are compared: files are read for it."""
COPIED_LINES = 3
"""Texts of fewer lines are often the same by chance: an import, a getter."""
COPIED_WORDS = 12
"""The same for documents, whose lines are others in a PDF than in the DOCX that it was made of."""


def akin(found: Iterable[Found]) -> list[Hit]:
    """The hits that may be one with another: of one name in a file, or of one form."""
    hits = [one.hit for one in found]
    named = [hit for same in _alike(hits, _key) for hit in same]
    formed = (hit for same in _alike(hits[: COMPARED + len(named)], _form) for hit in same)
    return list({hit.id: hit for hit in (*named, *formed)}.values())


def grouped(
    found: Iterable[Found], runs: Mapping[str, PartRange], lines_of: LinesOf | None = None
) -> list[Found]:
    """Each group's best, with the rest of it as its `others`, and its `copies`.

    What is named alike is one where it is of one run. `runs` has those of all that are `akin`, so
    that groups are the same whichever of them are shown. Copies are looked for among the best.
    """
    groups: dict[Hashable, list[Found]] = {}
    for one in found:
        groups.setdefault(_key(one.hit, runs), []).append(one)
    nodes = [whole(first, rest, runs.get(first.hit.id)) for first, *rest in groups.values()]
    return [*_once(nodes[:COMPARED], lines_of), *nodes[COMPARED:]] if lines_of else nodes


def whole(first: Found, others: Sequence[Found], run: PartRange | None) -> Found:
    """The first with the others; a piece of a node becomes the node, with the lines of all."""
    one = first._replace(others=tuple(others))
    if run is None or run.part_count < 2:
        return one
    hit = one.hit
    # a section's code block, a Pascal declaration are of the group, and no pieces of it
    kind = hit.node_type, hit.signature
    matching = 1 + sum((of.hit.node_type, of.hit.signature) == kind for of in others)
    piece = Piece(hit.start_line, hit.end_line, matching, run.part_count)
    return one._replace(
        hit=hit._replace(start_line=run.first_line, end_line=run.last_line), piece=piece
    )


def _alike(hits: Iterable[Hit], key: Callable[[Hit], Hashable]) -> list[list[Hit]]:
    same: dict[Hashable, list[Hit]] = defaultdict(list)
    for hit in hits:
        same[key(hit)].append(hit)
    return [some for some in same.values() if len(some) > 1]


def _key(hit: Hit, runs: Mapping[str, PartRange] | None = None) -> Hashable:
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


def _form(hit: Hit) -> Hashable:
    """What nodes of one text have in common; what has no name is in no pieces."""
    if hit.symbol:
        return hit.node_type, hit.signature, normalize_symbol(hit.symbol).rpartition(".")[2]
    if hit.node_type in DOCUMENT_TYPES:
        return DOCUMENT_TYPES
    return hit.node_type, hit.language, None if hit.logical_path else _count(hit)


def _whole_form(hit: Hit) -> Hashable:
    return _form(hit), 0 if hit.node_type in DOCUMENT_TYPES else _count(hit)


def _count(hit: Hit) -> int:
    return hit.end_line - hit.start_line + 1


def _once(nodes: Sequence[Found], lines_of: LinesOf) -> list[Found]:
    """Copies have the lines where they are now."""
    long = (one.hit for one in nodes if _is_long(one.hit))
    excerpts = lines_of([hit for same in _alike(long, _whole_form) for hit in same])
    kept: dict[Hashable, Found] = {}
    for one in nodes:
        excerpt = excerpts.get(one.hit.id)
        key = _text(one.hit, excerpt) or one.hit.id
        known = kept.setdefault(key, one)
        if known is not one and excerpt:
            now = one.hit._replace(start_line=excerpt.first, end_line=excerpt.last)
            kept[key] = known._replace(copies=(*known.copies, one._replace(hit=now)))
    return list(kept.values())


def _is_long(hit: Hit) -> bool:
    return hit.node_type in DOCUMENT_TYPES or _count(hit) >= COPIED_LINES


def _text(hit: Hit, excerpt: Excerpt | None) -> Hashable:
    """Its lines, of a document its words, where they are enough to be no chance."""
    if excerpt and hit.node_type in DOCUMENT_TYPES:
        words = tuple(word for line in excerpt.lines for word in line.split())
        return words if len(words) >= COPIED_WORDS else None
    lines = tuple(excerpt.lines) if excerpt else ()
    return lines if len(lines) >= COPIED_LINES and any(map(str.strip, lines)) else None
