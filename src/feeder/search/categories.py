"""What do categories narrow a scope to? Languages, paths or tests."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from feeder.errors import UserError
from feeder.search import vocabulary
from feeder.search.query import Query
from feeder.search.vocabulary import Categories
from feeder.store.scope import Scope
from feeder.suggestions import unknown_name_error

NO_LANGUAGE = ("",)
"""What no node is in."""


def category_scopes(query: Query, repository_categories_by_name: Categories) -> Iterator[Scope]:
    """What the question's categories ask for and leave out; raises UserError for one that is none,
    and for several that cannot be asked for at once."""
    _check_categories(query, repository_categories_by_name)
    if query.categories:
        yield _included_scope(query.categories, repository_categories_by_name)
    yield from (
        _excluded_scope(name, repository_categories_by_name) for name in query.not_categories
    )


def intersect(scope: Scope, change: Scope) -> Scope:
    """What lies in both."""
    languages = change.languages or scope.languages
    if scope.languages and change.languages:
        both = tuple(name for name in scope.languages if name in change.languages)
        languages = both or NO_LANGUAGE
    return scope._replace(
        paths=change.paths or scope.paths,
        not_paths=scope.not_paths + change.not_paths,
        languages=languages,
        not_languages=scope.not_languages + change.not_languages,
        tests=change.tests or scope.tests,
    )


def _check_categories(query: Query, own: Categories) -> None:
    known = list(
        dict.fromkeys([*vocabulary.category_languages(), vocabulary.CODE, vocabulary.TESTS, *own])
    )
    for name in (*query.categories, *query.not_categories):
        if name not in known:
            raise unknown_name_error("category", name, known)
    kinds = {_category_kind(name, own) for name in query.categories}
    if len(kinds) > 1:
        raise UserError(
            f"The categories {' and '.join(query.categories)} are not all of languages or all of "
            "paths. Ask for one of them."
        )
    if query.paths and "paths" in kinds:
        raise UserError(
            f"The category {query.categories[0]} is of paths, and so is path:{query.paths[0]}. "
            "Ask for one of them."
        )


def _category_kind(name: str, own: Categories) -> str:
    if name in own:
        return "paths"
    return "tests" if name == vocabulary.TESTS else "languages"


def _included_scope(names: Sequence[str], own: Categories) -> Scope:
    by_language = vocabulary.category_languages()
    if names[0] in own:
        return Scope(None, paths=_unique(own[name] for name in names))
    if names[0] == vocabulary.TESTS:
        return Scope(None, tests="only")
    if vocabulary.CODE in names:
        others = (languages for name, languages in by_language.items() if name not in names)
        return Scope(None, not_languages=_unique(others))
    return Scope(None, languages=_unique(by_language[name] for name in names))


def _excluded_scope(name: str, own: Categories) -> Scope:
    by_language = vocabulary.category_languages()
    if name in own:
        return Scope(None, not_paths=tuple(own[name]))
    if name == vocabulary.TESTS:
        return Scope(None, tests="no")
    if name == vocabulary.CODE:
        return Scope(None, languages=_unique(by_language.values()))
    return Scope(None, not_languages=tuple(by_language[name]))


def _unique(values: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(values)))
