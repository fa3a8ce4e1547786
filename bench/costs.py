"""Measures the requests and rows of each kind of run and prints markdown tables.

    python bench/costs.py [FILES …]

FILES are the sizes of the repositories (default: 500 files of 20 nodes). Runs `feeder sync` over
HTTP against the tests' stand-in for Cloudflare's API.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/services"))

from standin import StandIn  # noqa: E402  # of tests/services

from feeder.cloudflare.free_tier import MAX_STORED_DIMENSIONS  # noqa: E402

FILES = 500
FOLDER_FILES = 50
CLASSES = 5
NODES_PER_FILE = 20
"""5 classes with three methods each."""
PROGRAM = """
import feeder.store.ownership
from feeder.cli.main import main
feeder.store.ownership.RECHECK_AFTER_S = float("inf")
main()
"""
"""Disables the ownership check after a pause, so that a slow machine sends no extra requests."""
HEAD = """\
| run | D1 | Vectorize | Workers AI | texts embedded | rows written |
|---|---|---|---|---|---|
"""


MODELS = (
    ("static", ""),
    ("@cf/baai/bge-m3", ""),
    ("@cf/qwen/qwen3-embedding-0.6b", ""),
    ("@cf/qwen/qwen3-embedding-0.6b", "256"),
    ("@cf/google/embeddinggemma-300m", "256"),
)
"""Models with the dimensions that `FEEDER_DIMENSIONS` sets; empty for the model's default."""
MODELS_HEAD = """\
| model | dimensions | D1 | Vectorize | Workers AI | neurons | rows written | nodes that fit |
|---|---|---|---|---|---|---|---|
"""


UNCHANGING = (
    ("sync",),
    ("search", "how is a part measured"),
    ("search", "measure1"),
    ("search", "measure lang:py"),
    ("search", "measure", "--no-vectors"),
)
QUERIES_HEAD = """\
| model of the index | command | D1 | Vectorize | Workers AI |
|---|---|---|---|---|
"""


class Cost(NamedTuple):
    """Requests by service, embedded texts and written rows of one run."""

    run: str
    d1: int
    vectorize: int
    ai: int
    texts: int
    rows: int

    def line(self) -> str:
        return (
            f"| {' | '.join(f'{value:,}' if isinstance(value, int) else value for value in self)} |"
        )


def module(number: int) -> str:
    """Returns the source of a Python file with 20 nodes."""
    return "\n\n".join(
        f'class Part{number}x{part}:\n    """Part {part} of module {number}."""\n\n'
        + "\n".join(
            f"    def {name}{part}(self, value):\n        return self.{name} + value * {number}\n"
            for name in ("weigh", "measure", "count")
        )
        for part in range(CLASSES)
    )


class Project:
    """A repository whose index is at the stand-in; each run begins with an empty cache."""

    def __init__(self, folder: Path, standin: StandIn, **model: str) -> None:
        self.folder = folder
        self.last: dict[str, Any] = {}
        self._standin = standin
        self._cache = folder / ".git/embeddings.db"
        self._git("init", "-q")
        self._environment = {
            **{name: value for name, value in os.environ.items() if "FEEDER_" not in name},
            **standin.environment,
            "FEEDER_JOBS": "1",
            "FEEDER_REPO": "acme/parts",
            "FEEDER_CACHE": str(self._cache),
            **model,
        }
        (folder / ".git/info").mkdir(exist_ok=True)
        (folder / ".git/info/exclude").write_text("wrangler.toml\n")
        self._feeder("init")

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)

    def sync(self, run: str, *options: str) -> Cost:
        """Commits the folder, syncs it and returns the cost of that run."""
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", run)
        self._cache.unlink(missing_ok=True)
        before, rows = self._standin.counts(), self._standin.rows_written()
        report = self.last = json.loads(self._feeder("sync", "--json", *options))
        after = self._standin.counts()
        rows = self._standin.rows_written() - rows
        d1, vectorize, ai = (after[name] - before[name] for name in ("d1", "vectorize", "ai"))
        return Cost(run, d1, vectorize, ai, report["texts_embedded"], rows)

    def requests(self, *command: str) -> Counter[str]:
        """Runs a command without a named model; returns its requests by service."""
        before = self._standin.counts()
        unnamed = {name: text for name, text in self._environment.items() if name != "FEEDER_MODEL"}
        self._feeder(*command, environment=unnamed)
        after = self._standin.counts()
        return Counter({name: after[name] - before[name] for name in after})

    def _git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True)

    def _feeder(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        command = [sys.executable, "-c", PROGRAM, *arguments, "--quiet"]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment or self._environment,
            check=True,
            stdout=subprocess.PIPE,
        )
        return done.stdout.decode()


