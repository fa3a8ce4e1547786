"""Which nodes does the one who asks prefer? Those of a folder, language, repository or category."""

from collections.abc import Iterable, Sequence

from feeder.search.filters import Standing, scope_of
from feeder.search.query import Query, parse
from feeder.store import Database
from feeder.store.reading import hits
from feeder.store.scope import Scope


def preferences(database: Database, asked: Iterable[str], standing: Standing) -> list[Scope]:
    """What each of `src`, `lang:go`, `repo:a`, `category:docs` prefers; a bare text is a path.

    Raises UserError for one that names nothing in the index.
    """
    return [scope_of(database, _read(text), standing) for text in asked]


def _read(text: str) -> Query:
    query = parse(text)
    return Query(paths=(text,)) if query.text or query.regex else query


def preferred(database: Database, ids: Sequence[str], scopes: Iterable[Scope]) -> set[str]:
    """Those of the nodes that lie in any of the scopes; a request each."""
    return {hit.id for scope in scopes for hit in hits(database, ids, scope)}
