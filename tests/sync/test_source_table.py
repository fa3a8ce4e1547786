"""The lines of files, kept where a feed is told so: whole, masked, and none too many."""

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.errors import StoppedEarly, Superseded, UserError
from feeder.parse.compressed_source import BLOCK_BYTES, LINE_BYTES, SourceBlock, source_blocks
from feeder.shards import Shard
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from feeder.store import stored_source
from feeder.store.sqlite import SQLite
from feeder.sync.context import Budget, SyncContext
from feeder.sync.partial_sync import process_paths
from feeder.sync.source_table import STILL_STORED_NOTE
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import CART, REPO, new_sync_context, open_database, query_rows, run_sync
from source.repos import Repo

CHECK = "every indexed file has its stored source, and no other file has any"
SAME = "stored source equals its file"
WITH_NODES = ["config.json", "docs/guide.md", "src/cart.py"]
KEY = "AKIA" + "QYLPMN5HHHFPZAM2"
SECRET = f'class Key:\n    """Of a service."""\n\n    aws = "{KEY}"\n\n\ndef use():\n    return 1\n'
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Prices\n", "of fruit"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["def price():\n", "    1"]},
    ],
}


def lines_of(database: SQLite, path: str) -> dict[int, str]:
    """What the index has of a file, by number."""
    kept = dict(stored_source.stored_files(database, REPO)).get(path, [])
    return {number: line for part in kept for number, line in part.lines()}


def numbered(text: str) -> dict[int, str]:
    return dict(enumerate(text.rstrip().split("\n"), start=1))


def kept(database: SQLite) -> list[str]:
    return sorted(stored_source.stored_paths(database, REPO))


def said(database: SQLite) -> list[Any]:
    return query_rows(database, "SELECT value FROM meta WHERE key = ?", f"{REPO}:texts")


def run(shop: Repo, database: SQLite, **more: Any) -> SyncContext:
    return new_sync_context(Commit(shop.path), database, **more)


def test_each_file_with_nodes_has_its_lines_and_no_other(shop: Repo, database: SQLite) -> None:
    """At their numbers, whatever nodes they are in; off unless it is said."""
    run_sync(Commit(shop.path), database)
    assert (kept(database), said(database)) == ([], [])
    run_sync(Commit(shop.path), database, store_source=True)
    assert (kept(database), said(database)) == (WITH_NODES, ["on"])
    assert lines_of(database, "src/cart.py") == numbered(CART)


def test_a_secret_is_masked_as_in_the_index(repo: Repo, database: SQLite) -> None:
    """And the lines around it stay where they are."""
    repo.commit({"key.py": SECRET})
    run_sync(Commit(repo.path), database, store_source=True)
    assert lines_of(database, "key.py") == numbered(SECRET.replace(KEY, "x" * len(KEY)))


def test_a_notebook_has_the_sources_of_its_cells(repo: Repo, database: SQLite) -> None:
    """Each line with the number of the line of the file that it is on."""
    text = json.dumps(NOTEBOOK, indent=1)
    repo.commit({"prices.ipynb": text})
    run_sync(Commit(repo.path), database, store_source=True)
    [(_, [part])] = stored_source.stored_files(database, REPO)
    found = [(number, line) for number, line in part.lines() if line]
    lines = numbered(text)
    assert [line for _, line in found] == ["# Prices", "of fruit", "def price():", "    1"]
    assert all(line in lines[number] for number, line in found)


