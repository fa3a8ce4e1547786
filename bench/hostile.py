"""Parses hostile and mutated files in real worker processes and prints a table of the results.

    python bench/hostile.py [--mutations N] [--real FOLDER] [--kind KIND] [--language LANGUAGE]

Then runs `feeder sync` and `feeder validate` on a repository of hostile files. Exits with 1 if an
invariant was violated.
"""

import argparse
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from feeder.parse.worker_messages import Limits  # noqa: E402  # what follows is of tests/
from feeder.parse.worker_pool import WorkerPool  # noqa: E402
from feeder.progress import ProgressReporter  # noqa: E402
from parse.hostile_files import KINDS, Case  # noqa: E402
from parse.invariants import max_seconds, violated_property  # noqa: E402
from parse.language_samples import LANGUAGES, files_of_language, language_constructs, real_files  # noqa: E402
from parse.mutations import mutate  # noqa: E402

SEED = 5
SIZE = 1_000_000
"""The default of `--max-file-bytes`."""
LONG_LINE, LONG_KIND = 10_000_000, "all on one line"
SYNC_SIZE = 2000
REAL_SIZE, REAL_FILES = 40_000, 1000
"""Limits for the folder of real files: bytes per file, and files per language."""
HEAD = """\
| files | tested | parsed | no text | as plain text | CPU s at most | peak, MB | violations |
|---|---|---|---|---|---|---|---|
"""


class Task(NamedTuple):
    """The files of one language in a table row; without a kind, this many mutations."""

    row: str
    language: str
    kind: str | None
    mutations: int
    size: int
    folder: Path | None
    limits: Limits

    def files(self) -> Iterator[bytes]:
        real: Sequence[bytes] = real_files(self.language)
        draw = Random(f"{SEED} {self.row} {self.language}")
        if self.kind:
            yield from KINDS[self.kind](
                Case(language_constructs(self.language), real, self.size, draw)
            )
            return
        if self.folder:
            real = _real_contents(self.folder, self.language) or real
        for _ in range(self.mutations):
            yield mutate(draw.choice(real), draw.choice(real), draw)


@dataclass
class Tally:
    """Results of the files of a table row."""

    row: str
    files: int = 0
    parsed: int = 0
    skipped: int = 0
    as_plain_text: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    peak_bytes: int = 0
    violations: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.files += other.files
        self.parsed += other.parsed
        self.skipped += other.skipped
        self.as_plain_text += other.as_plain_text
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.peak_bytes = max(self.peak_bytes, other.peak_bytes)
        self.violations += other.violations

    def line(self) -> str:
        reasons = (f"{count:,}: {reason}" for reason, count in self.as_plain_text.most_common())
        return (
            f"| {self.row} | {self.files:,} | {self.parsed:,} | {self.skipped:,} "
            f"| {'; '.join(reasons) or '0'} | {self.slowest_s:.1f} "
            f"| {self.peak_bytes / 1e6:,.0f} | {len(self.violations)} |"
        )


def parse_task(task: Task) -> Tally:
    """Parses the files of a task one by one.

    The process must not have had other workers, because peak memory is that of all children.
    """
    tally = Tally(task.row)
    path = language_constructs(task.language).path
    with WorkerPool(count=1, limits=task.limits) as workers:
        list(workers.parse([(path, b"")]))  # start the worker before timing
        for number, content in enumerate(task.files()):
            started_s = processor_seconds_of_children()
            [parsed] = workers.parse([(path, content)])
            took_s = processor_seconds_of_children() - started_s
            tally.files += 1
            tally.skipped += parsed.skip is not None
            tally.parsed += not (parsed.skip or parsed.reason)
            tally.as_plain_text.update([parsed.reason] if parsed.reason else [])
            tally.slowest_s = max(tally.slowest_s, took_s)
            late = f"took {took_s:.1f} s" if took_s > max_seconds(task.limits) else None
            if violation := violated_property(parsed, content) or late:
                tally.violations.append(
                    f"{task.row}, {task.language}, file {number}: {violation:.200}"
                )
    # ru_maxrss is in kilobytes on Linux
    tally.peak_bytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if tally.peak_bytes > task.limits.max_bytes:
        tally.violations.append(f"{task.row}, {task.language}: {tally.peak_bytes / 1e6:.0f} MB")
    return tally


