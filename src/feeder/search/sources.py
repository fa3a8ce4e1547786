"""Which lines are a node's now? Never other ones in silence.

The index has git's name of the contents that each file's nodes were read from. Where the file is
another now, the lines are found again: from those contents, where git still has them, else by the
hashes of the texts of its pieces, else by its signature.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from feeder.search.files import Now, cannot_read, contents, files_now, lines_of
from feeder.search.indexed import beside
from feeder.search.lost import found_again
from feeder.search.tracing import Trace, Traced
from feeder.store import Database
from feeder.store.origins import HitContents, read_hit_contents, read_origins
from feeder.store.reading import Hit


class State(StrEnum):
    """What has become of a node's lines since they were indexed."""

    SAME = ""
    MOVED = "moved"
    EDITED = "edited"
    UNSURE = "unsure"
    GONE = "gone"
    NO_FILE = "no file"
    UNREAD = "unread"
    ELSEWHERE = "elsewhere"


class Excerpt(NamedTuple):
    """A node's lines as they are now, each with its number; none where they cannot be shown.

    `first` and `last` are where they are; `commit` is what they are from, where that is no file of
    the working tree. `inner` are the lines of the nodes in it, first and last.
    """

    state: State
    first: int
    last: int
    lines: Sequence[str] = ()
    numbers: Sequence[int] = ()
    commit: str | None = None
    inner: Sequence[tuple[int, int]] = ()

    @property
    def is_shown(self) -> bool:
        """Whether there are lines that can be shown."""
        return self.state not in (State.GONE, State.NO_FILE, State.UNREAD, State.ELSEWHERE)

    @property
    def is_sure(self) -> bool:
        """Whether they are the node's own lines, be some of them edited since."""
        return self.is_shown and self.state is not State.UNSURE


class Lines(NamedTuple):
    """A file's lines now and, where it is another since, those that were indexed.

    A document is `unread` where this program has nothing that takes its text out.
    """

    now: list[str] | None
    commit: str | None
    is_changed: bool
    trace: Trace | None = None
    unread: bool = False


class Sources:
    """The files of some nodes in the folder `base`, of the repository that the index calls `repo`.

    A hit may have the lines of several pieces of its node. `edited` are the paths of the files that
    are not what was indexed. What excerpts need not tell is asked for only `with_inside`.
    """

    def __init__(
        self,
        database: Database,
        base: Path,
        repo: str,
        hits: Iterable[Hit],
        *,
        with_inside: bool = True,
    ) -> None:
        self._database, self._repo, self._hits = database, repo, list(hits)
        self._blobs, self._insides = (
            read_origins(database, self._hits, with_contents=with_inside)
            if self._hits
            else ({}, {})
        )
        owned = {hit.path: blob for hit in self._hits if (blob := self._own(hit)) is not None}
        self._files = _files(base, owned, beside(database))
        self.edited = [path for path, file in self._files.items() if file.is_changed]

    def of(self, hit: Hit) -> Excerpt:
        """The lines of a node; of a notebook's those of its cells."""
        if self._own(hit) is None:
            return Excerpt(State.ELSEWHERE, hit.start_line, hit.end_line)
        file = self._files[hit.path]
        if file.now is None:
            state = State.UNREAD if file.unread else State.NO_FILE
            return Excerpt(state, hit.start_line, hit.end_line)
        traced, state = self._found(hit, file, file.now)
        if traced is None:
            return Excerpt(State.GONE, hit.start_line, hit.end_line)
        shift = traced.first - hit.start_line
        within = self._insides.get(hit.id, HitContents()).inner_lines
        inner = [(first + shift, last + shift) for first, last in within]
        lines, numbers = _numbered(hit, file.now, traced)
        return Excerpt(state, traced.first, traced.last, lines, numbers, file.commit, inner)

    def line(self, hit: Hit, line: int, excerpt: Excerpt) -> int | None:
        """Where a line of the node that was indexed is now, whose lines now are the `excerpt`'s."""
        file = self._files[hit.path]
        if not file.trace:
            return line + excerpt.first - hit.start_line
        traced = file.trace.of(line, line)
        return traced and traced.first

    def indexed_line(self, path: str, line: int) -> int:
        """Where a line that a file has now was when it was indexed, as far as that can be told."""
        file = self._files[path]
        if not file.trace:
            return line
        above = (file.trace.backwards.of(at, at) for at in range(line, 0, -1))
        return next((traced.first for traced in above if traced), line)

    def _own(self, hit: Hit) -> str | None:
        """Git's name of the contents that it was read from, empty where git has none."""
        return self._blobs.get(hit.id) if hit.repo == self._repo else None

    def _found(self, hit: Hit, file: Lines, now: Sequence[str]) -> tuple[Traced | None, State]:
        """Where the node is, and what that has to be called."""
        if not file.is_changed:
            last = min(hit.end_line, len(now))
            return Traced(hit.start_line, last, True), State.SAME
        if file.trace:
            traced = file.trace.of(hit.start_line, hit.end_line)
            return traced, _state(hit, traced)
        # only here is it asked for what excerpts need not tell
        self._insides = self._insides or read_hit_contents(self._database, self._hits)
        traced, is_sure = found_again(hit, self._insides[hit.id], now)
        return traced, _state(hit, traced) if is_sure else State.UNSURE


def _files(base: Path, blobs: Mapping[str, str], beside: Iterable[Path]) -> dict[str, Lines]:
    """The files by path; `blobs` are git's names of what was indexed, kept in git or `beside`."""
    now = files_now(base, blobs)
    changed = {path: blob for path, blob in blobs.items() if not _file(now, path).is_blob(blob)}
    before = contents(base, [blob for path, blob in changed.items() if path in now], beside)
    return {
        path: _lines(path, _file(now, path), path in changed, lines_of(path, before.get(blob)))
        for path, blob in blobs.items()
    }


def _file(now: Mapping[str, Now], path: str) -> Now:
    return now.get(path, Now())


def _lines(path: str, now: Now, is_changed: bool, before: list[str] | None) -> Lines:
    """Contents that differ in the ends of lines or their encoding alone have the same lines."""
    lines = lines_of(path, now.content)
    if now.content is not None and cannot_read(path):
        return Lines(None, now.commit, is_changed, unread=True)
    if lines is None and now.content is not None:  # it is there, and no text any more
        return Lines([], now.commit, True, Trace([], []))
    if lines is None or not is_changed or lines == before:
        return Lines(lines, now.commit, is_changed and lines != before)
    return Lines(lines, now.commit, True, Trace(before, lines) if before is not None else None)


def _state(hit: Hit, traced: Traced | None) -> State:
    if traced is None:
        return State.GONE
    if not traced.same:
        return State.EDITED
    return State.SAME if traced.first == hit.start_line else State.MOVED


def _numbered(hit: Hit, now: list[str], at: Traced) -> tuple[Sequence[str], Sequence[int]]:
    """The lines and their numbers; of a notebook those that are the source of a cell."""
    if hit.language == "notebook":
        from feeder.parse.notebooks import notebook_source_lines

        cells = notebook_source_lines("\n".join(now).encode(), at.first, at.last)
        if cells is not None:
            return [line for _, line in cells], [number for number, _ in cells]
    lines = now[at.first - 1 : at.last]
    return lines, range(at.first, at.first + len(lines))
