"""Runs a query up to its ranked results, without reading files."""

from collections.abc import Callable

from feeder.search.engine import run_plan
from feeder.search.open_index import SearchIndex
from feeder.search.query_plan import QueryPlan, RequestFilters, plan_query
from feeder.search.results import Pagination, ResultList


def run_query(
    index: SearchIndex,
    query: str,
    pagination: Pagination,
    filters: RequestFilters | None = None,
    on_warning: Callable[[str], None] | None = None,
) -> tuple[QueryPlan, ResultList]:
    """Returns the plan of a query and a page of its results."""
    plan = plan_query(
        index.store, query, filters or RequestFilters(), index.settings, index.corpus.meta
    )
    return plan, run_plan(index, plan, pagination, on_warning)
