"""Narrows a scope to the nodes that have every required phrase, prefix and pattern, and lack
every excluded word.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feeder.corpus.file_contents import Revision
from feeder.notes import Note, NoteKind
from feeder.query.literals import has_literal, required_literals
from feeder.query.query import Query
from feeder.source import file_types, git
from feeder.store import Database, Statement, fts_query
from feeder.store.batch import read
from feeder.store.hits import Hit, hits_by_ids, ids_in_scope
from feeder.store.inventory import blobs_by_path, count_documents
from feeder.store.scope import Scope
from feeder.store.word_search import scores_by_id, word_search_statement
from feeder.text import composed

if TYPE_CHECKING:
    from feeder.source.grep import GrepMatches

MAX_CHECKED = 2_000
"""Nodes whose lines are checked for a phrase; others are not found, with a note."""
MAX_MATCHED = 20_000
"""Nodes that a pattern may find: their ids are one parameter of a D1 statement."""

LIST_TIMEOUT_S = 10.0
"""Time for the list of files to decode, which is made once."""

ReadIndexedLines = Callable[[Mapping[str, str]], Mapping[str, "list[str] | None"]]
"""Reads lines as they were indexed, given blob ids by path; None where git no longer has them."""
Grep = Callable[[str, bool], "GrepMatches"]
"""Finds the lines that match a pattern, with or without regard to case."""

_WORD = re.compile(r"[^\W_]")
_SPACES = re.compile(r"\s+")
_NODE_SPANS = """
SELECT d.path, d.start_line, d.end_line, d.id
FROM json_each(?1) j CROSS JOIN docs d ON d.repo = ?2 AND d.path = j.value
ORDER BY d.start_line, d.end_line - d.start_line DESC
"""


def make_grep(base: Path, revision: str) -> Grep:
    """Returns git's search in a revision, or in the files on disk if git lacks it."""

    def grep(pattern: str, case: bool) -> "GrepMatches":
        # few queries have a pattern
        from feeder.corpus.decoded_files import find_decoded_files
        from feeder.source.grep import PatternOptions, git_grep, grep_texts

        has_revision = (
            bool(revision) and git.find_root(base) is not None and git.has_tree(base, revision)
        )
        name = revision if has_revision else ""
        result = git_grep(base, name or None, pattern, case_sensitive=case)
        decoded = find_decoded_files(Revision(base, name), LIST_TIMEOUT_S)
        paths = decoded.to_search(pattern, PatternOptions(result.is_literal))
        texts = decoded.read(paths)
        searched = set(paths)
        lines = {path: numbers for path, numbers in result.lines.items() if path not in searched}
        truncation = result.truncation or decoded.truncation
        if texts:
            in_texts = grep_texts(texts, pattern, case_sensitive=case)
            lines |= in_texts.lines
            truncation = truncation or in_texts.truncation
        return result._replace(lines=lines, truncation=truncation)

    return grep


class RepositoryFiles(NamedTuple):
    """Access to the files of a repository on this machine."""

    repo: str
    read_lines: ReadIndexedLines
    grep: Grep


class MatchConstraint(NamedTuple):
    """A narrowed scope, with notes; `is_truncated` if more nodes may match than were checked.

    `lines` are the numbers of the lines that match a pattern, in their order, by path.
    """

    scope: Scope
    notes: Sequence[Note] = ()
    is_truncated: bool = False
    lines: Mapping[str, Sequence[int]] = {}


def require_matches(
    database: Database, query: Query, scope: Scope, files: RepositoryFiles | None = None
) -> MatchConstraint:
    """Narrows a scope to the nodes that have what the query requires and nothing that it excludes.

    Without `files` phrases match as in FTS5, by stems, and a pattern finds nothing. A pattern is
    not looked for in documents. Notes say so.
    """
    scope = scope._replace(
        with_words=_required_expression(query), without_words=_excluded_expression(query.without)
    )
    constraint = MatchConstraint(scope)
    for pattern in required_patterns(query):
        constraint = _combine(
            constraint, _match_pattern(database, pattern, constraint.scope, files, case=query.case)
        )
    if files and (_checked_phrases(query) or query.case):
        constraint = _combine(constraint, _check_lines(database, query, constraint.scope, files))
    return constraint


