"""What is measured, how often, and where the tables go."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from standin import StandIn

from speed import (
    changes,
    comparison,
    embedding,
    feeding,
    growth,
    machine,
    meaning,
    page,
    rival,
    searching,
    sizes,
    starting,
)
from speed.bench import Bench
from speed.corpora import CORPORA
from speed.figures import Figures
from speed.program import Program, installed

ROOT = Path(__file__).resolve().parents[2]
NAMES = [corpus.name for corpus in CORPORA]
PARTS: dict[str, Callable[[Bench], None]] = {
    part.PART: part.measure
    for part in (starting, meaning, rival, embedding, searching, growth, sizes)
}
"""What is measured by itself: each has a name of its own."""
ALL = [*NAMES, *PARTS]
QUICK = ["start", "rxjs", "react-native"]


def main() -> int:
    """The exit code: 1 where something could not be measured."""
    said = _said()
    if said.tables:
        print(page.report(Figures.read(said.tables)))
        return 0
    about = machine.about() | {"runs": str(said.runs)}
    programs = {program: Figures(about) for program in _programs(said)}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        bench = Bench(programs, said.runs, Path(name), said.corpora, _say)
        with changes.account(bench, is_wanted=not said.quick) as standin:
            for task, work in _tasks(bench, said.only, standin):
                bench.attempt(task, work)
    _tell(bench, said)
    return 1 if bench.figures.failed else 0


def _programs(said: argparse.Namespace) -> Iterator[Program]:
    yield Program.at("feeder", said.feeder)
    if said.against:
        yield Program.at("the other", said.against)


def _tasks(
    bench: Bench, chosen: list[str], standin: StandIn | None
) -> Iterator[tuple[str, Callable[[], None]]]:
    """In the order of all that there is, each with its name."""
    for name in filter(chosen.__contains__, NAMES):
        yield name, partial(_measure, bench, name, standin)
    for part in filter(chosen.__contains__, PARTS):
        yield part, partial(PARTS[part], bench)


def _measure(bench: Bench, name: str, standin: StandIn | None) -> None:
    """What there is to know of one corpus."""
    repository = bench.corpus(name)
    feeding.measure(bench, name, repository)
    changes.measure(bench, name, repository, standin)


def _tell(bench: Bench, said: argparse.Namespace) -> None:
    """Prints the tables, and writes what was asked for."""
    if said.against:
        print(comparison.report(bench.programs))
    else:
        print(page.report(bench.figures))
    if said.json:
        bench.figures.write(said.json)
    if said.write:
        page.fill(said.write, bench.figures)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in ALL]:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(ALL)}")
    return names


def _said() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add = parser.add_argument
    add("--only", type=_names, metavar="NAME,…", help=f"Of {', '.join(ALL)}; else all.")
    add("--quick", action="store_true", help="Two small corpora, the SQLite file alone.")
    add("--runs", type=int, help="Of which the median is taken; else 3, or 5 with --quick.")
    add("--feeder", type=Path, default=installed(), help="The program; else the one installed.")
    add("--against", type=Path, help="Another one, measured in turn with it: prints ratios.")
    add("--corpora", type=Path, default=ROOT / ".bench", help="The folder that keeps the corpora.")
    add("--json", type=Path, metavar="FILE", help="Every single figure.")
    add("--write", type=Path, metavar="PAGE", help="Put the tables between its marks.")
    add("--tables", type=Path, metavar="FILE", help="Only print the tables of such a JSON file.")
    said = parser.parse_args()
    if said.write and (said.only or said.quick or said.against):
        parser.error("--write PAGE is for all measurements: --only, --quick and --against print.")
    said.only = said.only or (QUICK if said.quick else ALL)
    said.runs = said.runs or (5 if said.quick else 3)
    return said
