"""Measures queries to the Worker on two indexes and prints a table.

CPU time is that of the Worker's process with its runtime and bindings. D1's SQLite and Vectorize
run in other processes, as they do at Cloudflare.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from answers.corpora import Absent
from standin import StandIn

from edge.worker_build import built
from worker_cost.account import Index, create_index
from worker_cost.corpora import CORPORA
from worker_cost.isolate import IncompleteAnswer
from worker_cost.measure import MODES, QueryCosts, Scripts, measure
from worker_cost.report import report, report_by_kind

ROOT = Path(__file__).resolve().parents[2]
NAMES = [corpus.name for corpus in CORPORA]


def main() -> int:
    """Returns the exit code: 2 if a snapshot or the Worker's runtime is missing, 1 if vectors were
    not searched.
    """
    args = _parse_args()
    repositories = create_corpora(args)
    if repositories is None:
        return 2
    try:
        costs = list(_measure_all(args, repositories))
        print(report(costs), report_by_kind(costs), sep="\n", end="")
    except IncompleteAnswer as exc:
        _print_progress(f"An answer lacks its vectors, so its cost says nothing. {exc}")
        return 1
    return 0


def _measure_all(args: argparse.Namespace, repositories: list[Path]) -> Iterator[QueryCosts]:
    with StandIn.start() as standin, tempfile.TemporaryDirectory() as folder:
        worker = built(Path(folder) / "worker.js", "--out")
        scripts = Scripts(worker, built(Path(folder) / "replay.js", "--entry", "replay", "--out"))
        modes = list(MODES)[:1] if args.by_words else list(MODES)
        for repository in repositories:
            _print_progress(f"{repository.name}: indexing")
            index = create_index(standin, repository, with_vectors=not args.by_words)
            _print_progress(f"{repository.name}: running queries")
            yield from measure(scripts, index, args.questions, args.isolates, modes)


def report_each(command: str, description: str, report: Callable[[Path, Index], None]) -> int:
    """Calls `report` with the built Worker and the index of each corpus on the command line.

    The index has no vectors. Returns the exit code: 2 if a snapshot or the Worker's runtime is
    missing.
    """
    parser = argparse.ArgumentParser(prog=f"python -m bench {command}", description=description)
    add_corpora(parser)
    repositories = create_corpora(parser.parse_args(sys.argv[2:]))
    if repositories is None:
        return 2
    with StandIn.start() as standin, tempfile.TemporaryDirectory() as folder:
        script = built(Path(folder) / "worker.js", "--out")
        for repository in repositories:
            report(script, create_index(standin, repository, with_vectors=False))
    return 0


def create_corpora(args: argparse.Namespace) -> list[Path] | None:
    """Returns the chosen repositories; creates those that do not exist.

    Prints what is missing and returns None without a snapshot, or without the Worker's runtime.
    """
    if missing := StandIn.missing():
        _print_progress(missing)
        return None
    chosen = [corpus for corpus in CORPORA if corpus.name in args.only]
    try:
        return [corpus.create(args.mirror, args.work) for corpus in chosen]
    except Absent as exc:
        _print_progress(f"{exc}. Name the folder of snapshots with --mirror or EVAL_MIRROR.")
        return None


def _print_progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench worker", description=__doc__)
    add_corpora(parser)
    add = parser.add_argument
    add("--questions", type=int, default=60, help="Queries per index and mode (default: 60).")
    add("--isolates", type=int, default=9, help="New isolates for first queries (default: 9).")
    add("--by-words", action="store_true", help="Compute and search no vectors.")
    return parser.parse_args(sys.argv[2:])


def add_corpora(parser: argparse.ArgumentParser) -> None:
    """Adds the options that choose repositories."""
    add_folders(parser, "worker")
    parser.add_argument(
        "--only", choices=NAMES, nargs="+", default=NAMES, help="Measure only these indexes."
    )


def add_folders(parser: argparse.ArgumentParser, name: str) -> None:
    """Adds the options for the folder of snapshots, and the one that is written to."""
    parser.add_argument(
        "--mirror",
        type=Path,
        default=Path(os.environ.get("EVAL_MIRROR", "")),
        metavar="FOLDER",
        help="Folder of bare snapshots, owner+name/repo (default: EVAL_MIRROR).",
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=ROOT / ".bench" / name,
        metavar="FOLDER",
        help=f"Folder for repositories and indexes (default: .bench/{name}).",
    )
