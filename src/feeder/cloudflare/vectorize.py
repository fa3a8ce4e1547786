"""`Vectors` in a Cloudflare Vectorize index, over its REST API, and the metadata filters that
limit a query to a scope.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.errors import UserError
from feeder.http_client import json_bytes
from feeder.store import FencingToken, Neighbour, NodeVector, Statement, Value
from feeder.store.scope import PathPattern, Scope, prefix_end

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


MAX_UPSERT_VECTORS = 5_000
MAX_UPSERT_BYTES = 50_000_000
"""Half of Vectorize's limit."""
MAX_DELETE_IDS = 100
LIST_PAGE_IDS = 1_000
MAX_NEIGHBOURS = 100
MAX_METADATA_BYTES = 10_240
"""Limit of compact JSON; Vectorize rejects a whole batch for one vector above it."""
MAX_INDEXED_BYTES = 64
"""Bytes of a metadata string that a metadata index holds."""
MAX_FILTER_BYTES = 2047

POLL_S = 5.0
MARKER_ID = "feeder-mark"
"""An id that no node has: its deletion is a write that changes nothing."""

MUTATION_ID = "mutationId"
"""Key in the answer to a write; without it, nothing was queued."""

Filter = dict[str, Any]
QueryFilter = dict[str, Filter]
"""The part of a query's body that has its filter; empty without a filter."""


class FilterStage(NamedTuple):
    """Filters of one request each, whose results are merged.

    If one of them finds nothing, `files` is sent too: the paths that may be files.
    """

    filters: list[QueryFilter]
    files: QueryFilter | None = None


def query_filters(scope: Scope) -> Iterator[FilterStage]:
    """Yields stages of metadata filters to try one after the other until one finds vectors.

    The first stage has a filter for each path pattern, equal ones once. A pattern may be a folder
    or a file: the folder is tried first, since a range from `a` to `a/…` would include `a-b/…`.

    Vectors written by an earlier version do not say whether their file is a test, and no filter of
    `tests` finds them. If the first stage with such a filter finds nothing at any path, the second
    is one request without it, in the range of the prefix that all paths have in common: a Worker
    may send only four requests, and up to three are for the paths. The last stage has no filter,
    for vectors written before the metadata indexes were created, which no filter finds.

    Filters let more through than the scope where a path is a glob (only its literal prefix is
    used), where a string is longer than 64 bytes, for excluded paths, names and long lists of
    values, and in the stages after the first. What is outside the scope is removed afterwards.

    The branch is not filtered: an index has one branch per repository, and when that is renamed,
    the vectors of unchanged nodes keep the old name.
    """
    conditions = _common_conditions(scope)
    tests = _tests_condition(scope)
    patterns = scope.path_patterns or [PathPattern("")]
    # globs such as `*.py` and `*.md` have the same empty prefix
    prefixes = list(
        dict.fromkeys(
            f"{path.pattern}/" if _may_be_file(path) else path.literal_prefix for path in patterns
        )
    )
    ranges = [
        _fit_conditions(conditions | _prefix_condition(prefix) | tests) for prefix in prefixes
    ]
    files = [path.pattern for path in patterns if _may_be_file(path)]
    is_one_of_them = {"path": _value_condition(files, ())}
    yield FilterStage(ranges, _fit_conditions(conditions | is_one_of_them) if files else None)
    if tests:
        common = commonprefix(prefixes)  # noqa: RUF071 - paths need not share a whole folder
        yield FilterStage([_fit_conditions(conditions | _prefix_condition(common))])
    yield FilterStage([{}])


def _may_be_file(path: PathPattern) -> bool:
    return bool(path.pattern) and not path.is_glob


def _tests_condition(scope: Scope) -> Filter:
    value = {"only": "yes", "no": "no"}.get(scope.tests or "")
    return {"tests": value} if value else {}


def _fit_conditions(conditions: Filter) -> QueryFilter:
    """Keeps as many conditions as fit into a filter, shortest first."""
    fitting: Filter = {}
    for name, condition in sorted(conditions.items(), key=lambda one: len(json.dumps(one[1]))):
        wider = fitting | {name: condition}
        if len(json.dumps(wider)) <= MAX_FILTER_BYTES:
            fitting = wider
    return {"filter": fitting} if fitting else {}


