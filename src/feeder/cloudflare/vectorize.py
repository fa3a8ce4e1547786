"""`Vectors` in a Cloudflare Vectorize index, over its REST API, and the metadata filters that
limit a query to a scope.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.errors import UserError
from feeder.http_client import json_bytes
from feeder.store import FencingToken, Neighbour, NodeVector, Statement, Value
from feeder.store.scope import PathPattern, Scope, prefix_end

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


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


MAX_UPSERT_VECTORS = 5_000

MAX_UPSERT_BYTES = 50_000_000
"""Half of what Vectorize takes."""

MAX_DELETE_IDS = 100

LIST_PAGE_IDS = 1_000

MAX_NEIGHBOURS = 100

MAX_METADATA_BYTES = 10_240
"""Of compact JSON; one vector above it refuses its whole batch."""

POLL_S = 5.0

MARKER_ID = "feeder-mark"
"""An id that no node has: its deletion is a write that changes nothing."""


class Vectorize:
    """`Vectors` in an index of Vectorize; what is written is seen up to minutes later.

    `dimensions_written` counts the numbers that were sent.
    """

    has_late_writes = True

    def __init__(self, api: Api, index_name: str) -> None:
        self.index_name = index_name
        self.place = f"Vectorize index {index_name}"
        self.dimensions_written = 0
        self._api = api
        self._path = f"vectorize/v2/indexes/{quote(index_name, safe='')}"

    def upsert(
        self, vectors: Sequence[NodeVector], fencing_token: FencingToken | None = None
    ) -> None:
        """Never `insert`, which keeps the old vector and says nothing."""
        for body in _batch_lines(map(_ndjson_line, vectors)):
            path, kind = f"{self._path}/upsert", "application/x-ndjson"
            self._api.call(
                Call(
                    "vectorize",
                    path,
                    body,
                    kind,
                    check_before_send=fencing_token and fencing_token.verify,
                )
            )
        self.dimensions_written += sum(len(vector.values) for vector in vectors)

    def delete(self, ids: Sequence[str], fencing_token: FencingToken | None = None) -> None:
        """A hundred a request: more would be refused whole."""
        for at in range(0, len(ids), MAX_DELETE_IDS):
            self._post("delete_by_ids", {"ids": list(ids[at : at + MAX_DELETE_IDS])}, fencing_token)

    def check_dimensions(self, dimensions: int) -> None:
        """Raises UserError where the index is missing or has other dimensions; one request."""
        found = self._index_info().get("dimensions", dimensions)
        if found != dimensions:
            raise UserError(
                f"{self.place} has {found} dimensions and the model {dimensions}. Choose --model "
                "or --dimensions as the index has them, or name another index with --index-name "
                "and make it with: feeder init"
            )

    def check_can_clear(self) -> None:
        """Raises UserError unless the index is empty: Vectorize cannot be told to empty one."""
        if count := self._index_info().get("vectorCount"):
            raise UserError(
                f"{self.place} holds {count} vectors of another model or database. Make another "
                "index with feeder init --index-name, or go back to what was before with --model "
                "and --index-name."
            )

    def clear(self, guard: Statement) -> None:
        """Nothing to remove where `check_clear` passes."""
        self.check_can_clear()

    def ids(self) -> Iterator[str]:
        """The ids that readers see now, as a snapshot."""
        cursor = None
        while True:
            params = {"count": str(LIST_PAGE_IDS), **({"cursor": cursor} if cursor else {})}
            page = self._api.call(Call("vectorize", f"{self._path}/list", params=params))
            yield from (str(vector["id"]) for vector in page["vectors"])
            cursor = page.get("nextCursor")
            if not cursor or not page.get("isTruncated", True):
                return

    def vector(self, id_: str) -> NDArray[float32] | None:
        """The vector of a node as readers see it now; one request."""
        import numpy as np

        found = self._post("get_by_ids", {"ids": [id_]})
        return np.array(found[0]["values"], dtype=np.float32) if found else None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """The nearest as Vectorize approximates them, at most 100; one request or two a path."""
        asked = {"vector": _rounded_values(vector), "topK": min(limit, MAX_NEIGHBOURS)}
        for parts in query_filters(scope):
            found = {near for part in parts for near in self._first_matches(asked, part)}
            if found:
                return sorted(found, key=lambda near: (-near.score, near.id))[:limit]
        return []

    def _first_matches(
        self, query: dict[str, Any], filters: Iterable[dict[str, Any]]
    ) -> list[Neighbour]:
        """What the first of the narrowings finds that finds any."""
        for narrowing in filters:
            if matches := self._post("query", query | narrowing)["matches"]:
                return [Neighbour(str(near["id"]), float(near["score"])) for near in matches]
        return []

    def wait_until_visible(self, timeout_s: float) -> bool:
        """Waits until all that was written before is seen; False when it takes longer.

        Writes are processed in their order, so a write that is seen speaks for those before it.
        One that is processed together with a later one is never named: then another is sent.
        """
        marks = {self._write_marker()}
        last = self._index_info().get("processedUpToMutation")
        waited_s = 0.0
        while last not in marks and waited_s < timeout_s:
            self._api.sleep(POLL_S)
            waited_s += POLL_S
            processed = self._index_info().get("processedUpToMutation")
            if processed != last and processed not in marks:
                marks.add(self._write_marker())
            last = processed
        return last in marks

    def close(self) -> None:
        """Nothing to end: the connection is closed by its owner."""

    def _write_marker(self) -> str:
        return str(self._post("delete_by_ids", {"ids": [MARKER_ID]})["mutationId"])

    def _index_info(self) -> dict[str, Any]:
        facts: dict[str, Any] = self._api.call(Call("vectorize", f"{self._path}/info"))
        return facts

    def _post(self, route: str, body: object, fencing_token: FencingToken | None = None) -> Any:
        path = f"{self._path}/{route}"
        return self._api.call(
            Call(
                "vectorize",
                path,
                json_bytes(body),
                check_before_send=fencing_token and fencing_token.verify,
            )
        )


def _batch_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of NDJSON in as many requests as the limits ask for."""
    body: list[bytes] = []
    size = 0
    for line in lines:
        if body and (len(body) == MAX_UPSERT_VECTORS or size + len(line) > MAX_UPSERT_BYTES):
            yield b"".join(body)
            body, size = [], 0
        body.append(line)
        size += len(line)
    if body:
        yield b"".join(body)