def processor_seconds_of_children() -> float:
    """Processor time of this process's children, ended and running; from `/proc`, so Linux only.

    The limits of the parsers are of processor time too, so that other work does not matter.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = 0
    for children in Path("/proc/self/task").glob("*/children"):
        for pid in children.read_text().split():
            with suppress(FileNotFoundError):  # it has ended since
                # the fields after the command's name in brackets: state, ..., utime (12th), stime
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ended.ru_utime + ended.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def _real_contents(folder: Path, language: str) -> list[bytes]:
    """Reads real files from a folder, the same ones in every run."""
    small = [
        file
        for file in files_of_language(language, folder.rglob("*"))
        if file.stat().st_size < REAL_SIZE
    ]
    return [file.read_bytes() for file in small[:: len(small) // REAL_FILES + 1]]


def tallies(tasks: Sequence[Task], jobs: int) -> Iterator[Tally]:
    """Yields the tally of each row in the order of the tasks, as soon as it is complete."""
    spawn = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(jobs, mp_context=spawn, max_tasks_per_child=1) as pool,
        ProgressReporter().step("languages of a row", len(tasks)) as step,
    ):
        for row, row_tallies in groupby(pool.map(parse_task, tasks), key=lambda tally: tally.row):
            total = Tally(row)
            for tally in row_tallies:
                total.add(tally)
                step(1)
            yield total


def print_table(tasks: Sequence[Task], jobs: int) -> list[str]:
    """Prints each row as soon as it is complete. Returns the invariant violations."""
    print(HEAD, end="")
    violations = []
    for tally in tallies(tasks, jobs):
        print(tally.line(), flush=True)
        violations += tally.violations
    print()
    return violations


def print_sync_results(folder: Path) -> list[str]:
    """Runs `feeder sync` and `feeder validate` on small hostile files. Returns the failures."""
    draw, count = Random(SEED), 0
    for language in LANGUAGES:
        for number, kind in enumerate(KINDS.values()):
            for content in kind(
                Case(language_constructs(language), real_files(language), SYNC_SIZE, draw)
            ):
                file = (
                    folder / language / str(number) / f"{count}{language_constructs(language).path}"
                )
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                count += 1
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for arguments in (
        ["init", "-q"],
        ["add", "-Af"],
        [*identity, "commit", "-qm", "hostile files"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    print(f"A repository of {count:,} hostile files:")
    violations = []
    for command in ("sync", "validate"):
        line = [sys.executable, "-m", "feeder", command, "--no-vectors", "--quiet"]
        done = subprocess.run(line, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
        print(f"\n`feeder {command}`, exit code {done.returncode}:\n{done.stdout}")
        violations += [f"feeder {command} ended with {done.returncode}"] if done.returncode else []
    return violations


def main() -> int:
    """Prints the table, then the output of a sync. Returns 1 if an invariant was violated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--mutations", type=int, default=1000, help="Mutations of real files per language."
    )
    parser.add_argument(
        "--real", type=Path, help="Folder of real files (default: the tests' samples)."
    )
    parser.add_argument("--size", type=int, default=SIZE, help="Size of the largest files, bytes.")
    parser.add_argument(
        "--timeout", type=float, default=Limits().timeout_s, help="Seconds per grammar."
    )
    parser.add_argument("--kind", action="append", help="Test only this kind of file; may repeat.")
    parser.add_argument(
        "--language", action="append", choices=LANGUAGES, help="Test only this one; may repeat."
    )
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    tasks = _hostile_tasks(args) if args.kind else [*_hostile_tasks(args), *_mutation_tasks(args)]
    if args.language:
        tasks = [task for task in tasks if task.language in args.language]
    violations = print_table(tasks, args.jobs)
    if not (args.kind or args.language):
        with tempfile.TemporaryDirectory() as folder:
            violations += print_sync_results(Path(folder))
    print(*violations, sep="\n", end="\n" if violations else "", file=sys.stderr)
    return 1 if violations else 0


def _hostile_tasks(args: argparse.Namespace) -> list[Task]:
    limits = Limits(timeout_s=args.timeout)
    rows = [(kind, kind, args.size) for kind in args.kind or KINDS]
    if not args.kind:
        rows.append((f"{LONG_KIND} of 10 MB", LONG_KIND, LONG_LINE))
    return [
        Task(row, language, kind, 0, size, None, limits)
        for row, kind, size in rows
        for language in LANGUAGES
    ]


def _mutation_tasks(args: argparse.Namespace) -> list[Task]:
    limits = Limits(timeout_s=args.timeout)
    return [
        Task(f"mutations of {name}", name, None, args.mutations, args.size, args.real, limits)
        for name in LANGUAGES
    ]


if __name__ == "__main__":
    sys.exit(main())