def _combine(before: MatchConstraint, after: MatchConstraint) -> MatchConstraint:
    notes = [*before.notes, *after.notes]
    is_truncated = before.is_truncated or after.is_truncated
    lines = before.lines or after.lines
    if before.lines and after.lines:
        lines = {
            path: sorted({*lines[path], *after.lines[path]})
            for path in lines.keys() & after.lines.keys()
        }
    return MatchConstraint(after.scope, notes, is_truncated, lines)


def _required_expression(query: Query) -> str | None:
    parts = [fts_query.phrase(phrase) for phrase in query.phrases if _WORD.search(phrase)]
    parts += [fts_query.prefix(prefix) for prefix in query.prefixes]
    parts += [f"({' OR '.join(map(_expression, texts))})" for texts in _word_conditions(query)]
    if query.case and (words := [word for word in query.words.split() if _WORD.search(word)]):
        parts.append(f"({fts_query.any_of(words)})")
    return " AND ".join(parts) or None


def _excluded_expression(excluded: Iterable[str]) -> str | None:
    return " OR ".join(_expression(text) for text in excluded if _WORD.search(text)) or None


def _expression(text: str) -> str:
    """An FTS5 query for a phrase, or for a prefix with its `*`."""
    return fts_query.prefix(text[:-1]) if text.endswith("*") else fts_query.phrase(text)


def _word_conditions(query: Query) -> list[tuple[str, ...]]:
    """The conditions with `OR` that FTS5 can find: all of their texts have a word."""
    return [texts for texts in query.either if all(map(_WORD.search, texts))]


def required_patterns(query: Query) -> list[str]:
    """The pattern, and phrases and conditions without words, which FTS5 cannot find."""
    escaped_phrases = [re.escape(phrase) for phrase in query.phrases if not _WORD.search(phrase)]
    found_by_words = _word_conditions(query)
    escaped_conditions = [
        "|".join(re.escape(text.removesuffix("*")) for text in texts)
        for texts in query.either
        if texts not in found_by_words
    ]
    return [*([query.regex] if query.regex else []), *escaped_phrases, *escaped_conditions]


def _match_pattern(
    database: Database, pattern: str, scope: Scope, files: RepositoryFiles | None, *, case: bool
) -> MatchConstraint:
    if files is None:
        text = f"/{pattern}/ was not searched for: patterns need the repository's files."
        return MatchConstraint(scope._replace(ids=()), [_partial(text)])
    from feeder.source.grep import Truncation

    matches = files.grep(pattern, case)
    notes = []
    # git may take a document for a text, whose lines are others
    lines = {
        path: numbers
        for path, numbers in matches.lines.items()
        if not file_types.document_extension(path)
    }
    ids = ids_at_lines(database, lines, files.repo)
    truncation = matches.truncation or (
        Truncation.TOO_MANY if len(ids) > MAX_MATCHED else Truncation.NONE
    )
    if truncation:
        notes.append(_partial(f"/{pattern}/ {truncation}"))
    if scope.repos != (files.repo,):
        notes.append(
            _partial(
                f"/{pattern}/ was searched for in {files.repo} only: "
                "the files of other repositories are not available."
            )
        )
    if matches.is_literal:
        text = f"/{pattern}/ is not a valid regular expression, so it was searched for as text."
        notes.append(_partial(text))
    document_count = count_documents(database, scope, files.repo, file_types.DOCUMENT_EXTENSIONS)
    if document_count:
        documents = f"{document_count:,} {'document' if document_count == 1 else 'documents'}"
        text = f"/{pattern}/ was not searched for in {documents}"
        notes.append(_partial(text, 'use words or "phrases" there.'))
    if scope.ids is not None:
        allowed_ids = set(scope.ids)
        ids = [id_ for id_ in ids if id_ in allowed_ids]
    return MatchConstraint(
        scope._replace(ids=tuple(ids[:MAX_MATCHED])),
        notes,
        bool(truncation or document_count),
        lines,
    )


