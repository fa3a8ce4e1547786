"""`Database` in Cloudflare D1, over its REST API."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.cloudflare.error_responses import MissingResourceError
from feeder.errors import FeederError, ServiceError, Superseded, UserError
from feeder.http_client import json_bytes
from feeder.store import (
    DUPLICATE_WRITE_ERROR,
    NOT_OWNER_ERROR,
    REMOTE,
    SUPERSEDED_MESSAGE,
    DuplicateWrite,
    Row,
    Statement,
)


class D1:
    """A `Database` in D1.

    `rows` counts the rows `read` and `written` as they are billed; `size_bytes` is the whole
    database's size by the last response. A transaction whose response was lost is sent again; the
    store marks those that must not run twice. Raises TooLargeError when a transaction is too large.
    `if_missing` is the remedy where the account does not have the database.
    """

    access = REMOTE

    def __init__(self, api: Api, database_id: str, if_missing: str = "") -> None:
        self._if_missing = if_missing
        self.place = f"D1 database {database_id}"
        self.rows: Counter[str] = Counter(read=0, written=0)
        self.size_bytes = 0
        self._api = api
        self._path = f"d1/database/{quote(database_id, safe='')}"

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Runs the statements as one batch, which is one transaction; returns rows for each."""
        batch = [{"sql": sql, "params": params} for sql, params in statements]
        # /query returns objects, in which two columns of one name would be one
        results = self._post("raw", {"batch": batch}) if batch else []
        if len(results) != len(batch):
            raise ServiceError(
                f"D1 returned results for {len(results)} of {len(batch)} statements.", "Run again."
            )
        return [_table_rows(result.get("results")) for result in results]

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """Runs a script and then the statements in one call, as wrangler does.

        D1 gives parameters only to the last statement of such a text.
        """
        texts = [sql.rstrip(), *(statement.sql for statement in statements)]
        params = statements[-1].params if statements else ()
        self._post("query", {"sql": "\n".join(texts), "params": params})

    def close(self) -> None:
        """Does nothing: the owner of the API closes its connections."""

    def _post(self, route: str, body: object) -> list[dict[str, Any]]:
        try:
            results = self._api.call(Call("d1", f"{self._path}/{route}", json_bytes(body)))
        except MissingResourceError as exc:
            raise UserError(exc.problem, self._if_missing or exc.remedy) from exc
        except ServiceError as exc:
            raise self._translate_error(exc) from exc
        if not isinstance(results, list):
            raise ServiceError("D1 sent a response without results.", "Run again later.")
        for result in results:
            meta = result.get("meta") or {}
            self.rows["read"] += meta.get("rows_read") or 0
            self.rows["written"] += meta.get("rows_written") or 0
            self.size_bytes = meta.get("size_after") or self.size_bytes
        return results

    def _translate_error(self, exc: ServiceError) -> FeederError:
        if NOT_OWNER_ERROR in str(exc):
            return Superseded(*SUPERSEDED_MESSAGE)
        if DUPLICATE_WRITE_ERROR in str(exc):
            return DuplicateWrite(str(exc))
        if "no such table" in str(exc):
            return UserError(f"{self.place} has no index.", "Create one with: feeder init")
        return exc


def _table_rows(table: dict[str, Any] | None) -> list[Row]:
    return [tuple(row) for row in (table or {}).get("rows") or []]
