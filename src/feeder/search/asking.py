"""How is an opened index asked? What a question says of itself is read, then the engine answers."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from feeder.assembly.opening import Store
from feeder.config import Settings
from feeder.search.engine import Answer, Page, search
from feeder.search.found import Found
from feeder.search.models import Side
from feeder.search.narrowing import Asked, Filters, narrowed
from feeder.search.required import lines_below
from feeder.store import Database
from feeder.store.reading import Hit, hits, listed
from feeder.store.scope import Scope

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
    answer = search(
        database,
        asker.sides,
        asked.text,
        asked.scope,
        page,
        prefer=asked.preferred,
        text_of=_texts(store),
        tell=asker.tell,
    )
    return asked, answer._replace(notes=[*asked.notes, *answer.notes])


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
