"""Finds every line of the indexed files that matches a pattern, with the node that encloses it.

Start with `search_lines`. Git does the matching, in the revision that the index equals.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left, bisect_right
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from feeder.errors import UserError
from feeder.search.file_contents import (
    Revision,
    current_files,
    decode_lines,
    indexed_revision,
    masked_lines,
    read_blobs,
    snapshot_repositories,
)
from feeder.search.file_kinds import DATA_NODE_TYPES, is_document
from feeder.search.index_status import SHORT_COMMIT, Corpus, IndexStatus
from feeder.search.open_index import SearchIndex
from feeder.search.query_plan import RequestFilters, plan_query
from feeder.source import file_types, git
from feeder.source.git_files import read_files
from feeder.source.grep import MatchingLine, PatternOptions, Truncation, grep_lines
from feeder.source.paths import unescape_path
from feeder.store.hits import Hit, hits_by_ids, hits_in_files
from feeder.store.inventory import FileEntry, count_documents, files_in_scope
from feeder.store.node_parts import part_ranges, parts_from_rows
from feeder.store.rows import decode_members
from feeder.store.scope import Scope, is_test_path

DEFAULT_LIMIT = 100
"""Matching lines of a page."""

MAX_SPAN_CHARS = 10_000
"""Longer lines are shown without highlighted matches: Python's regular expressions may be slow."""

SKIPPED = "skipped"
"""The state of files that the index does not have."""


_DATA_KEY = re.compile(r"\s*(?:-\s+)?[\"']?(\w[\w./-]*)[\"']?\s*[:=]")
"""A key of JSON, YAML or TOML: small values have no node of their own."""


class Section(IntEnum):
    """Kinds of matching lines, in the order in which they are listed."""

    DEFINITION = 0
    CODE = 1
    TEST = 2
    DOCUMENT = 3


class LineRequest(NamedTuple):
    """A pattern with its filters, and the page of matching lines to return.

    A page without `reads_files` has only the counts by file.
    """

    pattern: str
    options: PatternOptions = PatternOptions()
    filters: RequestFilters = RequestFilters()
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    context_lines: int = 0
    reads_files: bool = True


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


class FileCount(NamedTuple):
    """A file with the number of its matching lines."""

    path: str
    matches: int
    is_test: bool


class SkippedMatches(NamedTuple):
    """A file that the index skipped, with the reason and the number of its matching lines."""

    path: str
    reason: str
    matches: int


class LinePage(NamedTuple):
    """Matching lines from `offset` on out of `total`, or more than `total` where `at_least`.

    `files` has the counts of all files, in the order of their first lines.
    """

    matches: list[LineMatch]
    total: int
    files: list[FileCount]
    skipped: list[SkippedMatches]
    status: IndexStatus
    notes: Sequence[str] = ()
    offset: int = 0
    at_least: bool = False

    def as_json(self, *, counts_only: bool = False) -> dict[str, Any]:
        """The page for `--json`; with `counts_only` files in place of lines."""
        entries: dict[str, Any] = (
            {"files": [file._asdict() for file in self.files]}
            if counts_only
            else {"matches": [match.as_json() for match in self.matches]}
        )
        return {
            **entries,
            "total": self.total,
            "at_least": self.at_least,
            "offset": self.offset,
            "kept_out": [file._asdict() for file in self.skipped],
            "notes": list(self.notes),
            "index": self.status.as_json(),
            "note": self.status.note,
        }


class _Candidate(NamedTuple):
    """A matching line before its page is known."""

    section: Section
    path: str
    line: MatchingLine
    node: Hit | None
    is_definition: bool


FindSpans = Callable[[str], Sequence[tuple[int, int]]]
"""Finds the ranges of characters of a line that match."""


