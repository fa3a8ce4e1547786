"""Matching lines with their nodes, and their text with secrets masked."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import (
    Revision,
    current_files,
    decode_lines,
    masked_lines,
    read_blobs,
    snapshot_repositories,
)
from feeder.snippets.declarations import FindSpans
from feeder.source.git_files import read_files
from feeder.source.grep import MatchingLine
from feeder.source.paths import unescape_path
from feeder.store.hits import Hit
from feeder.store.node_parts import part_ranges, parts_from_rows
from feeder.store.scope import is_test_path


class Section(IntEnum):
    """Kinds of matching lines, in the order in which they are listed."""

    DEFINITION = 0
    CODE = 1
    TEST = 2
    DOCUMENT = 3


class EnclosingNode(NamedTuple):
    """The innermost node around a line; the lines of a long node are those of all its parts."""

    id: str
    symbol: str | None
    logical_path: str | None
    node_type: str
    start_line: int
    end_line: int


class LineMatch(NamedTuple):
    """A matching line as it is indexed, with secrets masked.

    `column` counts bytes from 1. `spans` are ranges of characters, in the order of the line.
    `before` and `after` are the context lines. `is_changed` if the file has changed since.
    """

    path: str
    line: int
    column: int
    text: str
    node: EnclosingNode | None
    is_definition: bool
    is_test: bool
    section: Section
    spans: Sequence[tuple[int, int]] = ()
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    is_changed: bool = False

    def as_json(self) -> dict[str, Any]:
        """The fields for `--json`; context lines only where there are some."""
        fields = ("path", "line", "column", "text", "node", "is_definition", "is_test")
        facts = {name: getattr(self, name) for name in fields}
        facts["node"] = self.node and self.node._asdict()
        context = {"before": list(self.before), "after": list(self.after)}
        return facts | {name: lines for name, lines in context.items() if lines}


class Candidate(NamedTuple):
    """A matching line before its page is known."""

    section: Section
    path: str
    line: MatchingLine
    node: Hit | None
    is_definition: bool


def innermost_nodes(nodes: Iterable[Hit], numbers: Sequence[int]) -> dict[int, Hit]:
    """The innermost node by line; `numbers` are sorted, and so are nodes: the longer first."""
    innermost = {}
    for node in nodes:
        first, last = bisect_left(numbers, node.start_line), bisect_right(numbers, node.end_line)
        for number in numbers[first:last]:
            innermost[number] = node
    return innermost


class _FileText(NamedTuple):
    """The lines of a file's contents: as UTF-8, and as text."""

    raw: Sequence[bytes]
    lines: Sequence[str]

    def has(self, line: MatchingLine) -> bool:
        """Returns True if git found the line in these contents."""
        return line.number <= len(self.lines) and self.raw[line.number - 1] == line.content


_TextKey = tuple[str, int]
"""A path, and the index of a source of its contents."""


class _FoundLine(NamedTuple):
    """A candidate's line with its node, and the contents that have it; None if none do."""

    candidate: Candidate
    line: MatchingLine
    node: Hit | None
    source: int = 0
    text: _FileText | None = None

    @property
    def key(self) -> _TextKey:
        """The contents."""
        return self.candidate.path, self.source

    def rows(self, before: int, after: int) -> range:
        """The indexes of the line and its context."""
        row, end = self.line.number - 1, len(self.text.lines) if self.text else 0
        return range(max(0, row - before), min(end, row + 1 + after))


