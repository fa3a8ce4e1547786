"""What stands there? The lines of a node, or lines of a file by their numbers, as they are now."""

from collections.abc import Hashable

from feeder.errors import UserError
from feeder.parse.extract import NOT_INSTALLED
from feeder.search.answers import Corpus, Page, PageHit, PageOptions, build_page
from feeder.search.excerpts import Excerpt, ExcerptReader, Freshness
from feeder.search.file_contents import current_files, decode_lines, is_unreadable_document
from feeder.search.grouping import merge_parts
from feeder.search.index_status import read_index_status
from feeder.search.results import Result, ResultList
from feeder.search.snippets import Snippet
from feeder.search.targets import Target
from feeder.store.pieces import read_part_ranges
from feeder.store.word_search import Hit


def read_target(corpus: Corpus, target: Target) -> Page:
    """The nodes that are meant whole, also by one piece of theirs; of a path its lines.

    Raises UserError for lines that the file has not, and for a file that cannot be shown.
    """
    names = {hit.symbol or hit.logical_path for hit in target.hits}
    is_one = len(names) == 1 and names != {None}
    if target.lines is None and (is_one or not target.is_file):
        nodes = _target_results(corpus, target)
        return build_page(corpus, ResultList(nodes, len(nodes)), PageOptions(snippet_lines=None))
    return _line_page(corpus, target)


def _target_results(corpus: Corpus, target: Target) -> list[Result]:
    """The nodes, of whose pieces it is told where they lie if not all of them are meant."""
    known = read_part_ranges(corpus.database, target.hits)
    nodes: dict[Hashable, list[Result]] = {}
    for hit in target.hits:
        kind = hit.node_type, hit.signature, known.get(hit.id, hit.id)
        nodes.setdefault(kind, []).append(Result(hit, 0.0, {}))
    found = (merge_parts(one, rest, known.get(one.hit.id)) for one, *rest in nodes.values())
    return [
        one._replace(part_match=None)
        if one.part_match and one.part_match.matching == one.part_match.of
        else one
        for one in found
    ]


def _line_page(corpus: Corpus, target: Target) -> Page:
    now = current_files(corpus.base, [target.path])[target.path]
    lines = decode_lines(target.path, now.content)
    if lines is None and now.content is not None and is_unreadable_document(target.path):
        raise UserError(f"{target.path} is {NOT_INSTALLED}")
    if lines is None:
        raise UserError(
            f"{target.path} is not in the working tree any more. Bring the index on: feeder sync"
            if now.content is None
            else f"{target.path} is no text any more. Put its text back, or commit what it is now "
            "and bring the index on: feeder sync"
        )
    lines = lines[:-1] if len(lines) > 1 and not lines[-1] else lines
    first, last = target.lines or (1, len(lines))
    if not 1 <= first <= min(last, len(lines)):
        raise UserError(f"{target.path} has lines 1 to {len(lines)}. Name some of them.")
    some = lines[first - 1 : last]
    last = first + len(some) - 1
    language = target.hits[0].language if target.hits else None
    hit = Hit("", target.path, language, "lines", None, None, None, first, last, "", corpus.repo)
    excerpt = Excerpt(Freshness.SAME, first, last, some, range(first, last + 1), now.commit)
    edited = ExcerptReader(corpus.database, corpus.base, corpus.repo, target.hits[:1]).changed_paths
    where = read_index_status(
        corpus.base, corpus.repo, corpus.meta, len(edited), seen_tree=corpus.seen_tree
    )
    shown = PageHit(Result(hit, 0.0, {}), excerpt, Snippet(first, some, []))
    return Page([shown], where, 1)
