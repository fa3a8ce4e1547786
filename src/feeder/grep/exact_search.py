"""Finds every line of the indexed files that matches a pattern, with the node that encloses it.

Start with `search_lines`. Git does the matching, in the revision that the index equals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.decoded_files import find_decoded_files
from feeder.corpus.file_contents import Revision, indexed_revision
from feeder.corpus.index_status import SHORT_COMMIT, IndexStatus, index_status
from feeder.corpus.skipped_files import skipped_path_notes
from feeder.corpus.unread_files import unread_notes, unsearched_notes
from feeder.errors import UserError
from feeder.notes import Note, NoteKind
from feeder.query.file_kinds import is_document
from feeder.query.line_query import parse_line_query
from feeder.query.query import Query
from feeder.query.query_plan import plan_parsed_query
from feeder.query.request_filters import RequestFilters
from feeder.search.open_index import SearchIndex
from feeder.snippets.declarations import FindSpans, declares_match, make_span_finder
from feeder.snippets.line_matches import (
    Candidate,
    LineMatch,
    LineReader,
    Section,
    innermost_nodes,
)
from feeder.source import file_types, git
from feeder.source.grep import (
    LINES_TIMEOUT_S,
    LineMatches,
    MatchingLine,
    PatternOptions,
    Truncation,
    grep_lines,
    grep_text_lines,
)
from feeder.store.hits import Hit, hits_by_ids, hits_in_files
from feeder.store.inventory import (
    FileEntry,
    count_documents,
    files_in_scope,
    missing_repository,
)
from feeder.store.scope import Scope, is_test_path

DEFAULT_LIMIT = 100
"""Matching lines of a page."""

SKIPPED = "skipped"
"""The state of files that the index does not have."""


NOT_LOCAL = (
    "Finding every line needs the files and the index on this machine, and this index is at "
    "Cloudflare.",
    "Make one here: feeder sync --store local; then add --store local",
)
"""The problem and remedy of an index that is not on this machine."""

MAX_SKIPPED_NAMES = 5
"""Skipped files with matches that the note names."""


class LineRequest(NamedTuple):
    """A pattern with its filters, and the page of matching lines to return.

    `before` and `after` are lines of context. `query_filters` has filters that were typed in a
    query. A page without `reads_files` has only
    the counts by file.
    """

    pattern: str
    options: PatternOptions = PatternOptions()
    filters: RequestFilters = RequestFilters()
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    before: int = 0
    after: int = 0
    reads_files: bool = True
    query_filters: Query = Query()

    @classmethod
    def from_query(
        cls, query: str, filters: RequestFilters, limit: int, offset: int
    ) -> LineRequest:
        """The request for every line with the one text that a query has.

        Raises UserError for a query with several texts or none.
        """
        pattern, options, query_filters = parse_line_query(query)
        return cls(pattern, options, filters, limit, offset, query_filters=query_filters)


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
    notes: Sequence[Note] = ()
    offset: int = 0
    at_least: bool = False

    @property
    def search_notes(self) -> list[Note]:
        """The notes on skipped files and on the search."""
        return [*([_skipped_note(self.skipped)] if self.skipped else []), *self.notes]

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
            "notes": list(map(str, self.notes)),
            "index": self.status.as_json(),
            "note": self.status.note,
        }


def search_lines(index: SearchIndex, request: LineRequest) -> LinePage:
    """Finds all matching lines of the indexed files, and reads those of the page.

    Definitions come first, then other code, tests and documents. Raises UserError for an invalid
    pattern, a filter that names nothing in the index, a repository that it does not have, and
    contents that are not on this machine.
    """
    corpus = index.corpus
    if not corpus.database.access.on_this_machine:
        raise UserError(*NOT_LOCAL)
    plan = plan_parsed_query(corpus, index.directory, request.query_filters, request.filters)
    revision = _indexed_revision(corpus)
    result = _matching_lines(corpus, revision, request, plan.scope)
    entries = files_in_scope(corpus.database, plan.scope, corpus.repo, result.files)
    lines = {
        path: result.files[path]
        for path, entry in entries.items()
        if entry.state != SKIPPED and not file_types.document_extension(path)
    }
    nodes: dict[str, list[Hit]] = {path: [] for path in lines}
    for hit in hits_in_files(corpus.database, corpus.repo, lines):
        nodes[hit.path].append(hit)
    find_spans = make_span_finder(request.pattern, request.options)
    candidates = [
        candidate
        for path in lines
        for candidate in _file_candidates(path, lines[path], nodes[path], find_spans)
    ]
    has_node_filters = any(plan.scope[3:8])
    if has_node_filters:
        candidates = _in_scope(corpus, candidates, plan.scope)
    candidates.sort(key=lambda one: (one.section, one.path, one.line.number))
    matches: list[LineMatch] = []
    if request.reads_files:
        page = candidates[request.offset : request.offset + request.limit]
        blobs = {match.path: entries[match.path].blob for match in page}
        reader = LineReader(corpus, revision, blobs, nodes)
        matches = reader.read_all(page, find_spans, before=request.before, after=request.after)
    # whether a skipped file has such nodes is not known
    skipped = [] if has_node_filters else list(_skipped_matches(result.files, entries))
    notes = [*plan.notes, *_notes(corpus, plan.scope, request.pattern, result.truncation)]
    if not candidates and (missing := missing_repository(corpus.database, corpus.repo)):
        raise UserError(*missing)
    if not candidates and not skipped:
        notes += skipped_path_notes(corpus.database, [corpus.repo], plan.scope)
    if not candidates:
        scope = plan.scope._replace(repos=(corpus.repo,))
        # without filters of nodes, grammars have no part in the answer
        unread = unread_notes if has_node_filters else unsearched_notes
        notes += unread(corpus.database, scope, notes)
    counts = Counter(candidate.path for candidate in candidates)
    return LinePage(
        matches,
        len(candidates),
        [FileCount(path, count, is_test_path(path)) for path, count in counts.items()],
        skipped,
        index_status(
            corpus,
            len({match.path for match in matches if match.is_changed}),
            is_empty=not candidates,
        ),
        notes,
        request.offset,
        result.truncation is not Truncation.NONE,
    )


def _indexed_revision(corpus: Corpus) -> Revision:
    """The revision that the index equals; without a name for an index of files on disk.

    Raises UserError if it is a snapshot that is no longer here.
    """
    revision = indexed_revision(corpus.base, corpus.database, corpus.repo, corpus.meta)
    working = corpus.meta.get(f"{corpus.repo}:working")
    if working and not revision.name:
        raise UserError(
            "The indexed snapshot of the working tree is no longer on this machine.",
            "Make a new one: feeder sync --working-tree",
        )
    return revision


def _matching_lines(
    corpus: Corpus, revision: Revision, request: LineRequest, scope: Scope
) -> LineMatches:
    """The matching lines of the revision, as a reader sees them.

    Raises UserError if git does not have it here.
    """
    pattern, options = request.pattern, request.options
    try:
        result = grep_lines(revision.repository, revision.name or None, pattern, options)
        decoded = find_decoded_files(revision, LINES_TIMEOUT_S)
    except UserError:
        # only now: both checks start a process
        if revision.name and (
            git.find_root(revision.repository) is None
            or not git.has_tree(revision.repository, revision.name)
        ):
            raise UserError(
                f"grep reads the indexed commit {revision.name[:SHORT_COMMIT]} of {corpus.repo} "
                f"from git, but {corpus.base} does not have it.",
                f"Run it in a clone of {corpus.repo}, or update the index: feeder sync",
            ) from None
        raise
    paths = decoded.to_search(pattern, options)
    searched = set(paths)
    truncation = result.truncation or decoded.truncation
    if not paths:
        return result._replace(truncation=truncation)
    entries = files_in_scope(corpus.database, scope, corpus.repo, paths)
    texts = decoded.read(path for path, entry in entries.items() if _is_text(entry))
    in_texts = grep_text_lines(texts, pattern, options) if texts else LineMatches({})
    others = {path: lines for path, lines in result.files.items() if path not in searched}
    return LineMatches(others | in_texts.files, truncation or in_texts.truncation)


def _is_text(entry: FileEntry) -> bool:
    """Tells whether a file of the manifest has lines."""
    is_binary = (entry.reason or "").startswith("binary")
    return not is_binary and not file_types.document_extension(entry.path)


def _file_candidates(
    path: str, lines: Sequence[MatchingLine], nodes: Sequence[Hit], find_spans: FindSpans
) -> Iterator[Candidate]:
    section = _file_section(path)
    enclosing = innermost_nodes(nodes, [line.number for line in lines])
    defined: set[str] = set()
    for line in lines:
        node = enclosing.get(line.number)
        is_definition = node is not None and declares_match(node, line, find_spans, defined)
        own = Section.DEFINITION if is_definition and section is Section.CODE else section
        yield Candidate(own, path, line, node, is_definition)


def _file_section(path: str) -> Section:
    if is_test_path(path):
        return Section.TEST
    return Section.DOCUMENT if is_document(path) else Section.CODE


def _in_scope(corpus: Corpus, candidates: Sequence[Candidate], scope: Scope) -> list[Candidate]:
    """The lines whose innermost node is in the scope, of the language and type that it names."""
    ids = dict.fromkeys(candidate.node.id for candidate in candidates if candidate.node)
    allowed = {hit.id for hit in hits_by_ids(corpus.database, ids, scope)}
    return [
        candidate for candidate in candidates if candidate.node and candidate.node.id in allowed
    ]


def _skipped_matches(
    files: Mapping[str, Sequence[MatchingLine]], entries: Mapping[str, FileEntry]
) -> Iterator[SkippedMatches]:
    """The skipped files with matches, except for binary ones, which have no lines."""
    for path, entry in sorted(entries.items()):
        if entry.state == SKIPPED and _is_text(entry):
            yield SkippedMatches(path, entry.reason or "", len(files[path]))


def _notes(corpus: Corpus, scope: Scope, pattern: str, truncation: Truncation) -> Iterator[Note]:
    if truncation:
        yield Note(NoteKind.PARTIAL_SEARCH, f"{pattern} {truncation}")
    if scope.repos != (corpus.repo,):
        yield Note(
            NoteKind.PARTIAL_SEARCH,
            f"Only {corpus.repo} was searched for {pattern}: the files of other repositories are "
            "not available.",
        )
    count = count_documents(corpus.database, scope, corpus.repo, file_types.DOCUMENT_EXTENSIONS)
    if count:
        documents = "1 document was" if count == 1 else f"{count:,} documents were"
        remedy = "search there with feeder search."
        yield Note(NoteKind.PARTIAL_SEARCH, f"{documents} not searched", remedy)


def _skipped_note(files: Sequence[SkippedMatches]) -> Note:
    """The number of matching lines in files that the index does not have."""
    names = [f"{file.path} ({file.reason})" for file in files[:MAX_SKIPPED_NAMES]]
    if more := len(files) - len(names):
        names.append(f"{more:,} more")
    count = sum(file.matches for file in files)
    lines = f"{count:,} more matching {'line' if count == 1 else 'lines'}"
    where = "a file that is" if len(files) == 1 else "files that are"
    text = f"{lines} in {where} not in the index, not shown: {', '.join(names)}."
    return Note(NoteKind.SKIPPED_FILE, text)
