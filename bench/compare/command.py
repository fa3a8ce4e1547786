"""Compares the speed of the checkout with that of the commit BASE, and prints the ratios new ÷ old.

Both versions run in turn with the same Python and packages, on a repository with the base's own
src and docs folders. CPU seconds are those of all processes of a run. A row is above the limit if
the ratios of the medians and of the smallest figures are, and nearly all new figures are larger.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from speed import machine
from speed.figures import Figures

from compare.ratios import Ratio, ratio_json, ratio_table, ratios, ratios_above
from compare.steps import measure_memory, run_round, run_rounds
from compare.versions import base_and_checkout

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Returns the exit code: 1 if a ratio is above the limit."""
    args = _parse_args(sys.argv[2:])
    old, new = Figures(), Figures()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        versions = base_and_checkout(ROOT, args.base, Path(name).resolve())
        print(f"Comparing the checkout with {args.base}…", file=sys.stderr, flush=True)
        run_round(0, versions, (Figures(), Figures()))  # compiles all modules: it is not counted
        rounds = run_rounds(
            lambda number: run_round(number, versions, (old, new)),
            args.seconds,
            lambda: bool(ratios_above(args.limit, ratios(old, new))),
        )
        measure_memory(versions, (old, new))
    results = ratios(old, new)
    print(
        f"{ratio_table(results)}\nMedians of {rounds} rounds. Old: {args.base}; new: the checkout."
    )
    if args.json:
        details = {"base": args.base, "rounds": rounds, "about": machine.about()}
        rows = [ratio_json(ratio) for ratio in results]
        args.json.write_text(json.dumps(details | {"ratios": rows}, indent=1) + "\n", "utf-8")
    return _exit_code(args.limit, results)


def _exit_code(limit: float | None, results: Sequence[Ratio]) -> int:
    """Prints the rows above the limit; returns the exit code."""
    slower = ratios_above(limit, results)
    for ratio in slower:
        print(f"{ratio.name} is {ratio.median:.2f} times the base's; the limit is {limit:.2f}.")
    return 1 if slower else 0


def _parse_args(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench compare", description=__doc__)
    add = parser.add_argument
    add("base", metavar="BASE", help="The commit to compare with, such as main or HEAD^.")
    add(
        "--limit",
        type=float,
        metavar="RATIO",
        help="Exit 1 and name the rows if a ratio is above this, such as 1.10.",
    )
    add("--json", type=Path, metavar="FILE", help="Write every measured value as JSON.")
    add(
        "--seconds",
        type=float,
        default=75,
        help="Start no round later than this, after the first five (default: 75); up to twice as "
        "late if a ratio is above the limit.",
    )
    return parser.parse_args(arguments)
