"""Random histories against a SQLite index, with runs that may end at any call."""

import itertools
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import replace

from guarantees.contents import DESCRIPTION_TABLES, WORD_TABLES, describable_ids
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from fault_injection import Crash, FailingDatabase, FailingEmbedder, FaultInjector
from feeder.errors import StoppedEarly, Superseded, UserError
from feeder.installation import install_command
from feeder.shards import all_shards
from feeder.source.file_types import document_extension
from feeder.source.git_trees import Commit
from feeder.sync.context import SyncContext
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from index_helpers import (
    REPO,
    IndexSnapshot,
    copy_in_memory,
    index_snapshot,
    new_sync_context,
    open_database,
    run_sync,
)
from source.repos import Repo
from sync.sync_histories.branch import (
    MODEL,
    Branch,
    FreshSnapshots,
    vector_options,
    without_document_packages,
)
from sync.sync_histories.edits import Edit, edits, positions, some_edits
from sync.sync_histories.strategies import (
    calls,
    describe_choices,
    early_calls,
    is_enabled,
    new_description_options,
    store_source_choices,
)

OTHER_MODEL = 32
models = st.sampled_from([MODEL, MODEL, MODEL, OTHER_MODEL, None])
parsers = st.sampled_from(["in process"] * 3 + ["old", "documents:other"])
OF_LINES = {f"{REPO}:describe", f"{REPO}:describer"}


def without_descriptions(seen: IndexSnapshot) -> IndexSnapshot:
    """Removes the parts of a snapshot that a run without a describer does not update."""
    rest = {part: rows for part, rows in seen.items() if part not in DESCRIPTION_TABLES}
    lined = describable_ids(seen)
    rest["vectors"] = [row for row in rest["vectors"] if row[0] not in lined]
    return rest | {"meta": [row for row in seen["meta"] if row[0] not in OF_LINES]}


