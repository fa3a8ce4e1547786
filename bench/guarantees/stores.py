"""Prepares, runs against and reads the stores under test."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from chat_server import ChatServer
from standin import StandIn

from feeder.cloudflare.api import Api
from feeder.cloudflare.d1 import D1
from feeder.store import Statement
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite
from feeder.sync.vector_index import IDENTITY_KEY
from guarantees.contents import IndexContents, head, tables, vectors
from guarantees.history import REPO
from guarantees.program import (
    MOMENTS,
    Action,
    AtRateLimit,
    AtTransaction,
    FinishedRun,
    Limits,
    RecordedRequest,
    RecordRequests,
    Run,
    Setup,
    kill_self,
    read_requests,
    wait_until,
)

INDEX = "acme_shop_code"
_OTHER_PARSER = (
    Statement("UPDATE files SET parser = 'other' WHERE parser <> ''"),
    Statement("UPDATE meta SET value = 'other' WHERE key GLOB '*:parser'"),
)
_RECORD_INDEX = f"UPDATE meta SET value = ?1 WHERE key = '{IDENTITY_KEY}'"
_SCHEMA = Statement("SELECT 1 FROM sqlite_schema WHERE name = 'meta'")


class Store(ABC):
    """A store whose index can be reset to that of a checkout, or to an empty one."""

    name: str
    moments: Sequence[str]
    """The moments within a step at which a run can be killed."""
    limits = Limits()
    describer: ChatServer | None = None
    """The language model that describes methods and classes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self._runs = 0

    def start_sync(
        self, checkout: Path, *setups: Setup, environment: dict[str, str] | None = None
    ) -> Run:
        """Starts a sync with a checkout."""
        self._runs += 1
        arguments = ["sync", "-C", str(checkout), "--quiet", *self._options()]
        output_file = self.folder / f"output-{self._runs}.txt"
        settings = {"FEEDER_JOBS": "1", "FEEDER_REPO": REPO, "FEEDER_BRANCH": "main"}
        settings["FEEDER_DESCRIBE"] = f"{self.describer.url}#some-model" if self.describer else ""
        variables = settings | self._environment() | (environment or {})
        return Run(arguments, variables, output_file, [self.limits, *setups])

    def sync(self, checkout: Path, *setups: Setup) -> FinishedRun:
        """Runs a sync to its end."""
        return self.start_sync(checkout, *setups).wait()

    @abstractmethod
    def reset(self, checkout: Path | None) -> None:
        """Resets the index to that of a checkout, or to an empty one for None."""

    @abstractmethod
    def mark_as_read_by_another_parser(self) -> None:
        """Changes the index as if another version of the parser had read its files."""

    @abstractmethod
    def sync_killed(self, checkout: Path, at: int, moment: str) -> FinishedRun:
        """Runs a sync that is killed at its `at`-th step, unless it ends before."""

    @abstractmethod
    def setup_at(self, at: int, action: Action) -> Setup:
        """Returns a setup that calls an action when the `at`-th step is about to begin."""

    @abstractmethod
    def head(self) -> str:
        """Returns the commit that the index names as its head, or an empty string."""

    @abstractmethod
    def contents(self) -> IndexContents:
        """Returns the contents of the index, after late writes."""

    def close(self) -> None:  # noqa: B027 - optional
        """Closes connections."""

    @abstractmethod
    def _options(self) -> list[str]: ...

    @abstractmethod
    def _environment(self) -> dict[str, str]: ...


class Embedded(Store):
    """A SQLite file; its vectors come from the embedding cache, so no model is loaded."""

    name = "embedded"
    moments = MOMENTS

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._file = folder / "index.db"
        self._saved: dict[Path, Path] = {}

    def reset(self, checkout: Path | None) -> None:
        for file in self.folder.glob("index.db*"):
            file.unlink()
        if checkout is None:
            return
        if checkout not in self._saved:
            copy = self.folder / f"{checkout.name}.db"
            self.sync(checkout).expect_done()
            self._saved[checkout] = Path(shutil.copy(self._file, copy))
        shutil.copy(self._saved[checkout], self._file)

    def mark_as_read_by_another_parser(self) -> None:
        with closing(SQLite(self._file)) as database:
            database.run(_OTHER_PARSER)

    def sync_killed(self, checkout: Path, at: int, moment: str) -> FinishedRun:
        return self.sync(checkout, AtTransaction(at, kill_self, moment))

    def setup_at(self, at: int, action: Action) -> Setup:
        return AtTransaction(at, action)

    def head(self) -> str:
        with closing(SQLite(self._file)) as database:
            return head(database, REPO) if list(database.run([_SCHEMA])[0]) else ""

    def contents(self) -> IndexContents:
        with closing(SQLite(self._file)) as database:
            rows = vectors(database, REPO)
            return IndexContents(tables(database, REPO), {str(id_): rest for id_, *rest in rows})

    def _options(self) -> list[str]:
        return ["--store", "local", "--db", str(self._file)]

    def _environment(self) -> dict[str, str]:
        return {"FEEDER_CACHE": str(self.folder / "embeddings.db")}


class WordsOnly(Embedded):
    """A SQLite file without vectors."""

    name = "embedded, words only"

    def _options(self) -> list[str]:
        return [*super()._options(), "--no-vectors"]


