"""Measures search quality on labelled queries and prints a table.

The queries are not part of this repository; docs/benchmarks/search-quality.md lists their files.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from answers import report
from answers.ablation import PARTS, disable
from answers.corpora import Absent
from answers.measure import ALL_SETS, MODES, Results, measure_all
from answers.sets import Sources
from feeder.cli.evaluation_report import Evaluation, evaluation_json

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"questions": "queries", "mirror": "snapshots"}
"""The required folders, by option, and their contents."""


def main() -> int:
    """Returns the exit code: 1 if no query could be run, 2 if a folder is missing."""
    args = _parse_args()
    try:
        sources = _sources(args)
    except Absent as exc:
        _print_progress(str(exc))
        return 2
    disable(args.without or ())
    results = measure_all(args.only or ALL_SETS, args.by or [*MODES], sources)
    print(report.table_text(results), end="")
    if args.json:
        args.json.write_text(json.dumps(_results_json(results), indent=1))
    return 0 if results else 1


def _sources(args: argparse.Namespace) -> Sources:
    """Returns the folders. Raises Absent if the queries or the snapshots are missing."""
    for name, contents in FOLDERS.items():
        folder = getattr(args, name)
        if not (folder and Path(folder).is_dir()):
            raise Absent(
                f"There is no folder of {contents} ({folder or 'not given'}). Name it with "
                f"--{name} or EVAL_{name.upper()}. "
                "docs/benchmarks/search-quality.md lists its contents."
            )
    work = Path(args.work).resolve()
    return Sources(Path(args.questions), Path(args.mirror), work, _print_progress, args.describe)


def _results_json(results: Results) -> dict[str, object]:
    """Returns every query's result as JSON, by query set and mode."""
    return {
        f"{name}, {MODES[mode].title}": evaluation_json(Evaluation(name, "", (), outcomes, ()))
        for (name, mode), outcomes in results.items()
    }


def _print_progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench answers", description=__doc__)
    add = parser.add_argument
    add(
        "--questions",
        default=os.environ.get("EVAL_QUESTIONS", ""),
        metavar="FOLDER",
        help="Folder of the labelled queries (default: EVAL_QUESTIONS).",
    )
    add(
        "--mirror",
        default=os.environ.get("EVAL_MIRROR", ""),
        metavar="FOLDER",
        help="Folder of bare snapshots, owner+name/repo (default: EVAL_MIRROR).",
    )
    add(
        "--work",
        default=str(ROOT / ".bench" / "answers"),
        metavar="FOLDER",
        help="Folder for corpora and indexes (default: .bench/answers).",
    )
    add(
        "--only",
        type=_names_parser(ALL_SETS),
        metavar="SET,…",
        help=f"Run only these sets: {', '.join(ALL_SETS)}.",
    )
    add(
        "--by",
        type=_names_parser(tuple(MODES)),
        metavar="MODE,…",
        help=f"Run only these modes: {', '.join(MODES)}.",
    )
    add(
        "--without",
        type=_names_parser(tuple(PARTS)),
        metavar="PART,…",
        help=f"Disable parts of the ranking: {', '.join(PARTS)}.",
    )
    add(
        "--describe",
        default="",
        metavar="URL#NAME",
        help="Describe each method and class with this language model first.",
    )
    add("--json", type=Path, metavar="FILE", help="Write every query with its first hits as JSON.")
    return parser.parse_args(sys.argv[2:])


def _names_parser(choices: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Returns a parser of comma-separated names that raises ArgumentTypeError for unknown ones."""

    def parse(text: str) -> list[str]:
        names = text.split(",")
        if unknown := [name for name in names if name not in choices]:
            raise argparse.ArgumentTypeError(
                f"unknown name {unknown[0]}: choose from {', '.join(choices)}"
            )
        return names

    return parse
