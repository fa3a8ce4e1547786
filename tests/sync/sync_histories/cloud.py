"""Random histories against the stand-in, with failing requests and writes of dead runs that arrive
late.
"""

from collections import Counter
from contextlib import suppress
from itertools import product

from clouds import Cloud
from guarantees.contents import DESCRIPTION_TABLES, WORD_TABLES, tables
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from standin import StandIn

from fault_injection import Crash, FailingDatabase, FailingEmbedder, FaultInjector
from feeder.errors import ServiceError
from feeder.store import Row
from feeder.store.index import Index
from feeder.sync.parser_identity import ParserIdentity
from feeder.sync.sync import sync
from index_helpers import REPO, InProcessParser
from source.repos import Repo
from sync.sync_histories.branch import MODEL, Branch, FreshSnapshots
from sync.sync_histories.edits import Edit, edits, positions, some_edits
from sync.sync_histories.strategies import (
    calls,
    describe_choices,
    early_calls,
    is_enabled,
    new_description_options,
    store_source_choices,
)

PARTS = (*WORD_TABLES, "files", "outbox", "texts")
ERRORS = ("throttled", "bad_gateway", "success_false", "reset", "half_body", "server_error")
RATE = 0.01
"""Of each kind, before and after the work: about one request of ten goes wrong."""
TRIES = 5
OF_D1 = [part for part in DESCRIPTION_TABLES if part != "plain_meanings"]


PARSER = ParserIdentity.from_fingerprint(InProcessParser().fingerprint)
"""The parser of runs at Cloudflare, which have no static vectors."""


def with_parser_of_cloud(files: list[Row]) -> list[Row]:
    """Replaces the parser in the rows of files that were read."""
    return [
        (path, *row, PARSER.of_file(str(path), has_nodes=False) if parser else "")
        for path, *row, parser in files
    ]


class CloudHistory(Branch):
    """Runs that may die at any call; `outcomes` counts their outcomes."""

    def __init__(
        self, repo: Repo, fresh_snapshots: FreshSnapshots, outcomes: Counter[str], standin: StandIn
    ) -> None:
        super().__init__(repo)
        standin.reset()
        self._fresh_snapshots = fresh_snapshots
        self._outcomes = outcomes
        self._standin = standin
        self._cloud = Cloud(standin).migrated()
        self._texts: bool | None = None

    @initialize(seed=positions)
    def inject_errors(self, seed: int) -> None:
        """Makes requests fail at random, before or after their work is done."""
        for number, (kind, after) in enumerate(product(ERRORS, (False, True))):
            self._standin.fault(kind, rate=RATE, seed=seed * 100 + number, after=after)

    def teardown(self) -> None:
        self._outcomes["refused"] += sum(fault["fired"] for fault in self._standin.faults())
        self._cloud.close()

    @rule(edits=edits, texts=store_source_choices, asks=describe_choices)
    def run_until_complete(self, edits: list[Edit], texts: bool | None, asks: str) -> None:
        """A second run deletes what the first left in the outbox."""
        self._push(edits)
        self._finish(asks)
        seen = tables(self._cloud.d1, REPO)
        self._outcomes["left for late writes"] += bool(seen["outbox"])
        self._finish(asks)
        self._is_right(asks)
        self._outcomes["descriptions"] += asks == "lines"
        self._texts = texts

    @rule(edits=some_edits, at=early_calls | calls, before=st.booleans(), asks=describe_choices)
    def crash_run(self, edits: list[Edit], at: int, before: bool, asks: str) -> None:
        """Kills a run at a call to the database or to a model."""
        self._push(edits)
        fuse = FaultInjector(at, before=before)
        embedder = FailingEmbedder(fuse, MODEL, batch=3)
        run = self._cloud.feed(self._head.tree, embedder, texts=self._texts)
        run.index = Index(FailingDatabase(self._cloud.d1, fuse), REPO, "main")
        run.description_options = new_description_options(asks, fuse)
        try:
            sync(run)
        except Crash:
            self._outcomes["deaths"] += 1
        except ServiceError:
            self._outcomes["runs refused"] += 1

    def _finish(self, asks: str) -> None:
        """Repeats a run until it completes."""
        for _ in range(TRIES):
            with suppress(ServiceError):
                how = new_description_options(asks)
                tree, texts = self._head.tree, self._texts
                self._cloud.synced(tree, texts=texts, describing=how)
                return
        raise AssertionError(f"{TRIES} runs were refused")

    def _is_right(self, asks: str) -> None:
        texts, lines = (is_enabled(self._cloud.d1, key) for key in ("texts", "describe"))
        expected = self._fresh_snapshots.of(self._head.tree, texts=texts, lines=lines)
        expected = {**expected, "files": with_parser_of_cloud(expected["files"])}
        seen = tables(self._cloud.d1, REPO)
        parts = (*PARTS, *OF_D1) if asks or not lines else PARTS
        assert {part: seen[part] for part in parts} == {part: expected[part] for part in parts}
        assert self._is_named(self._cloud.d1)
        assert self._cloud.vector_ids() == [str(row[0]) for row in expected["vectors"]]
