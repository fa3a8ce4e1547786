"""Which nodes does the one who asks prefer? Those of a folder, language, repository or category."""

from collections.abc import Iterable, Sequence

from feeder.search.query import Query, parse_query
from feeder.store import Row, Statement
from feeder.store.scope import Scope
from feeder.store.word_search import hits_from_rows, hits_statement


def parse_preference(text: str) -> Query:
    """What `src`, `lang:go`, `repo:a`, `category:docs` prefer; a bare text is a path."""
    query = parse_query(text)
    return Query(paths=(text,)) if query.text or query.regex else query


def preference_statements(ids: Sequence[str], scopes: Iterable[Scope]) -> list[Statement]:
    """What the index is asked: which of the nodes lie in each of the scopes."""
    return [hits_statement(ids, scope) for scope in scopes]


def preferred_ids(row_sets: Iterable[Iterable[Row]]) -> set[str]:
    """The ids of those that lie in any."""
    return {hit.id for rows in row_sets for hit in hits_from_rows(rows)}
