"""Narrows a scope to the nodes that have every required phrase, prefix and pattern, and lack
every excluded word.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.search.query import Query
from feeder.source import file_types, git
from feeder.source.grep import GrepMatches, Truncation, git_grep
from feeder.store import Database, Statement
from feeder.store.hits import Hit, hits_by_ids, ids_in_scope
from feeder.store.inventory import blobs_by_path, count_documents
from feeder.store.scope import Scope
from feeder.store.word_search import scores_by_id, word_search_statement

MAX_CHECKED = 2_000
"""Nodes whose lines are looked at for a phrase; of more, the rest is not found, and said."""
MAX_MATCHED = 20_000
"""Nodes that a pattern may find: their ids are one parameter of D1's at most."""

ReadIndexedLines = Callable[[Mapping[str, str]], Mapping[str, "list[str] | None"]]
"""The lines of files as they were indexed, by path with git's name of them; None where they are
lost."""
Grep = Callable[[str, bool], GrepMatches]
"""The lines that match a pattern, and whether the letters' case counts."""

_WORD = re.compile(r"[^\W_]")
_SPACES = re.compile(r"\s+")
_NODE_SPANS = """
SELECT d.path, d.start_line, d.end_line, d.id
FROM json_each(?1) j CROSS JOIN docs d ON d.repo = ?2 AND d.path = j.value
ORDER BY d.start_line, d.end_line - d.start_line DESC
"""


def make_grep(base: Path, revision: str) -> Grep:
    """git's search in the commit or tree that the index equals, else in the files as they lie."""

    def found(pattern: str, case: bool) -> GrepMatches:
        is_here = (
            bool(revision) and git.find_root(base) is not None and git.has_tree(base, revision)
        )
        return git_grep(base, revision if is_here else None, pattern, case_sensitive=case)

    return found


class RepositoryFiles(NamedTuple):
    """The files of a repository, where they are here."""

    repo: str
    read_lines: ReadIndexedLines
    grep: Grep


class MatchConstraint(NamedTuple):
    """The scope with what the question insists on, and what has to be said of it.

    It `is_cut` where more nodes may have that than were looked at.
    """

    scope: Scope
    notes: Sequence[str] = ()
    is_truncated: bool = False


def require_matches(
    database: Database, query: Query, scope: Scope, files: RepositoryFiles | None = None
) -> MatchConstraint:
    """The scope narrowed to the nodes that have each phrase, each prefix, the pattern, and, where
    case counts, a word as it is typed; and to those without what is left out.

    Where there are no files, phrases are as FTS5 finds them, whose words may be inflected, and a
    pattern finds nothing, which is said. It is looked for in no document, which is said too.
    """
    scope = scope._replace(
        with_words=_required_expression(query), without_words=_excluded_expression(query.without)
    )
    found = MatchConstraint(scope)
    for pattern in _required_patterns(query):
        found = _combine(
            found, _match_pattern(database, pattern, found.scope, files, case=query.case)
        )
    if files and (any(map(_WORD.search, query.phrases)) or query.case):
        found = _combine(found, _check_lines(database, query, found.scope, files))
    return found


def _combine(before: MatchConstraint, after: MatchConstraint) -> MatchConstraint:
    """What narrows further, with all that has to be said."""
    notes = [*before.notes, *after.notes]
    return MatchConstraint(after.scope, notes, before.is_truncated or after.is_truncated)


def _required_expression(query: Query) -> str | None:
    parts = [_quote_phrase(phrase) for phrase in query.phrases if _WORD.search(phrase)]
    parts += [f"{_quote_phrase(prefix)} *" for prefix in query.prefixes]
    if query.case and (words := [word for word in query.words.split() if _WORD.search(word)]):
        parts.append(f"({' OR '.join(map(_quote_phrase, words))})")
    return " AND ".join(parts) or None


def _excluded_expression(excluded: Iterable[str]) -> str | None:
    parts = [
        f"{_quote_phrase(one.removesuffix('*'))}{' *' if one.endswith('*') else ''}"
        for one in excluded
        if _WORD.search(one)
    ]
    return " OR ".join(parts) or None


def _quote_phrase(text: str) -> str:
    """As FTS5 reads a phrase."""
    return '"' + text.replace('"', '""') + '"'


def _required_patterns(query: Query) -> list[str]:
    """The pattern, and the phrases that have no word by which they are found."""
    signs = [re.escape(phrase) for phrase in query.phrases if not _WORD.search(phrase)]
    return [*([query.regex] if query.regex else []), *signs]