class _NodeSpan(NamedTuple):
    """The lines of a node."""

    path: str
    start_line: int
    end_line: int
    id: str


def ids_at_lines(database: Database, lines: Mapping[str, Sequence[int]], repo: str) -> list[str]:
    """Ids of the innermost nodes at lines of a repository's files, by path."""
    spans = read(database, _NodeSpan, Statement(_NODE_SPANS, (json.dumps(list(lines)), repo)))
    innermost: dict[tuple[str, int], str] = {}
    numbers_by_path = {path: sorted(numbers) for path, numbers in lines.items()}
    for path, start, end, id_ in spans:
        # ordered by their starts, the longer first: the last that holds a line is the innermost
        for line in _numbers_between(numbers_by_path[path], start, end):
            innermost[path, line] = id_
    return list(dict.fromkeys(innermost.values()))


def _numbers_between(numbers: Sequence[int], start: int, end: int) -> Sequence[int]:
    return numbers[bisect_left(numbers, start) : bisect_right(numbers, end)]


def _check_lines(
    database: Database, query: Query, scope: Scope, files: RepositoryFiles
) -> MatchConstraint:
    """Narrows a scope to nodes whose lines have each phrase and, with `case`, a word as typed."""
    if scope.with_words:
        statement = word_search_statement(
            [scope.with_words], scope, MAX_CHECKED + 1, is_billed=database.access.bills_rows
        )
        [rows] = database.run([statement])
        ids = list(scores_by_id(rows, MAX_CHECKED + 1))
    else:
        ids = ids_in_scope(database, scope, MAX_CHECKED + 1)
    hits = hits_by_ids(database, ids[:MAX_CHECKED], scope)
    local_paths = {hit.id: hit.path for hit in hits if hit.repo == files.repo}
    lines = files.read_lines(
        blobs_by_path(database, files.repo, dict.fromkeys(local_paths.values()))
    )
    matching_ids = [
        hit.id for hit in hits if _has_all(hit, query, lines.get(local_paths.get(hit.id, "")))
    ]
    notes = []
    is_truncated = len(ids) > MAX_CHECKED
    if is_truncated:
        phrases = (*query.phrases, *query.either_texts)
        required = ", ".join(f'"{phrase}"' for phrase in phrases) or query.words
        text = f"{required} is in too many nodes to check each."
        notes.append(_partial(text, "Narrow the search, for example with path:"))
    return MatchConstraint(scope._replace(ids=tuple(matching_ids)), notes, is_truncated)


def _partial(text: str, remedy: str = "") -> Note:
    return Note(NoteKind.PARTIAL_SEARCH, text, remedy)


def _has_all(hit: Hit, query: Query, lines: Sequence[str] | None) -> bool:
    """Returns True if the lines have all phrases and a text of each condition with `OR`, or if they
    cannot be read.
    """
    if lines is None:
        return True
    text = _normalize_spaces("\n".join(lines[hit.start_line - 1 : hit.end_line]), case=query.case)
    words = [literal for literal in required_literals(query) if literal.whole_word]
    return all(
        any(_normalize_spaces(phrase, case=query.case) in text for phrase in phrases)
        for phrases in _checked_phrases(query)
    ) and (not words or any(has_literal(text, word) for word in words))


def _checked_phrases(query: Query) -> list[tuple[str, ...]]:
    """The phrases, and the conditions with `OR`; those with a prefix are left to the index, which
    has names and paths too.
    """
    conditions = [
        texts for texts in _word_conditions(query) if not any(text.endswith("*") for text in texts)
    ]
    return [*((phrase,) for phrase in query.phrases if _WORD.search(phrase)), *conditions]


def _normalize_spaces(text: str, *, case: bool) -> str:
    text = composed(_SPACES.sub(" ", text))
    return text if case else text.casefold()