def test_a_long_file_comes_in_parts_and_a_long_line_is_cut() -> None:
    """No part is more than its lines need, and each knows its first and its last."""
    text = "".join(f"{number:0100}\n" for number in range(1, 1001))
    parts = source_blocks(text.encode())
    assert len(parts) == -(-len(text) // BLOCK_BYTES)
    assert [line for part in parts for line in part.lines()] == list(numbered(text).items())
    assert all(part.last_line + 1 == after.first_line for part, after in pairwise(parts))
    [cut] = source_blocks(("ä" * LINE_BYTES).encode())
    assert dict(cut.lines()) == {1: "ä" * (LINE_BYTES // 2)}


def test_turned_on_later_what_lacks_is_written_and_nothing_is_embedded(
    shop: Repo, database: SQLite, capsys: pytest.CaptureFixture[str]
) -> None:
    """What that takes is said before the first write."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    later = run(shop, database, embedder=(embedder := HashedEmbedder()), store_source=True)
    later.progress._quiet = False
    sync(later)
    assert kept(database) == WITH_NODES
    assert (embedder.texts, later.report.nodes_new, later.report.text_rows) == (0, 0, 3)
    assert "Stored source: reading 4 unchanged files" in capsys.readouterr().err


def test_what_the_index_was_told_holds_until_it_is_told_otherwise(
    shop: Repo, database: SQLite
) -> None:
    """A later run that says nothing follows it, says so, and where nothing changed asks once."""
    run_sync(Commit(shop.path), database, store_source=True)
    shop.commit({"src/new.py": "def new():\n    pass\n", "config.json": None})
    assert run_sync(Commit(shop.path), database).notes == [STILL_STORED_NOTE]
    assert kept(database) == ["docs/guide.md", "src/cart.py", "src/new.py"]
    for flag in (None, True):
        fuse = FaultInjector(0)
        sync(run(shop, FailingDatabase(database, fuse), store_source=flag))  # type: ignore[arg-type]
        assert fuse.calls == 1
    run_sync(Commit(shop.path), database, store_source=False)
    assert (kept(database), said(database)) == ([], [])
    shop.commit({"src/newer.py": "def newer():\n    pass\n"})
    assert run_sync(Commit(shop.path), database).notes == []
    assert kept(database) == []


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(("first", "then"), [(None, True), (True, False)])
def test_a_run_that_dies_while_they_come_or_go_is_finished_by_the_next(
    shop: Repo,
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: bool,
    first: bool | None,
    then: bool,
) -> None:
    """At whatever call, and although the next says nothing of texts; until then a proof fails."""
    monkeypatch.setattr("feeder.store.stored_source.DELETE_BATCH", 1)
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    for at in range(1, 20):
        database = open_database()
        run_sync(Commit(shop.path), database, store_source=first)
        fuse = FaultInjector(at, before=before)
        wire = FailingDatabase(database, fuse)
        with suppress(Crash):
            sync(run(shop, wire, store_source=then))  # type: ignore[arg-type]  # it asks and answers alike
        due = WITH_NODES if said(database) in (["on"], ["filling"]) else []
        assert validate(run(shop, database)).passed == (kept(database) == due)
        run_sync(Commit(shop.path), database)
        assert kept(database) == due
        assert validate(run(shop, database)).passed
        if not fuse.has_failed:
            assert at > 5
            return
    pytest.fail("the run has more calls than were tried")


def test_a_budget_ends_between_two_pieces(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the next run goes on there."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    run_sync(Commit(shop.path), database)
    fuse = FaultInjector(0)
    limited = run(shop, FailingDatabase(database, fuse), store_source=True)  # type: ignore[arg-type]
    limited.budget = Budget(max_requests=3, requests_sent=lambda: fuse.calls)
    with pytest.raises(StoppedEarly):
        sync(limited)
    some = kept(database)
    assert 0 < len(some) < 3
    rest = run_sync(Commit(shop.path), database)
    assert rest.text_rows == 3 - len(some)
    assert (kept(database), said(database)) == (WITH_NODES, ["on"])


def test_texts_left_over_from_before_are_not_taken_for_new_ones(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that took them out died, files changed, and they are wanted again."""
    monkeypatch.setattr("feeder.store.stored_source.DELETE_BATCH", 1)
    run_sync(Commit(shop.path), database, store_source=True)
    with pytest.raises(Crash):
        sync(run(shop, FailingDatabase(database, FaultInjector(4)), store_source=False))  # type: ignore[arg-type]
    assert said(database) == ["leaving"]
    shop.commit({"src/cart.py": "def cart():\n    pass\n"})
    run_sync(Commit(shop.path), database, store_source=True)
    assert lines_of(database, "src/cart.py") == {1: "def cart():", 2: "    pass"}
    assert validate(run(shop, database)).passed


def test_shards_fill_their_own_and_the_last_says_that_all_are_there(
    shop: Repo, database: SQLite
) -> None:
    """To take them out is not for shards: others would still write some."""
    run_sync(Commit(shop.path), database)
    for number in (1, 2, 3):
        part = run(shop, database, store_source=True)
        part.token, part.shard = "shared", Shard(number, 3)
        sync(part)
        assert said(database) == (["on"] if number == 3 else ["filling"])
    assert kept(database) == WITH_NODES
    part = run(shop, database, store_source=False)
    part.token, part.shard = "shared too", Shard(1, 3)
    with pytest.raises(UserError, match="sync --no-texts"):
        sync(part)


def test_a_run_over_a_part_keeps_that_part_and_leaves_the_rest_to_a_sync(
    shop: Repo, database: SQLite
) -> None:
    """It has not read the other files."""
    run_sync(Commit(shop.path), database)
    folder = Folder(shop.path, [shop.path / "src"])
    part = new_sync_context(folder, database, store_source=True)
    process_paths(part, shop.path, [shop.path / "src"], dry_run=False)
    assert (kept(database), said(database)) == (["src/cart.py"], ["filling"])
    run_sync(Commit(shop.path), database)
    assert (kept(database), said(database)) == (WITH_NODES, ["on"])


def test_repositories_of_one_database_are_told_apart(shop: Repo, database: SQLite) -> None:
    """One keeps its texts when another's are taken out."""
    run_sync(Commit(shop.path), database, store_source=True)
    run_sync(Commit(shop.path), database, name="acme/other", store_source=True)
    run_sync(Commit(shop.path), database, name="acme/other", store_source=False)
    assert kept(database) == WITH_NODES
    assert stored_source.stored_paths(database, "acme/other") == set()


@pytest.mark.parametrize(
    ("damage", "check", "difference"),
    [
        ("DELETE FROM texts WHERE path = 'src/cart.py'", CHECK, "src/cart.py: no stored source"),
        ("INSERT INTO texts VALUES ('acme/shop', 'x.py', 0, 1, 1, NULL, x'00')", CHECK, "x.py"),
        ("UPDATE texts SET path = 'src/__init__.py' WHERE path = 'src/cart.py'", CHECK, "cart"),
        ("UPDATE texts SET text = x'cb4800' WHERE path = 'src/cart.py'", SAME, "src/cart.py"),
        ("UPDATE texts SET text = x'ff' WHERE path = 'src/cart.py'", SAME, "src/cart.py"),
        ("UPDATE texts SET first_line = first_line + 1, last_line = last_line + 1", SAME, "cart"),
        ("INSERT INTO texts SELECT repo, path, 1, 99, 99, NULL, x'4b0400' FROM texts", SAME, "js"),
    ],
)
def test_what_is_wrong_with_them_is_named_and_mended(
    shop: Repo, database: SQLite, damage: str, check: str, difference: str
) -> None:
    """Without a word of the rest being written anew."""
    run_sync(Commit(shop.path), database, store_source=True)
    assert validate(run(shop, database)).passed
    query_rows(database, damage)
    verdict = validate(run(shop, database))
    failed = {one.name: one.differences for one in verdict.checks if not one.passed}
    assert any(difference in line for line in failed[check])
    mending = run(shop, database)
    repair(mending, verdict)
    assert mending.report.nodes_new == 0
    assert validate(run(shop, database)).passed
    assert lines_of(database, "src/cart.py") == numbered(CART)
    assert said(database) == ["on"]


def test_an_index_that_was_told_of_none_must_not_have_any(shop: Repo, database: SQLite) -> None:
    """A repair takes them out."""
    run_sync(Commit(shop.path), database)
    query_rows(
        database, "INSERT INTO texts VALUES ('acme/shop', 'src/cart.py', 0, 1, 1, NULL, x'00')"
    )
    verdict = validate(run(shop, database))
    assert [one.name for one in verdict.checks if not one.passed] == [CHECK]
    repair(run(shop, database), verdict)
    assert kept(database) == []
    assert validate(run(shop, database)).passed


def test_a_plan_says_rows_and_bytes_and_writes_nothing(shop: Repo, database: SQLite) -> None:
    """Of a first feed, of an index that has none yet, and of their end."""
    planned = run(shop, database, store_source=True)
    sync(planned, dry_run=True)
    first = run_sync(Commit(shop.path), database, store_source=True)
    assert (planned.report.text_rows, planned.report.text_bytes) == (3, first.text_bytes)
    assert sum(query_rows(database, "SELECT length(text) FROM texts")) == first.text_bytes
    ending = run(shop, database, store_source=False)
    sync(ending, dry_run=True)
    assert (ending.report.text_rows, ending.report.text_rows_gone) == (0, 3)
    assert kept(database) == WITH_NODES
    run_sync(Commit(shop.path), database, store_source=False)
    again = run(shop, database, store_source=True)
    sync(again, dry_run=True)
    assert (again.report.text_rows, again.report.text_bytes) == (3, first.text_bytes)
    assert kept(database) == []


def test_a_run_that_was_overtaken_leaves_no_text(shop: Repo, database: SQLite) -> None:
    """It has no right to write any more."""
    run_sync(Commit(shop.path), database)

    def overtake() -> None:
        run_sync(Commit(shop.path), database)
        shop.commit({"src/late.py": "def late():\n    pass\n"})
        run_sync(Commit(shop.path), database)

    fuse = FaultInjector(3, fail=overtake)
    with pytest.raises(Superseded):
        sync(run(shop, FailingDatabase(database, fuse), store_source=True))  # type: ignore[arg-type]
    assert validate(run(shop, database)).passed


def test_a_part_whose_numbers_jump_says_each_of_them() -> None:
    """As a notebook's do."""
    [part] = source_blocks(b"one\ntwo\nthree\n", [4, 9, 9, 12])
    assert (part.first_line, part.last_line, part.numbers) == (4, 9, [4, 9, 9])
    assert list(part.lines()) == [(4, "one"), (9, "two"), (9, "three")]


def test_a_damaged_part_is_told() -> None:
    """As a value that is none."""
    with pytest.raises(ValueError, match="Error"):
        list(SourceBlock(1, 1, None, b"\xff").lines())
