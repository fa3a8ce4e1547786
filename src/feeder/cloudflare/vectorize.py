"""The vectors in Cloudflare Vectorize, over its REST API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.cloudflare.narrowing import narrowings
from feeder.errors import UserError
from feeder.store import FencingToken, Neighbour, NodeVector, Statement, Value
from feeder.store.scope import Scope
from feeder.wire import json_bytes

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

UPSERT_VECTORS = 5_000
UPSERT_BYTES = 50_000_000
"""Half of what Vectorize takes."""
DELETE_IDS = 100
LIST_IDS = 1_000
NEAREST = 100
METADATA_BYTES = 10_240
"""Of compact JSON; one vector above it refuses its whole batch."""
POLL_S = 5.0
NO_NODE = "feeder-mark"
"""An id that no node has: its deletion is a write that changes nothing."""


class Vectorize:
    """`Vectors` in an index of Vectorize; what is written is seen up to minutes later.

    `dimensions_written` counts the numbers that were sent.
    """

    late_writes = True

    def __init__(self, api: Api, index_name: str) -> None:
        self.index = index_name
        self.place = f"Vectorize index {index_name}"
        self.dimensions_written = 0
        self._api = api
        self._path = f"vectorize/v2/indexes/{quote(index_name, safe='')}"

    def upsert(self, vectors: Sequence[NodeVector], permit: FencingToken | None = None) -> None:
        """Never `insert`, which keeps the old vector and says nothing."""
        for body in _bodies(map(_line, vectors)):
            path, kind = f"{self._path}/upsert", "application/x-ndjson"
            self._api.call(Call("vectorize", path, body, kind, permit=permit and permit.verify))
        self.dimensions_written += sum(len(vector.values) for vector in vectors)

    def delete(self, ids: Sequence[str], permit: FencingToken | None = None) -> None:
        """A hundred a request: more would be refused whole."""
        for at in range(0, len(ids), DELETE_IDS):
            self._post("delete_by_ids", {"ids": list(ids[at : at + DELETE_IDS])}, permit)

    def check_fits(self, dimensions: int) -> None:
        """Raises UserError where the index is missing or has other dimensions; one request."""
        found = self._info().get("dimensions", dimensions)
        if found != dimensions:
            raise UserError(
                f"{self.place} has {found} dimensions and the model {dimensions}. Choose --model "
                "or --dimensions as the index has them, or name another index with --index-name "
                "and make it with: feeder init"
            )

    def check_clear(self) -> None:
        """Raises UserError unless the index is empty: Vectorize cannot be told to empty one."""
        if count := self._info().get("vectorCount"):
            raise UserError(
                f"{self.place} holds {count} vectors of another model or database. Make another "
                "index with feeder init --index-name, or go back to what was before with --model "
                "and --index-name."
            )

    def clear(self, guard: Statement) -> None:
        """Nothing to remove where `check_clear` passes."""
        self.check_clear()

    def ids(self) -> Iterator[str]:
        """The ids that readers see now, as a snapshot."""
        cursor = None
        while True:
            params = {"count": str(LIST_IDS), **({"cursor": cursor} if cursor else {})}
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
        asked = {"vector": _numbers(vector), "topK": min(limit, NEAREST)}
        for parts in narrowings(scope):
            found = {near for part in parts for near in self._first_found(asked, part)}
            if found:
                return sorted(found, key=lambda near: (-near.score, near.id))[:limit]
        return []

    def _first_found(
        self, asked: dict[str, Any], narrowings: Iterable[dict[str, Any]]
    ) -> list[Neighbour]:
        """What the first of the narrowings finds that finds any."""
        for narrowing in narrowings:
            if matches := self._post("query", asked | narrowing)["matches"]:
                return [Neighbour(str(near["id"]), float(near["score"])) for near in matches]
        return []

    def settled(self, timeout_s: float) -> bool:
        """Waits until all that was written before is seen; False when it takes longer.

        Writes are processed in their order, so a write that is seen speaks for those before it.
        One that is processed together with a later one is never named: then another is sent.
        """
        marks = {self._mark()}
        last = self._info().get("processedUpToMutation")
        waited_s = 0.0
        while last not in marks and waited_s < timeout_s:
            self._api.pause(POLL_S)
            waited_s += POLL_S
            processed = self._info().get("processedUpToMutation")
            if processed != last and processed not in marks:
                marks.add(self._mark())
            last = processed
        return last in marks

    def close(self) -> None:
        """Nothing to end: the connection is closed by its owner."""

    def _mark(self) -> str:
        return str(self._post("delete_by_ids", {"ids": [NO_NODE]})["mutationId"])

    def _info(self) -> dict[str, Any]:
        facts: dict[str, Any] = self._api.call(Call("vectorize", f"{self._path}/info"))
        return facts

    def _post(self, route: str, body: object, permit: FencingToken | None = None) -> Any:
        path = f"{self._path}/{route}"
        return self._api.call(
            Call("vectorize", path, json_bytes(body), permit=permit and permit.verify)
        )


def _bodies(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of NDJSON in as many requests as the limits ask for."""
    body: list[bytes] = []
    size = 0
    for line in lines:
        if body and (len(body) == UPSERT_VECTORS or size + len(line) > UPSERT_BYTES):
            yield b"".join(body)
            body, size = [], 0
        body.append(line)
        size += len(line)
    if body:
        yield b"".join(body)


def _line(vector: NodeVector) -> bytes:
    """Seven digits a number: printed in full, 5,000 vectors would be above the limit."""
    values = ",".join(["%.7g"] * len(vector.values)) % tuple(vector.values.tolist())
    metadata = _compact(_fitting(vector.metadata))
    return f'{{"id":{json.dumps(vector.id)},"values":[{values}],"metadata":{metadata}}}\n'.encode()


def _numbers(vector: NDArray[float32]) -> list[float]:
    return [float(f"{value:.7g}") for value in vector.tolist()]


def _fitting(metadata: dict[str, Value]) -> dict[str, Value]:
    """The same with its longest texts cut until it fits; a lone surrogate would be refused."""
    fitting = {name: _whole(value) for name, value in metadata.items()}
    while (above := _size(fitting) - METADATA_BYTES) > 0:
        longest = max(fitting, key=lambda name: _size(fitting[name]))
        text = str(fitting[longest])
        # a character is at most 6 bytes, so this never cuts more than is needed
        fitting[longest] = text[: len(text) - (above + 5) // 6]
    return fitting


def _size(value: object) -> int:
    return len(_compact(value).encode())


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _whole(value: Value) -> Value:
    return value.encode(errors="replace").decode() if isinstance(value, str) else value
