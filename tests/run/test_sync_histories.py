"""Whatever is pushed, and wherever runs end, the next run makes the index equal to HEAD."""

import itertools
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pytest
from clouds import Cloud
from guarantees.picture import LINES, WORDS, may_have_lines, tables
from hypothesis import Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule, run_state_machine_as_test
from standin import StandIn
from standin_fixtures import standin_process

from feeder.errors import Overtaken, ServiceError, Stopped, UserError
from feeder.run.feed import Describing, Feed
from feeder.run.sync import sync
from feeder.run.validate import validate
from feeder.shards import shards
from feeder.store import Database, Statement
from feeder.store.index import Index
from feeder.store.sqlite import SQLite
from feeder.tree.commit import Commit
from feeder.tree.kinds import document
from run.sync_histories.branch import MODEL, Branch, Pictures, both, documents_unread
from run.sync_histories.edits import Edit, edits, positions, some_edits
from tree.repos import Repo
from worlds import (
    MEMORY,
    REPO,
    Death,
    Fuse,
    FusedDatabase,
    FusedEmbedder,
    Lines,
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
ENDS = (
    *("deaths", "overtaken", "shards' deaths", "stops", "descriptions"),
    *("documents kept", "documents taken out", "deaths where documents are not read"),
)
OFTEN, ROUNDS = 10, 12
OTHER_MODEL = 32
LOOKUP = small_lookup()
calls = st.integers(1, 16)
early_calls = st.integers(2, 7)
"""Those that most runs come to."""
told = st.sampled_from([True, True, None, False])
"""Whether the texts of files are kept; None says nothing of it."""
asking = st.sampled_from(["", "", "lines", "lines", "off"])
"""What `--describe` says: nothing, a model, or that lines go."""
models = st.sampled_from([MODEL, MODEL, MODEL, OTHER_MODEL, None])
parsers = st.sampled_from(["in process"] * 3 + ["old", "documents:other"])
OF_D1 = [part for part in LINES if part != "plain_meanings"]
OF_LINES = {f"{REPO}:describe", f"{REPO}:describer"}


def is_kept(database: Database, key: str) -> bool:
    """Whether the index was told to keep its files' texts, or lines."""
    said = Statement("SELECT value FROM meta WHERE key = ? || ':' || ?", (REPO, key))
    return database.run([said])[0] in ([("on",)], [("filling",)])


def without_lines(seen: Picture) -> Picture:
    """What a run makes right that asks nobody."""
    rest = {part: rows for part, rows in seen.items() if part not in LINES}
    lined = may_have_lines(seen)
    rest["vectors"] = [row for row in rest["vectors"] if row[0] not in lined]
    return rest | {"meta": [row for row in seen["meta"] if row[0] not in OF_LINES]}


def describing(said: str, fuse: Fuse | None = None, most: int | None = None) -> Describing | None:
    """Lines by a model on this machine."""
    return Describing(Lines(fuse=fuse) if said == "lines" else None, most=most) if said else None


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

    @initialize(reads=st.sampled_from([True, True, False]), asks=asking)
    def feed_first(self, reads: bool, asks: str) -> None:
        """By a program that reads documents, or by one that does not."""
        with nullcontext() if reads else documents_unread():
            how = describing(asks)
            synced(self._head.tree, self._database, **both(MODEL), describing=how)
            self._is_of(self._head.tree, asks=asks)

    @rule(edits=edits, model=models, texts=told, asks=asking)
    def run_to_the_end(
        self, edits: list[Edit], model: int | None, texts: bool | None = None, asks: str = ""
    ) -> None:
        """Of texts it says what those before it said; what is given, those after it say."""
        self._push(edits)
        kept = is_kept(self._database, "texts") if self._texts is None else self._texts
        lines = {"": is_kept(self._database, "describe"), "lines": True, "off": False}[asks]
        how = describing(asks)
        synced(self._head.tree, self._database, **both(model), texts=self._texts, describing=how)
        assert is_kept(self._database, "texts") == kept
        assert is_kept(self._database, "describe") == lines
        if model:
            self._is_of(self._head.tree, model, asks)
        assert self._is_named(self._database)
        self._texts = texts
        self._happened["descriptions"] += asks == "lines"

    @rule(at=positions)
    def force_push_back(self, at: int) -> None:
        older = self._pushed[at % len(self._pushed)]
        self._repo.git("update-ref", "refs/heads/main", older.tree.commit)
        self._pushed.append(older)
        self.run_to_the_end([], MODEL)

    @rule(edits=edits, force=st.booleans())
    def run_where_documents_are_not_read(self, edits: list[Edit], force: bool) -> None:
        """It takes none out unless it is told to, and says what to install."""
        self._push(edits)
        before = picture(self._database)
        held = any(row[3] != "skipped" and document(str(row[0])) for row in before["files"])
        with documents_unread():
            try:
                sync(replace(self._fused(Fuse(0), MODEL), force=force))
            except UserError as exc:
                assert not force
                assert 'pip install "headfeed[documents]"' in str(exc)
                assert picture(self._database) == before
                self._happened["documents kept"] += 1
            else:
                assert force or not held
                self._is_of(self._head.tree, MODEL)
                self._happened["documents taken out"] += held

    @rule(
        edits=some_edits,
        at=early_calls | calls,
        before=st.booleans(),
        model=models,
        parser=parsers,
        asks=asking,
        reads=st.sampled_from([True, True, False]),
    )
    def die(
        self,
        edits: list[Edit],
        at: int,
        before: bool,
        model: int | None,
        parser: str,
        asks: str,
        reads: bool,
    ) -> None:
        """At any call to the database or the models, before it arrives or after it is done."""
        self._push(edits)
        try:
            with nullcontext() if reads else documents_unread():
                run = self._fused(Fuse(at, before=before), model, parser, asks)
                sync(replace(run, force=not reads))
        except Death:
            self._happened["deaths" if reads else "deaths where documents are not read"] += 1

    @rule(
        edits=edits,
        at=early_calls | calls,
        by=positions,
        model=st.sampled_from([MODEL, OTHER_MODEL]),
        asks=asking,
        others=asking,
    )
    def be_overtaken(
        self, edits: list[Edit], at: int, by: int, model: int, asks: str, others: str
    ) -> None:
        """A whole run, of HEAD or an older commit, in the midst of another: no mixture."""
        self._push(edits)
        other = self._pushed[by % len(self._pushed)].tree

        def overtake() -> None:
            how = describing(others)
            synced(other, self._database, **both(MODEL), texts=self._texts, describing=how)

        tree, made_by = self._head.tree, model
        try:
            sync(self._fused(Fuse(at, blow=overtake), model, asks=asks))
        except Overtaken:
            self._happened["overtaken"] += 1
            tree, made_by = other, MODEL
        self._is_of(tree, made_by)

    @rule(
        edits=edits,
        model=models,
        embeddings=st.integers(1, 4) | st.none(),
        requests=calls | st.none(),
        lines=st.integers(1, 4) | st.none(),
        parser=parsers,
    )
    def stop(
        self,
        edits: list[Edit],
        model: int | None,
        embeddings: int | None,
        requests: int | None,
        lines: int | None,
        parser: str,
    ) -> None:
        """By the limits that a user may set."""
        self._push(edits)
        run = self._limited(model, embeddings, requests, parser)
        run.describing = describing("lines" if lines else "", most=lines)
        try:
            sync(run)
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
        self._is_of(self._head.tree)

    @rule(
        edits=edits,
        fates=st.lists(st.integers(-1, 9), min_size=2, max_size=3),
        model=models,
        asks=asking,
    )
    def share(self, edits: list[Edit], fates: list[int], model: int | None, asks: str) -> None:
        """Shards, of which each ends (0), dies at a call or does not begin."""
        self._push(edits)
        token = f"run {next(self._names)}"
        for shard, fate in zip(shards(len(fates)), fates, strict=True):
            run = self._fused(Fuse(fate), model, asks=asks)
            run.shard, run.token = shard, token
            try:
                if fate >= 0:
                    sync(run)
            except Death:
                self._happened["shards' deaths"] += 1
            except UserError:  # they do not replace the vectors of another model
                self._happened["shards refused"] += 1

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        """Its lines too, where it keeps some and a model is named."""
        copy = self._copy()
        how = describing("lines" if is_kept(copy, "describe") else "")
        run = feed(self._head.tree, copy, **both(MODEL), describing=how)
        sync(run)
        assert picture(copy) == self._fresh(self._head.tree)
        assert self._is_named(copy)
        assert validate(run).passed
        copy.close()

    @invariant()
    def without_a_model_its_words_are_those_of_a_fresh_one(self) -> None:
        copy = self._copy()
        synced(self._head.tree, copy, **both(None))
        seen, expected = picture(copy), self._fresh(self._head.tree)
        assert {part: seen[part] for part in WORDS} == {part: expected[part] for part in WORDS}
        copy.close()

    def _is_of(self, tree: Commit, model: int | None = MODEL, asks: str = "") -> None:
        """The index holds what a fresh one does, but for lines where nobody was asked for them."""
        seen, expected = picture(self._database), self._fresh(tree, model)
        if asks or not is_kept(self._database, "describe"):
            assert seen == expected
        assert without_lines(seen) == without_lines(expected)

    def _fresh(self, tree: Commit, model: int | None = MODEL) -> Picture:
        """What a fresh index holds that was told the same of texts and lines."""
        texts, lines = (is_kept(self._database, key) for key in ("texts", "describe"))
        return self._pictures.of(tree, model, texts=texts, lines=lines)

    def _fused(
        self, fuse: Fuse, model: int | None, parser: str = "in process", asks: str = ""
    ) -> Feed:
        database = FusedDatabase(self._database, fuse)
        kinds = both(model, parser)
        if model:
            kinds["embedder"] = FusedEmbedder(fuse, model, batch=3)
        how = describing(asks, fuse)
        return feed(self._head.tree, database, **kinds, texts=self._texts, describing=how)

    def _limited(
        self,
        model: int | None,
        embeddings: int | None,
        requests: int | None,
        parser: str = "in process",
    ) -> Feed:
        fuse = Fuse(0)
        run = self._fused(fuse, model, parser)
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
        fuse = Fuse(at, before=before)
        embedder = FusedEmbedder(fuse, MODEL, batch=3)
        run = self._cloud.feed(self._head.tree, embedder, lookup=LOOKUP, texts=self._texts)
        run.index = Index(FusedDatabase(self._cloud.d1, fuse), REPO, "main")
        run.describing = describing(asks, fuse)
        try:
            sync(run)
        except Death:
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
    monkeypatch.setattr("feeder.embed.dealing.UNDER_WAY", 1)  # of several, chance is first
    monkeypatch.setattr("feeder.run.asking.AT_ONCE", 2)
    monkeypatch.setattr("feeder.run.descriptions.SUBJECTS", 3)


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


def often_enough(machine: Any, happened: Counter[str], ends: Sequence[str], each: settings) -> None:
    """Runs histories until each of these ends has been met ten times, at least twice so many.

    What hypothesis draws depends on the modules that are loaded, also with a seed.
    """
    for number in range(ROUNDS):
        history: Any = partial(machine)
        if "HISTORIES" not in os.environ:
            history = seed(number)(history)
        run_state_machine_as_test(history, settings=each)
        if number and min(happened[end] for end in ends) >= OFTEN:
            return
    raise AssertionError(f"not each of {', '.join(ends)} was met {OFTEN} times: {happened}")


@pytest.mark.needs("documents")
@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_in_the_index_of_head(repo: Repo) -> None:
    """After every push and every run, whether it ended, died, was stopped or overtaken."""
    happened: Counter[str] = Counter()
    machine = partial(History, repo, Pictures(), happened)
    often_enough(machine, happened, ENDS, histories(12, 15))


@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_so_at_cloudflare_although_requests_go_wrong(
    repo: Repo, standin_process: StandIn
) -> None:
    """Words, vectors and notes are those of a fresh index, and nothing is left to be removed."""
    happened: Counter[str] = Counter()
    machine: Any = partial(CloudHistory, repo, Pictures(), happened, standin_process)
    run_state_machine_as_test(machine, settings=histories(8, 12))
    met = ("deaths", "refused", "left for late writes", "descriptions")
    assert min(happened[what] for what in met) > 0
