"""How is an opened index asked? What a question says of itself is read, then the engine answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from feeder.assembly.opening import Store
from feeder.config import Settings
from feeder.search.engine import Paging, Ranked, paged, rank
from feeder.search.found import Answer, Found
from feeder.search.grouping import LinesOf
from feeder.search.models import Side
from feeder.search.narrowing import Filters, Narrowed, narrowed
from feeder.search.sources import Excerpt, Sources
from feeder.store import Database
from feeder.store.reading import Hit, first_hits
from feeder.store.scope import Scope

if TYPE_CHECKING:
    from feeder.search.kept import Kept

LISTED = 1_000
"""Nodes that are looked at where filters or a pattern alone are asked."""


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
    asker: Asker, question: str, page: Paging, filters: Filters | None = None
) -> tuple[Narrowed, Answer]:
    """What the question was understood to be, and a page of what answers it.

    Raises UserError for a filter that names nothing in the index.
    """
    said = filters or Filters()
    asked = narrowed(asker.store, question, said, asker.settings, asker.meta)
    return asked, answered(asker, asked, page)


def answered(asker: Asker, asked: Narrowed, page: Paging) -> Answer:
    """A page of what answers a question that has been understood."""
    database = asker.store.index.database
    ranked = _ranked(asker, asked) if asked.text else _listed(database, asked.scope)
    answer = paged(database, ranked, page, lines_of(asker.store))
    notes, at_least = [*asked.notes, *answer.notes], asked.is_cut or answer.at_least
    return answer._replace(notes=notes, at_least=at_least)


def _ranked(asker: Asker, asked: Narrowed) -> Ranked:
    """What the index answers, or has answered before at the same state."""
    database = asker.store.index.database

    def ranked() -> Ranked:
        return rank(
            database, asker.sides, asked.text, asked.scope, prefer=asked.preferred, tell=asker.tell
        )

    return ranked() if asker.kept is None else asker.kept.ranked(asked, ranked)


def _listed(database: Database, scope: Scope) -> Ranked:
    """The first nodes of a scope, for who asks by filters or a pattern alone."""
    found = first_hits(database, scope, LISTED + 1) if _is_narrowed(scope) else []
    listed = [Found(hit, 0.0, {}) for hit in found[:LISTED]]
    return Ranked(listed, is_cut=len(found) > LISTED)


def _is_narrowed(scope: Scope) -> bool:
    return any(scope[1:]) or scope.ids is not None


def lines_of(store: Store) -> LinesOf:
    """Where nodes of the repository at hand are in its files now, and their lines."""
    place, database = store.place, store.index.database

    def found(hits: Sequence[Hit]) -> dict[str, Excerpt]:
        own = [hit for hit in hits if hit.repo == place.repo]
        sources = Sources(database, place.base, place.repo, own, with_inside=False)
        excerpts = {hit.id: sources.of(hit) for hit in own}
        return {id_: one for id_, one in excerpts.items() if one.is_shown and one.is_sure}

    return found
