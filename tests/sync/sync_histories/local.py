"""Runs on a branch, in a file of SQLite, which may end anywhere."""

import itertools
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import replace

from guarantees.contents import LINES, WORDS, may_have_lines
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from fault_injection import Crash, FailingDatabase, FailingEmbedder, FaultInjector
from feeder.errors import StoppedEarly, Superseded, UserError
from feeder.shards import all_shards
from feeder.source.file_types import document_extension
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.context import SyncContext
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from index_helpers import (
    MEMORY,
    REPO,
    IndexSnapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    run_sync,
)
from source.repos import Repo
from sync.sync_histories.branch import MODEL, Branch, Pictures, both, documents_unread
from sync.sync_histories.draws import asking, calls, describing, early_calls, is_kept, told
from sync.sync_histories.edits import Edit, edits, positions, some_edits

OTHER_MODEL = 32
models = st.sampled_from([MODEL, MODEL, MODEL, OTHER_MODEL, None])
parsers = st.sampled_from(["in process"] * 3 + ["old", "documents:other"])
OF_LINES = {f"{REPO}:describe", f"{REPO}:describer"}


def without_lines(seen: IndexSnapshot) -> IndexSnapshot:
    """What a run makes right that asks nobody."""
    rest = {part: rows for part, rows in seen.items() if part not in LINES}
    lined = may_have_lines(seen)
    rest["vectors"] = [row for row in rest["vectors"] if row[0] not in lined]
    return rest | {"meta": [row for row in seen["meta"] if row[0] not in OF_LINES]}


class History(Branch):
    """Runs on a branch that may end anywhere; `happened` counts what came of them."""

    def __init__(self, repo: Repo, pictures: Pictures, happened: Counter[str]) -> None:
        super().__init__(repo)
        self._pictures = pictures
        self._happened = happened
        self._database = open_database()
        self._names = itertools.count()
        self._texts: bool | None = None

    def teardown(self) -> None:
        self._database.close()

    @initialize(reads=st.sampled_from([True, True, False]), asks=asking)
    def feed_first(self, reads: bool, asks: str) -> None:
        """By a program that reads documents, or by one that does not."""
        with nullcontext() if reads else documents_unread():
            how = describing(asks)
            run_sync(self._head.tree, self._database, **both(MODEL), description_options=how)
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
        run_sync(
            self._head.tree,
            self._database,
            **both(model),
            store_source=self._texts,
            description_options=how,
        )
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
        before = index_snapshot(self._database)
        held = any(
            row[3] != "skipped" and document_extension(str(row[0])) for row in before["files"]
        )
        with documents_unread():
            try:
                sync(replace(self._fused(FaultInjector(0), MODEL), force=force))
            except UserError as exc:
                assert not force
                assert 'pip install "headfeed[documents]"' in str(exc)
                assert index_snapshot(self._database) == before
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
                run = self._fused(FaultInjector(at, before=before), model, parser, asks)
                sync(replace(run, force=not reads))
        except Crash:
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
            run_sync(
                other,
                self._database,
                **both(MODEL),
                store_source=self._texts,
                description_options=how,
            )

        tree, made_by = self._head.tree, model
        try:
            sync(self._fused(FaultInjector(at, fail=overtake), model, asks=asks))
        except Superseded:
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
        run.description_options = describing("lines" if lines else "", most=lines)
        try:
            sync(run)
        except StoppedEarly:
            self._happened["stops"] += 1

    @rule(edits=edits, embeddings=st.integers(1, 4))
    def stop_again_and_again(self, edits: list[Edit], embeddings: int) -> None:
        """However small the limit, runs come to an end."""
        self._push(edits)
        for _ in range(2 * len(self._head.files) + 3):
            with suppress(StoppedEarly):
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
        for shard, fate in zip(all_shards(len(fates)), fates, strict=True):
            run = self._fused(FaultInjector(fate), model, asks=asks)
            run.shard, run.token = shard, token
            try:
                if fate >= 0:
                    sync(run)
            except Crash:
                self._happened["shards' deaths"] += 1
            except UserError:  # they do not replace the vectors of another model
                self._happened["shards refused"] += 1

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        """Its lines too, where it keeps some and a model is named."""
        copy = self._copy()
        how = describing("lines" if is_kept(copy, "describe") else "")
        run = new_sync_context(self._head.tree, copy, **both(MODEL), description_options=how)
        sync(run)
        assert index_snapshot(copy) == self._fresh(self._head.tree)
        assert self._is_named(copy)
        assert validate(run).passed
        copy.close()

    @invariant()
    def without_a_model_its_words_are_those_of_a_fresh_one(self) -> None:
        copy = self._copy()
        run_sync(self._head.tree, copy, **both(None))
        seen, expected = index_snapshot(copy), self._fresh(self._head.tree)
        assert {part: seen[part] for part in WORDS} == {part: expected[part] for part in WORDS}
        copy.close()

    def _is_of(self, tree: Commit, model: int | None = MODEL, asks: str = "") -> None:
        """The index holds what a fresh one does, but for lines where nobody was asked for them."""
        seen, expected = index_snapshot(self._database), self._fresh(tree, model)
        if asks or not is_kept(self._database, "describe"):
            assert seen == expected
        assert without_lines(seen) == without_lines(expected)

    def _fresh(self, tree: Commit, model: int | None = MODEL) -> IndexSnapshot:
        """What a fresh index holds that was told the same of texts and lines."""
        texts, lines = (is_kept(self._database, key) for key in ("texts", "describe"))
        return self._pictures.of(tree, model, texts=texts, lines=lines)

    def _fused(
        self, fuse: FaultInjector, model: int | None, parser: str = "in process", asks: str = ""
    ) -> SyncContext:
        database = FailingDatabase(self._database, fuse)
        kinds = both(model, parser)
        if model:
            kinds["embedder"] = FailingEmbedder(fuse, model, batch=3)
        how = describing(asks, fuse)
        return new_sync_context(
            self._head.tree, database, **kinds, store_source=self._texts, description_options=how
        )

    def _limited(
        self,
        model: int | None,
        embeddings: int | None,
        requests: int | None,
        parser: str = "in process",
    ) -> SyncContext:
        fuse = FaultInjector(0)
        run = self._fused(fuse, model, parser)
        run.budget.max_embeddings, run.budget.max_requests = embeddings, requests
        run.budget.requests_sent = lambda: fuse.calls
        run.budget.embedding_requests = lambda texts: -(-texts // 3)
        return run

    def _copy(self) -> SQLite:
        copy = SQLite(MEMORY)
        with copy.connection.backup("main", self._database.connection, "main") as backup:
            backup.step()
        return copy
