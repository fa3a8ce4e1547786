"""Whatever is pushed, and wherever runs end, the next one gives each method and class its line.

Vectors of both kinds follow: each is of its node's text and of the line on it."""

from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from expected_vectors import wrong_model_vectors, wrong_static_vectors
from fake_describer import FakeDescriber, OtherFakeDescriber
from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.errors import StoppedEarly, Superseded
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder, HashedStaticEmbedder
from index_helpers import (
    MEMORY,
    IndexSnapshot,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    run_sync,
)
from source.repos import Repo
from sync.sync_histories.branch import Branch
from sync.sync_histories.edits import Edit, edits, positions, some_edits
from sync.sync_histories.settings import histories, run_until_each_outcome_occurs, small_batches

pytestmark = pytest.mark.slow

__all__ = ["small_batches"]

calls = st.integers(1, 40)


def lined(lines: FakeDescriber, **more: Any) -> dict[str, Any]:
    """A run with vectors of both kinds that asks for lines, also in place of another model's."""
    return {**BOTH, "description_options": DescriptionOptions(lines, redescribe=True, **more)}


BOTH: dict[str, Any] = {"embedder": HashedEmbedder(), "static_model": HashedStaticEmbedder()}


class DescribedHistory(Branch):
    """Runs that ask for lines, and may end anywhere; `outcomes` counts what came of them."""

    def __init__(self, repo: Repo, outcomes: Counter[str]) -> None:
        super().__init__(repo)
        self._outcomes = outcomes
        self._known: dict[str, IndexSnapshot] = {}
        self._database = open_database()

    def teardown(self) -> None:
        self._database.close()

    @rule(edits=edits)
    def run_until_complete(self, edits: list[Edit]) -> None:
        self._push(edits)
        run_sync(self._head.tree, self._database, **lined(FakeDescriber()))
        assert index_snapshot(self._database) == self._fresh(self._head.tree)

    @rule(edits=some_edits)
    def run_without_a_model(self, edits: list[Edit]) -> None:
        """What stays has its line, and nothing else has one; nor has a vector."""
        self._push(edits)
        run_sync(self._head.tree, self._database, **BOTH)
        self._each_vector_is_its_nodes(self._database)

    @rule(edits=some_edits)
    def run_without_vectors(self, edits: list[Edit]) -> None:
        """Those beside the words wait, and those that come with them go."""
        self._push(edits)
        run_sync(
            self._head.tree, self._database, description_options=DescriptionOptions(FakeDescriber())
        )

    @rule(edits=some_edits, by=st.sampled_from([BOTH, {}]))
    def take_all_out(self, edits: list[Edit], by: dict[str, Any]) -> None:
        """With a model for the vectors, or none."""
        self._push(edits)
        run_sync(
            self._head.tree, self._database, **by, description_options=DescriptionOptions(None)
        )

    @rule(edits=some_edits, at=calls, before=st.booleans())
    def crash_run(self, edits: list[Edit], at: int, before: bool) -> None:
        """At any call to the database or the model."""
        self._push(edits)
        try:
            sync(self._failing_context(FaultInjector(at, before=before)))
        except Crash:
            self._outcomes["deaths"] += 1

    @rule(edits=some_edits, at=calls, by=positions)
    def supersede_run(self, edits: list[Edit], at: int, by: int) -> None:
        """By a whole run of HEAD or an older commit."""
        self._push(edits)
        other = self._pushed[by % len(self._pushed)].tree

        def overtake() -> None:
            run_sync(other, self._database, **lined(FakeDescriber()))

        tree = self._head.tree
        try:
            sync(self._failing_context(FaultInjector(at, fail=overtake)))
        except Superseded:
            self._outcomes["overtaken"] += 1
            tree = other
        assert index_snapshot(self._database)["docs"] == self._fresh(tree)["docs"]

    @rule(edits=some_edits, most=st.integers(1, 2))
    def stop(self, edits: list[Edit], most: int) -> None:
        """By the limit that a user may set, some lines being of one model and some of another."""
        self._push(edits)
        with suppress(StoppedEarly):
            run_sync(
                self._head.tree,
                self._database,
                **lined(OtherFakeDescriber("others"), max_descriptions=most),
            )
            return
        self._outcomes["stops"] += 1
        self._each_vector_is_its_nodes(self._database)

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        """And asks about nothing that had its line."""
        copy = SQLite(MEMORY)
        with copy.connection.backup("main", self._database.connection, "main") as backup:
            backup.step()
        run = new_sync_context(self._head.tree, copy, **lined(FakeDescriber()))
        sync(run)
        assert index_snapshot(copy) == self._fresh(self._head.tree)
        assert validate(run).passed
        self._each_vector_is_its_nodes(copy)
        again = FakeDescriber()
        run_sync(self._head.tree, copy, **lined(again))
        assert again.described_names == []
        copy.close()

    def _each_vector_is_its_nodes(self, database: SQLite) -> None:
        assert wrong_static_vectors(self._head.tree, database) == []
        assert wrong_model_vectors(self._head.tree, database) == []

    def _fresh(self, tree: Commit) -> IndexSnapshot:
        if tree.root_tree_id not in self._known:
            self._known[tree.root_tree_id] = fresh_snapshot(tree, **lined(FakeDescriber()))
        return self._known[tree.root_tree_id]

    def _failing_context(self, fuse: FaultInjector) -> SyncContext:
        database: Any = FailingDatabase(self._database, fuse)
        return new_sync_context(self._head.tree, database, **lined(FakeDescriber(faults=fuse)))


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_in_lines_of_heads_texts(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every push and every run, whether it ended, died, was stopped or overtaken."""
    monkeypatch.setattr("feeder.store.description_vectors.MODEL_VECTOR_PAGE", 3)
    monkeypatch.setattr("feeder.store.description_vectors.STATIC_VECTOR_BATCH", 2)
    monkeypatch.setattr("feeder.store.stored_descriptions.PAGE_PATHS", 2)
    monkeypatch.setattr("feeder.store.stored_descriptions.PAGE_NODES", 2)
    outcomes: Counter[str] = Counter()
    machine = partial(DescribedHistory, repo, outcomes)  # a class is not needed
    run_until_each_outcome_occurs(
        machine, outcomes, ("deaths", "overtaken", "stops"), histories(12, 12)
    )