class LineReader:
    """Reads the lines of a page as git found them, with secrets masked.

    Lines in other contents than the indexed ones have no node: its lines may be others there.
    """

    def __init__(
        self,
        corpus: Corpus,
        revision: Revision,
        blobs: Mapping[str, str],
        nodes: Mapping[str, Sequence[Hit]],
    ) -> None:
        self._corpus, self._revision = corpus, revision
        now = current_files(corpus.base, blobs)
        same = {path for path, blob in blobs.items() if now[path].has_blob_id(blob)}
        others = [blob for path, blob in blobs.items() if path not in same]
        indexed = read_blobs(corpus.base, others, snapshot_repositories(corpus.database))
        self._current = {path: now[path].content for path in blobs}
        self._indexed = {
            path: now[path].content if path in same else indexed.get(blob)
            for path, blob in blobs.items()
        }
        self.changed_paths = {path for path in blobs if path not in same and self._differs(path)}
        self._nodes_by_path = {path: _enclosing_nodes(nodes[path]) for path in blobs}
        self._texts: dict[_TextKey, _FileText | None] = {}

    def read_all(
        self,
        candidates: Sequence[Candidate],
        find_spans: FindSpans,
        *,
        before: int = 0,
        after: int = 0,
    ) -> list[LineMatch]:
        """The lines with their highlights, nodes, and so many lines before and after each.

        Each file is masked once.
        """
        located = [self._find(candidate) for candidate in candidates]
        rows: dict[_TextKey, set[int]] = {}
        for found in located:
            if found.text is not None:
                rows.setdefault(found.key, set()).update(found.rows(before, after))
        masked = {key: self._mask(key, requested) for key, requested in rows.items()}
        return [
            self._read(found, masked.get(found.key, {}), find_spans, found.rows(before, after))
            for found in located
        ]

    def _mask(self, key: _TextKey, rows: set[int]) -> Mapping[int, str]:
        from feeder.parse.secrets import mask_lines  # imports the scanner

        text = self._texts[key]
        return mask_lines(key[0], text.lines, rows) if text else {}

    def _differs(self, path: str) -> bool:
        """Contents that differ in line ends only have the same lines."""
        current = decode_lines(path, self._current[path])
        return current is None or current != decode_lines(path, self._indexed[path])

    def _find(self, candidate: Candidate) -> _FoundLine:
        """The contents that have the line, and its node."""
        path, line, node = candidate.path, candidate.line, candidate.node
        for source in range(len(_CONTENT_SOURCES)):
            text = self._text(path, source)
            if text and text.has(line):
                return _FoundLine(candidate, line, node if source == 0 else None, source, text)
        return _FoundLine(candidate, line, None)

    def _read(
        self,
        located: _FoundLine,
        masked: Mapping[int, str],
        find_spans: FindSpans,
        rows: range,
    ) -> LineMatch:
        path, line, node, text = located.candidate.path, located.line, located.node, located.text
        match = LineMatch(
            path,
            line.number,
            line.column,
            "",
            self._nodes_by_path[path][node.id] if node else None,
            located.candidate.is_definition,
            is_test_path(path),
            located.candidate.section,
            is_changed=path in self.changed_paths,
        )
        if text is None:
            return match._replace(text=_mask_line(path, line.content))
        row = line.number - 1
        return match._replace(
            text=masked[row],
            spans=find_spans(text.lines[row]),
            before=[masked[above] for above in rows if above < row],
            after=[masked[below] for below in rows if below > row],
        )

    def _text(self, path: str, source: int) -> _FileText | None:
        key = path, source
        if key not in self._texts:
            self._texts[key] = _file_text(path, _CONTENT_SOURCES[source](self, path))
        return self._texts[key]

    def _indexed_content(self, path: str) -> bytes | None:
        return self._indexed[path]

    def _current_content(self, path: str) -> bytes | None:
        return self._current[path]

    def _content_of_revision(self, path: str) -> bytes | None:
        """Differs from the others where files were indexed one by one."""
        if not self._revision.name:
            return None
        name = unescape_path(path)
        return read_files(self._revision.repository, self._revision.name, [name]).get(name)


_CONTENT_SOURCES = (
    LineReader._indexed_content,
    LineReader._current_content,
    LineReader._content_of_revision,
)
"""Contents that a line may be from; nodes have the lines of the first."""


def _file_text(path: str, content: bytes | None) -> _FileText | None:
    """The lines of contents; None if they are no text."""
    lines = masked_lines(path, content, mask_secrets=False)
    return None if lines is None else _FileText([line.encode() for line in lines], lines)


def _mask_line(path: str, content: bytes) -> str:
    """A line without its file, with the secrets masked that can be recognized in one line."""
    from feeder.parse.secrets import mask_text  # imports the scanner

    return mask_text(path, content.decode("utf-8", "replace").encode()).content.decode()


def _enclosing_nodes(nodes: Sequence[Hit]) -> dict[str, EnclosingNode]:
    """A file's nodes by the ids of their parts; a node has the id of its first part."""
    parts = parts_from_rows(
        (*_identity(hit), hit.start_line, hit.end_line)
        for hit in sorted(nodes, key=lambda hit: (hit.start_line, hit.end_line))
        if hit.symbol or hit.logical_path
    )
    ranges = part_ranges(nodes, parts)
    first_ids: dict[object, str] = {}
    enclosing = {}
    for hit in nodes:
        lines = ranges.get(hit.id)
        first, last = (lines.first_line, lines.last_line) if lines else hit[7:9]
        id_ = first_ids.setdefault((_identity(hit), lines or hit.id), hit.id)
        enclosing[hit.id] = EnclosingNode(
            id_, hit.symbol, hit.logical_path, hit.node_type, first, last
        )
    return enclosing


def _identity(hit: Hit) -> tuple[str | None, ...]:
    """The columns that all parts of a node share, in the order of `parts_from_rows`."""
    return (hit.repo, hit.path, hit.node_type, hit.symbol, hit.signature, hit.logical_path)
