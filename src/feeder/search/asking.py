"""How is an opened index asked? What a question says of itself is read, then the engine answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from feeder.assembly.opening import Store
from feeder.config import Settings
from feeder.search.engine import Answer, Page, Ranked, paged, rank
from feeder.search.files import lines_below
from feeder.search.found import Found
from feeder.search.models import Side
from feeder.search.narrowing import Asked, Filters, narrowed
from feeder.store import Database
from feeder.store.reading import Hit, hits, listed
from feeder.store.scope import Scope

if TYPE_CHECKING:
    from feeder.search.kept import Kept

LISTED = 1_000
"""Nodes that are counted where filters or a pattern alone are asked."""


class Asker(NamedTuple):
    """An opened index with what it says of itself, and the models that are asked."""

    store: Store
    meta: Mapping[str, str]
    sides: list[Side]
    settings: Settings
    tell: Callable[[str], None] | None
    """Who is told that a model fails; without anybody, that is raised."""
    kept: Kept | None = None
    """Of this very store and these sides: what a process that is asked again and again keeps."""


def ask(
    asker: Asker, question: str, page: Page, filters: Filters | None = None
) -> tuple[Asked, Answer]:
    """What the question was understood to be, and a page of what answers it.

    Raises UserError for a filter that names nothing in the index.
    """
    store = asker.store
    equal = asker.meta.get(store.index.key("head"), "")
    asked = narrowed(store, question, filters or Filters(), asker.settings, equal)
    database = store.index.database
    if not asked.text:
        return asked, _unranked(database, asked, page)
    answer = paged(database, _ranked(asker, asked), page, _texts(store))
    return asked, answer._replace(notes=[*asked.notes, *answer.notes])


def _ranked(asker: Asker, asked: Asked) -> Ranked:
    """What the index answers, or has answered before at the same state."""
    database = asker.store.index.database

    def ranked() -> Ranked:
        return rank(
            database, asker.sides, asked.text, asked.scope, prefer=asked.preferred, tell=asker.tell
        )

    return ranked() if asker.kept is None else asker.kept.ranked(asked, ranked)


def _unranked(database: Database, asked: Asked, page: Page) -> Answer:
    """The first nodes of a scope, for who asks by filters or a pattern alone."""
    ids = listed(database, asked.scope, LISTED) if _is_narrowed(asked.scope) else []
    some = hits(database, ids[page.offset : page.offset + page.limit], asked.scope)
    return Answer([Found(hit, 0.0, {}) for hit in some], len(ids), asked.notes)


def _is_narrowed(scope: Scope) -> bool:
    return any(scope[1:]) or scope.ids is not None


def _texts(store: Store) -> Callable[[Hit], str | None]:
    """The lines of a node, as they lie in the files of the repository at hand."""
    lines = lines_below(store.place.base)

    def text(hit: Hit) -> str | None:
        found = lines(hit.path) if hit.repo == store.place.repo else None
        return None if found is None else "\n".join(found[hit.start_line - 1 : hit.end_line])

    return text