def _ndjson_line(vector: NodeVector) -> bytes:
    """Seven digits a number: printed in full, 5,000 vectors would be above the limit."""
    values = ",".join(["%.7g"] * len(vector.values)) % tuple(vector.values.tolist())
    metadata = _compact_json(_fit_metadata(vector.metadata))
    return f'{{"id":{json.dumps(vector.id)},"values":[{values}],"metadata":{metadata}}}\n'.encode()


def _rounded_values(vector: NDArray[float32]) -> list[float]:
    return [float(f"{value:.7g}") for value in vector.tolist()]


def _fit_metadata(metadata: dict[str, Value]) -> dict[str, Value]:
    """The same with its longest texts cut until it fits; a lone surrogate would be refused."""
    fitting = {name: _replace_surrogates(value) for name, value in metadata.items()}
    while (above := _json_bytes(fitting) - MAX_METADATA_BYTES) > 0:
        longest = max(fitting, key=lambda name: _json_bytes(fitting[name]))
        text = str(fitting[longest])
        # a character is at most 6 bytes, so this never cuts more than is needed
        fitting[longest] = text[: len(text) - (above + 5) // 6]
    return fitting


def _json_bytes(value: object) -> int:
    return len(_compact_json(value).encode())


def _compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _replace_surrogates(value: Value) -> Value:
    return value.encode(errors="replace").decode() if isinstance(value, str) else value
