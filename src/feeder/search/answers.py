"""Builds a page: hits with current lines, snippets, freshness and the state of the index.

Also reads a node or a range of lines as a page.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import current_files, decode_lines, is_unreadable_document
from feeder.corpus.index_status import IndexStatus, index_status
from feeder.errors import UserError
from feeder.line_ranges import LineRange, count_lines, encode_ranges, merge_ranges, ranges_within
from feeder.nodes import Member
from feeder.notes import Note, NoteKind
from feeder.parse.extract import NOT_INSTALLED
from feeder.query.literals import LiteralMatch
from feeder.query.query_plan import DEFAULT_LINES
from feeder.ranking.exact_parts import ExactParts, find_places, inexact_notes
from feeder.ranking.results import Result, ResultList, merge_parts
from feeder.snippets.excerpts import Excerpt, ExcerptReader, Freshness, freshness_text
from feeder.snippets.snippets import Highlight, Snippet, SnippetRequest, make_snippet
from feeder.snippets.statement_lines import statement_end
from feeder.store.hits import Hit
from feeder.store.node_parts import read_part_ranges
from feeder.store.unread_files import unparsed_lines

if TYPE_CHECKING:
    from feeder.query.query import Query
    from feeder.query.query_plan import QueryPlan
    from feeder.relations.targets import Target


RANK_NAMES = ("name", "word", "line", "meaning", "vector")
"""Rankings whose ranks are keys of a hit's JSON, such as `word_rank`."""

WHOLE_FILE = "file"
"""The kind of a chunk that is all of a file."""

EMPTY_SNIPPET = Snippet(0, [], [])
UNREAD_EXCERPT = Excerpt(Freshness.UNREADABLE, 0, 0)


class PageHit(NamedTuple):
    """A result with its current lines and snippet; `member` has its current line.

    `literals` are all places in the lines that match the query exactly.
    """

    result: Result
    excerpt: Excerpt
    snippet: Snippet
    member: Member | None = None
    literals: Sequence[Highlight] = ()

    def as_json(self) -> dict[str, Any]:
        """All fields; `text` and `window` are null if the lines cannot be shown."""
        hit, excerpt = self.result.hit._asdict(), self.excerpt
        del hit["members"]
        hit["description"] = hit["description"] or None
        is_same = excerpt.freshness is Freshness.SAME
        return {
            **hit,
            "start_line": excerpt.first,
            "end_line": excerpt.last,
            "state": excerpt.freshness.value or "same",
            "indexed_lines": None if is_same else [hit["start_line"], hit["end_line"]],
            "member": self.member and self.member._asdict(),
            "score": round(self.result.score, 6),
            **{f"{name}_rank": self.result.ranks.get(name) for name in RANK_NAMES},
            "parts": dict(self.result.score_parts),
            "piece": self.result.part_match and self.result.part_match._asdict(),
            "copies": [_location(copy.hit) for copy in self.result.duplicates],
            "text": "\n".join(excerpt.lines) if excerpt.is_shown else None,
            "text_of": excerpt.commit,
            "before": list(excerpt.before) or None,
            "after": list(excerpt.after) or None,
            "window": _snippet_json(self.snippet) if excerpt.is_shown else None,
        }


class Page(NamedTuple):
    """Hits from `offset` on out of `total`, or more than `total` where `at_least`.

    `notes` explain the results to the user. `warnings`, `all_results` (of every page) and the
    search's `plan` are for the program and are not in the JSON.
    """

    hits: list[PageHit]
    status: IndexStatus
    total: int
    offset: int = 0
    notes: Sequence[Note] = ()
    at_least: bool = False
    warnings: Sequence[Note] = ()
    all_results: Sequence[Result] = ()
    plan: QueryPlan | None = None

    @property
    def note(self) -> str:
        """The state of the index in words."""
        return self.status.note

    def as_json(self) -> dict[str, Any]:
        """The page for `--json` and the JSON API."""
        return {
            "hits": [shown.as_json() for shown in self.hits],
            "total": self.total,
            "at_least": self.at_least,
            "offset": self.offset,
            "notes": list(map(str, self.notes)),
            "index": self.status.as_json(),
            "note": self.note,
        }


class PageOptions(NamedTuple):
    """The words to highlight, the lines shown of each hit (None for all), and the first hit's
    offset. Without `reads_files` hits have no lines.
    """

    highlight_words: Sequence[str] = ()
    snippet_lines: int | None = DEFAULT_LINES
    offset: int = 0
    reads_files: bool = True
    exact: ExactParts = ExactParts()


