"""How is an opened index asked? What a question says of itself is read, then the engine answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from feeder.config import Settings
from feeder.search.engine import Pagination, RankedResults, paginate, rank_query
from feeder.search.excerpts import Excerpt, ExcerptReader
from feeder.search.grouping import ExcerptLookup
from feeder.search.models import QueryModel
from feeder.search.query_plan import QueryPlan, RequestFilters, plan_query
from feeder.search.results import Result, ResultList
from feeder.session.session import Session
from feeder.store import Database
from feeder.store.scope import Scope
from feeder.store.word_search import Hit, first_hits

if TYPE_CHECKING:
    from feeder.search.result_cache import ResultCache

MAX_LISTED = 1_000
"""Nodes that are looked at where filters or a pattern alone are asked."""


class SearchIndex(NamedTuple):
    """An opened index with what it says of itself, and the models that are asked."""

    store: Session
    meta: Mapping[str, str]
    models: list[QueryModel]
    settings: Settings
    on_warning: Callable[[str], None] | None
    """Who is told that a model fails; without anybody, that is raised."""
    cache: ResultCache | None = None
    """Of this very store and these sides: what a process that is asked again and again keeps."""


def run_query(
    index: SearchIndex,
    query_text: str,
    pagination: Pagination,
    filters: RequestFilters | None = None,
) -> tuple[QueryPlan, ResultList]:
    """What the question was understood to be, and a page of what answers it.

    Raises UserError for a filter that names nothing in the index.
    """
    said = filters or RequestFilters()
    asked = plan_query(index.store, query_text, said, index.settings, index.meta)
    return asked, run_plan(index, asked, pagination)


def run_plan(index: SearchIndex, plan: QueryPlan, pagination: Pagination) -> ResultList:
    """A page of what answers a question that has been understood."""
    database = index.store.index.database
    ranked = _rank_plan(index, plan) if plan.text else _list_scope(database, plan.scope)
    answer = paginate(database, ranked, pagination, excerpt_lookup(index.store))
    notes, at_least = [*plan.notes, *answer.notes], plan.is_truncated or answer.at_least
    return answer._replace(notes=notes, at_least=at_least)


def _rank_plan(index: SearchIndex, plan: QueryPlan) -> RankedResults:
    """What the index answers, or has answered before at the same state."""
    database = index.store.index.database

    def ranked() -> RankedResults:
        return rank_query(
            database,
            index.models,
            plan.text,
            plan.scope,
            preferred_scopes=plan.preferred_scopes,
            on_warning=index.on_warning,
        )

    return ranked() if index.cache is None else index.cache.get_or_rank(plan, ranked)


def _list_scope(database: Database, scope: Scope) -> RankedResults:
    """The first nodes of a scope, for who asks by filters or a pattern alone."""
    found = first_hits(database, scope, MAX_LISTED + 1) if _has_filters(scope) else []
    listed = [Result(hit, 0.0, {}) for hit in found[:MAX_LISTED]]
    return RankedResults(listed, is_truncated=len(found) > MAX_LISTED)


def _has_filters(scope: Scope) -> bool:
    return any(scope[1:]) or scope.ids is not None


def excerpt_lookup(store: Session) -> ExcerptLookup:
    """Where nodes of the repository at hand are in its files now, and their lines."""
    place, database = store.workspace, store.index.database

    def found(hits: Sequence[Hit]) -> dict[str, Excerpt]:
        own = [hit for hit in hits if hit.repo == place.repo]
        sources = ExcerptReader(database, place.base, place.repo, own, with_inner=False)
        excerpts = {hit.id: sources.read(hit) for hit in own}
        return {id_: one for id_, one in excerpts.items() if one.is_shown and one.is_certain}

    return found
