"""What does an answer say, on every face? Each hit with its lines, and how old they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder.nodes import Member
from feeder.search.age import Age, age_of
from feeder.search.sources import Excerpt, Sources, State
from feeder.search.windows import LINES, Wanted, Window, window
from feeder.store import Database
from feeder.store.reading import Hit

if TYPE_CHECKING:
    from feeder.assembly.opening import Store
    from feeder.search.found import Answer, Found
    from feeder.search.query import Query

RANKS = ("name", "word", "line", "meaning", "vector")
"""By what a hit may have been found: its JSON says of each which rank it had there."""
NOWHERE = Window(0, [], [])


class Corpus(NamedTuple):
    """What an answer is about: the index, the files' folder, what the index calls it, and what the
    index says of itself; and the root tree that the files were since the question, where it is
    known."""

    database: Database
    base: Path
    repo: str
    meta: Mapping[str, str]
    seen: str = ""

    @classmethod
    def of(cls, store: Store, meta: Mapping[str, str]) -> Corpus:
        """That of an opened index which says `meta` of itself."""
        return cls(store.index.database, store.place.base, store.place.repo, meta)


class Shown(NamedTuple):
    """A hit, its lines as they are now, those that answer, and its `member` with its line now."""

    one: Found
    excerpt: Excerpt
    window: Window
    member: Member | None = None

    def as_json(self) -> dict[str, Any]:
        """What is known of it; `text` and `window` are null where it cannot be shown."""
        hit, excerpt = self.one.hit._asdict(), self.excerpt
        del hit["members"]
        hit["description"] = hit["description"] or None
        is_same = excerpt.state is State.SAME
        return {
            **hit,
            "start_line": excerpt.first,
            "end_line": excerpt.last,
            "state": excerpt.state.value or "same",
            "indexed_lines": None if is_same else [hit["start_line"], hit["end_line"]],
            "member": self.member and self.member._asdict(),
            "score": round(self.one.score, 6),
            **{f"{name}_rank": self.one.ranks.get(name) for name in RANKS},
            "parts": dict(self.one.parts),
            "piece": self.one.piece and self.one.piece._asdict(),
            "copies": [_place(copy.hit) for copy in self.one.copies],
            "text": "\n".join(excerpt.lines) if excerpt.is_shown else None,
            "text_of": excerpt.commit,
            "window": _window_json(self.window) if excerpt.is_shown else None,
        }


class Page(NamedTuple):
    """Hits from `offset` on out of `total`; `notes` are what the search has to say of itself.

    Where `at_least`, more than `total` may answer, which were not looked at.
    """

    hits: list[Shown]
    age: Age
    total: int
    offset: int = 0
    notes: Sequence[str] = ()
    at_least: bool = False

    @property
    def note(self) -> str:
        """What a reader has to know of all of them, last: above all how old the index is."""
        return self.age.note

    def as_json(self) -> dict[str, Any]:
        """The whole answer."""
        return {
            "hits": [shown.as_json() for shown in self.hits],
            "total": self.total,
            "at_least": self.at_least,
            "offset": self.offset,
            "notes": list(self.notes),
            "index": self.age.as_json(),
            "note": self.note,
        }


class Shaped(NamedTuple):
    """The question's words, how many lines of a hit are shown, and where the page begins."""

    words: Sequence[str] = ()
    lines: int | None = LINES
    """None for all."""
    offset: int = 0


def page(corpus: Corpus, answer: Answer, shaped: Shaped) -> Page:
    """The hits with their lines; one question to the index, and git asked at once for all files."""
    database, base, repo, meta, seen = corpus
    sources = Sources(database, base, repo, [one.hit for one in answer.found])
    hits = [_shown(one, sources, shaped) for one in answer.found]
    where = age_of(base, repo, meta, len(sources.edited), seen=seen)
    return Page(hits, where, answer.total, shaped.offset, answer.notes, answer.at_least)


def sought(query: Query) -> list[str]:
    """The words of a question that are marked where they stand."""
    prefixes = (f"{prefix}*" for prefix in query.prefixes)
    return [*query.words.split(), *query.phrases, *prefixes, *query.symbols]


def _place(hit: Hit) -> dict[str, Any]:
    return {name: getattr(hit, name) for name in ("id", "repo", "path", "start_line", "end_line")}


def _shown(one: Found, sources: Sources, shaped: Shaped) -> Shown:
    excerpt = sources.of(one.hit)
    if not excerpt.is_shown:
        return Shown(one, excerpt, NOWHERE, one.member)
    line = sources.line(one.hit, one.member.line, excerpt) if one.member else None
    member = one.member and one.member._replace(line=line or one.member.line)
    now = _now(one, sources, excerpt)
    return Shown(now, excerpt, _window(now, excerpt, shaped, line), member)


def _now(one: Found, sources: Sources, excerpt: Excerpt) -> Found:
    """The same, its piece with lines as they are now; of one that has gone, those of the node."""
    if not one.piece:
        return one
    first, last = (sources.line(one.hit, line, excerpt) for line in one.piece[:2])
    piece = one.piece._replace(start_line=first or excerpt.first, end_line=last or excerpt.last)
    return one._replace(piece=piece)


def _window(one: Found, excerpt: Excerpt, shaped: Shaped, line: int | None) -> Window:
    """The window in lines of the file, which of a notebook are no run.

    Where no word stands in the lines, the piece that answers begins it.
    """
    rows = {number: row for row, number in reversed([*enumerate(excerpt.numbers)])}
    inner = [
        (rows[first], rows[last] + 1)
        for first, last in excerpt.inner
        if first in rows and last in rows
    ]
    wanted = Wanted(
        shaped.words,
        len(excerpt.lines) if shaped.lines is None else shaped.lines,
        _signature(one, excerpt),
        rows.get(line) if line else None,
        inner,
    )
    chosen = window(excerpt.lines, 0, wanted)
    if one.piece and wanted.anchor is None and not chosen.marks:
        anchor = rows.get(one.piece.start_line)
        chosen = window(excerpt.lines, 0, wanted._replace(anchor=anchor))
    return chosen.at(excerpt.numbers)


def _signature(one: Found, excerpt: Excerpt) -> str | None:
    """What stands above a window: a section's heading is its first line; a chunk has nothing."""
    hit = one.hit
    named = hit.symbol or hit.logical_path
    return hit.signature or (excerpt.lines[0] if named and excerpt.lines else None)


def _window_json(window: Window) -> dict[str, Any]:
    facts = window._asdict()
    facts["marks"] = [list(mark) for mark in window.marks]
    facts["head"] = window.head and window.head._asdict()
    return facts
