"""A local stand-in for Cloudflare's API: starts it, controls it and reads its state."""

import json
import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import httpx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
START_TIMEOUT_S = 60.0


class StandIn:
    """The stand-in as a separate process; `stop` and `reset` delete everything it holds.

    `base_url`, `token` and `account_id` are what a client needs; the other methods are for tests.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], base_url: str, token: str, account_id: str
    ) -> None:
        self.base_url = base_url
        self.token = token
        self.account_id = account_id
        self._process = process
        control_url = base_url.removesuffix("/client/v4") + "/__control__/"
        self._control = httpx.Client(base_url=control_url, trust_env=False, timeout=60)

    @property
    def process_id(self) -> int:
        """The process whose children run D1 and Vectorize."""
        return self._process.pid

    @staticmethod
    def missing() -> str | None:
        """Returns why the stand-in cannot be started on this machine, or None."""
        if shutil.which("node") is None:
            return "the stand-in for Cloudflare needs Node 20 or newer: install it."
        if not (ROOT / "node_modules" / "miniflare").is_dir():
            return "the stand-in for Cloudflare needs miniflare: run `npm ci`."
        return None

    @classmethod
    def start(cls) -> Self:
        """Starts it on a free port of loopback.

        Raises RuntimeError with its output if it ends.
        """
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                ["node", str(HERE / "server.mjs"), "--tied"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                cwd=ROOT,
            )
            line = _first_line(process)
            if not line:
                process.kill()
                process.wait()
                said.seek(0)
                raise RuntimeError(f"the stand-in did not start: {said.read().decode()}")
        return cls(process, **json.loads(line))

    def stop(self) -> None:
        """Ends the process by closing its standard input."""
        self._control.close()
        self._process.communicate(timeout=START_TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def environment(self) -> dict[str, str]:
        """Returns the environment variables with which the program finds the stand-in."""
        return {
            "CLOUDFLARE_BASE_URL": self.base_url,
            "CLOUDFLARE_API_TOKEN": self.token,
            "CLOUDFLARE_ACCOUNT_ID": self.account_id,
        }

    def reset(self) -> None:
        """Deletes databases, indexes, faults, settings, tokens and the log; resets the clock."""
        self._order("reset", {})

    def change(self, **settings: float | None) -> None:
        """Changes settings until the next reset. `settings.mjs` lists them."""
        self._order("settings", settings)

    def advance(self, seconds: float) -> None:
        """Advances its clock, so that queued writes become visible and blocks end."""
        self._order("clock", {"advance_s": seconds})

    def freeze(self) -> None:
        """Stops its clock; only `advance` moves it."""
        self._order("clock", {"freeze": True})

    def fault(self, kind: str, **when: Any) -> None:
        """Order a fault of a kind of `faults.mjs`.

        `route` is a pattern of route names (`d1.*`, `vectorize.upsert`); `requests` numbers the
        requests that match, from 1; `times` is how often, once unless said; `rate` with `seed`
        makes it a matter of chance; `after=True` does the work first. `statements_above` and
        `bytes_above` make it last, for what is larger.
        """
        self._order("faults", [{"kind": kind, **when}])

    def grant(self, token: str, *permissions: str) -> None:
        """Accepts a token with some of the permissions `d1`, `vectorize` and `ai`."""
        self._order("tokens", {"token": token, "permissions": permissions})

    def spend(self, requests: int) -> None:
        """Counts this many requests against the token's rate limit."""
        self._order("spend", {"token": self.token, "requests": requests})

    def deploy(
        self,
        script: Path,
        database: str | None = None,
        *,
        index: str | None = None,
        databases: Mapping[str, str] | None = None,
        indexes: Mapping[str, str] | None = None,
        ai: bool = True,
        web: str | None = None,
        **variables: Any,
    ) -> str:
        """Runs a Worker with a database, or several by the names of their bindings; returns its
        address.

        Everything that the Worker fetches is requested from `web` as `/HOST/PATH`.
        """
        places = {"database": database, "databases": databases or {}}
        order = {**places, "index": index, "indexes": indexes or {}, "ai": ai, "web": web}
        self._order("deploy", {**order, "script": str(script), "vars": variables})
        return self.base_url.removesuffix("/client/v4") + "/__edge__"

    def settle(self, index: str | None = None) -> int:
        """Makes all queued writes visible and returns their number."""
        settled: int = self._order("settle", {"index": index})["settled"]
        return settled

    def faults(self) -> list[dict[str, Any]]:
        """Returns the ordered faults, each with how often it was `seen` and `fired`."""
        return self._list("faults")

    def log(self, since: int = 0) -> list[dict[str, Any]]:
        """Returns the requests after the first `since`: route, status, code, statements, rows
        written.
        """
        return self._list("log", since=since)

    def counts(self) -> dict[str, int]:
        """Returns the number of requests by service since the reset."""
        counts: dict[str, int] = self._view("counts")
        return counts

    def routes(self) -> dict[str, int]:
        """Returns the number of requests by route since the reset."""
        routes = [str(entry["route"]) for entry in self.log()]
        return {route: routes.count(route) for route in sorted(set(routes))}

    def rows_written(self) -> int:
        """Returns the number of rows written that D1 would bill since the reset."""
        return sum(entry.get("rows_written", 0) for entry in self.log())

    def vectors(self, index: str) -> dict[str, dict[str, Any]]:
        """Returns the visible vectors of an index by id."""
        return {vector["id"]: vector for vector in self._view("vectors", index=index)["vectors"]}

    def pending(self, index: str) -> int:
        """Returns the number of writes of an index that are not visible yet."""
        pending: int = self._view("vectors", index=index)["pending"]
        return pending

    def _order(self, name: str, values: Any) -> Any:
        return _answered(self._control.post(name, json=values))

    def _list(self, name: str, **query: str | int) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self._view(name, **query)
        return entries

    def _view(self, name: str, **query: str | int) -> Any:
        return _answered(self._control.get(name, params=query))


def unavailable() -> tuple[str, bool] | None:
    """Returns why the stand-in cannot run and whether tests may be skipped for it (not in CI)."""
    reason = StandIn.missing()
    return None if reason is None else (reason, os.environ.get("CI") != "true")


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    """Returns the line that announces the address; empty if the process ended or timed out."""
    stdout: IO[bytes] | None = process.stdout
    assert stdout is not None
    ready, _, _ = select.select([stdout], [], [], START_TIMEOUT_S)
    return stdout.readline() if ready else b""


def _answered(response: httpx.Response) -> Any:
    answer = response.json()
    if response.is_error:
        raise ValueError(answer["error"])
    return answer
