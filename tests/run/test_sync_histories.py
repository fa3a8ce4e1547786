"""Whatever is pushed, and wherever runs end, the next run makes the index equal to HEAD."""

import itertools
import os
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pytest
from clouds import Cloud
from guarantees.picture import WORDS, tables
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule, run_state_machine_as_test
from standin import StandIn
from standin_fixtures import standin_process

from feeder.errors import Overtaken, ServiceError, Stopped, UserError
from feeder.run.feed import Feed
from feeder.run.sync import sync
from feeder.run.validate import validate
from feeder.shards import shards
from feeder.store import Database, Statement
from feeder.store.index import Index
from feeder.store.sqlite import SQLite
from feeder.tree.commit import Commit
from run.sync_histories.branch import MODEL, Branch, Pictures, both
from run.sync_histories.edits import Edit, edits, positions, some_edits
from tree.repos import Repo
from worlds import (
    MEMORY,
    REPO,
    Death,
    Fuse,
    FusedDatabase,
    FusedEmbedder,
    InProcess,
    Picture,
    feed,
    opened,
    picture,
    small_lookup,
    synced,
)

__all__ = ["standin_process"]

PARTS = (*WORDS, "files", "outbox", "texts")
REFUSALS = ("throttled", "bad_gateway", "success_false", "reset", "half_body", "server_error")
RATE = 0.01
"""Of each kind, before and after the work: about one request of ten goes wrong."""
TRIES = 5
OTHER_MODEL = 32
LOOKUP = small_lookup()
calls = st.integers(1, 16)
early_calls = st.integers(2, 7)
"""Those that most runs come to."""
told = st.sampled_from([True, True, None, False])
"""Whether the texts of files are kept; None says nothing of it."""
models = st.sampled_from([MODEL, MODEL, MODEL, OTHER_MODEL, None])
parsers = st.sampled_from(["in process"] * 3 + ["old"])


def keeps_texts(database: Database) -> bool:
    """Whether the index was told to."""
    said = Statement("SELECT value FROM meta WHERE key = ? || ':texts'", (REPO,))
    return database.run([said])[0] in ([("on",)], [("filling",)])


