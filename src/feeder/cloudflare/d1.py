"""`Database` in Cloudflare D1, over its REST API."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.errors import FeederError, ServiceError, Superseded, UserError
from feeder.http_client import json_bytes
from feeder.store import (
    DUPLICATE_WRITE_ERROR,
    NOT_OWNER_ERROR,
    SUPERSEDED_MESSAGE,
    DuplicateWrite,
    Row,
    Statement,
)


class D1:
    """A `Database` in D1; `rows` counts what was `read` and `written`, as it is billed.

    `size_bytes` is what the last answer said of the whole database.
    A transaction whose answer was lost is sent again: those for which that matters carry a mark.
    Raises TooLargeError where D1 wants less in one transaction.
    """

    def __init__(self, api: Api, database_id: str) -> None:
        self.place = f"D1 database {database_id}"
        self.rows: Counter[str] = Counter(read=0, written=0)
        self.size_bytes = 0
        self._api = api
        self._path = f"d1/database/{quote(database_id, safe='')}"

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """One batch, which is one transaction."""
        batch = [{"sql": sql, "params": params} for sql, params in statements]
        # of /query's objects, two columns of one name would be one
        results = self._post("raw", {"batch": batch}) if batch else []
        if len(results) != len(batch):
            raise ServiceError(f"D1 answered {len(results)} of {len(batch)} statements.")
        return [_table_rows(result.get("results")) for result in results]

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """A text and what follows it in one call, as wrangler does.

        Of such a list, D1 gives parameters to the last statement only.
        """
        texts = [sql.rstrip(), *(statement.sql for statement in statements)]
        params = statements[-1].params if statements else ()
        self._post("query", {"sql": "\n".join(texts), "params": params})

    def close(self) -> None:
        """Nothing to end: the connection is closed by its owner."""

    def _post(self, route: str, body: object) -> list[dict[str, Any]]:
        try:
            results = self._api.call(Call("d1", f"{self._path}/{route}", json_bytes(body)))
        except ServiceError as exc:
            raise self._translate_error(exc) from exc
        if not isinstance(results, list):
            raise ServiceError("D1 answered without results.")
        for result in results:
            meta = result.get("meta") or {}
            self.rows["read"] += meta.get("rows_read") or 0
            self.rows["written"] += meta.get("rows_written") or 0
            self.size_bytes = meta.get("size_after") or self.size_bytes
        return results

    def _translate_error(self, exc: ServiceError) -> FeederError:
        if NOT_OWNER_ERROR in str(exc):
            return Superseded(SUPERSEDED_MESSAGE)
        if DUPLICATE_WRITE_ERROR in str(exc):
            return DuplicateWrite(str(exc))
        if "no such table" in str(exc):
            return UserError(f"{self.place} holds no index. Make one with: feeder init")
        return exc


def _table_rows(table: dict[str, Any] | None) -> list[Row]:
    return [tuple(row) for row in (table or {}).get("rows") or []]
