"""Runs workflows as GitHub's runner does, with act, and reads their outcome."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from github.events import Event
from source.repos import Repo

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TOOLS = Path(sys.executable).parent
"""Where the packages of this environment put their commands, act among them."""
WHEELS = ROOT / ".venv/wheels"
"""What `make .venv/wheels` has fetched: all that the locks name."""
ACTION = "acme/feeder@v1"
FEED = ".github/workflows/feed.yml"
CALLED = ".github/workflows/index.yml"
"""The reusable workflow."""
TIMEOUT_S = 600
"""The longest that a run takes; the first installs the action."""
_PIN = re.compile(r"uses: ([\w-]+/[\w-]+)[\w/-]*@([0-9a-f]{40})")


class Annotation(NamedTuple):
    """An annotation of a run, with or without a file and line."""

    level: str
    text: str
    file: str = ""
    line: str = ""


class Outcome:
    """The outcome of a workflow run: results, annotations, outputs, summaries and log."""

    def __init__(self, text: str) -> None:
        self.text = text
        lines = text.splitlines()
        self._entries = [json.loads(line) for line in lines if line.startswith("{")]
        self.said_last = [line for line in lines if not line.startswith("{")]

    @property
    def passed(self) -> bool:
        """True if every job succeeded or was skipped."""
        results = [entry["jobResult"] for entry in self._entries if "jobResult" in entry]
        assert results, self.said_last
        return set(results) <= {"success", "skipped"}

    @property
    def log(self) -> str:
        """The output of the steps."""
        return "".join(entry["msg"] for entry in self._entries if entry.get("raw_output"))

    @property
    def exit_codes(self) -> list[int]:
        """The exit codes of the failed scripts, in order."""
        said = (re.fullmatch(r"exit status (\d+)", entry["msg"]) for entry in self._inner())
        return [int(found[1]) for found in said if found]

    @property
    def annotations(self) -> list[Annotation]:
        """The annotations, in order."""
        return [
            Annotation(
                entry["command"],
                entry["arg"],
                entry["kvPairs"].get("file", ""),
                entry["kvPairs"].get("line", ""),
            )
            for entry in self._entries
            if entry.get("command") in {"error", "warning", "notice"}
        ]

    def annotated(self, level: str) -> list[str]:
        return [annotation.text for annotation in self.annotations if annotation.level == level]

    def outputs(self, step: str = "feeder") -> dict[str, str]:
        """The outputs of a step of the workflow itself."""
        return {
            entry["name"]: entry["arg"]
            for entry in self._entries
            if entry.get("command") == "set-output" and entry["stepID"] == [step]
        }

    @property
    def summary(self) -> str:
        """The job summary as markdown; act may report that of an action's step twice."""
        said = [entry for entry in self._entries if entry.get("command") == "summary"]
        return "".join(dict.fromkeys(entry["content"] for entry in said))

    def _inner(self) -> list[dict[str, Any]]:
        return [entry for entry in self._entries if len(entry.get("stepID", ())) == 2]


