"""How is a search's scope said to Vectorize? As filters, which let all of it through, or more.

developers.cloudflare.com/vectorize/reference/metadata-filtering: conditions are joined by AND and
compare with the first 64 bytes of a text, cut between characters; a range stands for what begins
alike; the filter is below 2,048 bytes of JSON.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from feeder.store.scope import PathPattern, Scope, prefix_end

INDEXED_BYTES = 64
FILTER_BYTES = 2047

Filter = dict[str, Any]


def narrowings(scope: Scope) -> Iterator[list[Iterator[dict[str, Filter]]]]:
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
    everywhere = _everywhere(scope)
    places = scope.path_patterns or [PathPattern("")]
    yield [_at(place, everywhere) for place in places]
    yield [iter([{}])]


def _at(place: PathPattern, everywhere: Filter) -> Iterator[dict[str, Filter]]:
    if place.is_glob or not place.pattern:
        yield _filter(everywhere | _beginning(place.literal_prefix))
    else:
        yield _filter(everywhere | _beginning(f"{place.pattern}/"))
        yield _filter(everywhere | {"path": _first(place.pattern)})


def _filter(conditions: Filter) -> dict[str, Filter]:
    """As many of the conditions as a filter takes, the shorter ones first."""
    fitting: Filter = {}
    for name, condition in sorted(conditions.items(), key=lambda one: len(json.dumps(one[1]))):
        wider = fitting | {name: condition}
        if len(json.dumps(wider)) <= FILTER_BYTES:
            fitting = wider
    return {"filter": fitting} if fitting else {}


def _everywhere(scope: Scope) -> Filter:
    """What is asked of every place."""
    conditions = {
        "repo": _among(scope.repos or (), ()),
        "language": _among(scope.languages, scope.not_languages),
        "node_type": _among(scope.node_types, scope.not_node_types),
    }
    return {name: condition for name, condition in conditions.items() if condition}


def _among(values: Sequence[str], others: Sequence[str]) -> str | Filter | None:
    """What a value is, or is not; None where it may be any."""
    wanted = [_first(value) for value in values if value not in others]
    if wanted:
        return wanted[0] if len(wanted) == 1 else {"$in": wanted}
    # what begins alike is one to a filter, and is not left out for another's sake
    unwanted = [value for value in others if len(value.encode()) < INDEXED_BYTES]
    return {"$nin": unwanted} if unwanted and not values else None


def _beginning(text: str) -> Filter:
    """For paths that begin so; both bounds have at most 64 bytes."""
    text = _first(text)
    end = prefix_end(text)
    if end is not None and len(end.encode()) > INDEXED_BYTES:
        return _beginning(text[:-1])
    upper = {} if end is None else {"$lt": end}
    return {"path": {"$gte": text} | upper} if text else {}


def _first(text: str) -> str:
    """What a metadata index keeps of a text."""
    return text.encode(errors="replace")[:INDEXED_BYTES].decode(errors="ignore")
