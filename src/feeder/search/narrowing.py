"""Where does a question that somebody asks of an opened index look, and by which words?"""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from feeder.assembly.opening import Store
from feeder.config import Settings
from feeder.search.contrary import overruled
from feeder.search.files import lines_indexed
from feeder.search.filters import Standing, scopes_of
from feeder.search.indexed import beside, revision
from feeder.search.preferring import preference
from feeder.search.query import Query, parse
from feeder.search.required import Files, grep_of, required
from feeder.search.vocabulary import own_categories
from feeder.store.scope import Scope
from feeder.tree.grep import GrepMatches
from feeder.tree.names import escape_name


class Filters(NamedTuple):
    """What is said beside the question; the same as if it stood in it."""

    path: Sequence[str] = ()
    language: Sequence[str] = ()
    node_type: Sequence[str] = ()
    category: Sequence[str] = ()
    tests: str | None = None
    all_repos: bool = False
    prefer: Sequence[str] = ()
    not_path: Sequence[str] = ()
    repos: Sequence[str] = ()

    @classmethod
    def of(cls, said: dict[str, Any]) -> "Filters":
        """Takes those out of what was said by its names."""
        return cls(**{name: said.pop(name) for name in cls._fields if name in said})


class Narrowed(NamedTuple):
    """A question as it is put to an index.

    Its parts, the words that rank, where it looks, what it prefers, what to say. Its scope `is_cut`
    where more nodes may have what it insists on.
    """

    query: Query
    text: str
    scope: Scope
    preferred: Sequence[Scope]
    notes: Sequence[str]
    is_cut: bool = False


def narrowed(
    store: Store, question: str, filters: Filters, settings: Settings, meta: Mapping[str, str]
) -> Narrowed:
    """The question as it is put to an index that says `meta` of itself.

    Raises UserError for a filter that names nothing there, with the nearest that is.
    """
    typed = parse(question)
    query = _with(typed, filters)
    database, place = store.index.database, store.place
    repo = None if filters.all_repos else place.repo
    standing = Standing(repo, below(settings.directory, place.base), own_categories(place.base))
    asked = [query, *map(preference, filters.prefer)]
    scope, *preferred = scopes_of(database, asked, standing)
    lines = partial(lines_indexed, place.base, beside=beside(database))

    def grep(pattern: str, case: bool) -> GrepMatches:
        equal = revision(place.base, database, place.repo, meta)
        return grep_of(equal.repository, equal.name)(pattern, case)

    files = Files(place.repo, lines, grep)
    scope, notes, is_cut = required(database, query, scope, files)
    said = [*overruled(typed, filters.tests), *notes]
    return Narrowed(query, query.text, scope, preferred, said, is_cut)


def _with(query: Query, filters: Filters) -> Query:
    return query._replace(
        paths=(*query.paths, *filters.path),
        languages=(*query.languages, *filters.language),
        node_types=(*query.node_types, *filters.node_type),
        categories=(*query.categories, *filters.category),
        tests=filters.tests or query.tests,
        not_paths=(*query.not_paths, *filters.not_path),
        repos=(*query.repos, *filters.repos),
    )


def below(directory: Path, base: Path) -> str:
    """Where the one who asks stands, from the root."""
    inside = os.path.relpath(directory.resolve(), base)
    is_below = inside != os.curdir and not inside.startswith(os.pardir)
    return escape_name(os.fsencode(inside)) if is_below else ""


def inside(typed: str, base: Path) -> str:
    """A path without the folder that the root lies in, where it is written with that."""
    for above in dict.fromkeys([str(base), str(base.resolve())]):
        if typed.rstrip(os.sep) == above:
            return os.curdir
        typed = typed.removeprefix(f"{above}{os.sep}")
    return typed


def from_root(typed: str, base: Path) -> str:
    """What begins with a path, in characters that can be shown, and from the root."""
    return os.fsencode(inside(typed, base)).decode("utf-8", "backslashreplace")
