"""Reads a node's current lines with their freshness (same, moved, edited, gone).

Lines that may be wrong are marked, never shown silently.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

from feeder.corpus.file_contents import (
    FileContent,
    current_files,
    decode_lines,
    is_unreadable_document,
    read_blobs,
    snapshot_repositories,
)
from feeder.parse.extract import NOT_INSTALLED
from feeder.snippets.relocation import LineMap, LineRange, relocate_by_hash
from feeder.store import Database
from feeder.store.hits import Hit
from feeder.store.node_parts import HitContents, read_hit_contents, read_origins

CONTEXT_LINES, MAX_CONTEXT_CHARS = 3, 200
"""Lines shown above and below a node, none from a longer line on. Three were chosen by `python -m
bench commits`."""


class Freshness(StrEnum):
    """The state of a node's lines against the file now."""

    SAME = ""
    MOVED = "moved"
    CHANGED = "edited"
    UNCERTAIN = "unsure"
    DELETED = "gone"
    FILE_DELETED = "no file"
    UNREADABLE = "unread"
    OTHER_REPOSITORY = "elsewhere"


class Excerpt(NamedTuple):
    """The current lines of a node with their numbers; none if they cannot be shown.

    `first` and `last` are the current lines. `commit` is set if they are not from the working tree,
    where the file may have been deleted. `inner_ranges` are the lines of the nodes inside.
    `is_whole_file` if the file has no other lines; `before` and `after` are the next of these.
    """

    freshness: Freshness
    first: int
    last: int
    lines: Sequence[str] = ()
    numbers: Sequence[int] = ()
    commit: str | None = None
    inner_ranges: Sequence[tuple[int, int]] = ()
    is_deleted: bool = False
    is_whole_file: bool = False
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    @property
    def commit_text(self) -> str:
        """The commit that the lines are from, in words; empty for the working tree."""
        if not self.commit:
            return ""
        committed = f"as committed in {self.commit[:10]}"
        return f"deleted in the working tree, {committed}" if self.is_deleted else committed

    @property
    def is_shown(self) -> bool:
        """Returns True if there are lines to show."""
        return self.freshness not in (
            Freshness.DELETED,
            Freshness.FILE_DELETED,
            Freshness.UNREADABLE,
            Freshness.OTHER_REPOSITORY,
        )

    @property
    def is_certain(self) -> bool:
        """Returns True if they are the node's own lines, changed or not."""
        return self.is_shown and self.freshness is not Freshness.UNCERTAIN


class FileLines(NamedTuple):
    """The current lines of a file and, if it has changed, their map from the indexed ones.

    A document `is_unreadable` if no installed package can extract its text. The lines of a file
    that `is_deleted` in the working tree are those of `commit`.
    """

    current: list[str] | None
    commit: str | None
    is_changed: bool
    line_map: LineMap | None = None
    is_unreadable: bool = False
    is_deleted: bool = False


class ExcerptReader:
    """Reads current lines of nodes from the files of the repository `repo` in the folder `base`.

    A hit may have the lines of several parts of its node. `changed_paths` are files that differ
    from the indexed contents. Lines of inner nodes are only read `with_inner`.
    """

    def __init__(
        self,
        database: Database,
        base: Path,
        repo: str,
        hits: Iterable[Hit],
        *,
        with_inner: bool = True,
    ) -> None:
        self._database, self._repo, self._hits = database, repo, list(hits)
        self._blobs, self._inner_nodes = (
            read_origins(database, self._hits, with_contents=with_inner) if self._hits else ({}, {})
        )
        owned = {
            hit.path: blob for hit in self._hits if (blob := self._indexed_blob(hit)) is not None
        }
        self._files = _read_files(base, owned, snapshot_repositories(database))
        self.changed_paths = [path for path, file in self._files.items() if file.is_changed]

    def read(self, hit: Hit) -> Excerpt:
        """The current lines of a node; of a notebook the lines of its cells."""
        if self._indexed_blob(hit) is None:
            return Excerpt(Freshness.OTHER_REPOSITORY, hit.start_line, hit.end_line)
        file = self._files[hit.path]
        if file.current is None:
            state = Freshness.UNREADABLE if file.is_unreadable else Freshness.FILE_DELETED
            return Excerpt(state, hit.start_line, hit.end_line)
        located, state = self._locate(hit, file, file.current)
        if located is None:
            return Excerpt(Freshness.DELETED, hit.start_line, hit.end_line)
        shift = located.first - hit.start_line
        inner_lines = self._inner_nodes.get(hit.id, HitContents()).inner_lines
        inner = [(first + shift, last + shift) for first, last in inner_lines]
        lines, numbers = _numbered_lines(hit, file.current, located)
        before, after = _context(hit, file.current, located)
        return Excerpt(
            state,
            located.first,
            located.last,
            lines,
            numbers,
            file.commit,
            inner,
            file.is_deleted,
            is_whole_file=located.first == 1 and not any(file.current[located.last :]),
            before=before,
            after=after,
        )

    def current_line(self, hit: Hit, line: int, excerpt: Excerpt) -> int | None:
        """The current number of an indexed line of the node, whose current lines are `excerpt`."""
        file = self._files[hit.path]
        if not file.line_map:
            return line + excerpt.first - hit.start_line
        located = file.line_map.locate(line, line)
        return located and located.first

    def current_lines(self, path: str) -> Sequence[str]:
        """All current lines of a file; none if they cannot be read."""
        return self._files[path].current or ()

    def indexed_line(self, path: str, line: int) -> int:
        """The indexed number of a current line, or of the nearest line above that was indexed."""
        file = self._files[path]
        if not file.line_map:
            return line
        above = (file.line_map.inverse.locate(at, at) for at in range(line, 0, -1))
        return next((located.first for located in above if located), line)

    def _indexed_blob(self, hit: Hit) -> str | None:
        """The blob id of the indexed contents; None for nodes of other repositories."""
        return self._blobs.get(hit.id) if hit.repo == self._repo else None

    def _locate(
        self, hit: Hit, file: FileLines, now: Sequence[str]
    ) -> tuple[LineRange | None, Freshness]:
        if not file.is_changed:
            last = min(hit.end_line, len(now))
            return LineRange(hit.start_line, last, True), Freshness.SAME
        if file.line_map:
            located = file.line_map.locate(hit.start_line, hit.end_line)
            return located, _freshness_of(hit, located)
        # contents are only needed where git no longer has the indexed ones
        self._inner_nodes = self._inner_nodes or read_hit_contents(self._database, self._hits)
        located, is_certain = relocate_by_hash(hit, self._inner_nodes[hit.id], now)
        return located, _freshness_of(hit, located) if is_certain else Freshness.UNCERTAIN


