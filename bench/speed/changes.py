"""Measures the sync of everyday changes, to a SQLite file and to the stand-in for Cloudflare."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from standin import StandIn

from speed.bench import Bench
from speed.edits import Edits, aims
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


class Place(Protocol):
    """An index that can be synced with a repository."""

    def synced(self) -> Mapping[str, float]:
        """Syncs the index and returns the cost by measure."""


class Local(NamedTuple):
    """An index in a SQLite file, without vectors."""

    program: Program
    repository: Path
    database: Path

    def synced(self) -> dict[str, float]:
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

    def synced(self) -> dict[str, float]:
        before, rows = self.standin.counts(), self.standin.rows_written()
        done = self._feeder("sync")
        after, written = self.standin.counts(), self.standin.rows_written() - rows
        requests = {name: float(after[name] - before[name]) for name in SERVICES}
        texts = done.report["texts_embedded"]
        return {"cloud_s": done.wall_s, "texts": texts, "rows": written, **requests}

    def _feeder(self, command: str) -> FinishedRun:
        where = ["-C", str(self.repository), "--store", "cloudflare", "--json", "--quiet"]
        more = {
            **self.standin.environment,
            "FEEDER_MODEL": MODEL,
            "FEEDER_CACHE": str(self.scratch / "embeddings.db"),
            "FEEDER_REPO": f"bench/{self.repository.name}",
        }
        return self.program.timed(command, *where, more=more)


@contextmanager
def account(bench: Bench, *, is_wanted: bool) -> Iterator[StandIn | None]:
    """Starts the stand-in. Yields None if it is not wanted or cannot be started.

    The reason of the latter is recorded.
    """
    reason = StandIn.missing()
    if is_wanted and reason:
        bench.fail("requests, texts and rows", reason)
    if reason or not is_wanted:
        yield None
        return
    with StandIn.start() as standin:
        yield standin


def measure(bench: Bench, name: str, repository: Path, standin: StandIn | None) -> None:
    """Measures all kinds of changes for every run, program and index in turn."""
    copy = clone(repository, bench.scratch / name)
    places = list(_places(bench, copy, standin))
    for place, _ in places:
        bench.say(f"{name}: first sync of {type(place).__name__}")
        place.synced()
    database = next(place.database for place, _ in places if isinstance(place, Local))
    edits = Edits(copy, aims(database))
    for kind, change in KINDS.items():
        bench.say(f"{name}: {kind}")
        for _ in range(bench.runs):
            change(edits)
            for place, figures in places:
                figures.add(PART, f"{name}: {kind}", place.synced())


def _places(
    bench: Bench, repository: Path, standin: StandIn | None
) -> Iterator[tuple[Place, Figures]]:
    """Yields an index per program; only the first program has one at the stand-in too."""
    for number, (program, figures) in enumerate(bench.programs.items()):
        database = bench.scratch / f"{repository.name}-{number}.db"
        yield Local(program, repository, database), figures
    if standin:
        standin.reset()
        cloud = Cloud(bench.program, repository, standin, bench.scratch)
        cloud.init()
        yield cloud, bench.figures
