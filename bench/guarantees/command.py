"""Which promises are tried, on which store?"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from standin import StandIn

from guarantees import killed, refused, table, together
from guarantees.history import Commits, commits
from guarantees.stores import Cloud, Embedded, Store, WordsOnly

STORES = ("embedded", "cloud")
SOME = 5
"""Of so many points --fast tries one."""


def main() -> int:
    """The exit code: 1 where a promise did not hold."""
    said = _said()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        history = commits(folder)
        with _opened(said.what, said.store or list(STORES), folder) as stores:
            return 0 if _held(said.what, stores, history, fast=said.fast) else 1


def _held(what: str, stores: list[Store], history: Commits, *, fast: bool) -> bool:
    """Whether every store kept the promise."""
    trial = {"killed": killed, "refused": refused, "together": together}[what]
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
        for store in stores:
            stack.callback(store.close)
        yield stores


def _said() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="guarantees", description=__doc__)
    parser.add_argument("what", choices=("killed", "refused", "together"))
    parser.add_argument("--store", action="append", choices=STORES, help="else both")
    parser.add_argument("--fast", action="store_true", help="some of the points, in a minute")
    return parser.parse_args()