class History(Branch):
    """Runs that may end at any call; `outcomes` counts their outcomes."""

    def __init__(self, repo: Repo, fresh_snapshots: FreshSnapshots, outcomes: Counter[str]) -> None:
        super().__init__(repo)
        self._fresh_snapshots = fresh_snapshots
        self._outcomes = outcomes
        self._database = open_database()
        self._names = itertools.count()
        self._texts: bool | None = None

    def teardown(self) -> None:
        self._database.close()

    @initialize(reads=st.sampled_from([True, True, False]), asks=describe_choices)
    def make_first_index(self, reads: bool, asks: str) -> None:
        """Makes the first index, with or without support for documents."""
        with nullcontext() if reads else without_document_packages():
            how = new_description_options(asks)
            run_sync(
                self._head.tree, self._database, **vector_options(MODEL), description_options=how
            )
            self._assert_index_equals(self._head.tree, asks=asks)

    @rule(edits=edits, model=models, texts=store_source_choices, asks=describe_choices)
    def run_until_complete(
        self, edits: list[Edit], model: int | None, texts: bool | None = None, asks: str = ""
    ) -> None:
        """A run that names no setting keeps the stored ones; a given setting persists."""
        self._push(edits)
        stored = is_enabled(self._database, "texts") if self._texts is None else self._texts
        lines = {"": is_enabled(self._database, "describe"), "lines": True, "off": False}[asks]
        how = new_description_options(asks)
        run_sync(
            self._head.tree,
            self._database,
            **vector_options(model),
            store_source=self._texts,
            description_options=how,
        )
        assert is_enabled(self._database, "texts") == stored
        assert is_enabled(self._database, "describe") == lines
        if model:
            self._assert_index_equals(self._head.tree, model, asks)
        assert self._is_named(self._database)
        self._texts = texts
        self._outcomes["descriptions"] += asks == "lines"

    @rule(at=positions)
    def force_push_back(self, at: int) -> None:
        older = self._pushed[at % len(self._pushed)]
        self._repo.git("update-ref", "refs/heads/main", older.tree.commit)
        self._pushed.append(older)
        self.run_until_complete([], MODEL)

    @rule(edits=edits, force=st.booleans())
    def run_without_document_packages(self, edits: list[Edit], force: bool) -> None:
        """Documents stay in the index unless `force` is set, and the error names the package to
        install.
        """
        self._push(edits)
        before = index_snapshot(self._database)
        held = any(
            row[3] != "skipped" and document_extension(str(row[0])) for row in before["files"]
        )
        with without_document_packages():
            try:
                sync(replace(self._failing_context(FaultInjector(0), MODEL), force=force))
            except UserError as exc:
                assert not force
                assert install_command("documents") in str(exc)
                assert index_snapshot(self._database) == before
                self._outcomes["documents kept"] += 1
            else:
                assert force or not held
                self._assert_index_equals(self._head.tree, MODEL)
                self._outcomes["documents taken out"] += held

    @rule(
        edits=some_edits,
        at=early_calls | calls,
        before=st.booleans(),
        model=models,
        parser=parsers,
        asks=describe_choices,
        reads=st.sampled_from([True, True, False]),
    )
    def crash_run(
        self,
        edits: list[Edit],
        at: int,
        before: bool,
        model: int | None,
        parser: str,
        asks: str,
        reads: bool,
    ) -> None:
        """Kills a run at any call to the database or a model, before or after its work."""
        self._push(edits)
        try:
            with nullcontext() if reads else without_document_packages():
                run = self._failing_context(FaultInjector(at, before=before), model, parser, asks)
                sync(replace(run, force=not reads))
        except Crash:
            self._outcomes["deaths" if reads else "deaths where documents are not read"] += 1

    @rule(
        edits=edits,
        at=early_calls | calls,
        by=positions,
        model=st.sampled_from([MODEL, OTHER_MODEL]),
        asks=describe_choices,
        others=describe_choices,
    )
    def supersede_run(
        self, edits: list[Edit], at: int, by: int, model: int, asks: str, others: str
    ) -> None:
        """Runs a whole sync in the middle of another: the index is that of one of them."""
        self._push(edits)
        other = self._pushed[by % len(self._pushed)].tree

        def overtake() -> None:
            how = new_description_options(others)
            run_sync(
                other,
                self._database,
                **vector_options(MODEL),
                store_source=self._texts,
                description_options=how,
            )

        tree, made_by = self._head.tree, model
        try:
            sync(self._failing_context(FaultInjector(at, fail=overtake), model, asks=asks))
        except Superseded:
            self._outcomes["overtaken"] += 1
            tree, made_by = other, MODEL
        self._assert_index_equals(tree, made_by)

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
        """Ends a run by one of the limits that users can set."""
        self._push(edits)
        run = self._limited(model, embeddings, requests, parser)
        run.description_options = new_description_options("lines" if lines else "", most=lines)
        try:
            sync(run)
        except StoppedEarly:
            self._outcomes["stops"] += 1

    @rule(edits=edits, embeddings=st.integers(1, 4))
    def stop_repeatedly(self, edits: list[Edit], embeddings: int) -> None:
        """Repeated runs with a small limit complete the index."""
        self._push(edits)
        for _ in range(2 * len(self._head.files) + 3):
            with suppress(StoppedEarly):
                sync(self._limited(MODEL, embeddings, None))
                break
        self._assert_index_equals(self._head.tree)

    @rule(parser=st.sampled_from(["old", "documents:other"]), requests=early_calls)
    def stop_while_files_are_read_again(self, parser: str, requests: int) -> None:
        """After a run with another parser, a few runs that a budget stops complete the index."""
        run_sync(
            self._head.tree,
            self._database,
            **vector_options(MODEL, parser),
            store_source=self._texts,
        )
        for _ in range(2 * len(self._head.files) + 3):
            run = self._limited(MODEL, None, requests)
            try:
                sync(run)
                break
            except StoppedEarly:
                self._outcomes["stops while reading again"] += 1
        self._assert_index_equals(self._head.tree)

    @rule(
        edits=edits,
        fates=st.lists(st.integers(-1, 9), min_size=2, max_size=3),
        model=models,
        asks=describe_choices,
    )
    def share(self, edits: list[Edit], fates: list[int], model: int | None, asks: str) -> None:
        """Runs shards, of which each completes (0), dies at a call or does not start."""
        self._push(edits)
        token = f"run {next(self._names)}"
        for shard, fate in zip(all_shards(len(fates)), fates, strict=True):
            run = self._failing_context(FaultInjector(fate), model, asks=asks)
            run.shard, run.token = shard, token
            try:
                if fate >= 0:
                    sync(run)
            except Crash:
                self._outcomes["shards' deaths"] += 1
            except UserError:  # they do not replace the vectors of another model
                self._outcomes["shards refused"] += 1

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        """Includes the descriptions if the index has them and a model is named."""
        copy = copy_in_memory(self._database)
        how = new_description_options("lines" if is_enabled(copy, "describe") else "")
        run = new_sync_context(
            self._head.tree, copy, **vector_options(MODEL), description_options=how
        )
        sync(run)
        assert index_snapshot(copy) == self._fresh(self._head.tree)
        assert self._is_named(copy)
        assert validate(run).passed
        copy.close()

    @invariant()
    def without_a_model_its_words_are_those_of_a_fresh_one(self) -> None:
        copy = copy_in_memory(self._database)
        run_sync(self._head.tree, copy, **vector_options(None))
        seen, expected = index_snapshot(copy), self._fresh(self._head.tree)
        assert {part: seen[part] for part in WORD_TABLES} == {
            part: expected[part] for part in WORD_TABLES
        }
        copy.close()

    def _assert_index_equals(self, tree: Commit, model: int | None = MODEL, asks: str = "") -> None:
        """Checks that the index equals a fresh one, except for descriptions that were not
        requested.
        """
        seen, expected = index_snapshot(self._database), self._fresh(tree, model)
        if asks or not is_enabled(self._database, "describe"):
            assert seen == expected
        assert without_descriptions(seen) == without_descriptions(expected)

    def _fresh(self, tree: Commit, model: int | None = MODEL) -> IndexSnapshot:
        """Returns the snapshot of a fresh index with the same settings."""
        texts, lines = (is_enabled(self._database, key) for key in ("texts", "describe"))
        return self._fresh_snapshots.of(tree, model, texts=texts, lines=lines)

    def _failing_context(
        self, fuse: FaultInjector, model: int | None, parser: str = "in process", asks: str = ""
    ) -> SyncContext:
        database = FailingDatabase(self._database, fuse)
        kinds = vector_options(model, parser)
        if model:
            kinds["embedder"] = FailingEmbedder(fuse, model, batch=3)
        how = new_description_options(asks, fuse)
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
        run = self._failing_context(fuse, model, parser)
        run.budget.max_embeddings, run.budget.max_requests = embeddings, requests
        run.budget.requests_sent = lambda: fuse.calls
        run.budget.embedding_requests = lambda texts: -(-texts // 3)
        return run
