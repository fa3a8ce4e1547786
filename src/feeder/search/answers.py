"""What does an answer say, on every face? Each hit with its lines, and how old they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder.nodes import Member
from feeder.search.excerpts import Excerpt, ExcerptReader, Freshness
from feeder.search.index_status import IndexStatus, read_index_status
from feeder.search.snippets import DEFAULT_LINES, Snippet, SnippetRequest, make_snippet
from feeder.store import Database
from feeder.store.word_search import Hit

if TYPE_CHECKING:
    from feeder.search.query import Query
    from feeder.search.results import Result, ResultList
    from feeder.session.session import Session

RANK_NAMES = ("name", "word", "line", "meaning", "vector")
"""By what a hit may have been found: its JSON says of each which rank it had there."""
EMPTY_SNIPPET = Snippet(0, [], [])


class Corpus(NamedTuple):
    """What an answer is about: the index, the files' folder, what the index calls it, and what the
    index says of itself; and the root tree that the files were since the question, where it is
    known."""

    database: Database
    base: Path
    repo: str
    meta: Mapping[str, str]
    seen_tree: str = ""

    @classmethod
    def from_store(cls, store: Session, meta: Mapping[str, str]) -> Corpus:
        """That of an opened index which says `meta` of itself."""
        return cls(store.index.database, store.workspace.base, store.workspace.repo, meta)


class PageHit(NamedTuple):
    """A hit, its lines as they are now, those that answer, and its `member` with its line now."""

    result: Result
    excerpt: Excerpt
    snippet: Snippet
    member: Member | None = None

    def as_json(self) -> dict[str, Any]:
        """What is known of it; `text` and `window` are null where it cannot be shown."""
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
            "window": _snippet_json(self.snippet) if excerpt.is_shown else None,
        }


class Page(NamedTuple):
    """Hits from `offset` on out of `total`; `notes` are what the search has to say of itself.

    Where `at_least`, more than `total` may answer, which were not looked at.
    """

    hits: list[PageHit]
    status: IndexStatus
    total: int
    offset: int = 0
    notes: Sequence[str] = ()
    at_least: bool = False

    @property
    def note(self) -> str:
        """What a reader has to know of all of them, last: above all how old the index is."""
        return self.status.note

    def as_json(self) -> dict[str, Any]:
        """The whole answer."""
        return {
            "hits": [shown.as_json() for shown in self.hits],
            "total": self.total,
            "at_least": self.at_least,
            "offset": self.offset,
            "notes": list(self.notes),
            "index": self.status.as_json(),
            "note": self.note,
        }


class PageOptions(NamedTuple):
    """The question's words, how many lines of a hit are shown, and where the page begins."""

    highlight_words: Sequence[str] = ()
    snippet_lines: int | None = DEFAULT_LINES
    """None for all."""
    offset: int = 0


def build_page(corpus: Corpus, results: ResultList, options: PageOptions) -> Page:
    """The hits with their lines; one question to the index, and git asked at once for all files."""
    database, base, repo, meta, seen = corpus
    sources = ExcerptReader(database, base, repo, [one.hit for one in results.results])
    hits = [_make_hit(one, sources, options) for one in results.results]
    where = read_index_status(base, repo, meta, len(sources.changed_paths), seen_tree=seen)
    return Page(hits, where, results.total, options.offset, results.notes, results.at_least)


def highlight_words(query: Query) -> list[str]:
    """The words of a question that are marked where they stand."""
    prefixes = (f"{prefix}*" for prefix in query.prefixes)
    return [*query.words.split(), *query.phrases, *prefixes, *query.symbols]


def _location(hit: Hit) -> dict[str, Any]:
    return {name: getattr(hit, name) for name in ("id", "repo", "path", "start_line", "end_line")}


def _make_hit(one: Result, sources: ExcerptReader, options: PageOptions) -> PageHit:
    excerpt = sources.read(one.hit)
    if not excerpt.is_shown:
        return PageHit(one, excerpt, EMPTY_SNIPPET, one.member)
    line = sources.current_line(one.hit, one.member.line, excerpt) if one.member else None
    member = one.member and one.member._replace(line=line or one.member.line)
    now = _relocate_part(one, sources, excerpt)
    return PageHit(now, excerpt, _make_snippet(now, excerpt, options, line), member)


def _relocate_part(one: Result, sources: ExcerptReader, excerpt: Excerpt) -> Result:
    """The same, its piece with lines as they are now; of one that has gone, those of the node."""
    if not one.part_match:
        return one
    first, last = (sources.current_line(one.hit, line, excerpt) for line in one.part_match[:2])
    piece = one.part_match._replace(
        start_line=first or excerpt.first, end_line=last or excerpt.last
    )
    return one._replace(part_match=piece)


def _make_snippet(one: Result, excerpt: Excerpt, options: PageOptions, line: int | None) -> Snippet:
    """The window in lines of the file, which of a notebook are no run.

    Where no word stands in the lines, the piece that answers begins it.
    """
    rows = {number: row for row, number in reversed([*enumerate(excerpt.numbers)])}
    inner = [
        (rows[first], rows[last] + 1)
        for first, last in excerpt.inner_ranges
        if first in rows and last in rows
    ]
    wanted = SnippetRequest(
        options.highlight_words,
        len(excerpt.lines) if options.snippet_lines is None else options.snippet_lines,
        _header_line(one, excerpt),
        rows.get(line) if line else None,
        inner,
    )
    chosen = make_snippet(excerpt.lines, 0, wanted)
    if one.part_match and wanted.anchor is None and not chosen.marks:
        anchor = rows.get(one.part_match.start_line)
        chosen = make_snippet(excerpt.lines, 0, wanted._replace(anchor=anchor))
    return chosen.renumbered(excerpt.numbers)


def _header_line(one: Result, excerpt: Excerpt) -> str | None:
    """What stands above a window: a section's heading is its first line; a chunk has nothing."""
    hit = one.hit
    named = hit.symbol or hit.logical_path
    return hit.signature or (excerpt.lines[0] if named and excerpt.lines else None)


def _snippet_json(window: Snippet) -> dict[str, Any]:
    facts = window._asdict()
    facts["marks"] = [list(mark) for mark in window.marks]
    facts["head"] = window.head and window.head._asdict()
    return facts
