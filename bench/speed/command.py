"""Measures the program's speed and prints tables."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from standin import StandIn

from speed import (
    changes,
    commands,
    comparison,
    embedding,
    first_sync,
    growth,
    machine,
    page,
    search_latency,
    semble_comparison,
    sizes,
    start,
    static_vectors,
)
from speed.bench import Bench
from speed.corpora import CORPORA
from speed.figures import Figures
from speed.program import Program, find_installed

ROOT = Path(__file__).resolve().parents[2]
NAMES = [corpus.name for corpus in CORPORA]
PARTS: dict[str, Callable[[Bench], None]] = {
    part.PART: part.measure
    for part in (
        start,
        commands,
        static_vectors,
        semble_comparison,
        embedding,
        search_latency,
        growth,
        sizes,
    )
}
"""Measurements that belong to no single corpus, by the name that `--only` takes."""
ALL = [*NAMES, *PARTS]
QUICK = ["start", "rxjs", "react-native"]


def main() -> int:
    """Returns the exit code: 1 if a measurement failed."""
    args = _parse_args()
    if args.tables:
        print(page.report(Figures.read(args.tables)))
        return 0
    about = machine.about() | {"runs": str(args.runs)}
    programs = {program: Figures(about) for program in _programs(args)}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        bench = Bench(programs, args.runs, Path(name), args.corpora, _print_progress)
        with changes.account(bench, is_needed=not args.quick) as standin:
            for task, measure in _tasks(bench, args.only, standin):
                bench.attempt(task, measure)
    _write_results(bench, args)
    return 1 if bench.figures.failed else 0


def _programs(args: argparse.Namespace) -> Iterator[Program]:
    yield Program.at("feeder", args.feeder)
    if args.against:
        yield Program.at("the other", args.against)


def _tasks(
    bench: Bench, selected: list[str], standin: StandIn | None
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yields the chosen measurements with their names, in the order of `ALL`."""
    for name in filter(selected.__contains__, NAMES):
        yield name, partial(_measure, bench, name, standin)
    for part in filter(selected.__contains__, PARTS):
        yield part, partial(PARTS[part], bench)


def _measure(bench: Bench, name: str, standin: StandIn | None) -> None:
    """Measures first syncs and changes of one corpus."""
    repository = bench.corpus(name)
    first_sync.measure(bench, name, repository)
    changes.measure(bench, name, repository, standin)


def _write_results(bench: Bench, args: argparse.Namespace) -> None:
    """Prints the tables, and writes the files that the options name."""
    if args.against:
        print(comparison.report(bench.programs))
    else:
        print(page.report(bench.figures))
    if args.json:
        bench.figures.write(args.json)
    if args.write:
        page.fill(args.write, bench.figures)


def _print_progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in ALL]:
        raise argparse.ArgumentTypeError(f"unknown name {unknown[0]}: choose from {', '.join(ALL)}")
    return names


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add = parser.add_argument
    add("--only", type=_names, metavar="NAME,…", help=f"Measure only: {', '.join(ALL)}.")
    add("--quick", action="store_true", help="Two small corpora, without the stand-in.")
    add("--runs", type=int, help="Runs per median (default: 3, or 5 with --quick).")
    add(
        "--feeder",
        type=Path,
        default=find_installed(),
        help="The program (default: the installed one).",
    )
    add("--against", type=Path, help="Measure a second program in turn and print ratios.")
    add(
        "--corpora",
        type=Path,
        default=ROOT / ".bench",
        help="Cache folder of the corpora (default: .bench).",
    )
    add("--json", type=Path, metavar="FILE", help="Write every measured value as JSON.")
    add(
        "--write",
        type=Path,
        metavar="PAGE",
        help="Write the tables between the marks of this page.",
    )
    add(
        "--tables",
        type=Path,
        metavar="FILE",
        help="Print the tables of a file that --json wrote; measure nothing.",
    )
    args = parser.parse_args()
    if args.write and (args.only or args.quick or args.against):
        parser.error(
            "--write PAGE needs all measurements: it excludes --only, --quick and --against."
        )
    args.only = args.only or (QUICK if args.quick else ALL)
    args.runs = args.runs or (5 if args.quick else 3)
    return args
