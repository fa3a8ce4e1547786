"""An index at Cloudflare, the Worker beside it, and what the program answers from the same."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from standin import StandIn

from edge.questions import Named
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
    """What the Worker answered, and how often it asked each service for that."""

    facts: Facts
    took: Mapping[str, int]


class Fed:
    """A repository that is fed to the stand-in's account; the Worker is asked by `at_edge`."""

    def __init__(self, standin: StandIn, repo: Repo, model: str, script: Path) -> None:
        self.standin, self.repo, self._model, self._script = standin, repo, model, script
        self._console = httpx.Client(
            base_url=f"{standin.base_url}/accounts/{standin.account_id}",
            headers={"Authorization": f"Bearer {standin.token}"},
            trust_env=False,
        )
        self._edge = httpx.Client(trust_env=False, timeout=60)
        self.last: httpx.Response | None = None

    def feed(self, *options: str) -> None:
        """As a user does: the account's credentials are in the environment."""
        self._run("init", "--model", self._model)
        self._run("sync", "--store", "cloudflare", "--model", self._model, *options)

    def feed_here(self) -> None:
        """Into a database on this machine."""
        self._run("sync", "--store", "local")

    def _run(self, *command: str) -> None:
        said = ["-C", str(self.repo.path), "--repo", REPO, "-q"]
        cli.main([*command, *said], standalone_mode=False)

    @property
    def database(self) -> str:
        found = self._console.get("d1/database").json()["result"]
        [one] = [one for one in found if one["name"] == "acme_shop"]
        return str(one["uuid"])

    def made_database(self, name: str) -> str:
        """An empty one."""
        made = self._console.post("d1/database", json={"name": name}).raise_for_status()
        return str(made.json()["result"]["uuid"])

    @property
    def index(self) -> str:
        [one] = self._console.get("vectorize/v2/indexes").json()["result"]
        return str(one["name"])

    def deploy(self, **changed: Any) -> None:
        """The Worker beside the database, open to all."""
        database = changed.pop("database", self.database)
        order = {"index": self.index, "PUBLIC": "true", "REPO": REPO} | changed
        self.url = self.standin.deploy(self._script, database, **order)

    def at_edge(self, name: str, **said: str) -> Facts:
        """What the Worker answers."""
        self.last = self._edge.get(f"{self.url}/api/{name}", params=said)
        facts: Facts = self.last.json()
        return facts

    def answers(self, name: str, questions: Sequence[Mapping[str, str]]) -> list[Answer]:
        """Of several questions, some of which are asked at once."""

        def answer(said: Mapping[str, str]) -> Answer:
            got = self._edge.get(f"{self.url}/api/{name}", params=said)
            return Answer(got.json(), took_by(got))

        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(answer, questions))

    @property
    def took(self) -> Mapping[str, int]:
        """How often the Worker asked each service for its last answer."""
        assert self.last is not None
        return took_by(self.last)

    def desk(self, store: str = "cloudflare") -> IndexService:
        """The program over the same index, or over one on this machine."""
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

    def nodes(self) -> list[Named]:
        """All that have a name."""
        sql = """
        SELECT path, language, node_type, symbol, start_line FROM docs WHERE symbol IS NOT NULL
        ORDER BY path, start_line, symbol
        """
        answer = self._console.post(f"d1/database/{self.database}/raw", json={"sql": sql})
        return [Named(*row) for row in answer.json()["result"][0]["results"]["rows"]]

    def close(self) -> None:
        self._console.close()
        self._edge.close()


def took_by(response: httpx.Response) -> Mapping[str, int]:
    """How often the Worker asked each service for an answer."""
    parts = [part.split(";") for part in response.headers["server-timing"].split(", ")]
    said = [(part[0], part[-1]) for part in parts if "call" in part[-1]]
    return {name: int(desc.split('"')[1].split()[0]) for name, desc in said}


def program(desk: IndexService, name: str, **said: str) -> Facts:
    """What the program answers."""
    require_extras("serve")
    from feeder.mcp.http import ErrorResponse
    from feeder.web.api import run_endpoint

    lists = {key: [value] for key, value in said.items()}
    answer = run_endpoint(desk, name, lists, lambda _: None)
    if isinstance(answer, ErrorResponse):
        return {"error": answer.error, "remedy": answer.remedy}
    return answer


def worker_module(folder: Path) -> Path:
    """The whole Worker, built of its sources."""
    return built(folder / "worker.js", "--out")


def environment(standin: StandIn) -> dict[str, str]:
    """What the program finds its account by."""
    return {**standin.environment, "FEEDER_JOBS": "1", "PATH": os.environ["PATH"]}
