"""Which lines are a node's now? Never other ones in silence.

The index has git's name of the contents that each file's nodes were read from. Where the file is
another now, the lines are found again: from those contents, where git still has them, else by the
hash of the node's text, else by its signature.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from feeder.nodes import Node, embedding_text, text_sha
from feeder.search.files import Now, contents, files_now, lines_of
from feeder.search.tracing import Trace, Traced
from feeder.store import Database
from feeder.store.origins import Origin, origins
from feeder.store.reading import Hit

HASHED_CHARS = 20_000_000
"""That are hashed at most to find a text again whose file's contents are lost."""


class State(StrEnum):
    """What has become of a node's lines since they were indexed."""

    SAME = ""
    MOVED = "moved"
    EDITED = "edited"
    UNSURE = "unsure"
    GONE = "gone"
    NO_FILE = "no file"
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
        return self.state not in (State.GONE, State.NO_FILE, State.ELSEWHERE)


class Lines(NamedTuple):
    """A file's lines now and, where it is another since, those that were indexed."""

    now: list[str] | None
    commit: str | None
    is_changed: bool
    trace: Trace | None = None


class Sources:
    """The files of some nodes in the folder `base`, of the repository that the index calls `repo`.

    `edited` are the paths of those that are not what was indexed.
    """

    def __init__(self, database: Database, base: Path, repo: str, hits: Iterable[Hit]) -> None:
        found = list(hits)
        self._repo = repo
        self._origins = origins(database, [hit.id for hit in found]) if found else {}
        blobs = {hit.path: one.blob for hit in found if (one := self._own(hit))}
        self._files = _files(base, blobs)
        self.edited = [path for path, file in self._files.items() if file.is_changed]

    def of(self, hit: Hit) -> Excerpt:
        """The lines of a node; of a notebook's those of its cells."""
        origin = self._own(hit)
        if origin is None:
            return Excerpt(State.ELSEWHERE, hit.start_line, hit.end_line)
        file = self._files[hit.path]
        if file.now is None:
            return Excerpt(State.NO_FILE, hit.start_line, hit.end_line)
        traced, state = _found(hit, origin, file)
        if traced is None:
            return Excerpt(State.GONE, hit.start_line, hit.end_line)
        shift = traced.first - hit.start_line
        inner = [(first + shift, last + shift) for first, last in origin.inner]
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

    def _own(self, hit: Hit) -> Origin | None:
        return self._origins.get(hit.id) if hit.repo == self._repo else None


def _files(base: Path, blobs: Mapping[str, str]) -> dict[str, Lines]:
    """The files by path; `blobs` are git's names of what was indexed."""
    now = files_now(base, blobs)
    changed = {path: blob for path, blob in blobs.items() if not _file(now, path).is_blob(blob)}
    before = contents(base, [blob for path, blob in changed.items() if path in now])
    return {
        path: _lines(_file(now, path), path in changed, lines_of(before.get(blob)))
        for path, blob in blobs.items()
    }


def _file(now: Mapping[str, Now], path: str) -> Now:
    return now.get(path, Now())


def _lines(now: Now, is_changed: bool, before: list[str] | None) -> Lines:
    """Contents that differ in the ends of lines or their encoding alone have the same lines."""
    lines = lines_of(now.content)
    if lines is None or not is_changed or lines == before:
        return Lines(lines, now.commit, is_changed and lines != before)
    return Lines(lines, now.commit, True, Trace(before, lines) if before is not None else None)


def _found(hit: Hit, origin: Origin, file: Lines) -> tuple[Traced | None, State]:
    """Where the node is, and what that has to be called."""
    assert file.now is not None
    if not file.is_changed:
        last = min(hit.end_line, len(file.now))
        return Traced(hit.start_line, last, True), State.SAME
    if file.trace:
        traced = file.trace.of(hit.start_line, hit.end_line)
        return traced, _state(hit, traced)
    if traced := _by_hash(hit, origin.text_sha, file.now):
        return traced, _state(hit, traced)
    return _by_signature(hit, file.now), State.UNSURE


def _state(hit: Hit, traced: Traced | None) -> State:
    if traced is None:
        return State.GONE
    if not traced.same:
        return State.EDITED
    return State.SAME if traced.first == hit.start_line else State.MOVED


def _by_hash(hit: Hit, sha: str, now: Sequence[str]) -> Traced | None:
    """The lines whose text is what was indexed; of a node without those of nodes in it only."""
    count = hit.end_line - hit.start_line + 1
    if count * sum(map(len, now)) > HASHED_CHARS:
        return None
    named = hit.language or "", hit.node_type, hit.symbol, hit.signature, hit.logical_path
    places = range(len(now) - count + 1)
    for row in sorted(places, key=lambda row: abs(row + 1 - hit.start_line)):
        text = "\n".join(now[row : row + count]).rstrip()
        for written in {text, text.lstrip()}:
            node = Node(*named, 0, 0, written)
            if written and text_sha(embedding_text(hit.path, node)) == sha:
                return Traced(row + 1, row + count, True)
    return None


def _by_signature(hit: Hit, now: Sequence[str]) -> Traced | None:
    """As many lines as there were, with the signature where it was; the same ones without one."""
    sought = hit.signature or ""
    said = (" ".join(line.split()).rstrip(" ,;\\") for line in now)
    starts = [row for row, text in enumerate(said) if text and sought.startswith(text)]
    if hit.signature and not starts:
        return None
    nearest = min(starts, key=lambda row: abs(row + 1 - hit.start_line), default=hit.start_line - 1)
    first = min(nearest, len(now) - 1) + 1
    return Traced(first, min(len(now), first + hit.end_line - hit.start_line), False)


def _numbered(hit: Hit, now: list[str], at: Traced) -> tuple[Sequence[str], Sequence[int]]:
    """The lines and their numbers; of a notebook those that are the source of a cell."""
    if hit.language == "notebook":
        from feeder.parse.notebooks import source_lines

        cells = source_lines("\n".join(now).encode(), at.first, at.last)
        if cells is not None:
            return [line for _, line in cells], [number for number, _ in cells]
    lines = now[at.first - 1 : at.last]
    return lines, range(at.first, at.first + len(lines))
