"""Where does a question look? Its filters become a scope; one that names nothing is told."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from posixpath import join, normpath
from types import MappingProxyType
from typing import NamedTuple

from feeder.search import vocabulary
from feeder.search.categories import category_scopes, intersect
from feeder.search.contrary import check_conflicts
from feeder.search.query import Query
from feeder.search.vocabulary import Categories
from feeder.source.paths import indexed_spellings
from feeder.store import Database, Statement
from feeder.store.inventory import indexed_repositories, resolve_repository
from feeder.store.scope import ANY_FILE, Scope, scope_params
from feeder.suggestions import unknown_name_error

# names, and repositories, null for all: whether any of their nodes is so
ANY_WITH_VALUE = """
SELECT 1 FROM docs WHERE {0} IN (SELECT value FROM json_each(?1))
AND (?2 IS NULL OR repo IN (SELECT value FROM json_each(?2))) LIMIT 1
"""
VALUES_BY_COUNT = """
SELECT {0} FROM docs WHERE {0} IS NOT NULL
AND (?1 IS NULL OR repo IN (SELECT value FROM json_each(?1))) GROUP BY 1 ORDER BY count(*) DESC
"""
PATHS_SQL = """
SELECT path FROM files WHERE ?1 IS NULL OR repo IN (SELECT value FROM json_each(?1))
"""


class FilterContext(NamedTuple):
    """Who asks: of which repository, None for all; in which folder, from the root, "" for it; and
    which categories the repository has of its own."""

    repo: str | None
    directory: str = ""
    categories: Categories = MappingProxyType({})


def build_scope(database: Database, query: Query, context: FilterContext) -> Scope:
    """Where the question looks, as far as its filters say; raises UserError, with the nearest that
    is, for one that names nothing in the index, and for those that leave nothing of it. What is
    left out need not be there."""
    [scope] = build_scopes(database, [query], context)
    return scope


def build_scopes(
    database: Database, queries: Sequence[Query], context: FilterContext
) -> list[Scope]:
    """That of each; all are looked up in one request, after one for the repositories they name."""
    fed_ones = indexed_repositories(database) if any(query.repos for query in queries) else []
    theres = [_repository_scope(query, context, fed_ones) for query in queries]
    asked = [
        existence_statements(query, there, context)
        for query, there in zip(queries, theres, strict=True)
    ]
    statements = [one for some in asked for one in some]
    answers = map(bool, database.run(statements) if statements else [])
    return [
        _resolve_scope(database, query, there, context, list(islice(answers, len(some))))
        for query, there, some in zip(queries, theres, asked, strict=True)
    ]


def existence_statements(
    query: Query, repository_scope: Scope, context: FilterContext
) -> list[Statement]:
    """What has to be known of a question's filters: whether each thing they name, or may mean, is
    in the index."""
    paths = _candidates_of_each((*query.paths, *query.not_paths), context.directory)
    return [
        *(
            Statement(ANY_FILE, (None, *scope_params(repository_scope._replace(paths=(path,)))[:4]))
            for some in paths
            for path in some
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
    """The scope, by what `lookups` found."""
    known = iter(existing)
    scope = repository_scope._replace(
        paths=_resolve_paths(database, query.paths, repository_scope, context.directory, known),
        not_paths=_resolve_paths(
            database, query.not_paths, repository_scope, context.directory, known, is_excluded=True
        ),
        languages=_resolve_languages(database, query.languages, repository_scope, known),
        not_languages=_unique(map(vocabulary.resolve_languages, query.not_languages)),
        node_types=_resolve_node_types(database, query.node_types, repository_scope, known),
        not_node_types=_unique(map(vocabulary.resolve_node_types, query.not_node_types)),
        symbols=query.symbols,
        tests=query.tests,
    )
    for change in category_scopes(query, context.categories):
        scope = intersect(scope, change)
    check_conflicts(query, scope)
    return scope


def _unique(values: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in values for one in some))


def _repository_scope(query: Query, context: FilterContext, indexed_repos: Sequence[str]) -> Scope:
    """All of the repositories that a question names, else of the one at hand."""
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
    for name, is_there in zip(typed_names, existing, strict=False):
        if not is_there:
            known = _known_values(database, "language", repository_scope)
            names = vocabulary.language_aliases()
            raise unknown_name_error(
                "language", name, known, [n for k in known for n in names.get(k, ())]
            )
    return _unique(map(vocabulary.resolve_languages, typed_names))


def _resolve_node_types(
    database: Database,
    typed_names: Sequence[str],
    repository_scope: Scope,
    existing: Iterator[bool],
) -> tuple[str, ...]:
    for name, is_there in zip(typed_names, existing, strict=False):
        if not is_there:
            known = _known_values(database, "node_type", repository_scope)
            raise unknown_name_error("type of node", name, known, vocabulary.node_type_names())
    return _unique(map(vocabulary.resolve_node_types, typed_names))


def _exists_statement(column: str, names: Sequence[str], repository_scope: Scope) -> Statement:
    return Statement(
        ANY_WITH_VALUE.format(column), (json.dumps(names), _repos_json(repository_scope))
    )


def _known_values(database: Database, column: str, repository_scope: Scope) -> list[str]:
    [rows] = database.run(
        [Statement(VALUES_BY_COUNT.format(column), (_repos_json(repository_scope),))]
    )
    return [str(name) for (name,) in rows]


def _repos_json(scope: Scope) -> str | None:
    """In JSON; None for all."""
    return None if scope.repos is None else json.dumps(scope.repos)


def _candidates_of_each(paths: Iterable[str], directory: str) -> list[list[str]]:
    return [path_candidates(path, directory) for path in paths]


def _resolve_paths(  # noqa: PLR0913 - the index, what is asked, and what is known of it
    database: Database,
    typed_paths: Sequence[str],
    repository_scope: Scope,
    directory: str,
    existing: Iterator[bool],
    *,
    is_excluded: bool = False,
) -> tuple[str, ...]:
    """Each as it is called from the root, else from `here`, else anywhere by its name."""
    found = []
    for typed, some in zip(typed_paths, _candidates_of_each(typed_paths, directory), strict=True):
        hits = [path for path in some if next(existing)]
        if not hits and not is_excluded:
            paths = _indexed_paths(database, repository_scope)
            firsts = sorted({path.partition("/")[0] for path in paths})
            raise unknown_name_error(
                "file or folder", typed, firsts, [*paths, *_parent_folders(paths)]
            )
        found.append((hits or some)[0])
    return tuple(dict.fromkeys(found))


def path_candidates(typed: str, directory: str) -> list[str]:
    """The places that a path may mean, the likeliest first; it is read as it lies there, or as an
    answer shows it."""
    known = indexed_spellings(typed)
    places = [place for path in known for place in _anchored_paths(path, directory)]
    return list(
        dict.fromkeys([*places, *(f"*/{normpath(path)}" for path in known if _is_unanchored(path))])
    )


def _anchored_paths(path: str, directory: str) -> Iterator[str]:
    if path.startswith("/"):
        yield normpath(path).lstrip("/")
    elif _is_unanchored(path):
        yield from (normpath(path), join(directory, normpath(path)))
    else:
        inside = normpath(join(directory, path))
        yield "" if inside == "." else inside


def _is_unanchored(path: str) -> bool:
    """Whether it says nothing of where it begins."""
    return path.split("/", maxsplit=1)[0] not in {"", ".", ".."}


def _indexed_paths(database: Database, repository_scope: Scope) -> list[str]:
    [rows] = database.run([Statement(PATHS_SQL, (_repos_json(repository_scope),))])
    return [str(path) for (path,) in rows]


def _parent_folders(paths: Iterable[str]) -> list[str]:
    """Every folder that a file lies in or below."""
    folders = {
        folder
        for above in {path.rpartition("/")[0] for path in paths}
        for folder in accumulate(above.split("/"), "{}/{}".format)
    }
    return sorted(folders - {""})
