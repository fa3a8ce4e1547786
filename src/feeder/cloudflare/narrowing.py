"""How is a search's scope said to Vectorize? As a filter, which lets all of it through, or more.

developers.cloudflare.com/vectorize/reference/metadata-filtering: conditions are joined by AND and
compare with the first 64 bytes of a text, cut between characters; a range stands for what begins
alike; the filter is below 2,048 bytes of JSON.
"""

from collections.abc import Iterator
from typing import Any

from feeder.store.scope import Scope, end_of

INDEXED_BYTES = 64

Filter = dict[str, Any]


def narrowings(scope: Scope) -> Iterator[dict[str, Filter]]:
    """What to add to a query, one after the other until something is found.

    A name may be a folder's or a file's, and no range has `a` and `a/…` without `a-b/…`: so a
    folder is asked for first. The last is nothing: for vectors that were written before the index
    had its metadata indexes, which no filter finds.

    More than the scope comes through, and takes places among the nearest, where a path is a glob
    (what stands before its first sign is the range) and where a text is above 64 bytes.

    The branch is left out: an index has one of each repository, and when that is renamed, the
    vectors of unchanged nodes keep the name that they were written with.
    """
    same = {"repo": scope.repo, "language": scope.language, "node_type": scope.node_type}
    everywhere = {name: _first(value) for name, value in same.items() if value is not None}
    if scope.is_glob or not scope.place:
        yield {"filter": everywhere | _beginning(scope.beginning)}
    else:
        yield {"filter": everywhere | _beginning(f"{scope.place}/")}
        yield {"filter": everywhere | {"path": _first(scope.place)}}
    yield {}


def _beginning(text: str) -> Filter:
    """For paths that begin so; both bounds have at most 64 bytes."""
    text = _first(text)
    end = end_of(text)
    if end is not None and len(end.encode()) > INDEXED_BYTES:
        return _beginning(text[:-1])
    upper = {} if end is None else {"$lt": end}
    return {"path": {"$gte": text} | upper} if text else {}


def _first(text: str) -> str:
    """What a metadata index keeps of a text."""
    return text.encode(errors="replace")[:INDEXED_BYTES].decode(errors="ignore")
