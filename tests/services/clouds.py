"""Clients of the stand-in for Cloudflare's API, and readers of an index there."""

import secrets
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
from standin import StandIn

from feeder.cloudflare.api import Api
from feeder.cloudflare.d1 import D1
from feeder.cloudflare.provision import METADATA_PROPERTIES
from feeder.cloudflare.vectorize import Vectorize
from feeder.embedding import Embedder
from feeder.embedding.cache import CachedEmbedder
from feeder.progress import ProgressReporter
from feeder.retry import Clock
from feeder.source import Tree
from feeder.store import Row, Statement
from feeder.store.index import Index
from feeder.store.migrations import migrate
from feeder.sync.context import DescriptionOptions, ModelVectors, SyncContext
from feeder.sync.report import Report
from feeder.sync.sync import sync
from hash_embedder import HashedEmbedder
from index_helpers import MEMORY, REPO, InProcessParser

DIMENSIONS = 64
INDEX = "acme_shop_code"
DOCS = """
SELECT id, repo, branch, sha_head, path, language, node_type, symbol, signature, logical_path,
  start_line, end_line, text_sha FROM docs ORDER BY id
"""


class FakeClock(Clock):
    """A clock that only advances when someone waits; `slept` lists the waits in seconds."""

    def __init__(self, standin: StandIn | None = None, start: float = 0.0) -> None:
        self.slept: list[float] = []
        self._now = start
        self._standin = standin
        self._lock = threading.Lock()

    def now(self) -> float:
        return self._now

    def wait(self, end: threading.Event, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self._now += seconds
            if self._standin:
                self._standin.advance(seconds)


class Cloud:
    """An account with an empty database and an empty index, and the program's clients for both."""

    def __init__(self, standin: StandIn) -> None:
        self.standin = standin
        self.clock = FakeClock(standin)
        self.api = self.connect()
        self._control = httpx.Client(
            base_url=f"{standin.base_url}/accounts/{standin.account_id}",
            headers={"Authorization": f"Bearer {standin.token}"},
            trust_env=False,
            timeout=60,
        )
        made = self.post("d1/database", {"name": "code"})
        self.database_id = str(made["uuid"])
        self.make_index(INDEX, DIMENSIONS)
        self.d1 = D1(self.api, self.database_id)
        self.vectorize = Vectorize(self.api, INDEX)
        self._seen: Counter[str] = Counter()

    def connect(
        self, token: str | None = None, account_id: str | None = None, timeout_s: float = 5
    ) -> Api:
        """Returns another API client for the account, with the same clock."""
        return Api(
            token or self.standin.token,
            account_id or self.standin.account_id,
            base_url=self.standin.base_url,
            timeout_s=timeout_s,
            clock=self.clock,
        )

    def make_index(self, name: str, dimensions: int) -> None:
        """Makes a Vectorize index as `feeder init` does."""
        config = {"dimensions": dimensions, "metric": "cosine"}
        self.post("vectorize/v2/indexes", {"name": name, "config": config})
        for property_ in METADATA_PROPERTIES:
            metadata = {"propertyName": property_, "indexType": "string"}
            self.post(f"vectorize/v2/indexes/{name}/metadata_index/create", metadata)

    def make_index_again(self, name: str, dimensions: int) -> None:
        """Deletes a Vectorize index and makes another one with its name."""
        self._control.delete(f"vectorize/v2/indexes/{name}").raise_for_status()
        self.make_index(name, dimensions)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._control.post(path, json=body).raise_for_status().json()["result"]

    def close(self) -> None:
        self.api.close()
        self._control.close()

    def migrated(self) -> "Cloud":
        """Creates the schema and resets the request counters."""
        migrate(self.d1)
        self.spent()
        return self

    def feed(
        self,
        tree: Tree,
        embedder: Embedder | None = None,
        *,
        cache: Path = MEMORY,
        branch: str = "main",
        texts: bool | None = None,
        describing: DescriptionOptions | None = None,
    ) -> SyncContext:
        """Returns the context of a new run."""
        cached = CachedEmbedder(embedder or HashedEmbedder(DIMENSIONS, batch=1000), cache)
        return SyncContext(
            tree,
            InProcessParser(),
            Index(self.d1, REPO, branch),
            ModelVectors(cached, self.vectorize),
            Report(REPO, branch, tree.commit),
            ProgressReporter(quiet=True),
            secrets.token_hex(8),
            store_source=texts,
            description_options=describing,
        )

    def synced(self, tree: Tree, embedder: Embedder | None = None, **more: Any) -> Report:
        """Runs a sync and returns its report."""
        run = self.feed(tree, embedder, **more)
        sync(run)
        return run.report

    def spent(self) -> dict[str, int]:
        """Returns the number of requests per service since the last call."""
        counts = Counter(self.standin.counts())
        spent = {name: counts[name] - self._seen[name] for name in ("d1", "vectorize", "ai")}
        self._seen = counts
        return spent

    def rows(self, sql: str, *params: str) -> list[Row]:
        [rows] = self.d1.run([Statement(sql, params)])
        return rows

    def docs(self) -> list[Row]:
        """Returns the rows of all nodes, without row ids."""
        return self.rows(DOCS)

    def states(self) -> dict[str, str]:
        """Returns the state of each file."""
        return {str(path): str(state) for path, state in self.rows("SELECT path, state FROM files")}

    def vector_ids(self) -> list[str]:
        """Waits for pending writes and returns the ids of all vectors."""
        self.standin.settle(INDEX)
        return sorted(self.standin.vectors(INDEX))

    def node_ids(self) -> list[str]:
        return [str(id_) for [id_] in self.rows("SELECT id FROM docs ORDER BY id")]
