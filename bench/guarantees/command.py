"""Tests a guarantee on the chosen stores and prints a table."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chatting import chatting
from standin import StandIn

from guarantees import killed, refused, table, together
from guarantees.history import Commits, commits
from guarantees.stores import Cloud, CloudStatic, Embedded, Store, WordsOnly

TRIALS = {"killed": killed, "refused": refused, "together": together}
SOME = 5
"""--fast tests one of this many steps."""


def main() -> int:
    """Returns the exit code: 1 if a guarantee was violated."""
    said = _said()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        history = commits(folder)
        with _opened(said.what, said.stores, folder) as stores:
            return 0 if _held(said.what, stores, history, fast=said.fast) else 1


def _held(what: str, stores: list[Store], history: Commits, *, fast: bool) -> bool:
    """Returns True if the guarantee held on every store."""
    trial = TRIALS[what]
    table.head(*trial.HEAD)
    every = SOME if fast else 1
    held = [trial.held(store, history, every) for store in stores]
    return all(held)


@contextmanager
def _opened(what: str, names: list[str], folder: Path) -> Iterator[list[Store]]:
    with ExitStack() as stack:
        stores: list[Store] = []
        if "embedded" in names:
            stores.append(Embedded(folder / "embedded"))
            if what == "killed":
                stores.append(WordsOnly(folder / "words"))
        if "cloud" in names:
            standin = stack.enter_context(StandIn.start())
            stores.append(Cloud(folder / "cloud", standin))
            stores.append(CloudStatic(folder / "static", standin))
        model = stack.enter_context(chatting())
        for store in stores:
            store.describer = model
            stack.callback(store.close)
        yield stores


def _said() -> argparse.Namespace:
    """Parses the options. Exits with code 2 if the guarantee cannot be tested here."""
    parser = argparse.ArgumentParser(prog="guarantees", description=__doc__)
    parser.add_argument("what", choices=TRIALS)
    parser.add_argument("--store", choices=("embedded", "cloud"), help="Test only this store.")
    parser.add_argument("--fast", action="store_true", help=f"Test one of {SOME} steps.")
    said = parser.parse_args()
    said.stores = [name for name in TRIALS[said.what].STORES if said.store in {None, name}]
    if not said.stores:
        parser.exit(2, f"{said.what} does not apply to the {said.store} store: omit --store.\n")
    if "cloud" in said.stores and (reason := StandIn.missing()):
        parser.exit(2, f"{reason}\n")
    return said