class History(Branch):
    """Runs on a branch that may end anywhere; `happened` counts what came of them."""

    def __init__(self, repo: Repo, pictures: Pictures, happened: Counter[str]) -> None:
        super().__init__(repo)
        self._pictures = pictures
        self._happened = happened
        self._database = opened()
        self._names = itertools.count()
        self._texts: bool | None = None

    def teardown(self) -> None:
        self._database.close()

    @rule(edits=edits, model=models, texts=told)
    def run_to_the_end(
        self, edits: list[Edit], model: int | None, texts: bool | None = None
    ) -> None:
        """Of texts it says what those before it said; what is given, those after it say."""
        self._push(edits)
        kept = keeps_texts(self._database) if self._texts is None else self._texts
        synced(self._head.tree, self._database, **both(model), texts=self._texts)
        assert keeps_texts(self._database) == kept
        if model:
            assert picture(self._database) == self._fresh(self._head.tree, model)
        assert self._is_named(self._database)
        self._texts = texts

    @rule(at=positions)
    def force_push_back(self, at: int) -> None:
        older = self._pushed[at % len(self._pushed)]
        self._repo.git("update-ref", "refs/heads/main", older.tree.commit)
        self._pushed.append(older)
        self.run_to_the_end([], MODEL)

    @rule(edits=some_edits, at=early_calls, before=st.booleans(), model=models, parser=parsers)
    def die(self, edits: list[Edit], at: int, before: bool, model: int | None, parser: str) -> None:
        """At any call to the database or the model, before it arrives or after it is done."""
        self._push(edits)
        try:
            sync(self._fused(Fuse(at, before=before), model, parser))
        except Death:
            self._happened["deaths"] += 1

    @rule(edits=edits, at=calls, by=positions, model=st.sampled_from([MODEL, OTHER_MODEL]))
    def be_overtaken(self, edits: list[Edit], at: int, by: int, model: int) -> None:
        """A whole run, of HEAD or an older commit, in the midst of another: no mixture."""
        self._push(edits)
        other = self._pushed[by % len(self._pushed)].tree

        def overtake() -> None:
            synced(other, self._database, **both(MODEL), texts=self._texts)

        tree, made_by = self._head.tree, model
        try:
            sync(self._fused(Fuse(at, blow=overtake), model))
        except Overtaken:
            self._happened["overtaken"] += 1
            tree, made_by = other, MODEL
        assert picture(self._database) == self._fresh(tree, made_by)

    @rule(
        edits=edits,
        model=models,
        embeddings=st.integers(1, 4) | st.none(),
        requests=calls | st.none(),
    )
    def stop(
        self, edits: list[Edit], model: int | None, embeddings: int | None, requests: int | None
    ) -> None:
        """By the limits that a user may set."""
        self._push(edits)
        try:
            sync(self._limited(model, embeddings, requests))
        except Stopped:
            self._happened["stops"] += 1

    @rule(edits=edits, embeddings=st.integers(1, 4))
    def stop_again_and_again(self, edits: list[Edit], embeddings: int) -> None:
        """However small the limit, runs come to an end."""
        self._push(edits)
        for _ in range(2 * len(self._head.files) + 3):
            with suppress(Stopped):
                sync(self._limited(MODEL, embeddings, None))
                break
        assert picture(self._database) == self._fresh(self._head.tree)

    @rule(edits=edits, fates=st.lists(st.integers(-1, 9), min_size=2, max_size=3), model=models)
    def share(self, edits: list[Edit], fates: list[int], model: int | None) -> None:
        """Shards, of which each ends (0), dies at a call or does not begin."""
        self._push(edits)
        token = f"run {next(self._names)}"
        for shard, fate in zip(shards(len(fates)), fates, strict=True):
            run = replace(self._fused(Fuse(fate), model), shard=shard, token=token)
            try:
                if fate >= 0:
                    sync(run)
            except Death:
                self._happened["shards' deaths"] += 1
            except UserError:  # they do not replace the vectors of another model
                self._happened["shards refused"] += 1

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        copy = self._copy()
        run = feed(self._head.tree, copy, **both(MODEL))
        sync(run)
        assert picture(copy) == self._fresh(self._head.tree)
        assert self._is_named(copy)
        assert validate(run).passed
        copy.close()

    @invariant()
    def without_a_model_its_words_are_those_of_a_fresh_one(self) -> None:
        copy = self._copy()
        synced(self._head.tree, copy)
        seen, expected = picture(copy), self._fresh(self._head.tree, None)
        assert {part: seen[part] for part in WORDS} == {part: expected[part] for part in WORDS}
        copy.close()

    def _fresh(self, tree: Commit, model: int | None = MODEL) -> Picture:
        """What a fresh index holds that was told the same of texts."""
        return self._pictures.of(tree, model, texts=keeps_texts(self._database))

    def _fused(self, fuse: Fuse, model: int | None, parser: str = "in process") -> Feed:
        database = FusedDatabase(self._database, fuse)
        embedder = FusedEmbedder(fuse, model, batch=3) if model else None
        kinds = both(model) | {"embedder": embedder}
        kinds["parser"] = InProcess(parser, kinds["meaning"])
        return feed(self._head.tree, database, **kinds, texts=self._texts)

    def _limited(self, model: int | None, embeddings: int | None, requests: int | None) -> Feed:
        fuse = Fuse(0)
        run = self._fused(fuse, model)
        run.budget.max_embeddings, run.budget.max_requests = embeddings, requests
        run.budget.requests = lambda: fuse.calls
        run.budget.requests_for = lambda texts: -(-texts // 3)
        return run

    def _copy(self) -> SQLite:
        copy = SQLite(MEMORY)
        with copy.connection.backup("main", self._database.connection, "main") as backup:
            backup.step()
        return copy


class CloudHistory(Branch):
    """The same over HTTP, where requests go wrong, and a run that died may yet write."""

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

    @rule(edits=edits, texts=told)
    def run_to_the_end(self, edits: list[Edit], texts: bool | None) -> None:
        """What the run leaves to be removed once more, the next one removes."""
        self._push(edits)
        self._finish()
        seen = tables(self._cloud.d1, REPO)
        self._happened["left for late writes"] += bool(seen["outbox"])
        self._finish()
        self._is_right()
        self._texts = texts

    @rule(edits=some_edits, at=early_calls, before=st.booleans())
    def die(self, edits: list[Edit], at: int, before: bool) -> None:
        """At a call to the database or the model."""
        self._push(edits)
        fuse = Fuse(at, before=before)
        embedder = FusedEmbedder(fuse, MODEL, batch=3)
        run = self._cloud.feed(self._head.tree, embedder, lookup=LOOKUP, texts=self._texts)
        run.index = Index(FusedDatabase(self._cloud.d1, fuse), REPO, "main")
        try:
            sync(run)
        except Death:
            self._happened["deaths"] += 1
        except ServiceError:
            self._happened["runs refused"] += 1

    def _finish(self) -> None:
        """Some run comes to its end, however many were refused before."""
        for _ in range(TRIES):
            with suppress(ServiceError):
                self._cloud.synced(self._head.tree, lookup=LOOKUP, texts=self._texts)
                return
        raise AssertionError(f"{TRIES} runs were refused")

    def _is_right(self) -> None:
        texts = keeps_texts(self._cloud.d1)
        expected = self._pictures.of(self._head.tree, texts=texts)
        seen = tables(self._cloud.d1, REPO)
        assert {part: seen[part] for part in PARTS} == {part: expected[part] for part in PARTS}
        assert self._is_named(self._cloud.d1)
        assert self._cloud.looked_up() == [list(LOOKUP.rows()), LOOKUP.about]
        assert self._cloud.vector_ids() == [str(row[0]) for row in expected["vectors"]]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """They make many writes of a run."""
    monkeypatch.setattr("feeder.run.feed.BATCH_NODES", 4)
    monkeypatch.setattr("feeder.run.feed.BATCH_GONE", 1)
    monkeypatch.setattr("feeder.run.vectors.BATCH_VECTORS", 3)
    monkeypatch.setattr("feeder.store.lookup_table.PIECE", 3)
    monkeypatch.setattr("feeder.store.texts.DROPPED", 2)
    monkeypatch.setattr("feeder.store.texts.PAGE_PATHS", 2)
    monkeypatch.setattr("feeder.store.texts.PAGE_PARTS", 2)
    monkeypatch.setattr("feeder.parse.kept.PART_BYTES", 20)
    monkeypatch.setattr("feeder.run.vectors.OUTBOX_PIECE", 2)


def histories(examples: int, steps: int) -> settings:
    """So many of so many steps, the same ones each time unless the environment asks for others."""
    return settings(
        max_examples=int(os.environ.get("HISTORIES", examples)),
        stateful_step_count=steps,
        derandomize="HISTORIES" not in os.environ,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # to shrink takes longer than a test may
    )


@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_in_the_index_of_head(repo: Repo) -> None:
    """After every push and every run, whether it ended, died, was stopped or overtaken."""
    happened: Counter[str] = Counter()
    machine: Any = partial(History, repo, Pictures(), happened)  # a class is not needed
    run_state_machine_as_test(machine, settings=histories(40, 15))
    assert min(happened[what] for what in ("deaths", "overtaken", "shards' deaths", "stops")) > 0


@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_so_at_cloudflare_although_requests_go_wrong(
    repo: Repo, standin_process: StandIn
) -> None:
    """Words, vectors and notes are those of a fresh index, and nothing is left to be removed."""
    happened: Counter[str] = Counter()
    machine: Any = partial(CloudHistory, repo, Pictures(), happened, standin_process)
    run_state_machine_as_test(machine, settings=histories(8, 12))
    assert min(happened[what] for what in ("deaths", "refused", "left for late writes")) > 0