class SavedIndex(NamedTuple):
    """The recorded requests that created the index of a commit, and the embedding cache."""

    requests: list[RecordedRequest]
    database_id: str
    cache: Path


class Cloud(Store):
    """An account at the stand-in, emptied for each test, with its own embedding cache.

    The index is read with another token, so that this does not count for the run's rate limit.
    """

    name = "cloud"
    model, dimensions = "@cf/baai/bge-small-en-v1.5", 384
    """The model of Workers AI with the shortest vectors."""
    small_bytes = 10_000
    """More bytes than D1 receives for the largest file, and fewer than for all files."""
    moments = ("before it arrives", "done, and the answer lost")

    def __init__(self, folder: Path, standin: StandIn) -> None:
        super().__init__(folder)
        self.standin = standin
        self._cache = folder / "embeddings.db"
        self._saved: dict[Path, SavedIndex] = {}
        self._api = Api("watch", standin.account_id, base_url=standin.base_url)
        self._http = httpx.Client(
            base_url=f"{standin.base_url}/accounts/{standin.account_id}/",
            headers={"Authorization": "Bearer watch"},
            trust_env=False,
            timeout=60,
        )
        self._database_id = ""

    def reset(self, checkout: Path | None) -> None:
        self._empty()
        if checkout is None:
            return
        if checkout not in self._saved:
            self._saved[checkout] = self._record(checkout)
            self._empty()
        saved = self._saved[checkout]
        for request in saved.requests:
            address = request.path.replace(saved.database_id, self._database_id)
            headers = {"Content-Type": request.content_type}
            self._http.post(address, content=request.content, headers=headers).raise_for_status()
        # the requests recorded the vector index of that time
        created_on = self._http.get(f"vectorize/v2/indexes/{INDEX}").json()["result"]["created_on"]
        D1(self._api, self._database_id).run([Statement(_RECORD_INDEX, (created_on,))])
        shutil.copy(saved.cache, self._cache)
        self.standin.settle()

    def mark_as_read_by_another_parser(self) -> None:
        D1(self._api, self._database_id).run(_OTHER_PARSER)

    def sync_killed(self, checkout: Path, at: int, moment: str) -> FinishedRun:
        log_start = sum(self.standin.counts().values())
        self.standin.fault("hang", route="*", requests=[at], after=moment == self.moments[1])
        run = self.start_sync(checkout)

        def hangs() -> bool:
            entries = self.standin.log(log_start)
            return any(entry.get("fault") == "hang" and "status" in entry for entry in entries)

        wait_until(lambda: run.is_over or hangs())
        return run.kill() if hangs() else run.wait()

    def setup_at(self, at: int, action: Action) -> Setup:
        return AtRateLimit(at, action)

    def head(self) -> str:
        return head(D1(self._api, self._database_id), REPO)

    def contents(self) -> IndexContents:
        self.standin.settle()
        by_id = self.standin.vectors(INDEX)
        for vector in by_id.values():
            vector["metadata"].pop("sha_head")
        return IndexContents(tables(D1(self._api, self._database_id), REPO), by_id)

    def close(self) -> None:
        self._api.close()
        self._http.close()

    def request(self, path: str, body: object, timeout_s: float = 60) -> Any:
        """Sends a request with another token and returns its JSON, errors included."""
        return self._http.post(path, json=body, timeout=timeout_s).json()

    @property
    def database(self) -> str:
        """The API path of the database."""
        return f"d1/database/{self._database_id}"

    def _empty(self) -> None:
        self.standin.reset()
        self.standin.grant("watch", "d1", "vectorize", "ai")
        self._database_id = self.request("d1/database", {"name": "code"})["result"]["uuid"]
        config = {"dimensions": self.dimensions, "metric": "cosine"}
        self.request("vectorize/v2/indexes", {"name": INDEX, "config": config})
        migrate(D1(self._api, self._database_id))
        for file in self.folder.glob("embeddings.db*"):
            file.unlink()

    def _record(self, checkout: Path) -> SavedIndex:
        file = self.folder / f"{checkout.name}.requests"
        self.sync(checkout, RecordRequests(str(file))).expect_done()
        requests = [request for request in read_requests(file) if self._is_index_write(request)]
        cache = Path(shutil.copy(self._cache, self.folder / f"{checkout.name}.cache"))
        return SavedIndex(requests, self._database_id, cache)

    def _is_index_write(self, request: RecordedRequest) -> bool:
        """Returns True if a request wrote to the index."""
        return "/ai/" not in request.path and not request.path.endswith("/chat/completions")

    def _options(self) -> list[str]:
        return ["--store", "cloudflare"]

    def _environment(self) -> dict[str, str]:
        settings = {
            "FEEDER_MODEL": self.model,
            "FEEDER_DATABASE_ID": self._database_id,
            "FEEDER_INDEX_NAME": INDEX,
            "FEEDER_CACHE": str(self._cache),
        }
        return self.standin.environment | settings


class CloudStatic(Cloud):
    """An account with static vectors."""

    name = "cloud, static model"
    model, dimensions = "static", 256
    small_bytes = 1_700_000
