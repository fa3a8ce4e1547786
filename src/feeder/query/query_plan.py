"""Plans a search: adds the request's filters to the parsed query and resolves them to the
scope, preferences and notes with which the index is searched.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_lines, indexed_revision, snapshot_repositories
from feeder.notes import Note
from feeder.query.filters import (
    FilterContext,
    build_scopes,
    overridden_notes,
    unknown_filter_notes,
)
from feeder.query.must_match import RepositoryFiles, make_grep, require_matches
from feeder.query.query import Query, parse_query
from feeder.query.request_filters import Pagination, RequestFilters
from feeder.query.vocabulary import repository_categories
from feeder.source.paths import escape_name
from feeder.store.scope import Scope

if TYPE_CHECKING:
    from feeder.source.grep import GrepMatches

_PART_END = re.compile(rf"(?<=[^{os.sep}])(?={os.sep}|\Z)")
"""Finds the end of each name of a folder or file in a path."""


def parse_preference(text: str) -> Query:
    """Parses a preference such as `src`, `lang:go` or `category:docs`; plain text is a path."""
    query = parse_query(text)
    return Query(paths=(text,)) if query.text or query.regex else query


DEFAULT_LINES = 6
"""Lines shown of a hit."""


class SearchRequest(NamedTuple):
    """A query with its filters, the page of hits to return, and how the search is run.

    `snippet_lines` is the number of lines shown of a hit, None for all of its lines. Without
    `reads_files` hits have no lines and no freshness (for an evaluation). With `requires_models` a
    model that fails is an error; else the search goes on by words, with a warning. A search that
    `is_logged` is added to the query log if the settings keep one.
    """

    query: str = ""
    filters: RequestFilters = RequestFilters()
    limit: int = 10
    offset: int = 0
    snippet_lines: int | None = DEFAULT_LINES
    reads_files: bool = True
    requires_models: bool = False
    is_logged: bool = True

    @property
    def pagination(self) -> Pagination:
        """The part of all hits that the page has."""
        return Pagination(self.limit, self.offset)


class QueryPlan(NamedTuple):
    """A query resolved against an index.

    `text` has the words that rank. `is_truncated` if more nodes may match the required phrases or
    pattern than were checked. `matching_lines` are those that match the pattern, by path.
    """

    query: Query
    text: str
    scope: Scope
    preferred_scopes: Sequence[Scope]
    notes: Sequence[Note]
    is_truncated: bool = False
    matching_lines: Mapping[str, Sequence[int]] = {}


def plan_query(
    corpus: Corpus, directory: str, query_text: str, filters: RequestFilters
) -> QueryPlan:
    """Parses a query, adds the request's filters and resolves them against the index.

    `directory` is the user's one relative to the root, below which relative paths count too.

    Raises UserError, with the nearest names, for a filter that names nothing in the index.
    """
    return plan_parsed_query(corpus, directory, parse_query(query_text), filters)


def plan_parsed_query(
    corpus: Corpus, directory: str, typed: Query, filters: RequestFilters
) -> QueryPlan:
    """The same for a parsed query."""
    database, base = corpus.database, corpus.base
    query = _strip_roots(_add_filters(typed, filters), base)
    repo = None if filters.all_repos else corpus.repo
    context = FilterContext(repo, directory, repository_categories(base))
    queries = [
        query,
        *(_strip_roots(parse_preference(text), base) for text in filters.prefer),
    ]
    scope, *preferred = build_scopes(database, queries, context)
    relation_notes: Sequence[Note] = ()
    if query.relations:
        from feeder.query.relation_filters import restrict_to_relations  # few queries have them

        scope, relation_notes = restrict_to_relations(database, query.relations, scope)
    lines = partial(indexed_lines, base, other_repositories=snapshot_repositories(database))

    def grep(pattern: str, case: bool) -> "GrepMatches":
        revision = indexed_revision(base, database, corpus.repo, corpus.meta)
        return make_grep(revision.repository, revision.name)(pattern, case)

    files = RepositoryFiles(corpus.repo, lines, grep)
    required = require_matches(database, query, scope, files)
    notes = [
        *unknown_filter_notes(typed),
        *overridden_notes(typed, filters.tests),
        *relation_notes,
        *required.notes,
    ]
    # symbols alone cannot rank: what has them is listed
    text = query.text if not required.lines or re.search(r"[^\W_]", query.text) else ""
    return QueryPlan(
        query, text, required.scope, preferred, notes, required.is_truncated, required.lines
    )


def _strip_roots(query: Query, base: Path) -> Query:
    """The query with its paths from the root."""
    return query._replace(
        paths=tuple(strip_root(path, base) for path in query.paths),
        not_paths=tuple(strip_root(path, base) for path in query.not_paths),
    )


def _add_filters(query: Query, filters: RequestFilters) -> Query:
    return query._replace(
        paths=(*query.paths, *filters.path),
        languages=(*query.languages, *filters.language),
        node_types=(*query.node_types, *filters.node_type),
        categories=(*query.categories, *filters.category),
        tests=filters.tests or query.tests,
        not_paths=(*query.not_paths, *filters.not_path),
        repos=(*query.repos, *filters.repos),
    )


def directory_below(directory: Path, base: Path) -> str:
    """Returns a directory relative to the root `base`; empty for the root and outside of it."""
    inside = os.path.relpath(directory.resolve(), base)
    is_below = inside != os.curdir and not inside.startswith(os.pardir)
    return escape_name(os.fsencode(inside)) if is_below else ""


def strip_root(path: str, base: Path) -> str:
    """Returns an absolute path relative to the root `base`: `/home/me/shop/src` → `src`.

    Symbolic links to the root, or to a folder in it, are followed. The root itself becomes `/`, as
    in filters. A path outside of the root, or a relative one, stays as it is.
    """
    if not path.startswith(os.sep):
        return path
    existing = ""
    with suppress(OSError, ValueError):  # the first part that does not exist
        for end in _PART_END.finditer(path):
            above = path[: end.start()]
            if Path(above).samefile(base):
                return path[end.start() :].strip(os.sep) or os.sep
            existing = above
    inside = directory_below(Path(existing), base) if existing else ""
    return f"{inside}{path[len(existing) :]}" if inside else path


def path_from_root(path: str, base: Path) -> str:
    """Returns a path or target as the index writes it: from the root, with undecodable bytes
    escaped.
    """
    return os.fsencode(strip_root(path, base)).decode("utf-8", "backslashreplace")