def build_page(corpus: Corpus, results: ResultList, options: PageOptions) -> Page:
    """Builds a page of results, with one request to the index and one to git for all files."""
    if options.reads_files:
        hits_to_read = [result.hit for result in results.results]
        reader = ExcerptReader(corpus.database, corpus.base, corpus.repo, hits_to_read)
        hits = [_make_hit(result, reader, options) for result in results.results]
        if options.snippet_lines is not None:
            hits = without_repeated_lines(hits)
        status = index_status(
            corpus, len(reader.changed_paths), is_empty=not (results.total and results.has_match)
        )
    else:
        hits = [
            PageHit(result, UNREAD_EXCERPT, EMPTY_SNIPPET, result.member)
            for result in results.results
        ]
        status = IndexStatus(corpus.repo, corpus.meta.get(f"{corpus.repo}:head", ""))
    places = [(shown.excerpt, shown.literals) for shown in hits]
    notes = [*results.notes, *inexact_notes(places, options.exact)]
    page = Page(hits, status, results.total, options.offset, notes, results.at_least)
    return page._replace(all_results=results.all_results)


def without_repeated_lines(hits: Sequence[PageHit]) -> list[PageHit]:
    """The hits, less the first and last lines of a snippet that another hit inside it shows too.

    At least one line stays, and every line with a literal.
    """
    by_path: dict[tuple[str, str], list[PageHit]] = {}
    for shown in hits:
        by_path.setdefault((shown.result.hit.repo, shown.result.hit.path), []).append(shown)
    return [
        shown._replace(snippet=_trim_snippet(shown, others)) if len(others) > 1 else shown
        for shown in hits
        for others in [by_path[shown.result.hit.repo, shown.result.hit.path]]
    ]


def _trim_snippet(shown: PageHit, others: Sequence[PageHit]) -> Snippet:
    """The snippet without lines at its ends that hits inside this one show."""
    excerpt, snippet = shown.excerpt, shown.snippet
    own = range(excerpt.first, excerpt.last + 1)
    repeated = {
        number
        for other in others
        if other is not shown and _is_inside(other.excerpt, excerpt)
        for number, _ in other.snippet.numbered_lines
    }
    if not repeated or list(excerpt.numbers) != [*own]:
        return snippet
    return snippet.trimmed(repeated - {mark.line for mark in shown.literals})


def _is_inside(inner: Excerpt, outer: Excerpt) -> bool:
    """Returns True if one hit's lines are some of those of another one."""
    is_within = outer.first <= inner.first and inner.last <= outer.last
    return is_within and (inner.first, inner.last) != (outer.first, outer.last)


def highlight_words(query: Query) -> list[str]:
    """The words of a query that are highlighted."""
    prefixes = (f"{prefix}*" for prefix in query.prefixes)
    texts = (*query.phrases, *prefixes, *query.either_texts, *query.symbols)
    return [*query.words.split(), *texts]


def _location(hit: Hit) -> dict[str, Any]:
    return {name: getattr(hit, name) for name in ("id", "repo", "path", "start_line", "end_line")}


def _make_hit(result: Result, reader: ExcerptReader, options: PageOptions) -> PageHit:
    excerpt = reader.read(result.hit)
    if not excerpt.is_shown:
        return PageHit(result, excerpt, EMPTY_SNIPPET, result.member)
    line = reader.current_line(result.hit, result.member.line, excerpt) if result.member else None
    member = result.member and result.member._replace(line=line or result.member.line)
    relocated = _relocate_part(result, reader, excerpt)
    places = find_places(result.hit, reader, excerpt, options.exact)
    snippet = _make_snippet(relocated, excerpt, options, line, places)
    marks = [Highlight(excerpt.numbers[row], start, end) for row, start, end in places]
    return PageHit(relocated, excerpt, snippet, member, marks)


def _relocate_part(result: Result, reader: ExcerptReader, excerpt: Excerpt) -> Result:
    """The result with the current lines of its matching part, or of the node if those are gone."""
    if not result.part_match:
        return result
    first, last = (reader.current_line(result.hit, line, excerpt) for line in result.part_match[:2])
    part_match = result.part_match._replace(
        start_line=first or excerpt.first, end_line=last or excerpt.last
    )
    return result._replace(part_match=part_match)


