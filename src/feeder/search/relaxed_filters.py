"""Counts what a search would find without each of its filters, for searches that find nothing."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from feeder.query.alternatives import OR, RELATION_OR
from feeder.query.query_plan import QueryPlan
from feeder.query.request_filters import Pagination
from feeder.search.engine import run_plan
from feeder.search.open_index import SearchIndex
from feeder.store.hits import Hit
from feeder.store.scope import Scope

SCOPE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "path": ("paths",),
    "-path": ("not_paths",),
    "lang": ("languages",),
    "-lang": ("not_languages",),
    "type": ("node_types",),
    "-type": ("not_node_types",),
    "symbol": ("symbols",),
    "tests": ("tests",),
    "-word": ("without_words",),
    "phrases, patterns and begin*": ("with_words", "ids"),
}
"""Filters as they are typed, and the fields of a scope that each sets."""
UNFILTERED = Scope(None)


class RelaxedFilter(NamedTuple):
    """A filter, the number of results without it, and the best of them."""

    name: str
    total: int
    best: Hit | None


def relax_filters(index: SearchIndex, plan: QueryPlan) -> Iterator[RelaxedFilter]:
    """Searches once without each filter that the plan has."""
    for label, parts in SCOPE_FIELDS.items():
        name = _name_with_relations(label, plan) if "ids" in parts else label
        unset: dict[str, Any] = {part: getattr(UNFILTERED, part) for part in parts}
        scope = plan.scope._replace(**unset)
        if scope != plan.scope:
            relaxed = plan._replace(scope=scope)
            results = run_plan(index, relaxed, Pagination(1), on_warning=lambda _: None)
            best = results.results[0].hit if results.results else None
            yield RelaxedFilter(name, results.total, best)


def narrowing_filters(plan: QueryPlan) -> list[str]:
    """The filters by path, language, type and tests that the plan has, such as `-path:`."""
    return [
        f"{label}:"
        for label, fields in SCOPE_FIELDS.items()
        if "ids" not in fields
        and label != "-word"
        and any(getattr(plan.scope, field) != getattr(UNFILTERED, field) for field in fields)
    ]


def _name_with_relations(label: str, plan: QueryPlan) -> str:
    """The name of what restricts the ids: relations, phrases and the like, or both."""
    relations = " ".join(plan.query.relations).replace(RELATION_OR, f" {OR} ")
    query = plan.query
    has_phrases = query.phrases or query.regex or query.prefixes or query.either
    return " and ".join(filter(None, [relations, label if has_phrases or not relations else ""]))