def _common_conditions(scope: Scope) -> Filter:
    """Returns the conditions that hold for all paths."""
    conditions = {
        "repo": _value_condition(scope.repos or (), ()),
        "language": _value_condition(scope.languages, scope.not_languages),
        "node_type": _value_condition(scope.node_types, scope.not_node_types),
    }
    return {name: condition for name, condition in conditions.items() if condition}


def _value_condition(values: Sequence[str], excluded: Sequence[str]) -> str | Filter | None:
    """Returns the condition for a value; None if any value is allowed."""
    allowed = [_indexed_prefix(value) for value in values if value not in excluded]
    if allowed:
        return allowed[0] if len(allowed) == 1 else {"$in": allowed}
    # a longer value is cut in the index, and excluding it would exclude others with its prefix
    rejected = [value for value in excluded if len(value.encode()) < MAX_INDEXED_BYTES]
    return {"$nin": rejected} if rejected and not values else None


def _prefix_condition(prefix: str) -> Filter:
    """Returns a range of paths with this prefix; both bounds have at most 64 bytes."""
    prefix = _indexed_prefix(prefix)
    end = prefix_end(prefix)
    if end is not None and len(end.encode()) > MAX_INDEXED_BYTES:
        return _prefix_condition(prefix[:-1])
    upper = {} if end is None else {"$lt": end}
    return {"path": {"$gte": prefix} | upper} if prefix else {}


def _indexed_prefix(text: str) -> str:
    """Returns the part of a string that a metadata index holds."""
    return text.encode(errors="replace")[:MAX_INDEXED_BYTES].decode(errors="ignore")


