"""Runs on a branch, over HTTP, where requests go wrong, and a run that died may yet write."""

from collections import Counter
from contextlib import suppress
from itertools import product

from clouds import Cloud
from guarantees.contents import LINES, WORDS, tables
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from standin import StandIn

from fault_injection import Crash, FailingDatabase, FailingEmbedder, FaultInjector
from feeder.errors import ServiceError
from feeder.store.index import Index
from feeder.sync.sync import sync
from index_helpers import REPO, small_lookup_table
from source.repos import Repo
from sync.sync_histories.branch import MODEL, Branch, Pictures
from sync.sync_histories.draws import asking, calls, describing, early_calls, is_kept, told
from sync.sync_histories.edits import Edit, edits, positions, some_edits

PARTS = (*WORDS, "files", "outbox", "texts")
REFUSALS = ("throttled", "bad_gateway", "success_false", "reset", "half_body", "server_error")
RATE = 0.01
"""Of each kind, before and after the work: about one request of ten goes wrong."""
TRIES = 5
LOOKUP = small_lookup_table()
OF_D1 = [part for part in LINES if part != "plain_meanings"]


class CloudHistory(Branch):
    """Runs of which some die; `happened` counts what came of them."""

    def __init__(
        self, repo: Repo, pictures: Pictures, happened: Counter[str], standin: StandIn
    ) -> None:
        super().__init__(repo)
        standin.reset()
        self._pictures = pictures
        self._happened = happened
        self._standin = standin
        self._cloud = Cloud(standin).migrated()
        self._texts: bool | None = None

    @initialize(seed=positions)
    def refuse(self, seed: int) -> None:
        """By chance any request, before its work or after it."""
        for number, (kind, after) in enumerate(product(REFUSALS, (False, True))):
            self._standin.fault(kind, rate=RATE, seed=seed * 100 + number, after=after)

    def teardown(self) -> None:
        self._happened["refused"] += sum(fault["fired"] for fault in self._standin.faults())
        self._cloud.close()

    @rule(edits=edits, texts=told, asks=asking)
    def run_to_the_end(self, edits: list[Edit], texts: bool | None, asks: str) -> None:
        """What the run leaves to be removed once more, the next one removes."""
        self._push(edits)
        self._finish(asks)
        seen = tables(self._cloud.d1, REPO)
        self._happened["left for late writes"] += bool(seen["outbox"])
        self._finish(asks)
        self._is_right(asks)
        self._happened["descriptions"] += asks == "lines"
        self._texts = texts

    @rule(edits=some_edits, at=early_calls | calls, before=st.booleans(), asks=asking)
    def die(self, edits: list[Edit], at: int, before: bool, asks: str) -> None:
        """At a call to the database or a model."""
        self._push(edits)
        fuse = FaultInjector(at, before=before)
        embedder = FailingEmbedder(fuse, MODEL, batch=3)
        run = self._cloud.feed(self._head.tree, embedder, lookup=LOOKUP, texts=self._texts)
        run.index = Index(FailingDatabase(self._cloud.d1, fuse), REPO, "main")
        run.description_options = describing(asks, fuse)
        try:
            sync(run)
        except Crash:
            self._happened["deaths"] += 1
        except ServiceError:
            self._happened["runs refused"] += 1

    def _finish(self, asks: str) -> None:
        """Some run comes to its end, however many were refused before."""
        for _ in range(TRIES):
            with suppress(ServiceError):
                how = describing(asks)
                tree, texts = self._head.tree, self._texts
                self._cloud.synced(tree, lookup=LOOKUP, texts=texts, describing=how)
                return
        raise AssertionError(f"{TRIES} runs were refused")

    def _is_right(self, asks: str) -> None:
        texts, lines = (is_kept(self._cloud.d1, key) for key in ("texts", "describe"))
        expected = self._pictures.of(self._head.tree, texts=texts, lines=lines)
        seen = tables(self._cloud.d1, REPO)
        parts = (*PARTS, *OF_D1) if asks or not lines else PARTS
        assert {part: seen[part] for part in parts} == {part: expected[part] for part in parts}
        assert self._is_named(self._cloud.d1)
        assert self._cloud.looked_up() == [list(LOOKUP.rows()), LOOKUP.identity]
        assert self._cloud.vector_ids() == [str(row[0]) for row in expected["vectors"]]
