"""How do the stand-in's own tests speak to it, in few words?"""

import json
from typing import Any

import httpx

Vector = dict[str, Any]


def result(response: httpx.Response) -> Any:
    """What a call answered; fails with the refusal where there is one."""
    envelope = response.json()
    assert response.is_success, envelope
    assert envelope["success"], envelope
    return envelope["result"]


def refusal(response: httpx.Response) -> tuple[int, int]:
    """The HTTP status and the code with which a call was refused."""
    envelope = response.json()
    assert not envelope["success"], envelope
    assert envelope["result"] is None
    return response.status_code, envelope["errors"][0]["code"]


def message(response: httpx.Response) -> str:
    """The words of a refusal."""
    words: str = response.json()["errors"][0]["message"]
    return words


class Database:
    """A new D1 database."""

    def __init__(self, api: httpx.Client, name: str = "code") -> None:
        self.id: str = result(api.post("/d1/database", json={"name": name}))["uuid"]
        self._api = api

    def call(self, body: dict[str, Any], route: str = "query") -> httpx.Response:
        """Send a body as it is."""
        return self._api.post(f"/d1/database/{self.id}/{route}", json=body)

    def query(self, sql: str, *params: Any) -> httpx.Response:
        """Send one statement, or a `;` list."""
        return self.call({"sql": sql, "params": params})

    def batch(self, *statements: str | tuple[str, list[Any]]) -> httpx.Response:
        """Send statements, with their parameters where they have some, as one batch."""
        pairs = [(item, []) if isinstance(item, str) else item for item in statements]
        return self.call({"batch": [{"sql": sql, "params": params} for sql, params in pairs]})

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """The rows of one statement."""
        rows: list[dict[str, Any]] = result(self.query(sql, *params))[0]["results"]
        return rows

    def written(self, sql: str) -> int:
        """The rows that a statement is billed for."""
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
        """Read one of the index's routes."""
        return self._api.get(f"{self._base}/{path}", params=query)

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """Send JSON to one of the index's routes."""
        return self._api.post(f"{self._base}/{path}", json=body)

    def send(self, body: str, path: str = "upsert", kind: str = "x-ndjson") -> httpx.Response:
        """Send a body of vectors as it is."""
        headers = {"Content-Type": f"application/{kind}"}
        return self._api.post(f"{self._base}/{path}", content=body, headers=headers)

    def upsert(self, *vectors: Vector, path: str = "upsert") -> httpx.Response:
        """Send vectors as NDJSON."""
        return self.send("\n".join(json.dumps(vector) for vector in vectors), path)

    def index_metadata(self, name: str, kind: str = "string") -> httpx.Response:
        """Ask for a metadata index."""
        return self.post("metadata_index/create", {"propertyName": name, "indexType": kind})

    def found(self, **query: Any) -> list[str]:
        """The ids that a query answers, the nearest first."""
        matches = result(self.post("query", {"vector": [1, 0], **query}))["matches"]
        return [match["id"] for match in matches]


def vector(name: str, values: list[float] | None = None, **rest: Any) -> Vector:
    """A vector of two dimensions."""
    return {"id": name, "values": values or [1, 0], **rest}
