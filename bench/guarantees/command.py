"""Tests a guarantee on the chosen stores and prints a table."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chat_server import running_chat_server
from standin import StandIn

from guarantees import concurrent_runs, crashes, error_responses, table
from guarantees.history import Commits, commits
from guarantees.stores import Cloud, CloudStatic, Embedded, Store, WordsOnly

TRIALS = {"killed": crashes, "refused": error_responses, "together": concurrent_runs}
FAST_INTERVAL = 5
"""--fast tests one of this many steps."""


def main() -> int:
    """Returns the exit code: 1 if a guarantee was violated."""
    args = _parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        history = commits(folder)
        with _open_stores(args.guarantee, args.stores, folder) as stores:
            return 0 if _all_passed(args.guarantee, stores, history, fast=args.fast) else 1


def _all_passed(guarantee: str, stores: list[Store], history: Commits, *, fast: bool) -> bool:
    """Returns True if the guarantee held on every store."""
    trial = TRIALS[guarantee]
    table.print_header(*trial.COLUMNS)
    interval = FAST_INTERVAL if fast else 1
    passed = [trial.run_trial(store, history, interval) for store in stores]
    return all(passed)


@contextmanager
def _open_stores(guarantee: str, names: list[str], folder: Path) -> Iterator[list[Store]]:
    with ExitStack() as stack:
        stores: list[Store] = []
        if "embedded" in names:
            stores.append(Embedded(folder / "embedded"))
            if guarantee == "killed":
                stores.append(WordsOnly(folder / "words"))
        if "cloud" in names:
            standin = stack.enter_context(StandIn.start())
            stores.append(Cloud(folder / "cloud", standin))
            stores.append(CloudStatic(folder / "static", standin))
        model = stack.enter_context(running_chat_server())
        for store in stores:
            store.describer = model
            stack.callback(store.close)
        yield stores


def _parse_args() -> argparse.Namespace:
    """Parses the options. Exits with code 2 if the guarantee cannot be tested here."""
    parser = argparse.ArgumentParser(prog="guarantees", description=__doc__)
    parser.add_argument("guarantee", choices=TRIALS)
    parser.add_argument("--store", choices=("embedded", "cloud"), help="Test only this store.")
    parser.add_argument("--fast", action="store_true", help=f"Test one of {FAST_INTERVAL} steps.")
    args = parser.parse_args()
    args.stores = [name for name in TRIALS[args.guarantee].STORES if args.store in {None, name}]
    if not args.stores:
        parser.exit(
            2, f"{args.guarantee} does not apply to the {args.store} store: omit --store.\n"
        )
    if "cloud" in args.stores and (reason := StandIn.missing()):
        parser.exit(2, f"{reason}\n")
    return args
