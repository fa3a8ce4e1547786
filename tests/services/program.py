"""Runs the program as a user does, with the stand-in's account in the environment."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from standin import StandIn

from command_runner import CommandResult, RunFeeder, command_runner
from required_extras import require_extras
from source.repos import Repo

MODEL = "@cf/baai/bge-small-en-v1.5"
"""The one with the shortest vectors, 384 numbers."""


@pytest.fixture
def feeder(
    standin: StandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[RunFeeder]:
    """Runs a command in a folder and checks that its output never contains the token."""
    standin.change(vectorize_delay_s=0)
    for name, value in standin.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FEEDER_JOBS", "1")
    monkeypatch.setenv("FEEDER_MODEL", MODEL)
    monkeypatch.setenv("FEEDER_REPO", "acme/shop")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    run = command_runner(monkeypatch, capfd)

    def silent(place: Path | Repo, *arguments: str | Path) -> CommandResult:
        if "init" in arguments[:1]:
            require_extras("cloudflare")
        answer = run(place, *arguments)
        assert standin.token not in answer.out + answer.err
        return answer

    yield silent


class Console:
    """Changes and reads the account directly, as a user does in the dashboard."""

    def __init__(self, standin: StandIn) -> None:
        self.standin = standin
        self._client = httpx.Client(
            base_url=f"{standin.base_url}/accounts/{standin.account_id}",
            headers={"Authorization": f"Bearer {standin.token}"},
            trust_env=False,
            timeout=60,
        )

    def make_database(self, name: str = "other") -> str:
        """Creates a database and returns its id."""
        return str(self.post("d1/database", {"name": name})["uuid"])

    def delete_database(self, name: str = "acme_shop") -> None:
        self._client.delete(f"d1/database/{self.database_id(name)}").raise_for_status()

    def delete_index(self, name: str = "acme_shop_code") -> None:
        self._client.delete(f"vectorize/v2/indexes/{name}").raise_for_status()

    def make_index(self, name: str, dimensions: int, metric: str = "cosine") -> None:
        config = {"dimensions": dimensions, "metric": metric}
        self.post("vectorize/v2/indexes", {"name": name, "config": config})

    def names(self) -> tuple[list[str], list[str]]:
        """Returns the names of all databases and indexes."""
        databases, indexes = self._get("d1/database"), self._get("vectorize/v2/indexes")
        return [database["name"] for database in databases], [index["name"] for index in indexes]

    def database_id(self, name: str = "acme_shop") -> str:
        [found] = [one["uuid"] for one in self._get("d1/database") if one["name"] == name]
        return str(found)

    def properties(self, index: str = "acme_shop_code") -> list[str]:
        """Returns the properties for which an index has metadata indexes."""
        found = self._get(f"vectorize/v2/indexes/{index}/metadata_index/list")
        return sorted(metadataIndex["propertyName"] for metadataIndex in found["metadataIndexes"])

    def sql(self, text: str, database_id: str | None = None) -> list[list[Any]]:
        """Returns the rows of the last statement."""
        path = f"d1/database/{database_id or self.database_id()}/raw"
        rows: list[list[Any]] = self.post(path, {"sql": text})[-1]["results"]["rows"]
        return rows

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._client.post(path, json=body).raise_for_status().json()["result"]

    def close(self) -> None:
        self._client.close()

    def _get(self, path: str) -> Any:
        return self._client.get(path).raise_for_status().json()["result"]


@pytest.fixture
def console(standin: StandIn) -> Iterator[Console]:
    """Direct access to the account."""
    console = Console(standin)
    yield console
    console.close()
