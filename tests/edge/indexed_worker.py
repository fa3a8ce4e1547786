"""An index at Cloudflare, a Worker with it, and the program's answers from the same index."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from standin import StandIn

from edge.query_generator import SymbolNode
from edge.worker_build import built
from feeder.cli.main import cli
from feeder.config import Settings
from feeder.mcp.service import IndexService
from required_extras import require_extras
from source.repos import Repo

REPO = "acme/shop"
Facts = dict[str, Any]
AT_ONCE = 4


class Answer(NamedTuple):
    """A Worker's answer, and its number of requests to each service."""

    facts: Facts
    request_counts: Mapping[str, int]


class IndexedWorker:
    """A repository with an index in the stand-in's account; `query_worker` queries the Worker."""

    def __init__(self, standin: StandIn, repo: Repo, model: str, script: Path) -> None:
        self.standin, self.repo, self._model, self._script = standin, repo, model, script
        self._console = httpx.Client(
            base_url=f"{standin.base_url}/accounts/{standin.account_id}",
            headers={"Authorization": f"Bearer {standin.token}"},
            trust_env=False,
            timeout=60,
        )
        self._edge = httpx.Client(trust_env=False, timeout=60)
        self.last: httpx.Response | None = None

    def feed(self, *options: str) -> None:
        """Runs init and sync as a user does, with the account's credentials in the environment."""
        require_extras("cloudflare")
        self.run("init", "--model", self._model)
        self.run("sync", "--store", "cloudflare", "--model", self._model, *options)

    def sync_locally(self) -> None:
        """Makes an index in a local database."""
        self.run("sync", "--store", "local")

    def run(self, *command: str) -> None:
        """Runs a command in the repository."""
        said = ["-C", str(self.repo.path), "--repo", REPO, "-q"]
        cli.main([*command, *said], standalone_mode=False)

    @property
    def database(self) -> str:
        found = self._console.get("d1/database").json()["result"]
        [one] = [answer for answer in found if answer["name"] == "acme_shop"]
        return str(one["uuid"])

    def made_database(self, name: str) -> str:
        """Creates an empty database."""
        response = self._console.post("d1/database", json={"name": name}).raise_for_status()
        return str(response.json()["result"]["uuid"])

    @property
    def index(self) -> str:
        [one] = self._console.get("vectorize/v2/indexes").json()["result"]
        return str(one["name"])

    def deploy(self, **changed: Any) -> None:
        """Deploys the Worker with the database, open to all."""
        database = changed.pop("database", self.database)
        order = {"index": self.index, "PUBLIC": "true", "REPO": REPO} | changed
        self.url = self.standin.deploy(self._script, database, **order)

    def query_worker(self, name: str, **said: str) -> Facts:
        """Returns the Worker's answer; that of a search with the whole text of each hit."""
        self.last = self._edge.get(f"{self.url}/api/{name}", params=_with_text(name, said))
        facts: Facts = self.last.json()
        return facts

    def call_tools(self, *calls: tuple[str, Facts]) -> list[Facts]:
        """Returns the results of MCP tools that are called in one request."""
        messages = [
            {
                "jsonrpc": "2.0",
                "id": at,
                "method": "tools/call",
                "params": {"name": tool, "arguments": arguments},
            }
            for at, (tool, arguments) in enumerate(calls)
        ]
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-03-26",
        }
        self.last = self._edge.post(f"{self.url}/mcp", json=messages, headers=headers)
        return [answer["result"] for answer in self.last.json()]

    def answers(self, name: str, questions: Sequence[Mapping[str, str]]) -> list[Answer]:
        """Returns the answers to several queries, some of them concurrent."""

        def answer(said: Mapping[str, str]) -> Answer:
            got = self._edge.get(f"{self.url}/api/{name}", params=_with_text(name, said))
            return Answer(got.json(), counts_from_header(got))

        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(answer, questions))

    @property
    def request_counts(self) -> Mapping[str, int]:
        """The number of requests to each service for the last answer."""
        assert self.last is not None
        return counts_from_header(self.last)

    def desk(self, store: str = "cloudflare") -> IndexService:
        """Opens the program's service on the same index, or on a local one."""
        place = {"database_id": self.database, "index_name": self.index}
        return IndexService(
            Settings(
                directory=self.repo.path,
                repo=REPO,
                store=store,
                model=self._model if store == "cloudflare" else None,
                vectors=store == "cloudflare",
                account_id=self.standin.account_id,
                quiet=True,
                query_log=False,
                **(place if store == "cloudflare" else {}),  # type: ignore[arg-type]  # texts
            )
        )

    def nodes(self) -> list[SymbolNode]:
        """Returns all nodes that have a symbol."""
        sql = """
        SELECT path, language, node_type, symbol, start_line FROM docs WHERE symbol IS NOT NULL
        ORDER BY path, start_line, symbol
        """
        return [SymbolNode(*row) for row in self.run_sql(sql)]

    def run_sql(self, sql: str, *params: Any) -> list[list[Any]]:
        """Runs a statement in the database and returns its rows."""
        rows: list[list[Any]] = self._result(sql, *params)["results"]["rows"]
        return rows

    def rows_billed(self, sql: str, *params: Any) -> int:
        """Runs a statement in the database and returns how many rows D1 bills as read."""
        return int(self._result(sql, *params)["meta"]["rows_read"])

    def _result(self, sql: str, *params: Any) -> dict[str, Any]:
        order = {"sql": sql, "params": params}
        answer = self._console.post(f"d1/database/{self.database}/raw", json=order)
        result: dict[str, Any] = answer.raise_for_status().json()["result"][0]
        return result

    def close(self) -> None:
        self._console.close()
        self._edge.close()


def _with_text(name: str, said: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters, for a search with the one that the program has by default."""
    return {**({"text": "1"} if name in {"search", "similar"} else {}), **said}


def counts_from_header(response: httpx.Response) -> Mapping[str, int]:
    """Returns the number of requests to each service for an answer."""
    parts = [part.split(";") for part in response.headers["server-timing"].split(", ")]
    said = [(part[0], part[-1]) for part in parts if "call" in part[-1]]
    return {name: int(desc.split('"')[1].split()[0]) for name, desc in said}


def program(desk: IndexService, name: str, **said: str) -> Facts:
    """Returns the program's answer."""
    require_extras("serve")
    from feeder.mcp.http import ErrorResponse
    from feeder.web.api import run_endpoint

    lists = {key: [value] for key, value in said.items()}
    answer = run_endpoint(desk, name, lists, lambda _: None)
    if isinstance(answer, ErrorResponse):
        return {"error": answer.error, "remedy": answer.remedy, **answer.details}
    return answer


def worker_module(folder: Path) -> Path:
    """Builds the whole Worker from its sources."""
    return built(folder / "worker.js", "--out")


def environment(standin: StandIn) -> dict[str, str]:
    """Returns the variables with which the program finds the account."""
    return {**standin.environment, "FEEDER_JOBS": "1", "PATH": os.environ["PATH"]}