def _match_pattern(
    database: Database, pattern: str, scope: Scope, files: RepositoryFiles | None, *, case: bool
) -> MatchConstraint:
    if files is None:
        said = f"/{pattern}/ is not looked for here: there are no files."
        return MatchConstraint(scope._replace(ids=()), [said])
    found = files.grep(pattern, case)
    notes = []
    # git may take a document for a text, whose lines are others
    lines = {
        path: some for path, some in found.lines.items() if not file_types.document_extension(path)
    }
    ids = innermost_nodes(database, lines, files.repo)
    cut = found.truncation or (Truncation.TOO_MANY if len(ids) > MAX_MATCHED else Truncation.NONE)
    if cut:
        notes.append(f"/{pattern}/ {cut}")
    if scope.repos != (files.repo,):
        notes.append(f"/{pattern}/ is looked for in {files.repo} alone, whose files are here.")
    if found.is_literal:
        notes.append(f"/{pattern}/ is no regular expression: it was looked for as a text.")
    unread = count_documents(database, scope, files.repo, file_types.DOCUMENT_EXTENSIONS)
    if unread:
        several = f"{unread:,} {'document' if unread == 1 else 'documents'}"
        notes.append(f'/{pattern}/ is not looked for in {several}: words and "phrases" are.')
    if scope.ids is not None:
        known = set(scope.ids)
        ids = [id_ for id_ in ids if id_ in known]
    return MatchConstraint(scope._replace(ids=tuple(ids[:MAX_MATCHED])), notes, bool(cut or unread))


def innermost_nodes(database: Database, lines: Mapping[str, Sequence[int]], repo: str) -> list[str]:
    """The ids of the innermost nodes of a repository at these lines of its files, by path."""
    [rows] = database.run([Statement(_NODE_SPANS, (json.dumps(list(lines)), repo))])
    innermost: dict[tuple[str, int], str] = {}
    wanted = {path: sorted(numbers) for path, numbers in lines.items()}
    for path, start, end, id_ in rows:
        # ordered by their starts, the longer first: the last that holds a line is the innermost
        for line in _numbers_between(wanted[str(path)], int(str(start)), int(str(end))):
            innermost[str(path), line] = str(id_)
    return list(dict.fromkeys(innermost.values()))


def _numbers_between(numbers: Sequence[int], start: int, end: int) -> Sequence[int]:
    return numbers[bisect_left(numbers, start) : bisect_right(numbers, end)]


def _check_lines(
    database: Database, query: Query, scope: Scope, files: RepositoryFiles
) -> MatchConstraint:
    """The nodes whose lines have each phrase, and with `case` one of the words as it is typed."""
    if scope.with_words:
        [best] = database.run([word_search_statement([scope.with_words], scope, MAX_CHECKED + 1)])
        ids = list(scores_by_id(best))
    else:
        ids = ids_in_scope(database, scope, MAX_CHECKED + 1)
    found = hits_by_ids(database, ids[:MAX_CHECKED], scope)
    own = {hit.id: hit.path for hit in found if hit.repo == files.repo}
    lines = files.read_lines(blobs_by_path(database, files.repo, dict.fromkeys(own.values())))
    kept = [hit.id for hit in found if _has_all(hit, query, lines.get(own.get(hit.id, "")))]
    notes = []
    is_cut = len(ids) > MAX_CHECKED
    if is_cut:
        asked = ", ".join(f'"{phrase}"' for phrase in query.phrases) or query.words
        notes.append(f"{asked} is in too many nodes to look at each: narrow it, as with path:")
    return MatchConstraint(scope._replace(ids=tuple(kept)), notes, is_cut)


def _has_all(hit: Hit, query: Query, lines: Sequence[str] | None) -> bool:
    """Of a file that is not here, what FTS5 says counts."""
    if lines is None:
        return True
    shown = _normalize_spaces("\n".join(lines[hit.start_line - 1 : hit.end_line]), case=query.case)
    words = query.words.split() if query.case else []
    phrases = [phrase for phrase in query.phrases if _WORD.search(phrase)]
    return all(_normalize_spaces(phrase, case=query.case) in shown for phrase in phrases) and (
        not words or any(_has_whole_word(word, shown) for word in words)
    )


def _normalize_spaces(text: str, *, case: bool) -> str:
    text = _SPACES.sub(" ", text)
    return text if case else text.casefold()


def _has_whole_word(word: str, text: str) -> bool:
    """Whether it is there as a whole word."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
