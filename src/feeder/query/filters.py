"""Resolves a query's filters to a scope (the SQL condition).

Reports filters that name nothing in the index, and filters that contradict each other.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from types import MappingProxyType
from typing import NamedTuple

from feeder.corpus.skipped_files import check_scope_not_skipped
from feeder.errors import UserError
from feeder.notes import Note, NoteKind
from feeder.query import vocabulary
from feeder.query.query import CHOICE_FILTERS, FILTER_FIELDS, Query, nearest_filter
from feeder.query.vocabulary import NO_LANGUAGE, Categories, category_scopes, intersect
from feeder.source.paths import is_below, is_outside, outside_error, path_candidates
from feeder.store import Database, Statement
from feeder.store.batch import read_texts
from feeder.store.inventory import indexed_repositories, resolve_repository
from feeder.store.scope import PathPattern, Scope, scope_params
from feeder.store.scope_sql import ANY_FILE
from feeder.suggestions import unknown_name_error

_FILTER_PREFIXES = {
    "categories": "category:",
    "not_categories": "-category:",
    "languages": "lang:",
    "not_languages": "-lang:",
    "paths": "path:",
    "not_paths": "-path:",
    "node_types": "type:",
    "not_node_types": "-type:",
}

MAX_UNKNOWN_FILTER_NOTES = 5

_CATEGORY_FIELDS = tuple(_FILTER_PREFIXES)[:2]


def check_conflicts(query: Query, scope: Scope) -> None:
    """Raises UserError if parts of the query contradict each other in the scope."""
    if query.without and not query.regex:
        excluded = {word.casefold() for word in query.without}
        texts = [*query.words.split(), *query.phrases, *query.prefixes, *query.either_texts]
        if texts and {text.casefold() for text in texts} <= excluded:
            raise _conflict_error([*texts, *(f"-{word}" for word in query.without)])
    if {"no", "only"} <= set(_tests_values(query)):
        tests = [f"tests:{query.tests}"] if query.tests else []
        raise _conflict_error([*tests, *_as_typed(query, _CATEGORY_FIELDS)])
    is_of_none = scope.languages == NO_LANGUAGE
    for is_empty, fields in (
        (
            is_of_none or _is_all_excluded(scope.languages, scope.not_languages),
            _fields_with_categories("languages"),
        ),
        (_is_all_excluded(scope.paths, _excluded_paths(scope)), _fields_with_categories("paths")),
        (
            _is_all_excluded(scope.node_types, scope.not_node_types),
            ("node_types", "not_node_types"),
        ),
    ):
        if is_empty:
            raise _conflict_error(_as_typed(query, fields))


def overridden_notes(query: Query, tests: str | None) -> Iterator[Note]:
    """Notes on filters that another value replaces, from later in the query or from outside it.

    `tests` is the value given beside the query.
    """
    effective = {"tests": f"tests:{query.tests}", "case": f"case:{'yes' if query.case else 'no'}"}
    replaced = list(query.overruled)
    if tests and query.tests not in (None, tests):
        replaced.append(effective["tests"])
        effective["tests"] = f"tests:{tests} from outside the query"
    for typed in replaced:
        instead = effective[typed.partition(":")[0]]
        yield Note(NoteKind.FILTER, f"{typed} is ignored: {instead} replaces it.")


def unknown_filter_notes(query: Query) -> Iterator[Note]:
    """Notes on the first words that were probably meant as filters, with the filters that there
    are, and on the number of the others.
    """
    for typed in query.unknown_filters[:MAX_UNKNOWN_FILTER_NOTES]:
        name, _, value = typed.partition(":")
        head = f"{name}:"
        if choices := CHOICE_FILTERS.get(head):
            written = ", ".join(f"{head}{choice}" for choice in choices)
            remedy = f"To filter, write one of {written}."
        elif near := nearest_filter(head, value):
            remedy = f"There is no filter '{head}'. Did you mean {near}{value}?"
        else:
            excluding = ", ".join(field for field in FILTER_FIELDS if field[:1] == "-" != field)
            remedy = f"There is no filter '{head}'. Filters that exclude: {excluding}."
        yield Note(NoteKind.FILTER, f"'{typed}' was searched for as text.", remedy)
    more = len(query.unknown_filters) - MAX_UNKNOWN_FILTER_NOTES
    if more > 0:
        text = f"Also searched for as text: {more:,} more that look like filters."
        yield Note(NoteKind.FILTER, text)


def _tests_values(query: Query) -> Iterator[str]:
    yield query.tests or ""
    yield "only" if vocabulary.TESTS in query.categories else ""
    yield "no" if vocabulary.TESTS in query.not_categories else ""


def _fields_with_categories(field: str) -> tuple[str, ...]:
    return (field, f"not_{field}", *_CATEGORY_FIELDS)


def _excluded_paths(scope: Scope) -> list[str]:
    """Paths of the scope that lie in an excluded folder."""
    folders = [place.pattern for place in map(PathPattern, scope.not_paths) if not place.is_glob]
    return [
        path
        for path in scope.paths
        if path in scope.not_paths or any(is_below(path, folder) for folder in folders)
    ]


def _is_all_excluded(included: Sequence[str], excluded: Sequence[str]) -> bool:
    return bool(included) and set(included) <= set(excluded)


def _as_typed(query: Query, fields: Sequence[str]) -> list[str]:
    return [
        f"{_FILTER_PREFIXES[field]}{value}" for field in fields for value in getattr(query, field)
    ]


def _conflict_error(conflicting: Sequence[str]) -> UserError:
    return UserError(
        f"{' and '.join(conflicting)} contradict each other: nothing is left to search.",
        "Remove one of them.",
    )


# ?1 are values, ?2 repositories, null for all
ANY_WITH_VALUE = """
SELECT 1 FROM docs WHERE {0} IN (SELECT value FROM json_each(?1))
AND (?2 IS NULL OR repo IN (SELECT value FROM json_each(?2))) LIMIT 1
"""

VALUES_BY_COUNT = """
SELECT {0} FROM docs WHERE {0} IS NOT NULL
AND (?1 IS NULL OR repo IN (SELECT value FROM json_each(?1))) GROUP BY 1 ORDER BY count(*) DESC, 1
"""

PATHS_SQL = """
SELECT path FROM files WHERE state <> 'skipped'
AND (?1 IS NULL OR repo IN (SELECT value FROM json_each(?1)))
"""


class FilterContext(NamedTuple):
    """The repository that is searched (None for all), the user's directory relative to its root,
    and the repository's own categories.
    """

    repo: str | None
    directory: str = ""
    categories: Categories = MappingProxyType({})


def build_scope(database: Database, query: Query, context: FilterContext) -> Scope:
    """Resolves a query's filters to a scope.

    Raises UserError for a filter that names nothing in the index, with the nearest names, and for
    filters that contradict each other. Excluded names need not exist.
    """
    [scope] = build_scopes(database, [query], context)
    return scope


def build_scopes(
    database: Database, queries: Sequence[Query], context: FilterContext
) -> list[Scope]:
    """Resolves the filters of several queries, with one request for all that they name.

    Raises UserError as `build_scope` does.
    """
    indexed_repos = indexed_repositories(database) if any(query.repos for query in queries) else []
    repository_scopes = [_repository_scope(query, context, indexed_repos) for query in queries]
    statements_by_query = [
        existence_statements(query, repository_scope, context)
        for query, repository_scope in zip(queries, repository_scopes, strict=True)
    ]
    statements = [
        statement for query_statements in statements_by_query for statement in query_statements
    ]
    existing = map(bool, database.run(statements) if statements else [])
    return [
        _resolve_scope(
            database,
            query,
            repository_scope,
            context,
            list(islice(existing, len(query_statements))),
        )
        for query, repository_scope, query_statements in zip(
            queries, repository_scopes, statements_by_query, strict=True
        )
    ]


def existence_statements(
    query: Query, repository_scope: Scope, context: FilterContext
) -> list[Statement]:
    """Statements that check for each name in the filters, and for each path that one may mean, if
    the index has it.
    """
    paths = _candidates_of_each((*query.paths, *query.not_paths), context.directory)
    return [
        *(
            Statement(ANY_FILE, (None, *scope_params(repository_scope._replace(paths=(path,)))[:4]))
            for candidates in paths
            for path in candidates
        ),
        *(
            _exists_statement("language", vocabulary.resolve_languages(name), repository_scope)
            for name in query.languages
        ),
        *(
            _exists_statement("node_type", vocabulary.resolve_node_types(name), repository_scope)
            for name in query.node_types
        ),
    ]


def _resolve_scope(
    database: Database,
    query: Query,
    repository_scope: Scope,
    context: FilterContext,
    existing: Sequence[bool],
) -> Scope:
    """The scope, given the results of `existence_statements` in their order."""
    existing_names = iter(existing)
    scope = repository_scope._replace(
        paths=_resolve_paths(
            database, query.paths, repository_scope, context.directory, existing_names
        ),
        not_paths=_resolve_paths(
            database,
            query.not_paths,
            repository_scope,
            context.directory,
            existing_names,
            is_excluded=True,
        ),
        languages=_resolve_languages(database, query.languages, repository_scope, existing_names),
        not_languages=_unique(map(vocabulary.resolve_languages, query.not_languages)),
        node_types=_resolve_node_types(
            database, query.node_types, repository_scope, existing_names
        ),
        not_node_types=_unique(map(vocabulary.resolve_node_types, query.not_node_types)),
        symbols=query.symbols,
        tests=query.tests,
    )
    for change in category_scopes(query, context.categories):
        scope = intersect(scope, change)
    check_conflicts(query, scope)
    return scope


def _unique(values: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for group in values for value in group))


def _repository_scope(query: Query, context: FilterContext, indexed_repos: Sequence[str]) -> Scope:
    """The scope of the repositories that the query names, else of the current one."""
    if query.repos:
        return Scope(
            tuple(dict.fromkeys(resolve_repository(name, indexed_repos) for name in query.repos))
        )
    return Scope((context.repo,) if context.repo else None)


def _resolve_languages(
    database: Database,
    typed_names: Sequence[str],
    repository_scope: Scope,
    existing: Iterator[bool],
) -> tuple[str, ...]:
    for name, exists in zip(typed_names, existing, strict=False):
        if not exists:
            indexed = _known_values(database, "language", repository_scope)
            aliases = vocabulary.language_aliases()
            raise unknown_name_error(
                "language",
                name,
                indexed,
                [alias for language in indexed for alias in aliases.get(language, ())],
            )
    return _unique(map(vocabulary.resolve_languages, typed_names))


def _resolve_node_types(
    database: Database,
    typed_names: Sequence[str],
    repository_scope: Scope,
    existing: Iterator[bool],
) -> tuple[str, ...]:
    for name, exists in zip(typed_names, existing, strict=False):
        if not exists:
            indexed = _known_values(database, "node_type", repository_scope)
            raise unknown_name_error("node type", name, indexed, vocabulary.node_type_names())
    return _unique(map(vocabulary.resolve_node_types, typed_names))


def _exists_statement(column: str, names: Sequence[str], repository_scope: Scope) -> Statement:
    return Statement(
        ANY_WITH_VALUE.format(column), (json.dumps(names), _repos_json(repository_scope))
    )


def _known_values(database: Database, column: str, repository_scope: Scope) -> list[str]:
    sql = VALUES_BY_COUNT.format(column)
    return read_texts(database, Statement(sql, (_repos_json(repository_scope),)))


def _repos_json(scope: Scope) -> str | None:
    """Repositories as JSON; None for all."""
    return None if scope.repos is None else json.dumps(scope.repos)


def _candidates_of_each(paths: Iterable[str], directory: str) -> list[list[str]]:
    return [path_candidates(path, directory) for path in paths]


def _resolve_paths(  # noqa: PLR0913 - the index, the filters and the paths that exist
    database: Database,
    typed_paths: Sequence[str],
    repository_scope: Scope,
    directory: str,
    existing: Iterator[bool],
    *,
    is_excluded: bool = False,
) -> tuple[str, ...]:
    """Each path as seen from the root, else from the directory, else anywhere by its name."""
    resolved = []
    for typed, candidates in zip(
        typed_paths, _candidates_of_each(typed_paths, directory), strict=True
    ):
        matches = [path for path in candidates if next(existing)]
        if not matches and not is_excluded:
            check_scope_not_skipped(database, repository_scope, candidates)
            paths = _indexed_paths(database, repository_scope)
            top_level = sorted({path.partition("/")[0] for path in paths})
            if is_outside(typed, directory, top_level):
                raise outside_error(typed)
            raise unknown_name_error(
                "file or folder", typed, top_level, [*paths, *_parent_folders(paths)]
            )
        resolved.append((matches or candidates)[0])
    return tuple(dict.fromkeys(resolved))


def _indexed_paths(database: Database, repository_scope: Scope) -> list[str]:
    return read_texts(database, Statement(PATHS_SQL, (_repos_json(repository_scope),)))


def _parent_folders(paths: Iterable[str]) -> list[str]:
    """All folders above the files."""
    folders = {
        folder
        for above in {path.rpartition("/")[0] for path in paths}
        for folder in accumulate(above.split("/"), "{}/{}".format)
    }
    return sorted(folders - {""})