class Vectorize:
    """`Vectors` in a Vectorize index; writes become visible up to minutes later.

    `dimensions_written` is the sum of the dimensions of all vectors sent.
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
        """Upserts vectors; Vectorize's `insert` would silently keep an existing one."""
        path, content_type = f"{self._path}/upsert", "application/x-ndjson"
        check = fencing_token and fencing_token.verify
        for body in _batch_lines(map(_ndjson_line, vectors)):
            self._api.call(
                Call("vectorize", path, body, content_type, None, check, receipt=MUTATION_ID)
            )
        self.dimensions_written += sum(len(vector.values) for vector in vectors)

    def delete(self, ids: Sequence[str], fencing_token: FencingToken | None = None) -> None:
        """Deletes vectors, 100 in a request: Vectorize rejects more."""
        for at in range(0, len(ids), MAX_DELETE_IDS):
            self._delete(ids[at : at + MAX_DELETE_IDS], fencing_token)

    def config(self) -> dict[str, Any]:
        """Returns `dimensions` and `metric`; raises UserError if there is no such index."""
        return dict(self._index()["config"])

    def identity(self) -> str:
        """Returns when the index was created; raises UserError if it is missing. One request."""
        return str(self._index().get("created_on") or "")

    def check_dimensions(self, dimensions: int) -> str:
        """Returns the index's identity; one request.

        Raises UserError if the index is missing or has other dimensions.
        """
        index = self._index()
        actual = index["config"].get("dimensions", dimensions)
        if actual != dimensions:
            raise UserError(
                f"{self.place} has {actual} dimensions, but the model has {dimensions}.",
                "Choose the index's --model and --dimensions, or create another index with: feeder "
                "init --index-name NAME",
            )
        return str(index.get("created_on") or "")

    def count(self) -> int:
        """Returns the number of vectors that readers see; one request."""
        return int(self._index_info().get("vectorCount") or 0)

    def check_can_clear(self) -> None:
        """Raises UserError unless the index is empty: Vectorize has no request to empty one."""
        if count := self.count():
            raise UserError(
                f"{self.place} already has {count} vectors of another model or database.",
                "Create another index with feeder init --index-name NAME, or choose the previous "
                "--model and --index-name.",
            )

    def clear(self, guard: Statement) -> None:
        """Has nothing to delete where `check_can_clear` passes."""
        self.check_can_clear()

    def ids(self) -> Iterator[str]:
        """Yields the ids that readers see now, as a snapshot."""
        cursor = None
        while True:
            params = {"count": str(LIST_PAGE_IDS), **({"cursor": cursor} if cursor else {})}
            page = self._api.call(Call("vectorize", f"{self._path}/list", params=params))
            yield from (str(vector["id"]) for vector in page["vectors"])
            cursor = page.get("nextCursor")
            if not cursor or not page.get("isTruncated", True):
                return

    def vector(self, id_: str) -> NDArray[float32] | None:
        """Returns the vector of a node as readers see it now; one request."""
        import numpy as np

        vectors = self._post("get_by_ids", {"ids": [id_]})
        return np.array(vectors[0]["values"], dtype=np.float32) if vectors else None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """Returns approximate nearest neighbours, at most 100.

        Sends one request per path, and up to three more where they find nothing.
        """
        body = {"vector": _rounded_values(vector), "topK": min(limit, MAX_NEIGHBOURS)}
        for stage in query_filters(scope):
            matches = [self._matches(body | filter_) for filter_ in stage.filters]
            if stage.files and not all(matches):
                matches.append(self._matches(body | stage.files))
            if nearest := set(chain.from_iterable(matches)):
                return sorted(nearest, key=lambda near: (-near.score, near.id))[:limit]
        return []

    def _matches(self, body: dict[str, Any]) -> list[Neighbour]:
        matches = self._post("query", body)["matches"]
        return [Neighbour(str(near["id"]), float(near["score"])) for near in matches]

    def wait_until_visible(self, timeout_s: float) -> bool:
        """Waits until all earlier writes are visible; returns False after `timeout_s`.

        Sends a marker write: writes are processed in order, so once it is processed, all earlier
        ones are. Vectorize names only the last of several mutations processed together; then
        another marker is sent.
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
        """Does nothing: the owner of the API closes its connections."""

    def _write_marker(self) -> str:
        return self._delete([MARKER_ID])

    def _delete(self, ids: Sequence[str], fencing_token: FencingToken | None = None) -> str:
        """Deletes up to 100 vectors, and returns the id of the mutation."""
        check = fencing_token and fencing_token.verify
        path, body = f"{self._path}/delete_by_ids", json_bytes({"ids": list(ids)})
        call = Call("vectorize", path, body, check_before_send=check, receipt=MUTATION_ID)
        return str(self._api.call(call)[MUTATION_ID])

    def _index(self) -> dict[str, Any]:
        facts: dict[str, Any] = self._api.call(Call("vectorize", self._path))
        return facts

    def _index_info(self) -> dict[str, Any]:
        facts: dict[str, Any] = self._api.call(Call("vectorize", f"{self._path}/info"))
        return facts

    def _post(self, route: str, body: object) -> Any:
        return self._api.call(Call("vectorize", f"{self._path}/{route}", json_bytes(body)))


def _batch_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Joins lines of NDJSON into request bodies within Vectorize's limits."""
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
    """Formats a vector with 7 digits per number: in full, 5,000 vectors would exceed the limit."""
    values = ",".join(["%.7g"] * len(vector.values)) % tuple(vector.values.tolist())
    metadata = _compact_json(_fit_metadata(vector.metadata))
    return f'{{"id":{json.dumps(vector.id)},"values":[{values}],"metadata":{metadata}}}\n'.encode()


def _rounded_values(vector: NDArray[float32]) -> list[float]:
    return [float(f"{value:.7g}") for value in vector.tolist()]


def _fit_metadata(metadata: dict[str, Value]) -> dict[str, Value]:
    """Cuts the longest values until the metadata fits; replaces lone surrogates."""
    fitting = {name: _replace_surrogates(value) for name, value in metadata.items()}
    while (excess := _json_bytes(fitting) - MAX_METADATA_BYTES) > 0:
        longest = max(fitting, key=lambda name: _json_bytes(fitting[name]))
        text = str(fitting[longest])
        # a character takes at most 6 bytes, so this never cuts more than needed
        fitting[longest] = text[: len(text) - (excess + 5) // 6]
    return fitting


def _json_bytes(value: object) -> int:
    return len(_compact_json(value).encode())


def _compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _replace_surrogates(value: Value) -> Value:
    return value.encode(errors="replace").decode() if isinstance(value, str) else value
