"""`RequestFilters`: the filters that a request gives beside its query.

Imports no other module of the package: a command needs it before those that search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class RequestFilters(NamedTuple):
    """Filters given beside the query, by options or arguments; they add to those in the query."""

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
    def from_options(cls, options: dict[str, Any]) -> RequestFilters:
        """Removes the filters from a command's options and returns them.

        A path that begins with `!` is excluded, as in ripgrep's `-g`.
        """
        given = {name: options.pop(name) for name in cls._fields if name in options}
        paths = given.pop("path", ())
        included = tuple(path for path in paths if not path.startswith("!"))
        excluded = tuple(path[1:] for path in paths if path.startswith("!"))
        not_path = (*given.pop("not_path", ()), *excluded)
        return cls(**given, path=included, not_path=not_path)


class Pagination(NamedTuple):
    """The number of hits on a page, and of hits before it."""

    limit: int
    offset: int = 0
