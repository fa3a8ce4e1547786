"""Short calls of the stand-in's API for its own tests."""

import json
from typing import Any

import httpx

Vector = dict[str, Any]


def result(response: httpx.Response) -> Any:
    """Returns the result of a call; fails if the response is an error."""
    envelope = response.json()
    assert response.is_success, envelope
    assert envelope["success"], envelope
    return envelope["result"]


def error_of(response: httpx.Response) -> tuple[int, int]:
    """Returns the HTTP status and the error code of an error response."""
    envelope = response.json()
    assert not envelope["success"], envelope
    assert envelope["result"] is None
    return response.status_code, envelope["errors"][0]["code"]


def message(response: httpx.Response) -> str:
    """Returns the message of an error response."""
    words: str = response.json()["errors"][0]["message"]
    return words


class Database:
    """A new D1 database."""

    def __init__(self, api: httpx.Client, name: str = "code") -> None:
        self.id: str = result(api.post("/d1/database", json={"name": name}))["uuid"]
        self._api = api

    def call(self, body: dict[str, Any], route: str = "query") -> httpx.Response:
        """Sends a body unchanged."""
        return self._api.post(f"/d1/database/{self.id}/{route}", json=body)

    def query(self, sql: str, *params: Any) -> httpx.Response:
        """Sends one statement, or several separated by `;`."""
        return self.call({"sql": sql, "params": params})

    def batch(self, *statements: str | tuple[str, list[Any]]) -> httpx.Response:
        """Sends statements with their parameters as one batch."""
        pairs = [(item, []) if isinstance(item, str) else item for item in statements]
        return self.call({"batch": [{"sql": sql, "params": params} for sql, params in pairs]})

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """Returns the rows of one statement."""
        rows: list[dict[str, Any]] = result(self.query(sql, *params))[0]["results"]
        return rows

    def written(self, sql: str) -> int:
        """Returns the number of rows written that a statement is billed for."""
        rows: int = result(self.query(sql))[0]["meta"]["rows_written"]
        return rows


class Index:
    """A new Vectorize index."""

    def __init__(
        self, api: httpx.Client, dimensions: int = 2, metric: str = "cosine", name: str = "code"
    ) -> None:
        config = {"dimensions": dimensions, "metric": metric}
        base = "/vectorize/v2/indexes"
        result(api.post(base, json={"name": name, "config": config}))
        self._api = api
        self._base = f"{base}/{name}"

    def get(self, path: str, **query: str | int) -> httpx.Response:
        """Reads a route of the index."""
        return self._api.get(f"{self._base}/{path}", params=query)

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """Sends JSON to a route of the index."""
        return self._api.post(f"{self._base}/{path}", json=body)

    def send(self, body: str, path: str = "upsert", kind: str = "x-ndjson") -> httpx.Response:
        """Sends a body of vectors unchanged."""
        headers = {"Content-Type": f"application/{kind}"}
        return self._api.post(f"{self._base}/{path}", content=body, headers=headers)

    def upsert(self, *vectors: Vector, path: str = "upsert") -> httpx.Response:
        """Sends vectors as NDJSON."""
        return self.send("\n".join(json.dumps(vector) for vector in vectors), path)

    def index_metadata(self, name: str, kind: str = "string") -> httpx.Response:
        """Creates a metadata index."""
        return self.post("metadata_index/create", {"propertyName": name, "indexType": kind})

    def found(self, **query: Any) -> list[str]:
        """Returns the ids of a query's matches, nearest first."""
        matches = result(self.post("query", {"vector": [1, 0], **query}))["matches"]
        return [match["id"] for match in matches]


def vector(name: str, values: list[float] | None = None, **rest: Any) -> Vector:
    """A vector of two dimensions."""
    return {"id": name, "values": values or [1, 0], **rest}
