"""What does a question take at the edge? Feeds two indexes, asks each, and prints a table.

CPU is what the process of the Worker takes, its runtime and bindings with it; D1's SQLite and
Vectorize run in others, as they do at Cloudflare.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from answers.corpora import Absent
from standin import StandIn

from at_edge.account import fed
from at_edge.corpora import CORPORA
from at_edge.measuring import Measured, measured
from at_edge.page import report
from edge.worker_build import built

ROOT = Path(__file__).resolve().parents[2]
NAMES = [corpus.name for corpus in CORPORA]


def main() -> int:
    """The exit code: 2 where a snapshot or what runs the Worker is missing."""
    said = _said()
    if missing := StandIn.missing():
        _say(missing)
        return 2
    try:
        print(report(list(_all(said))), end="")
    except Absent as exc:
        _say(f"{exc}. Name the folder of snapshots with --mirror or EVAL_MIRROR.")
        return 2
    return 0


def _all(said: argparse.Namespace) -> Iterator[Measured]:
    places = [corpus.made(said.mirror, said.work) for corpus in CORPORA if corpus.name in said.only]
    with StandIn.start() as standin, tempfile.TemporaryDirectory() as folder:
        script = built(Path(folder) / "worker.js", "--out")
        for place in places:
            _say(f"{place.name}: fed")
            index = fed(standin, place)
            _say(f"{place.name}: asked")
            yield from measured(script, index, said.questions, said.isolates)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _said() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench worker", description=__doc__)
    add = parser.add_argument
    add(
        "--mirror",
        type=Path,
        default=Path(os.environ.get("EVAL_MIRROR", "")),
        metavar="FOLDER",
        help="Bare snapshots as owner+name/repo; else EVAL_MIRROR.",
    )
    add(
        "--work",
        type=Path,
        default=ROOT / ".bench" / "worker",
        metavar="FOLDER",
        help="What keeps the repositories.",
    )
    add("--only", choices=NAMES, nargs="+", default=NAMES, help="Of which indexes; else of all.")
    add("--questions", type=int, default=60, help="To each index in each way; else 60.")
    add("--isolates", type=int, default=9, help="That are asked for the first time; else 9.")
    return parser.parse_args(sys.argv[2:])