def search_lines(index: SearchIndex, request: LineRequest) -> LinePage:
    """Finds all matching lines of the indexed files, and reads those of the page.

    Definitions come first, then other code, tests and documents. Raises UserError for an invalid
    pattern, a filter that names nothing in the index, and contents that are not on this machine.
    """
    corpus = index.corpus
    plan = plan_query(index.store, "", request.filters, index.settings, corpus.meta)
    revision = _readable_revision(corpus)
    result = grep_lines(
        revision.repository, revision.name or None, request.pattern, request.options
    )
    entries = files_in_scope(corpus.database, plan.scope, corpus.repo, result.files)
    lines = {
        path: result.files[path]
        for path, entry in entries.items()
        if entry.state != SKIPPED and not file_types.document_extension(path)
    }
    nodes: dict[str, list[Hit]] = {path: [] for path in lines}
    for hit in hits_in_files(corpus.database, corpus.repo, lines):
        nodes[hit.path].append(hit)
    find_spans = _span_finder(request.pattern, request.options)
    candidates = [
        candidate
        for path in lines
        for candidate in _file_candidates(path, lines[path], nodes[path], find_spans)
    ]
    has_node_filters = any(plan.scope[3:7])
    if has_node_filters:
        candidates = _in_scope(corpus, candidates, plan.scope)
    candidates.sort(key=lambda one: (one.section, one.path, one.line.number))
    matches: list[LineMatch] = []
    if request.reads_files:
        page = candidates[request.offset : request.offset + request.limit]
        blobs = {one.path: entries[one.path].blob for one in page}
        reader = _PageReader(corpus, revision, blobs, nodes)
        matches = [reader.read(one, find_spans, request.context_lines) for one in page]
    # whether a skipped file has such nodes is not known
    skipped = [] if has_node_filters else list(_skipped_matches(result.files, entries))
    notes = [*plan.notes, *_notes(corpus, plan.scope, request.pattern, result.truncation)]
    counts = Counter(one.path for one in candidates)
    return LinePage(
        matches,
        len(candidates),
        [FileCount(path, count, is_test_path(path)) for path, count in counts.items()],
        skipped,
        corpus.status(len({match.path for match in matches if match.is_changed})),
        notes,
        request.offset,
        result.truncation is not Truncation.NONE,
    )


def _readable_revision(corpus: Corpus) -> Revision:
    """The revision that the index equals; without a name for an index of files on disk.

    Raises UserError if git does not have it here.
    """
    revision = indexed_revision(corpus.base, corpus.database, corpus.repo, corpus.meta)
    working = corpus.meta.get(f"{corpus.repo}:working")
    if working and not revision.name:
        raise UserError(
            "The snapshot of the working tree that the index equals is no longer on this machine. "
            "Make a new one: feeder sync --working-tree"
        )
    if revision.name and (
        git.find_root(revision.repository) is None
        or not git.has_tree(revision.repository, revision.name)
    ):
        raise UserError(
            f"The index of {corpus.repo} equals {revision.name[:SHORT_COMMIT]}, which git does not "
            f"have in {corpus.base}; grep reads the files from there. Run it in a clone of "
            f"{corpus.repo}, or update the index: feeder sync"
        )
    return revision


def _file_candidates(
    path: str, lines: Sequence[MatchingLine], nodes: Sequence[Hit], find_spans: FindSpans
) -> Iterator[_Candidate]:
    section = _file_section(path)
    enclosing = _innermost_nodes(nodes, [line.number for line in lines])
    defined: set[str] = set()
    for line in lines:
        node = enclosing.get(line.number)
        is_definition = node is not None and _is_definition(node, line, find_spans, defined)
        own = Section.DEFINITION if is_definition and section is Section.CODE else section
        yield _Candidate(own, path, line, node, is_definition)


def _file_section(path: str) -> Section:
    if is_test_path(path):
        return Section.TEST
    return Section.DOCUMENT if is_document(path) else Section.CODE


