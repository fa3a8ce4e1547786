"""Jobs with a checkout and the action's program, in this process and with a local index.

They show what the program decides about an event and a checkout. `Hub` runs whole workflows, with
the expressions, inputs and secrets of `action.yml`, and takes ten times as long.
"""

import os
import subprocess
from itertools import count
from pathlib import Path

from feeder.store import Statement
from feeder.store.sqlite import SQLite
from github.events import Event
from github.program_step import Outcome, Step
from source.repos import Repo

CHECKOUT = Path(__file__).parent / "standins/checkout/checkout.sh"


class Jobs:
    """The jobs of a repository on GitHub; they share one index."""

    def __init__(self, repo: Repo, step: Step, folder: Path) -> None:
        self.repo = repo
        self._step = step
        self._folder = folder
        self._index = folder / "index.db"
        self._numbers = count(1)
        repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
        step.set(FEEDER_DB=self._index)

    def run(
        self,
        event: Event,
        *,
        ref: str = "",
        fetch_depth: int = 1,
        merged: str = "",
        number: int | None = None,
        attempt: int = 1,
        **inputs: str,
    ) -> Outcome:
        """Runs a job: checks out `ref`, or the event's commit, and runs the action's program.

        `merged` is merged into the checkout before; the `number` of an earlier run repeats that
        run; `inputs` are those of the action.
        """
        number = number or next(self._numbers)
        checkout = self._check_out(event, ref, fetch_depth)
        if merged:
            names = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
            checkout.git(*names, "merge", "-q", "--no-ff", "-m", "Merge", merged)
        self._step.happens(event)
        variables = {f"FEEDER_{name.upper()}": value for name, value in inputs.items()}
        return self._step.run(
            checkout,
            GITHUB_RUN_ID=9000 + number,
            GITHUB_RUN_NUMBER=number,
            GITHUB_RUN_ATTEMPT=attempt,
            **variables,
        )

    @property
    def indexed(self) -> str:
        """The commit that the index equals."""
        [commit] = self._column("SELECT value FROM meta WHERE key = 'acme/shop:head'")
        return commit

    @property
    def symbols(self) -> list[str]:
        """The symbols of the nodes of all Python files."""
        return self._column("SELECT symbol FROM docs WHERE language = 'python' ORDER BY symbol")

    def _column(self, sql: str) -> list[str]:
        database = SQLite(self._index)
        [rows] = database.run([Statement(sql)])
        database.close()
        return [str(row[0]) for row in rows]

    def _check_out(self, event: Event, ref: str, fetch_depth: int) -> Repo:
        place = self._folder / f"checkout-{len(list(self._folder.glob('checkout-*')))}"
        place.mkdir()
        variables = {
            "DEPTH": str(fetch_depth),
            "GITHUB_REF": event.ref,
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_SHA": event.sha,
            "ORIGIN": self.repo.path.as_uri(),
            "OTHER": "",
            "PLACE": ".",
            "REF": ref,
        }
        subprocess.run(["bash", CHECKOUT], cwd=place, env={**os.environ, **variables}, check=True)
        return Repo(place)
