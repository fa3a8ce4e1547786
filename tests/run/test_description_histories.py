"""Whatever is pushed, and wherever runs end, the next one gives each method and class its line."""

from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from feeder.errors import Overtaken, Stopped
from feeder.run.feed import Describing, Feed
from feeder.run.sync import sync
from feeder.run.validate import validate
from feeder.store.sqlite import SQLite
from feeder.tree.commit import Commit
from run.sync_histories.branch import Branch
from run.sync_histories.edits import Edit, edits, positions, some_edits
from run.test_sync_histories import histories, small_batches
from tree.repos import Repo
from worlds import (
    MEMORY,
    Death,
    Fuse,
    FusedDatabase,
    Lines,
    Picture,
    feed,
    fresh,
    opened,
    picture,
    synced,
)

__all__ = ["small_batches"]

calls = st.integers(1, 20)


class DescribedHistory(Branch):
    """Runs that ask for lines, and may end anywhere; `happened` counts what came of them."""

    def __init__(self, repo: Repo, happened: Counter[str]) -> None:
        super().__init__(repo)
        self._happened = happened
        self._known: dict[str, Picture] = {}
        self._database = opened()

    def teardown(self) -> None:
        self._database.close()

    @rule(edits=edits)
    def run_to_the_end(self, edits: list[Edit]) -> None:
        self._push(edits)
        synced(self._head.tree, self._database, describing=Describing(Lines()))
        assert picture(self._database) == self._fresh(self._head.tree)

    @rule(edits=some_edits)
    def run_without_a_model(self, edits: list[Edit]) -> None:
        """What stays has its line, and nothing else has one."""
        self._push(edits)
        synced(self._head.tree, self._database)

    @rule(edits=some_edits, at=calls, before=st.booleans())
    def die(self, edits: list[Edit], at: int, before: bool) -> None:
        """At any call to the database or the model."""
        self._push(edits)
        try:
            sync(self._fused(Fuse(at, before=before)))
        except Death:
            self._happened["deaths"] += 1

    @rule(edits=some_edits, at=calls, by=positions)
    def be_overtaken(self, edits: list[Edit], at: int, by: int) -> None:
        """By a whole run of HEAD or an older commit."""
        self._push(edits)
        other = self._pushed[by % len(self._pushed)].tree

        def overtake() -> None:
            synced(other, self._database, describing=Describing(Lines()))

        tree = self._head.tree
        try:
            sync(self._fused(Fuse(at, blow=overtake)))
        except Overtaken:
            self._happened["overtaken"] += 1
            tree = other
        assert picture(self._database)["docs"] == self._fresh(tree)["docs"]

    @rule(edits=some_edits, most=st.integers(1, 4))
    def stop(self, edits: list[Edit], most: int) -> None:
        """By the limit that a user may set."""
        self._push(edits)
        with suppress(Stopped):
            synced(self._head.tree, self._database, describing=Describing(Lines(), most=most))
            return
        self._happened["stops"] += 1

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        """And asks about nothing that had its line."""
        copy = SQLite(MEMORY)
        with copy.connection.backup("main", self._database.connection, "main") as backup:
            backup.step()
        run = feed(self._head.tree, copy, describing=Describing(Lines()))
        sync(run)
        assert picture(copy) == self._fresh(self._head.tree)
        assert validate(run).passed
        again = Lines()
        synced(self._head.tree, copy, describing=Describing(again))
        assert again.asked == []
        copy.close()

    def _fresh(self, tree: Commit) -> Picture:
        if tree.root not in self._known:
            self._known[tree.root] = fresh(tree, describing=Describing(Lines()))
        return self._known[tree.root]

    def _fused(self, fuse: Fuse) -> Feed:
        database: Any = FusedDatabase(self._database, fuse)
        return feed(self._head.tree, database, describing=Describing(Lines(fuse=fuse)))


@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_in_lines_of_heads_texts(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every push and every run, whether it ended, died, was stopped or overtaken.

    One question at a time: which of several comes first is chance.
    """
    monkeypatch.setattr("feeder.embed.dealing.UNDER_WAY", 1)
    monkeypatch.setattr("feeder.run.asking.AT_ONCE", 2)
    monkeypatch.setattr("feeder.run.descriptions.SUBJECTS", 3)
    monkeypatch.setattr("feeder.store.descriptions.PAGE_PATHS", 2)
    monkeypatch.setattr("feeder.store.descriptions.PAGE_NODES", 2)
    happened: Counter[str] = Counter()
    machine: Any = partial(DescribedHistory, repo, happened)  # a class is not needed
    run_state_machine_as_test(machine, settings=histories(30, 12))
    assert min(happened[what] for what in ("deaths", "overtaken", "stops")) > 2
