"""After random pushes and runs that end anywhere, the next run describes each method and class.

Static and model vectors are those of the node's text and description.
"""

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
    IndexSnapshot,
    copy_in_memory,
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


def description_run_options(lines: FakeDescriber, **more: Any) -> dict[str, Any]:
    """Options of a run with both kinds of vectors and descriptions, also in place of another
    model's.
    """
    return {**BOTH, "description_options": DescriptionOptions(lines, redescribe=True, **more)}


BOTH: dict[str, Any] = {"embedder": HashedEmbedder(), "static_model": HashedStaticEmbedder()}


class DescribedHistory(Branch):
    """Runs with descriptions that may end anywhere; `outcomes` counts their outcomes."""

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
        run_sync(self._head.tree, self._database, **description_run_options(FakeDescriber()))
        assert index_snapshot(self._database) == self._fresh(self._head.tree)

    @rule(edits=some_edits)
    def run_without_a_model(self, edits: list[Edit]) -> None:
        """Unchanged nodes keep their descriptions; new nodes get neither a description nor a
        vector.
        """
        self._push(edits)
        run_sync(self._head.tree, self._database, **BOTH)
        self._each_vector_is_its_nodes(self._database)

    @rule(edits=some_edits)
    def run_without_vectors(self, edits: list[Edit]) -> None:
        """Model vectors wait for a later run; static vectors are deleted."""
        self._push(edits)
        run_sync(
            self._head.tree, self._database, description_options=DescriptionOptions(FakeDescriber())
        )

    @rule(edits=some_edits, by=st.sampled_from([BOTH, {}]))
    def remove_all_descriptions(self, edits: list[Edit], by: dict[str, Any]) -> None:
        """Removes all descriptions, with or without an embedding model."""
        self._push(edits)
        run_sync(
            self._head.tree, self._database, **by, description_options=DescriptionOptions(None)
        )

    @rule(edits=some_edits, at=calls, before=st.booleans())
    def crash_run(self, edits: list[Edit], at: int, before: bool) -> None:
        """Kills a run at any call to the database or the model."""
        self._push(edits)
        try:
            sync(self._failing_context(FaultInjector(at, before=before)))
        except Crash:
            self._outcomes["deaths"] += 1

    @rule(edits=some_edits, at=calls, by=positions)
    def supersede_run(self, edits: list[Edit], at: int, by: int) -> None:
        """Runs a whole sync of HEAD or an older commit in the middle of another."""
        self._push(edits)
        other = self._pushed[by % len(self._pushed)].tree

        def run_other_sync() -> None:
            run_sync(other, self._database, **description_run_options(FakeDescriber()))

        tree = self._head.tree
        try:
            sync(self._failing_context(FaultInjector(at, fail=run_other_sync)))
        except Superseded:
            self._outcomes["overtaken"] += 1
            tree = other
        assert index_snapshot(self._database)["docs"] == self._fresh(tree)["docs"]

    @rule(edits=some_edits, most=st.integers(1, 2))
    def stop(self, edits: list[Edit], most: int) -> None:
        """Ends a run by `--max-descriptions`, with descriptions of two models."""
        self._push(edits)
        with suppress(StoppedEarly):
            run_sync(
                self._head.tree,
                self._database,
                **description_run_options(OtherFakeDescriber("others"), max_descriptions=most),
            )
            return
        self._outcomes["stops"] += 1
        self._each_vector_is_its_nodes(self._database)

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        """Requests no description for a node that has one."""
        copy = copy_in_memory(self._database)
        run = new_sync_context(self._head.tree, copy, **description_run_options(FakeDescriber()))
        sync(run)
        assert index_snapshot(copy) == self._fresh(self._head.tree)
        assert validate(run).passed
        self._each_vector_is_its_nodes(copy)
        again = FakeDescriber()
        run_sync(self._head.tree, copy, **description_run_options(again))
        assert again.described_names == []
        copy.close()

    def _each_vector_is_its_nodes(self, database: SQLite) -> None:
        assert wrong_static_vectors(self._head.tree, database) == []
        assert wrong_model_vectors(self._head.tree, database) == []

    def _fresh(self, tree: Commit) -> IndexSnapshot:
        if tree.root_tree_id not in self._known:
            self._known[tree.root_tree_id] = fresh_snapshot(
                tree, **description_run_options(FakeDescriber())
            )
        return self._known[tree.root_tree_id]

    def _failing_context(self, fuse: FaultInjector) -> SyncContext:
        database: Any = FailingDatabase(self._database, fuse)
        return new_sync_context(
            self._head.tree, database, **description_run_options(FakeDescriber(faults=fuse))
        )


@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_with_descriptions_of_heads_texts(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every push and every run, whether it completed, crashed, was stopped or superseded."""
    monkeypatch.setattr("feeder.store.description_vectors.MODEL_VECTOR_PAGE", 3)
    monkeypatch.setattr("feeder.store.description_vectors.STATIC_VECTOR_BATCH", 2)
    monkeypatch.setattr("feeder.store.stored_descriptions.PAGE_PATHS", 2)
    monkeypatch.setattr("feeder.store.stored_descriptions.PAGE_NODES", 2)
    outcomes: Counter[str] = Counter()
    machine = partial(DescribedHistory, repo, outcomes)  # a class is not needed
    run_until_each_outcome_occurs(
        machine, outcomes, ("deaths", "overtaken", "stops"), histories(6, 12)
    )