def _read_files(
    base: Path, blobs: Mapping[str, str], other_repositories: Iterable[Path]
) -> dict[str, FileLines]:
    """Reads files by path; `blobs` are the blob ids of the indexed contents."""
    now = current_files(base, blobs)
    changed = {
        path: blob for path, blob in blobs.items() if not _content_of(now, path).has_blob_id(blob)
    }
    before = read_blobs(
        base, [blob for path, blob in changed.items() if path in now], other_repositories
    )
    return {
        path: _file_lines(
            path, _content_of(now, path), path in changed, decode_lines(path, before.get(blob))
        )._replace(is_deleted=_content_of(now, path).is_deleted)
        for path, blob in blobs.items()
    }


def _content_of(now: Mapping[str, FileContent], path: str) -> FileContent:
    return now.get(path, FileContent())


def _file_lines(
    path: str, now: FileContent, is_changed: bool, before: list[str] | None
) -> FileLines:
    """Contents that differ in line ends or encoding only have the same lines."""
    lines = decode_lines(path, now.content)
    if now.content is not None and is_unreadable_document(path):
        return FileLines(None, now.commit, is_changed, is_unreadable=True)
    if lines is None and now.content is not None:  # it is there, and no text any more
        return FileLines([], now.commit, True, LineMap([], []))
    if lines is None or not is_changed or lines == before:
        return FileLines(lines, now.commit, is_changed and lines != before)
    return FileLines(
        lines, now.commit, True, LineMap(before, lines) if before is not None else None
    )


def _freshness_of(hit: Hit, relocated: LineRange | None) -> Freshness:
    if relocated is None:
        return Freshness.DELETED
    if not relocated.is_same:
        return Freshness.CHANGED
    return Freshness.SAME if relocated.first == hit.start_line else Freshness.MOVED


def _numbered_lines(hit: Hit, now: list[str], at: LineRange) -> tuple[Sequence[str], Sequence[int]]:
    """The lines with their numbers; of a notebook the source lines of its cells."""
    if hit.language == "notebook":
        from feeder.parse.notebook_cells import notebook_source_lines

        cells = notebook_source_lines("\n".join(now).encode(), at.first, at.last)
        if cells is not None:
            return [line for _, line in cells], [number for number, _ in cells]
    lines = now[at.first - 1 : at.last]
    return lines, range(at.first, at.first + len(lines))


def _context(hit: Hit, now: list[str], at: LineRange) -> tuple[Sequence[str], Sequence[str]]:
    """The lines above and below; none of a notebook, whose lines are JSON."""
    if hit.language == "notebook":
        return (), ()
    above = now[max(at.first - 1 - CONTEXT_LINES, 0) : at.first - 1]
    return _nearest_lines(reversed(above))[::-1], _nearest_lines(islice(now, at.last, None))


def _nearest_lines(lines: Iterable[str]) -> list[str]:
    """The first lines, none from a long one on, without blank ones at the end."""
    nearest = islice(lines, CONTEXT_LINES)
    shown = list(takewhile(lambda line: len(line) <= MAX_CONTEXT_CHARS, nearest))
    while shown and not shown[-1].strip():
        shown.pop()
    return shown


UNAVAILABLE_REASONS = {
    Freshness.DELETED: "gone: the file has changed and no longer has these lines",
    Freshness.FILE_DELETED: "not in the working tree any more",
    Freshness.UNREADABLE: NOT_INSTALLED,
}
"""Reasons why lines cannot be shown."""


def freshness_text(state: Freshness, hit: Hit, lines: tuple[int, int]) -> str:
    """The freshness in words, with the indexed lines where they differ from the current `lines`."""
    was = f"{hit.start_line}-{hit.end_line}"
    moved = f", was {was}" if lines != (hit.start_line, hit.end_line) else ""
    return {
        Freshness.MOVED: f"moved from {was}",
        Freshness.CHANGED: f"edited since{moved}",
        Freshness.UNCERTAIN: f"the file was edited: these may be other lines{moved}",
    }.get(state, "")
