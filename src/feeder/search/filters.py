"""Where does a question look? Its filters become a scope; one that names nothing is told."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from posixpath import join, normpath
from types import MappingProxyType
from typing import NamedTuple

from feeder.nearby import unknown_name_error
from feeder.search import vocabulary
from feeder.search.categories import changes, intersection
from feeder.search.contrary import check
from feeder.search.query import Query
from feeder.search.vocabulary import Categories
from feeder.store import Database, Statement
from feeder.store.repositories import indexed_repositories, resolve_repository
from feeder.store.scope import ANY_FILE, Scope, scope_params
from feeder.tree.names import indexed_spellings

# names, and repositories, null for all: whether any of their nodes is so
_HAS = """
SELECT 1 FROM docs WHERE {0} IN (SELECT value FROM json_each(?1))
AND (?2 IS NULL OR repo IN (SELECT value FROM json_each(?2))) LIMIT 1
"""
_KINDS = """
SELECT {0} FROM docs WHERE {0} IS NOT NULL
AND (?1 IS NULL OR repo IN (SELECT value FROM json_each(?1))) GROUP BY 1 ORDER BY count(*) DESC
"""
_PATHS = """
SELECT path FROM files WHERE ?1 IS NULL OR repo IN (SELECT value FROM json_each(?1))
"""


class Standing(NamedTuple):
    """Who asks: of which repository, None for all; in which folder, from the root, "" for it; and
    which categories the repository has of its own."""

    repo: str | None
    here: str = ""
    categories: Categories = MappingProxyType({})


def scope_of(database: Database, query: Query, standing: Standing) -> Scope:
    """Where the question looks, as far as its filters say; raises UserError, with the nearest that
    is, for one that names nothing in the index, and for those that leave nothing of it. What is
    left out need not be there."""
    [scope] = scopes_of(database, [query], standing)
    return scope


def scopes_of(database: Database, queries: Sequence[Query], standing: Standing) -> list[Scope]:
    """That of each; all are looked up in one request, after one for the repositories they name."""
    fed_ones = indexed_repositories(database) if any(query.repos for query in queries) else []
    theres = [_there(query, standing, fed_ones) for query in queries]
    asked = [lookups(query, there, standing) for query, there in zip(queries, theres, strict=True)]
    statements = [one for some in asked for one in some]
    answers = map(bool, database.run(statements) if statements else [])
    return [
        _scope(database, query, there, standing, list(islice(answers, len(some))))
        for query, there, some in zip(queries, theres, asked, strict=True)
    ]


def lookups(query: Query, there: Scope, standing: Standing) -> list[Statement]:
    """What has to be known of a question's filters: whether each thing they name, or may mean, is
    in the index."""
    paths = _readings((*query.paths, *query.not_paths), standing.here)
    return [
        *(
            Statement(ANY_FILE, (None, *scope_params(there._replace(paths=(path,)))[:4]))
            for some in paths
            for path in some
        ),
        *(_has("language", vocabulary.languages(name), there) for name in query.languages),
        *(_has("node_type", vocabulary.node_types(name), there) for name in query.node_types),
    ]


def _scope(
    database: Database, query: Query, there: Scope, standing: Standing, are_there: Sequence[bool]
) -> Scope:
    """The scope, by what `lookups` found."""
    known = iter(are_there)
    scope = there._replace(
        paths=_paths(database, query.paths, there, standing.here, known),
        not_paths=_paths(database, query.not_paths, there, standing.here, known, out=True),
        languages=_languages(database, query.languages, there, known),
        not_languages=_all(map(vocabulary.languages, query.not_languages)),
        node_types=_node_types(database, query.node_types, there, known),
        not_node_types=_all(map(vocabulary.node_types, query.not_node_types)),
        symbols=query.symbols,
        tests=query.tests,
    )
    for change in changes(query, standing.categories):
        scope = intersection(scope, change)
    check(query, scope)
    return scope


def _all(values: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in values for one in some))


def _there(query: Query, standing: Standing, fed_ones: Sequence[str]) -> Scope:
    """All of the repositories that a question names, else of the one at hand."""
    if query.repos:
        return Scope(
            tuple(dict.fromkeys(resolve_repository(name, fed_ones) for name in query.repos))
        )
    return Scope((standing.repo,) if standing.repo else None)


def _languages(
    database: Database, asked: Sequence[str], there: Scope, are_there: Iterator[bool]
) -> tuple[str, ...]:
    for name, is_there in zip(asked, are_there, strict=False):
        if not is_there:
            known = _kinds(database, "language", there)
            names = vocabulary.language_names()
            raise unknown_name_error(
                "language", name, known, [n for k in known for n in names.get(k, ())]
            )
    return _all(map(vocabulary.languages, asked))


def _node_types(
    database: Database, asked: Sequence[str], there: Scope, are_there: Iterator[bool]
) -> tuple[str, ...]:
    for name, is_there in zip(asked, are_there, strict=False):
        if not is_there:
            known = _kinds(database, "node_type", there)
            raise unknown_name_error("type of node", name, known, vocabulary.node_type_names())
    return _all(map(vocabulary.node_types, asked))


def _has(column: str, names: Sequence[str], there: Scope) -> Statement:
    return Statement(_HAS.format(column), (json.dumps(names), _repos_of(there)))


def _kinds(database: Database, column: str, there: Scope) -> list[str]:
    [rows] = database.run([Statement(_KINDS.format(column), (_repos_of(there),))])
    return [str(name) for (name,) in rows]


def _repos_of(scope: Scope) -> str | None:
    """In JSON; None for all."""
    return None if scope.repos is None else json.dumps(scope.repos)


def _readings(asked: Iterable[str], here: str) -> list[list[str]]:
    return [readings(path, here) for path in asked]


def _paths(  # noqa: PLR0913 - the index, what is asked, and what is known of it
    database: Database,
    asked: Sequence[str],
    there: Scope,
    here: str,
    are_there: Iterator[bool],
    *,
    out: bool = False,
) -> tuple[str, ...]:
    """Each as it is called from the root, else from `here`, else anywhere by its name."""
    found = []
    for typed, some in zip(asked, _readings(asked, here), strict=True):
        hits = [path for path in some if next(are_there)]
        if not hits and not out:
            paths = _files(database, there)
            firsts = sorted({path.partition("/")[0] for path in paths})
            raise unknown_name_error("file or folder", typed, firsts, [*paths, *_folders(paths)])
        found.append((hits or some)[0])
    return tuple(dict.fromkeys(found))


def readings(typed: str, here: str) -> list[str]:
    """The places that a path may mean, the likeliest first; it is read as it lies there, or as an
    answer shows it."""
    known = indexed_spellings(typed)
    places = [place for path in known for place in _places(path, here)]
    return list(dict.fromkeys([*places, *(f"*/{normpath(path)}" for path in known if _bare(path))]))


def _places(path: str, here: str) -> Iterator[str]:
    if path.startswith("/"):
        yield normpath(path).lstrip("/")
    elif _bare(path):
        yield from (normpath(path), join(here, normpath(path)))
    else:
        inside = normpath(join(here, path))
        yield "" if inside == "." else inside


def _bare(path: str) -> bool:
    """Whether it says nothing of where it begins."""
    return path.split("/", maxsplit=1)[0] not in {"", ".", ".."}


def _files(database: Database, there: Scope) -> list[str]:
    [rows] = database.run([Statement(_PATHS, (_repos_of(there),))])
    return [str(path) for (path,) in rows]


def _folders(paths: Iterable[str]) -> list[str]:
    """Every folder that a file lies in or below."""
    folders = {
        folder
        for above in {path.rpartition("/")[0] for path in paths}
        for folder in accumulate(above.split("/"), "{}/{}".format)
    }
    return sorted(folders - {""})
