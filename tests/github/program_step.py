"""The program as a step of a job, in this process: what it reads and writes."""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from feeder.cli.main import main
from github import events
from github.test_job import Command, Runner, read_outputs
from source.repos import Repo

INPUTS = (
    *("ACCOUNT_ID", "BRANCH", "COMMAND", "DATABASE_ID", "DELTAS", "DIMENSIONS", "DIRECTORY"),
    *("DRY_RUN", "FORCE", "INDEX_NAME", "MAX_EMBEDDINGS", "MAX_REQUESTS", "MODEL", "PATH"),
    *("REPAIR", "REPO", "SHARD", "SHARDS", "VALIDATE"),
)


class Outcome(NamedTuple):
    """The end of a step: exit code, streams, outputs, summary and annotations."""

    code: int
    out: str
    err: str
    outputs: dict[str, str]
    summary: str
    annotations: list[Command]

    def annotated(self, level: str) -> list[str]:
        return [annotation.message for annotation in self.annotations if annotation.name == level]


class Step:
    """A step of a job in a checkout, without secrets and with a local index.

    Variables that `action.yml` sets are set, empty if the workflow has no input for them.
    """

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        self._folder = folder
        self._patch = patch
        self._capfd = capfd
        self._runs = 0
        self.set(
            GITHUB_ACTIONS="true",
            GITHUB_REPOSITORY="acme/shop",
            GITHUB_RUN_ATTEMPT="1",
            GITHUB_RUN_ID="9001",
            GITHUB_RUN_NUMBER="1",
            GITHUB_WORKFLOW_REF="acme/shop/.github/workflows/feed.yml@refs/heads/main",
            RUNNER_TEMP=folder,
            CLOUDFLARE_API_TOKEN="",
            CLOUDFLARE_ACCOUNT_ID="",
            **{f"FEEDER_{name}": "" for name in INPUTS},
            FEEDER_STORE="local",
            FEEDER_JOBS="1",
            FEEDER_VECTORS="no",
        )

    def set(self, **variables: object) -> None:
        """Sets environment variables for all later runs."""
        for name, value in variables.items():
            self._patch.setenv(name, str(value))

    def happens(self, event: events.Event) -> None:
        """Sets the event of all later runs."""
        payload = self._folder / "event.json"
        payload.write_text(json.dumps(event.payload))
        self.set(
            GITHUB_EVENT_NAME=event.name,
            GITHUB_EVENT_PATH=payload,
            GITHUB_REF=event.ref,
            GITHUB_SHA=event.sha,
        )

    def run(self, checkout: Repo | Path, *arguments: str, **variables: object) -> Outcome:
        """Runs the program with arguments, or with the inputs if there are none."""
        self._runs += 1
        output, summary = (self._folder / f"{name}-{self._runs}" for name in ("output", "summary"))
        with self._patch.context() as patch:
            workspace = checkout.path if isinstance(checkout, Repo) else checkout
            patch.chdir(workspace)
            patch.setattr(sys, "argv", ["feeder", *(arguments or ["action"])])
            files = {"GITHUB_OUTPUT": output, "GITHUB_STEP_SUMMARY": summary}
            for name, value in {**files, "GITHUB_WORKSPACE": workspace, **variables}.items():
                patch.setenv(name, str(value))
            code = self._ended()
        out, err = self._capfd.readouterr()
        assert "Traceback" not in err
        return Outcome(
            code,
            out,
            err,
            read_outputs(output.read_text()) if output.exists() else {},
            summary.read_text() if summary.exists() else "",
            Runner().read(err),
        )

    def _ended(self) -> int:
        self._capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)


@pytest.fixture
def step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Step:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    folder = tmp_path / "runner"
    folder.mkdir()
    return Step(folder, monkeypatch, capfd)
