"""Creates an index in the stand-in's account with `feeder`, and reads it over the API."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import httpx
from processes import environment
from standin import StandIn

from edge.query_generator import SymbolNode

REPO = "acme/shop"
_NODES = """
SELECT path, language, node_type, symbol, start_line FROM docs WHERE symbol IS NOT NULL
ORDER BY path, start_line, symbol
"""


class Index(NamedTuple):
    """An index at the API: URLs of its database and of its vectors."""

    standin: StandIn
    database: str
    vectors: str

    def rows(self, sql: str) -> list[list[str]]:
        """Runs a SQL statement over the API and returns its rows."""
        headers = {"Authorization": f"Bearer {self.standin.token}"}
        response = httpx.post(
            f"{self.database}/raw", json={"sql": sql}, headers=headers, trust_env=False, timeout=60
        )
        rows: list[list[str]] = response.raise_for_status().json()["result"][0]["results"]["rows"]
        return rows

    def nodes(self) -> int:
        """Counts the nodes."""
        return int(self.rows("SELECT count(*) FROM docs")[0][0])

    def named_nodes(self) -> list[SymbolNode]:
        """Returns the nodes that have a symbol."""
        return [SymbolNode(*row) for row in self.rows(_NODES)]  # type: ignore[arg-type]  # as selected


def create_index(standin: StandIn, repository: Path, *, with_vectors: bool = True) -> Index:
    """Syncs a repository with words, stored source and static vectors into an empty account."""
    standin.reset()
    # a Worker's bindings have no limit of requests
    standin.change(vectorize_delay_s=0, requests_per_window=10**9)
    (repository / "wrangler.toml").unlink(missing_ok=True)  # it names deleted resources
    vectors = ["--model", "static"] if with_vectors else ["--no-vectors"]
    sync = ["sync", "--store", "cloudflare", "--texts", *vectors]
    for command in (["init", "--model", "static"], sync):
        subprocess.run(
            [sys.executable, "-m", "feeder", *command, "--repo", REPO, "--quiet"],
            cwd=repository,
            env=environment() | standin.environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return _created_index(standin)


def _created_index(standin: StandIn) -> Index:
    account = f"{standin.base_url}/accounts/{standin.account_id}"
    headers = {"Authorization": f"Bearer {standin.token}"}
    with httpx.Client(headers=headers, trust_env=False) as api:
        [database] = api.get(f"{account}/d1/database").json()["result"]
        [vectors] = api.get(f"{account}/vectorize/v2/indexes").json()["result"]
    return Index(
        standin,
        f"{account}/d1/database/{database['uuid']}",
        f"{account}/vectorize/v2/indexes/{vectors['name']}",
    )