def measure_changes(standin: StandIn, folder: Path, files: int) -> Iterator[Cost]:
    """Yields the cost of a first sync and of each kind of change after it."""
    project = Project(folder, standin)
    project.write({f"src/parts/m{number:03}.py": module(number) for number in range(files)})
    yield project.sync("first sync")
    yield project.sync("nothing changed")
    edited = module(3).replace("self.weigh + value", "self.weigh - value", 1)
    project.write({"src/parts/m003.py": edited})
    yield project.sync("one node of a file edited")
    project.write({"src/parts/m004.py": f"\n{module(4)}"})
    yield project.sync("a line put at the top of a file of 20 nodes")
    (project.folder / "src/parts/m005.py").rename(project.folder / "src/m005.py")
    yield project.sync("a file of 20 nodes renamed")
    (project.folder / "src/parts/m006.py").unlink()
    yield project.sync("a file of 20 nodes deleted")
    (project.folder / "src/kept").mkdir()
    for number in range(files - FOLDER_FILES, files):
        name = f"m{number:03}.py"
        (project.folder / "src/parts" / name).rename(project.folder / "src/kept" / name)
    yield project.sync(f"{FOLDER_FILES} files of 20 nodes renamed")


def table(standin: StandIn, files: int) -> str:
    """Returns the table for a repository of this many files, below its title."""
    with tempfile.TemporaryDirectory() as folder:
        costs = list(measure_changes(standin, Path(folder), files))
    title = f"{files * NODES_PER_FILE:,} nodes in {files} files:\n\n"
    return title + HEAD + "".join(f"{cost.line()}\n" for cost in costs)


def measure_stored_source(standin: StandIn, folder: Path, files: int) -> Iterator[Cost]:
    """Yields the costs of stored source: first sync, later changes, and turning it off and on."""
    project = Project(folder, standin)
    project.write({f"src/parts/m{number:03}.py": module(number) for number in range(files)})
    yield project.sync("first sync with `--texts`", "--texts")
    yield project.sync("nothing changed")
    edited = module(3).replace("self.weigh + value", "self.weigh - value", 1)
    project.write({"src/parts/m003.py": edited})
    yield project.sync("one node of a file edited")
    (project.folder / "src/parts/m006.py").unlink()
    yield project.sync("a file of 20 nodes deleted")
    yield project.sync("later `--no-texts`", "--no-texts")
    yield project.sync("later `--texts` once more", "--texts")


def texts_table(standin: StandIn, files: int) -> str:
    """Returns the table for an index with stored source."""
    standin.reset()
    with tempfile.TemporaryDirectory() as folder:
        costs = list(measure_stored_source(standin, Path(folder), files))
    title = f"{files * NODES_PER_FILE:,} nodes in {files} files, with stored source:\n\n"
    return title + HEAD + "".join(f"{cost.line()}\n" for cost in costs)


def queries_table(standin: StandIn) -> str:
    """Returns the table with the requests of commands that write nothing, for two models."""
    lines = []
    for model in ("static", "@cf/baai/bge-m3"):
        standin.reset()
        standin.change(vectorize_delay_s=0)
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder), standin, FEEDER_MODEL=model)
            project.write({f"src/m{number}.py": module(number) for number in range(3)})
            project.sync("first sync")
            for words in UNCHANGING:
                counts = project.requests(*words)
                numbers = " | ".join(str(counts[name]) for name in ("d1", "vectorize", "ai"))
                lines.append(f"| `{model}` | `feeder {shlex.join(words)}` | {numbers} |\n")
    return QUERIES_HEAD + "".join(lines)


def first_sync_row(standin: StandIn, model: str, dimensions: str, files: int) -> str:
    """Returns the table row for a first sync with one model into an empty account."""
    standin.reset()
    environment = {
        "FEEDER_MODEL": model,
        **({"FEEDER_DIMENSIONS": dimensions} if dimensions else {}),
    }
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), standin, **environment)
        project.write({f"src/parts/m{number:03}.py": module(number) for number in range(files)})
        cost = project.sync("first sync")
        usage = project.last["usage"]
    length = usage["dimensions"] // cost.texts
    return (
        f"| `{model}` | {length:,} | {cost.d1} | {cost.vectorize} | {cost.ai} | "
        f"{usage['neurons']:,.0f} | {cost.rows:,} | {MAX_STORED_DIMENSIONS // length:,} |\n"
    )


def models_table(standin: StandIn, files: int) -> str:
    """Returns the table of first syncs of one repository, with one row per model."""
    title = f"First sync of {files * NODES_PER_FILE:,} nodes in {files} files, by model:\n\n"
    return title + MODELS_HEAD + "".join(first_sync_row(standin, *model, files) for model in MODELS)


def main() -> None:
    """Prints the tables for each number of files on the command line, or for 500."""
    for files in sys.argv[1:] or [str(FILES)]:
        with StandIn.start() as standin:
            print(table(standin, int(files)))
            print(models_table(standin, int(files)))
            print(texts_table(standin, int(files)))
            print(queries_table(standin))


if __name__ == "__main__":
    main()
