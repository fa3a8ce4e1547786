"""Which of a question's filters contradict each other? It is said: none of them wins in silence."""

from collections.abc import Iterator, Sequence

from feeder.errors import UserError
from feeder.search import vocabulary
from feeder.search.categories import NO_LANGUAGE
from feeder.search.query import Query
from feeder.source.paths import is_below
from feeder.store.scope import PathPattern, Scope

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
_CATEGORY_FIELDS = tuple(_FILTER_PREFIXES)[:2]


def check_conflicts(query: Query, scope: Scope) -> None:
    """Raises UserError where the filters, which make the scope, leave nothing of any index."""
    if {"no", "only"} <= set(_tests_values(query)):
        said = [f"tests:{query.tests}"] if query.tests else []
        raise _conflict_error([*said, *_as_typed(query, _CATEGORY_FIELDS)])
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


def overridden_notes(query: Query, tests: str | None) -> Iterator[str]:
    """A sentence for each sign that does not count, as another one is said after or beside it.

    `tests` is what is said of them beside the question.
    """
    counting = {"tests": f"tests:{query.tests}", "case": f"case:{'yes' if query.case else 'no'}"}
    signs = list(query.overruled)
    if tests and query.tests not in (None, tests):
        signs.append(counting["tests"])
        counting["tests"] = f"--tests {tests}"
    for sign in signs:
        yield f"{sign} does not count beside {counting[sign.partition(':')[0]]}."


def _tests_values(query: Query) -> Iterator[str]:
    yield query.tests or ""
    yield "only" if vocabulary.TESTS in query.categories else ""
    yield "no" if vocabulary.TESTS in query.not_categories else ""


def _fields_with_categories(field: str) -> tuple[str, ...]:
    return (field, f"not_{field}", *_CATEGORY_FIELDS)


def _excluded_paths(scope: Scope) -> list[str]:
    """Its paths that lie in what is left out, as far as their names tell."""
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
    return UserError(f"{' and '.join(conflicting)} leave nothing to search. Leave one of them out.")
