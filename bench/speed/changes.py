"""Measures the sync of everyday changes, to a SQLite file and to the stand-in for Cloudflare."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from standin import StandIn

from speed.bench import Bench
from speed.edits import Edits, choose_targets
from speed.figures import Figures
from speed.first_sync import arguments
from speed.program import FinishedRun, Program
from speed.repository import clone

PART = "changes"
MODEL = "@cf/baai/bge-small-en-v1.5"
"""The model of Workers AI with the shortest vectors."""
SERVICES = ("d1", "vectorize", "ai")
KINDS = {
    "nothing changed": Edits.nothing,
    "a line edited": Edits.line,
    "a line put at the top of the longest file": Edits.top,
    "a folder renamed": Edits.rename,
}


class SyncedIndex(Protocol):
    """An index that can be synced with a repository."""

    def sync(self) -> Mapping[str, float]:
        """Syncs the index and returns the cost by measure."""


class Local(NamedTuple):
    """An index in a SQLite file, without vectors."""

    program: Program
    repository: Path
    database: Path

    def sync(self) -> dict[str, float]:
        done = self.program.timed(*arguments(self.repository, self.database))
        return {"local_s": done.wall_s}


class Cloud(NamedTuple):
    """An index in an account at the stand-in, with embeddings and an embedding cache."""

    program: Program
    repository: Path
    standin: StandIn
    scratch: Path

    def init(self) -> None:
        """Creates the database and the vector index."""
        self._feeder("init")

    def sync(self) -> dict[str, float]:
        before, rows_before = self.standin.counts(), self.standin.rows_written()
        done = self._feeder("sync")
        after, rows_written = self.standin.counts(), self.standin.rows_written() - rows_before
        requests = {name: float(after[name] - before[name]) for name in SERVICES}
        texts = done.report["texts_embedded"]
        return {"cloud_s": done.wall_s, "texts": texts, "rows": rows_written, **requests}

    def _feeder(self, command: str) -> FinishedRun:
        options = ["-C", str(self.repository), "--store", "cloudflare", "--json", "--quiet"]
        variables = {
            **self.standin.environment,
            "FEEDER_MODEL": MODEL,
            "FEEDER_CACHE": str(self.scratch / "embeddings.db"),
            "FEEDER_REPO": f"bench/{self.repository.name}",
        }
        return self.program.timed(command, *options, variables=variables)


@contextmanager
def account(bench: Bench, *, is_needed: bool) -> Iterator[StandIn | None]:
    """Starts the stand-in. Yields None if it is not needed or cannot be started.

    The reason of the latter is recorded.
    """
    reason = StandIn.missing()
    if is_needed and reason:
        bench.fail("requests, texts and rows", reason)
    if reason or not is_needed:
        yield None
        return
    with StandIn.start() as standin:
        yield standin


def measure(bench: Bench, name: str, repository: Path, standin: StandIn | None) -> None:
    """Measures all kinds of changes for every run, program and index in turn."""
    copy = clone(repository, bench.scratch / name)
    indexes = list(_indexes(bench, copy, standin))
    for index, _ in indexes:
        bench.print_progress(f"{name}: first sync of {type(index).__name__}")
        index.sync()
    database = next(index.database for index, _ in indexes if isinstance(index, Local))
    edits = Edits(copy, choose_targets(database))
    for kind, change in KINDS.items():
        bench.print_progress(f"{name}: {kind}")
        for _ in range(bench.runs):
            change(edits)
            for index, figures in indexes:
                figures.add(PART, f"{name}: {kind}", index.sync())


def _indexes(
    bench: Bench, repository: Path, standin: StandIn | None
) -> Iterator[tuple[SyncedIndex, Figures]]:
    """Yields an index per program; only the first program has one at the stand-in too."""
    for number, (program, figures) in enumerate(bench.programs.items()):
        database = bench.scratch / f"{repository.name}-{number}.db"
        yield Local(program, repository, database), figures
    if standin:
        standin.reset()
        cloud = Cloud(bench.program, repository, standin, bench.scratch)
        cloud.init()
        yield cloud, bench.figures
