"""Reads a node's current lines with their freshness (same, moved, edited, gone).

Lines that may be wrong are marked, never shown silently.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from feeder.parse.extract import NOT_INSTALLED
from feeder.search.file_contents import (
    FileContent,
    current_files,
    decode_lines,
    is_unreadable_document,
    read_blobs,
    snapshot_repositories,
)
from feeder.search.relocation import LineMap, LineRange, relocate_by_hash
from feeder.store import Database
from feeder.store.hits import Hit
from feeder.store.node_parts import HitContents, read_hit_contents, read_origins


class Freshness(StrEnum):
    """What has become of a node's lines since they were indexed."""

    SAME = ""
    MOVED = "moved"
    CHANGED = "edited"
    UNCERTAIN = "unsure"
    DELETED = "gone"
    FILE_DELETED = "no file"
    UNREADABLE = "unread"
    OTHER_REPOSITORY = "elsewhere"


class Excerpt(NamedTuple):
    """A node's lines as they are now, each with its number; none where they cannot be shown.

    `first` and `last` are where they are; `commit` is what they are from, where that is no file of
    the working tree. `inner` are the lines of the nodes in it, first and last.
    """

    freshness: Freshness
    first: int
    last: int
    lines: Sequence[str] = ()
    numbers: Sequence[int] = ()
    commit: str | None = None
    inner_ranges: Sequence[tuple[int, int]] = ()

    @property
    def is_shown(self) -> bool:
        """Whether there are lines that can be shown."""
        return self.freshness not in (
            Freshness.DELETED,
            Freshness.FILE_DELETED,
            Freshness.UNREADABLE,
            Freshness.OTHER_REPOSITORY,
        )

    @property
    def is_certain(self) -> bool:
        """Whether they are the node's own lines, be some of them edited since."""
        return self.is_shown and self.freshness is not Freshness.UNCERTAIN


class FileLines(NamedTuple):
    """A file's lines now and, where it is another since, those that were indexed.

    A document is `unread` where this program has nothing that takes its text out.
    """

    current: list[str] | None
    commit: str | None
    is_changed: bool
    line_map: LineMap | None = None
    is_unreadable: bool = False


class ExcerptReader:
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
        """The lines of a node; of a notebook's those of its cells."""
        if self._indexed_blob(hit) is None:
            return Excerpt(Freshness.OTHER_REPOSITORY, hit.start_line, hit.end_line)
        file = self._files[hit.path]
        if file.current is None:
            state = Freshness.UNREADABLE if file.is_unreadable else Freshness.FILE_DELETED
            return Excerpt(state, hit.start_line, hit.end_line)
        traced, state = self._locate(hit, file, file.current)
        if traced is None:
            return Excerpt(Freshness.DELETED, hit.start_line, hit.end_line)
        shift = traced.first - hit.start_line
        within = self._inner_nodes.get(hit.id, HitContents()).inner_lines
        inner = [(first + shift, last + shift) for first, last in within]
        lines, numbers = _numbered_lines(hit, file.current, traced)
        return Excerpt(state, traced.first, traced.last, lines, numbers, file.commit, inner)

    def current_line(self, hit: Hit, line: int, excerpt: Excerpt) -> int | None:
        """Where a line of the node that was indexed is now, whose lines now are the `excerpt`'s."""
        file = self._files[hit.path]
        if not file.line_map:
            return line + excerpt.first - hit.start_line
        traced = file.line_map.locate(line, line)
        return traced and traced.first

    def indexed_line(self, path: str, line: int) -> int:
        """Where a line that a file has now was when it was indexed, as far as that can be told."""
        file = self._files[path]
        if not file.line_map:
            return line
        above = (file.line_map.inverse.locate(at, at) for at in range(line, 0, -1))
        return next((traced.first for traced in above if traced), line)

    def _indexed_blob(self, hit: Hit) -> str | None:
        """Git's name of the contents that it was read from, empty where git has none."""
        return self._blobs.get(hit.id) if hit.repo == self._repo else None

    def _locate(
        self, hit: Hit, file: FileLines, now: Sequence[str]
    ) -> tuple[LineRange | None, Freshness]:
        """Where the node is, and what that has to be called."""
        if not file.is_changed:
            last = min(hit.end_line, len(now))
            return LineRange(hit.start_line, last, True), Freshness.SAME
        if file.line_map:
            traced = file.line_map.locate(hit.start_line, hit.end_line)
            return traced, _freshness_of(hit, traced)
        # only here is it asked for what excerpts need not tell
        self._inner_nodes = self._inner_nodes or read_hit_contents(self._database, self._hits)
        traced, is_sure = relocate_by_hash(hit, self._inner_nodes[hit.id], now)
        return traced, _freshness_of(hit, traced) if is_sure else Freshness.UNCERTAIN


def _read_files(
    base: Path, blobs: Mapping[str, str], other_repositories: Iterable[Path]
) -> dict[str, FileLines]:
    """The files by path; `blobs` are git's names of what was indexed, kept in git or `beside`."""
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
        )
        for path, blob in blobs.items()
    }


def _content_of(now: Mapping[str, FileContent], path: str) -> FileContent:
    return now.get(path, FileContent())


def _file_lines(
    path: str, now: FileContent, is_changed: bool, before: list[str] | None
) -> FileLines:
    """Contents that differ in the ends of lines or their encoding alone have the same lines."""
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
    """The lines and their numbers; of a notebook those that are the source of a cell."""
    if hit.language == "notebook":
        from feeder.parse.notebooks import notebook_source_lines

        cells = notebook_source_lines("\n".join(now).encode(), at.first, at.last)
        if cells is not None:
            return [line for _, line in cells], [number for number, _ in cells]
    lines = now[at.first - 1 : at.last]
    return lines, range(at.first, at.first + len(lines))


UNAVAILABLE_REASONS = {
    Freshness.DELETED: "gone: the file is edited since, and has no such lines any more",
    Freshness.FILE_DELETED: "not in the working tree any more",
    Freshness.UNREADABLE: NOT_INSTALLED,
}
"""Why there are no lines to be shown."""


def freshness_text(state: Freshness, hit: Hit, lines: tuple[int, int]) -> str:
    was = f"{hit.start_line}-{hit.end_line}"
    moved = f", was {was}" if lines != (hit.start_line, hit.end_line) else ""
    return {
        Freshness.MOVED: f"moved from {was}",
        Freshness.CHANGED: f"edited since{moved}",
        Freshness.UNCERTAIN: f"the file is edited since: these may be other lines{moved}",
    }.get(state, "")