def _innermost_nodes(nodes: Iterable[Hit], numbers: Sequence[int]) -> dict[int, Hit]:
    """The innermost node by line; `numbers` are sorted, and so are nodes: the longer first."""
    innermost = {}
    for node in nodes:
        first, last = bisect_left(numbers, node.start_line), bisect_right(numbers, node.end_line)
        for number in numbers[first:last]:
            innermost[number] = node
    return innermost


def _is_definition(node: Hit, line: MatchingLine, find_spans: FindSpans, defined: set[str]) -> bool:
    """Returns True if the pattern matches a name that the line declares: the node's, a member's or
    a key.

    A signature of several lines, or a call that looks like one, counts once: `defined` has the ids
    of the nodes whose declaration was found.
    """
    text = line.content.decode("utf-8", "replace")
    members = {one.name for one in decode_members(node.members) if one.line == line.number}
    if node.node_type.partition("_")[0] in DATA_NODE_TYPES and (key := _DATA_KEY.match(text)):
        members.add(key[1])
    names = (
        []
        if node.id in defined
        else [name for name in _short_names(node) if _is_declaration(node, name, line.number, text)]
    )
    if not any(name in text for name in (*names, *members)):
        return False
    spans = find_spans(text)
    # in a signature, such as an annotation's, a quoted name is a value; in data it is a key
    is_quoted = not node.signature
    if any(_overlaps_word(name, text, spans, may_be_quoted=is_quoted) for name in names):
        defined.add(node.id)
        return True
    return any(_overlaps_word(name, text, spans, may_be_quoted=True) for name in members)


def _is_declaration(node: Hit, name: str, number: int, text: str) -> bool:
    """Returns True for a line of the node's signature; without one for the node's first line."""
    if not node.signature or name not in text:
        return number == node.start_line
    line = " ".join(text.split())
    signature = node.signature.removesuffix("…").rstrip(" {:=")
    if signature in line or line.rstrip(" {:=") in signature:
        return True
    # the last line of a signature, and the body behind it
    ends = range(line.find(name) + len(name), min(len(line), len(signature)) + 1)
    return any(signature.endswith(line[:end]) for end in ends)


def _short_names(node: Hit) -> tuple[str, ...]:
    """The last part of the node's name; of a key also with the dots in it."""
    if node.symbol:
        return (node.symbol.rpartition(".")[2],)
    name = (node.logical_path or "").rpartition(" > ")[2]
    return tuple(filter(None, dict.fromkeys((name, name.rpartition(".")[2]))))


def _overlaps_word(
    name: str, text: str, spans: Iterable[tuple[int, int]], *, may_be_quoted: bool
) -> bool:
    """Returns True if a span has a part of the name where it stands as a whole word."""
    before = r"(?<!\w)" if may_be_quoted else r"(?<![\w\"'])"
    words = [match.span() for match in re.finditer(rf"{before}{re.escape(name)}(?!\w)", text)]
    return any(
        start < end and first < end and start < last
        for start, end in spans
        for first, last in words
    )


def _span_finder(pattern: str, options: PatternOptions) -> FindSpans:
    """Finds matches as git does, as far as Python's regular expressions have the same syntax."""
    source = re.escape(pattern) if options.fixed_strings else pattern
    if options.whole_words:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled = re.compile(source, re.IGNORECASE if options.ignore_case else 0)
    except (re.error, FutureWarning, DeprecationWarning, OverflowError, RecursionError):
        return lambda text: ()

    def find(text: str) -> Sequence[tuple[int, int]]:
        if len(text) > MAX_SPAN_CHARS:
            return ()
        return [match.span() for match in compiled.finditer(text) if match[0]]

    return find


def _in_scope(corpus: Corpus, candidates: Sequence[_Candidate], scope: Scope) -> list[_Candidate]:
    """The lines whose innermost node is in the scope, of the language and type that it names."""
    ids = dict.fromkeys(one.node.id for one in candidates if one.node)
    allowed = {hit.id for hit in hits_by_ids(corpus.database, ids, scope)}
    return [one for one in candidates if one.node and one.node.id in allowed]


