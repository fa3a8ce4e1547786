"""Asks the questions of a folder that is no part of this repository, and prints a table."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from answers import page
from answers.corpora import Absent
from answers.measuring import ALL_SETS, WAYS, Results, all_measured
from answers.parts import WITHOUT, leave_out
from answers.sets import Sources
from feeder.cli.evaluation_report import Evaluation, evaluation_json

ROOT = Path(__file__).resolve().parents[2]
SAID = {"questions": "questions", "mirror": "snapshots"}
"""The folders that have to be there, and what lies in them."""


def main() -> int:
    """The exit code: 1 where nothing could be asked, 2 where a folder is missing."""
    said = _said()
    try:
        sources = _sources(said)
    except Absent as exc:
        _say(str(exc))
        return 2
    leave_out(said.without or ())
    results = all_measured(said.only or ALL_SETS, said.by or [*WAYS], sources)
    print(page.report(results), end="")
    if said.json:
        said.json.write_text(json.dumps(_facts(results), indent=1))
    return 0 if results else 1


def _sources(said: argparse.Namespace) -> Sources:
    """Raises Absent where questions or snapshots are not here."""
    for name, what in SAID.items():
        folder = getattr(said, name)
        if not (folder and Path(folder).is_dir()):
            raise Absent(
                f"There is no folder of {what} ({folder or 'none is named'}). Name it with "
                f"--{name} or EVAL_{name.upper()}. "
                "docs/benchmarks/search-quality.md lists its contents."
            )
    work = Path(said.work).resolve()
    return Sources(Path(said.questions), Path(said.mirror), work, _say, said.describe)


def _facts(results: Results) -> dict[str, object]:
    """Every question under every way, by set and way."""
    return {
        f"{name}, {WAYS[way].title}": evaluation_json(Evaluation(name, "", (), asked, ()))
        for (name, way), asked in results.items()
    }


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _said() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench answers", description=__doc__)
    add = parser.add_argument
    add(
        "--questions",
        default=os.environ.get("EVAL_QUESTIONS", ""),
        metavar="FOLDER",
        help="What the questions lie in; else EVAL_QUESTIONS.",
    )
    add(
        "--mirror",
        default=os.environ.get("EVAL_MIRROR", ""),
        metavar="FOLDER",
        help="Bare snapshots as owner+name/repo; else EVAL_MIRROR.",
    )
    add(
        "--work",
        default=str(ROOT / ".bench" / "answers"),
        metavar="FOLDER",
        help="What keeps the corpora and their indexes.",
    )
    add("--only", type=_some(ALL_SETS), metavar="SET,…", help=f"Of {', '.join(ALL_SETS)}.")
    add("--by", type=_some(tuple(WAYS)), metavar="WAY,…", help=f"Of {', '.join(WAYS)}.")
    add(
        "--without",
        type=_some(tuple(WITHOUT)),
        metavar="PART,…",
        help=f"Leaves out parts of the ranking: {', '.join(WITHOUT)}.",
    )
    add(
        "--describe",
        default="",
        metavar="URL#NAME",
        help="Has each method and class described by a language model first.",
    )
    add("--json", type=Path, metavar="FILE", help="Every question with its first hits.")
    return parser.parse_args(sys.argv[2:])


def _some(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Reads names between commas; raises ArgumentTypeError for an unknown one."""

    def some(text: str) -> list[str]:
        names = text.split(",")
        if unknown := [name for name in names if name not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
        return names

    return some