def _make_snippet(
    result: Result,
    excerpt: Excerpt,
    options: PageOptions,
    line: int | None,
    places: Sequence[LiteralMatch],
) -> Snippet:
    """The snippet with line numbers of the file, which have gaps in a notebook.

    Where no line has a word of the query, it begins at the matching part.
    """
    rows = {number: row for row, number in reversed([*enumerate(excerpt.numbers)])}
    inner = [
        (rows[first], rows[last] + 1)
        for first, last in excerpt.inner_ranges
        if first in rows and last in rows
    ]
    request = SnippetRequest(
        options.highlight_words,
        len(excerpt.lines) if options.snippet_lines is None else options.snippet_lines,
        _header_line(result, excerpt),
        rows.get(line) if line else None,
        inner,
        places,
    )
    snippet = make_snippet(excerpt.lines, 0, request)
    if result.part_match and request.anchor is None and not snippet.marks:
        anchor = rows.get(result.part_match.start_line)
        snippet = make_snippet(excerpt.lines, 0, request._replace(anchor=anchor))
    return snippet.renumbered(excerpt.numbers)


SHEET_TYPE = "sheet"
"""The node type of a piece of a table in a file of its own."""


def table_header(shown: PageHit, lines: Iterable[str]) -> str:
    """The header row of a sheet, if it is in none of the lines that are shown of it; else empty.

    A CSV file or spreadsheet has several pieces, and only the first one has the row.
    """
    hit, excerpt = shown.result.hit, shown.excerpt
    if hit.node_type != SHEET_TYPE or not excerpt.is_shown or not hit.signature:
        return ""
    header = hit.signature.strip()
    return "" if header in map(str.strip, lines) else header


def _header_line(result: Result, excerpt: Excerpt) -> str | None:
    """The line shown above a snippet: the signature, or a section's heading; none for a chunk."""
    hit = result.hit
    name = hit.symbol or hit.logical_path
    return hit.signature or (excerpt.lines[0] if name and excerpt.lines else None)


def _snippet_json(snippet: Snippet) -> dict[str, Any]:
    facts = snippet._asdict()
    facts["marks"] = [list(mark) for mark in snippet.marks]
    facts["head"] = snippet.head and snippet.head._asdict()
    facts["more"] = [part._asdict() for part in snippet.more]
    return facts


def read_target(corpus: Corpus, target: Target) -> Page:
    """Builds the page of a target: whole nodes, or the lines of a path.

    A note names those of its lines that no grammar knows. Raises UserError for lines that the file
    does not have, and for a file that cannot be shown.
    """
    page = _target_page(corpus, target)
    unparsed = unparsed_lines(corpus.database, corpus.repo, target.path)
    hits = [shown.result.hit for shown in page.hits]
    shown_ranges = merge_ranges(
        range_ for hit in hits for range_ in ranges_within(unparsed, hit.start_line, hit.end_line)
    )
    if not shown_ranges:
        return page
    return page._replace(notes=[*page.notes, _unparsed_note(target.path, shown_ranges)])


def _unparsed_note(path: str, ranges: Sequence[LineRange]) -> Note:
    lines = encode_ranges(ranges).replace(",", ", ")
    is_one = count_lines(ranges) == 1
    subject = f"Line {lines} of {path} was" if is_one else f"Lines {lines} of {path} were"
    text = f"{subject} not parsed; symbols there may be missing."
    return Note(NoteKind.UNPARSED_LINES, text)


def _target_page(corpus: Corpus, target: Target) -> Page:
    names = {hit.symbol or hit.logical_path for hit in target.hits}
    is_one = len(names) == 1 and names != {None}
    if target.lines is None and (is_one or not target.is_file):
        nodes = _target_results(corpus, target)
        page = build_page(corpus, ResultList(nodes, len(nodes)), PageOptions(snippet_lines=None))
        return _with_whole_member(corpus, page, target.member) if target.member else page
    return _line_page(corpus, target)


def _target_results(corpus: Corpus, target: Target) -> list[Result]:
    """The target's nodes; `part_match` is set where only some parts of a node are meant."""
    ranges = read_part_ranges(corpus.database, target.hits)
    nodes: dict[Hashable, list[Result]] = {}
    for hit in target.hits:
        kind = hit.node_type, hit.signature, ranges.get(hit.id, hit.id)
        nodes.setdefault(kind, []).append(Result(hit, 0.0, {}))
    results = (
        merge_parts(result, rest, ranges.get(result.hit.id)) for result, *rest in nodes.values()
    )
    return [
        result._replace(part_match=None)
        if result.part_match and result.part_match.matching == result.part_match.of
        else result
        for result in results
    ]