class Runner:
    """A machine that runs jobs: act, with stand-ins for the actions of others.

    `release` is the published action and `venv_cache` the environments that an earlier step left in
    runner.temp.
    """

    def __init__(self, folder: Path, release: Path, venv_cache: Path) -> None:
        self._folder = folder
        self._release = release
        self._home = folder / "home"
        self.cache = folder / "cache"
        for place in (self._home, self.cache):
            place.mkdir(parents=True, exist_ok=True)
        self._env = {
            "CACHE_HERE": str(self.cache),
            "PYTHON_HERE": sys.executable,
            "RELEASE_HERE": str(release),
            "RELEASED": ACTION,
            "VENV_HERE": str(venv_cache),
            # no package registry is asked
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(WHEELS),
        }
        self._numbers = count(1)

    def start(
        self,
        site: Path,
        workflow: str,
        event: Event,
        settings: "Settings",
        options: Sequence[str] = (),
    ) -> "Running":
        """Starts a workflow of `site`, the files of the repository at the event's commit.

        `options` are further ones of act.
        """
        number = next(self._numbers)
        payload = self._folder / f"event-{number}.json"
        payload.write_text(json.dumps(event.payload))
        env = {"GITHUB_REF": event.ref, **self._env, **settings.env}
        command = [
            *(str(TOOLS / "act"), event.name, "--json", "--eventpath", str(payload)),
            *("--platform", "ubuntu-latest=-self-hosted"),
            *("--no-skip-checkout", "--no-cache-server", "--directory", str(site)),
            *("--workflows", str(site / workflow)),
            *(f"--local-repository={uses}" for uses in self._local(site / workflow)),
            *(f"--env={name}={value}" for name, value in env.items()),
            *(f"--secret={name}={value}" for name, value in settings.secrets.items()),
            *(f"--var={name}={value}" for name, value in settings.variables.items()),
            *options,
        ]
        return Running(command, self._home)

    def _local(self, workflow: Path) -> set[str]:
        """Maps each action to the folder that stands in for it."""
        files = [self._release / "action.yml", self._release / CALLED, workflow]
        pins = {pin for file in files for pin in _PIN.findall(file.read_text())}
        stand_ins = {
            f"{name}@{commit}={HERE / 'standins' / name.partition('/')[2]}" for name, commit in pins
        }
        return {f"{ACTION}={self._release}", *stand_ins}


class Running:
    """A run in progress."""

    def __init__(self, command: list[str], home: Path) -> None:
        outside = {name: os.environ[name] for name in os.environ if name.startswith("GIT_CONFIG")}
        self._process = subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], "HOME": str(home), **outside},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )

    def outcome(self) -> Outcome:
        """Waits for the run to end and returns its outcome."""
        stdout, _ = self._process.communicate(timeout=TIMEOUT_S)
        return Outcome(stdout)

    @property
    def is_running(self) -> bool:
        """True while the run has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kills the run as a runner does with a job that ignores its cancellation."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate(timeout=TIMEOUT_S)


class Settings(NamedTuple):
    """The secrets and variables of the repository, and the environment of the runner."""

    secrets: Mapping[str, str]
    variables: Mapping[str, str]
    env: Mapping[str, str]


class Hub:
    """A repository on GitHub whose events start its workflows."""

    def __init__(self, repo: Repo, runner: Runner, settings: Settings) -> None:
        self.repo = repo
        self.runner = runner
        self.settings = settings
        self._numbers = count(1)
        repo.git("config", "uploadpack.allowAnySHA1InWant", "true")

    def run(self, event: Event, workflow: str = FEED, **more: Any) -> Outcome:
        """Runs the workflow of an event and returns the outcome; see `start` for `more`."""
        return self.start(event, workflow, **more).outcome()

    def start(
        self,
        event: Event,
        workflow: str = FEED,
        *,
        number: int | None = None,
        attempt: int = 1,
        secrets: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> Running:
        """Starts a workflow; the `number` of an earlier run repeats that run."""
        number = number or next(self._numbers)
        env = {
            **self.settings.env,
            "ORIGIN": self.repo.path.as_uri(),
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_RUN_ID": str(9000 + number),
            "GITHUB_RUN_NUMBER": str(number),
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "GITHUB_WORKFLOW_REF": f"acme/shop/{workflow}@{event.ref}",
        }
        settings = self.settings._replace(env=env)
        if secrets is not None:
            settings = settings._replace(secrets=secrets)
        return self.runner.start(self._site(event.sha), workflow, event, settings, options)

    def _site(self, commit: str) -> Path:
        """The files of a commit, from which GitHub reads the workflow."""
        site = self.repo.path.with_name(f"site-{commit}")
        if not site.exists():
            self.repo.git("clone", "-q", "--shared", "--no-checkout", ".", os.fsencode(site))
            Repo(site).git("checkout", "-q", "--detach", commit)
        return site