def _skipped_matches(
    files: Mapping[str, Sequence[MatchingLine]], entries: Mapping[str, FileEntry]
) -> Iterator[SkippedMatches]:
    """The skipped files with matches, except for binary ones, which have no lines."""
    for path, entry in sorted(entries.items()):
        reason = entry.reason or ""
        is_text = not reason.startswith("binary") and not file_types.document_extension(path)
        if entry.state == SKIPPED and is_text:
            yield SkippedMatches(path, reason, len(files[path]))


def _notes(corpus: Corpus, scope: Scope, pattern: str, truncation: Truncation) -> Iterator[str]:
    if truncation:
        yield f"{pattern} {truncation}"
    count = count_documents(corpus.database, scope, corpus.repo, file_types.DOCUMENT_EXTENSIONS)
    if count:
        documents = f"{count:,} {'document' if count == 1 else 'documents'}"
        yield f"Not looked for in {documents}: search there with feeder search."


class _FileText(NamedTuple):
    """The lines of a file's contents: their bytes, their text, and the text without secrets."""

    raw: Sequence[bytes]
    lines: Sequence[str]
    masked: Sequence[str]

    def has(self, line: MatchingLine) -> bool:
        """Returns True if git found the line in these contents."""
        return (
            line.number <= len(self.masked)
            and self.raw[line.number - 1].removesuffix(b"\r") == line.content
        )


class _PageReader:
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
        self._corpus, self._revision, self._nodes = corpus, revision, nodes
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
        self._texts: dict[tuple[str, int], _FileText | None] = {}

    def _differs(self, path: str) -> bool:
        """Contents that differ in line ends only have the same lines."""
        current = decode_lines(path, self._current[path])
        return current is None or current != decode_lines(path, self._indexed[path])

    def read(self, candidate: _Candidate, find_spans: FindSpans, context_lines: int) -> LineMatch:
        """The line with its highlights, context and node."""
        path, line, node = candidate.path, candidate.line, candidate.node
        if b"\r" in line.content and b"\n" not in (self._indexed[path] or b"\n"):
            line = _split_at_carriage_returns(line)
            node = _innermost_nodes(self._nodes[path], [line.number]).get(line.number)
        sources = (self._text(path, at) for at in range(len(_CONTENT_SOURCES)))
        at, text = next(
            ((at, text) for at, text in enumerate(sources) if text and text.has(line)), (None, None)
        )
        match = LineMatch(
            path,
            line.number,
            line.column,
            "",
            self._nodes_by_path[path][node.id] if node and at == 0 else None,
            candidate.is_definition,
            is_test_path(path),
            candidate.section,
            is_changed=path in self.changed_paths,
        )
        if text is None:
            return match._replace(text=_mask_line(path, line.content))
        row = line.number - 1
        return match._replace(
            text=text.masked[row],
            spans=find_spans(text.lines[row]),
            before=text.masked[max(0, row - context_lines) : row],
            after=text.masked[row + 1 : row + 1 + context_lines],
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
    _PageReader._indexed_content,
    _PageReader._current_content,
    _PageReader._content_of_revision,
)
"""Contents that a line may be from; nodes have the lines of the first."""


def _file_text(path: str, content: bytes | None) -> _FileText | None:
    """The lines of contents; None if they are no text."""
    lines = masked_lines(path, content, mask_secrets=False)
    masked = masked_lines(path, content)
    if content is None or lines is None or masked is None:
        return None
    raw = content.removeprefix(BOM_UTF8).split(b"\n" if b"\n" in content else b"\r")
    return _FileText(raw, lines, masked)


def _split_at_carriage_returns(line: MatchingLine) -> MatchingLine:
    """The line in a file whose lines end with CR, which git takes for one line."""
    before = line.content[: line.column - 1]
    start = before.rfind(b"\r") + 1
    content = line.content[start:].partition(b"\r")[0]
    return MatchingLine(before.count(b"\r") + 1, line.column - start, content)


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