def _with_whole_member(corpus: Corpus, page: Page, member: Member) -> Page:
    """The page of a constant, with all its lines where its chunk has only the first ones."""
    [shown, *others] = page.hits
    hit, excerpt = shown.result.hit, shown.excerpt
    reader = ExcerptReader(corpus.database, corpus.base, corpus.repo, [hit])
    line = reader.current_line(hit, member.line, excerpt) if excerpt.is_certain else None
    lines = reader.current_lines(hit.path)
    if others or line is None or list(excerpt.numbers) != [*range(excerpt.first, excerpt.last + 1)]:
        return page
    last = statement_end(lines, line - 1) + 1
    if last <= excerpt.last:
        return page
    numbers = range(excerpt.first, last + 1)
    whole = excerpt._replace(last=last, lines=lines[excerpt.first - 1 : last], numbers=numbers)
    snippet = Snippet(whole.first, list(whole.lines), [])
    return page._replace(hits=[shown._replace(excerpt=whole, snippet=snippet)])


def _line_page(corpus: Corpus, target: Target) -> Page:
    current = current_files(corpus.base, [target.path])[target.path]
    lines = decode_lines(target.path, current.content)
    if lines is None and current.content is not None and is_unreadable_document(target.path):
        raise UserError(f"{target.path} is {NOT_INSTALLED}")
    if lines is None:
        if current.content is None:
            problem = f"{target.path} is not in the working tree any more."
            raise UserError(problem, "Update the index: feeder sync")
        raise UserError(
            f"{target.path} is no longer a text file.",
            "Restore it, or commit it and update the index: feeder sync",
        )
    lines = lines[:-1] if len(lines) > 1 and not lines[-1] else lines
    first, last = target.lines or (1, len(lines))
    if not 1 <= first <= min(last, len(lines)):
        if last < first:
            raise UserError(
                f"Lines {first}-{last} end before they begin.", f"Did you mean {last}-{first}?"
            )
        raise UserError(f"{target.path} has lines 1 to {len(lines)}.", "Use lines in that range.")
    page_lines = lines[first - 1 : last]
    last = first + len(page_lines) - 1
    language = target.hits[0].language if target.hits else None
    hit = Hit("", target.path, language, "lines", None, None, None, first, last, "", corpus.repo)
    excerpt = Excerpt(
        Freshness.SAME,
        first,
        last,
        page_lines,
        range(first, last + 1),
        current.commit,
        is_deleted=current.is_deleted,
    )
    changed = ExcerptReader(
        corpus.database, corpus.base, corpus.repo, target.hits[:1]
    ).changed_paths
    page_hit = PageHit(Result(hit, 0.0, {}), excerpt, Snippet(first, page_lines, []))
    return Page([page_hit], index_status(corpus, len(changed)), 1)


def hit_kind(shown: PageHit) -> str:
    """The node type, for readers: a chunk that is all of a file is a file."""
    is_file = shown.excerpt.is_whole_file and not shown.member
    node_type = shown.result.hit.node_type
    return WHOLE_FILE if is_file and node_type == "chunk" else node_type


def hit_name(shown: PageHit) -> str:
    """The name of the node, followed by the member that the query names."""
    hit, member = shown.result.hit, shown.member
    return ".".join(filter(None, [hit.symbol or hit.logical_path, member and member.name]))


def hit_status(shown: PageHit) -> str:
    """Grouping and freshness of a hit in words."""
    excerpt = shown.excerpt
    freshness = freshness_text(excerpt.freshness, shown.result.hit, (excerpt.first, excerpt.last))
    freshness = (
        f"in {shown.result.hit.repo}"
        if excerpt.freshness is Freshness.OTHER_REPOSITORY
        else freshness
    )
    return ", ".join(filter(None, [_group_text(shown.result), freshness, excerpt.commit_text]))


def _group_text(result: Result) -> str:
    """The matching parts of the node and the number of its duplicates."""
    parts = (
        f"{result.part_match.matching} of {result.part_match.of} parts" if result.part_match else ""
    )
    duplicates = (
        f"and {len(result.duplicates)} more with the same text" if result.duplicates else ""
    )
    return ", ".join(filter(None, [parts, duplicates]))
