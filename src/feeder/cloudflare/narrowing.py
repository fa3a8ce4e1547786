"""How is a search's scope said to Vectorize? As filters, which let all of it through, or more.

developers.cloudflare.com/vectorize/reference/metadata-filtering: conditions are joined by AND and
compare with the first 64 bytes of a text, cut between characters; a range stands for what begins
alike; the filter is below 2,048 bytes of JSON.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from feeder.store.scope import PathPattern, Scope, prefix_end

MAX_INDEXED_BYTES = 64
MAX_FILTER_BYTES = 2047

Filter = dict[str, Any]


def query_filters(scope: Scope) -> Iterator[list[Iterator[dict[str, Filter]]]]:
    """What to add to a query, one after the other until something is found.

    Of the first, each part is asked, and in it one after the other: a place may be a folder or a
    file, and no range has `a` and `a/…` without `a-b/…`, so a folder is asked for first. The last
    is nothing: for vectors that were written before the index had its metadata indexes, which no
    filter finds.

    More than the scope comes through, and takes places among the nearest, where a path is a glob
    (what stands before its first sign is the range), where a text is above 64 bytes, and where
    paths are left out or tests, names or too many values are asked for.

    The branch is left out: an index has one of each repository, and when that is renamed, the
    vectors of unchanged nodes keep the name that they were written with.
    """
    everywhere = _common_conditions(scope)
    places = scope.path_patterns or [PathPattern("")]
    yield [_path_filters(place, everywhere) for place in places]
    yield [iter([{}])]


def _path_filters(place: PathPattern, conditions: Filter) -> Iterator[dict[str, Filter]]:
    if place.is_glob or not place.pattern:
        yield _fit_conditions(conditions | _prefix_condition(place.literal_prefix))
    else:
        yield _fit_conditions(conditions | _prefix_condition(f"{place.pattern}/"))
        yield _fit_conditions(conditions | {"path": _indexed_prefix(place.pattern)})


def _fit_conditions(conditions: Filter) -> dict[str, Filter]:
    """As many of the conditions as a filter takes, the shorter ones first."""
    fitting: Filter = {}
    for name, condition in sorted(conditions.items(), key=lambda one: len(json.dumps(one[1]))):
        wider = fitting | {name: condition}
        if len(json.dumps(wider)) <= MAX_FILTER_BYTES:
            fitting = wider
    return {"filter": fitting} if fitting else {}


def _common_conditions(scope: Scope) -> Filter:
    """What is asked of every place."""
    conditions = {
        "repo": _value_condition(scope.repos or (), ()),
        "language": _value_condition(scope.languages, scope.not_languages),
        "node_type": _value_condition(scope.node_types, scope.not_node_types),
    }
    return {name: condition for name, condition in conditions.items() if condition}


def _value_condition(values: Sequence[str], excluded: Sequence[str]) -> str | Filter | None:
    """What a value is, or is not; None where it may be any."""
    wanted = [_indexed_prefix(value) for value in values if value not in excluded]
    if wanted:
        return wanted[0] if len(wanted) == 1 else {"$in": wanted}
    # what begins alike is one to a filter, and is not left out for another's sake
    unwanted = [value for value in excluded if len(value.encode()) < MAX_INDEXED_BYTES]
    return {"$nin": unwanted} if unwanted and not values else None


def _prefix_condition(prefix: str) -> Filter:
    """For paths that begin so; both bounds have at most 64 bytes."""
    prefix = _indexed_prefix(prefix)
    end = prefix_end(prefix)
    if end is not None and len(end.encode()) > MAX_INDEXED_BYTES:
        return _prefix_condition(prefix[:-1])
    upper = {} if end is None else {"$lt": end}
    return {"path": {"$gte": prefix} | upper} if prefix else {}


def _indexed_prefix(text: str) -> str:
    """What a metadata index keeps of a text."""
    return text.encode(errors="replace")[:MAX_INDEXED_BYTES].decode(errors="ignore")
