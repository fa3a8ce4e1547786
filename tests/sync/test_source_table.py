"""Stored source: complete, masked, and only if `--texts` is on."""

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
from feeder.sync.budget import Budget
from feeder.sync.context import SyncContext
from feeder.sync.partial_sync import process_paths
from feeder.sync.source_table import STILL_STORED_NOTE
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import CART, REPO, new_sync_context, open_database, query_rows, run_sync
from source.repos import Repo

pytestmark = pytest.mark.slow

COUNTS_CHECK = "the counts in meta match the files and nodes"
CHECK = "every indexed file has its stored source, and no other file has any"
SAME = "stored source matches its file"
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
    """Returns the stored lines of a file by number."""
    paths_with_source = dict(stored_source.stored_files(database, REPO)).get(path, [])
    return {number: line for part in paths_with_source for number, line in part.lines()}


def numbered(text: str) -> dict[int, str]:
    return dict(enumerate(text.rstrip().split("\n"), start=1))


def paths_with_source(database: SQLite) -> list[str]:
    return sorted(stored_source.stored_paths(database, REPO))


def texts_setting(database: SQLite) -> list[Any]:
    return query_rows(database, "SELECT value FROM meta WHERE key = ?", f"{REPO}:texts")


def run(shop: Repo, database: SQLite, **more: Any) -> SyncContext:
    return new_sync_context(Commit(shop.path), database, **more)


def test_only_files_with_nodes_have_stored_source(shop: Repo, database: SQLite) -> None:
    """Lines have their numbers in the file. The default is off."""
    run_sync(Commit(shop.path), database)
    assert (paths_with_source(database), texts_setting(database)) == ([], [])
    run_sync(Commit(shop.path), database, store_source=True)
    assert (paths_with_source(database), texts_setting(database)) == (WITH_NODES, ["on"])
    assert lines_of(database, "src/cart.py") == numbered(CART)


def test_secrets_are_masked_in_stored_source(repo: Repo, database: SQLite) -> None:
    """The lines around them keep their numbers."""
    repo.commit({"key.py": SECRET})
    run_sync(Commit(repo.path), database, store_source=True)
    assert lines_of(database, "key.py") == numbered(SECRET.replace(KEY, "x" * len(KEY)))


def test_notebook_has_the_sources_of_its_cells(repo: Repo, database: SQLite) -> None:
    """Each line has its line number in the file."""
    text = json.dumps(NOTEBOOK, indent=1)
    repo.commit({"prices.ipynb": text})
    run_sync(Commit(repo.path), database, store_source=True)
    [(_, [part])] = stored_source.stored_files(database, REPO)
    found = [(number, line) for number, line in part.lines() if line]
    lines = numbered(text)
    assert [line for _, line in found] == ["# Prices", "of fruit", "def price():", "    1"]
    assert all(line in lines[number] for number, line in found)


def test_long_file_is_split_and_a_long_line_is_truncated() -> None:
    """Each part has its first and last line number and no unused space."""
    text = "".join(f"{number:0100}\n" for number in range(1, 1001))
    parts = source_blocks(text.encode())
    assert len(parts) == -(-len(text) // BLOCK_BYTES)
    assert [line for part in parts for line in part.lines()] == list(numbered(text).items())
    assert all(part.last_line + 1 == after.first_line for part, after in pairwise(parts))
    [cut] = source_blocks(("ä" * LINE_BYTES).encode())
    assert dict(cut.lines()) == {1: "ä" * (LINE_BYTES // 2)}


def test_turning_it_on_later_writes_only_the_missing_source(
    shop: Repo, database: SQLite, capsys: pytest.CaptureFixture[str]
) -> None:
    """The number of writes is printed before the first one."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    later = run(shop, database, embedder=(embedder := HashedEmbedder()), store_source=True)
    later.progress._quiet = False
    sync(later)
    assert paths_with_source(database) == WITH_NODES
    assert (embedder.texts, later.report.nodes_new, later.report.text_rows) == (0, 0, 3)
    assert "Stored source: reading 4 unchanged files" in capsys.readouterr().err


def test_setting_persists_until_it_is_changed(shop: Repo, database: SQLite) -> None:
    """A later run without the option follows it and prints so. Without changes it takes one
    request.
    """
    run_sync(Commit(shop.path), database, store_source=True)
    shop.commit({"src/new.py": "def new():\n    pass\n", "config.json": None})
    assert run_sync(Commit(shop.path), database).notes == [STILL_STORED_NOTE]
    assert paths_with_source(database) == ["docs/guide.md", "src/cart.py", "src/new.py"]
    for flag in (None, True):
        fuse = FaultInjector(0)
        sync(run(shop, FailingDatabase(database, fuse), store_source=flag))  # type: ignore[arg-type]
        assert fuse.calls == 1
    run_sync(Commit(shop.path), database, store_source=False)
    assert (paths_with_source(database), texts_setting(database)) == ([], [])
    shop.commit({"src/newer.py": "def newer():\n    pass\n"})
    assert run_sync(Commit(shop.path), database).notes == []
    assert paths_with_source(database) == []


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(("first", "then"), [(None, True), (True, False)])
def test_next_run_completes_a_crashed_change_of_the_setting(
    shop: Repo,
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: bool,
    first: bool | None,
    then: bool,
) -> None:
    """At any call, even without the option; validation fails until then."""
    monkeypatch.setattr("feeder.store.stored_source.DELETE_BATCH", 1)
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    for at in range(1, 20):
        database = open_database()
        run_sync(Commit(shop.path), database, store_source=first)
        fuse = FaultInjector(at, before=before)
        wire = FailingDatabase(database, fuse)
        with suppress(Crash):
            sync(run(shop, wire, store_source=then))  # type: ignore[arg-type]  # it asks and answers alike
        due = WITH_NODES if texts_setting(database) in (["on"], ["filling"]) else []
        assert validate(run(shop, database)).passed == (paths_with_source(database) == due)
        run_sync(Commit(shop.path), database)
        assert paths_with_source(database) == due
        assert validate(run(shop, database)).passed
        if not fuse.has_failed:
            assert at > 5
            return
    pytest.fail("the run has more calls than were tried")


def test_budget_stops_between_two_parts(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run continues there."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    run_sync(Commit(shop.path), database)
    fuse = FaultInjector(0)
    limited = run(shop, FailingDatabase(database, fuse), store_source=True)  # type: ignore[arg-type]
    limited.budget = Budget(max_requests=3, requests_sent=lambda: fuse.calls)
    with pytest.raises(StoppedEarly):
        sync(limited)
    some = paths_with_source(database)
    assert 0 < len(some) < 3
    rest = run_sync(Commit(shop.path), database)
    assert rest.text_rows == 3 - len(some)
    assert (paths_with_source(database), texts_setting(database)) == (WITH_NODES, ["on"])


def test_leftover_source_of_a_crashed_removal_is_replaced(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files have changed since the crash, and the setting is turned on again."""
    monkeypatch.setattr("feeder.store.stored_source.DELETE_BATCH", 1)
    run_sync(Commit(shop.path), database, store_source=True)
    with pytest.raises(Crash):
        sync(run(shop, FailingDatabase(database, FaultInjector(4)), store_source=False))  # type: ignore[arg-type]
    assert texts_setting(database) == ["leaving"]
    shop.commit({"src/cart.py": "def cart():\n    pass\n"})
    run_sync(Commit(shop.path), database, store_source=True)
    assert lines_of(database, "src/cart.py") == {1: "def cart():", 2: "    pass"}
    assert validate(run(shop, database)).passed


def test_shards_write_their_own_source_and_the_last_one_completes_it(
    shop: Repo, database: SQLite
) -> None:
    """Shards cannot turn the setting off: others would still write."""
    run_sync(Commit(shop.path), database)
    for number in (1, 2, 3):
        part = run(shop, database, store_source=True)
        part.token, part.shard = "shared", Shard(number, 3)
        sync(part)
        assert texts_setting(database) == (["on"] if number == 3 else ["filling"])
    assert paths_with_source(database) == WITH_NODES
    part = run(shop, database, store_source=False)
    part.token, part.shard = "shared too", Shard(1, 3)
    with pytest.raises(UserError, match="sync --no-texts"):
        sync(part)


def test_partial_run_updates_only_its_files(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database)
    folder = Folder(shop.path, [shop.path / "src"])
    part = new_sync_context(folder, database, store_source=True)
    process_paths(part, shop.path, [shop.path / "src"], dry_run=False)
    assert (paths_with_source(database), texts_setting(database)) == (["src/cart.py"], ["filling"])
    run_sync(Commit(shop.path), database)
    assert (paths_with_source(database), texts_setting(database)) == (WITH_NODES, ["on"])


def test_repositories_in_one_database_are_separate(shop: Repo, database: SQLite) -> None:
    """One keeps its source when another's is removed."""
    run_sync(Commit(shop.path), database, store_source=True)
    run_sync(Commit(shop.path), database, name="acme/other", store_source=True)
    run_sync(Commit(shop.path), database, name="acme/other", store_source=False)
    assert paths_with_source(database) == WITH_NODES
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
def test_wrong_source_is_found_and_repaired(
    shop: Repo, database: SQLite, damage: str, check: str, difference: str
) -> None:
    """Nothing else is rewritten."""
    run_sync(Commit(shop.path), database, store_source=True)
    assert validate(run(shop, database)).passed
    query_rows(database, damage)
    verdict = validate(run(shop, database))
    failed = {check.name: check.differences for check in verdict.checks if not check.passed}
    assert any(difference in line for line in failed[check])
    mending = run(shop, database)
    repair(mending, verdict)
    assert mending.report.nodes_new == 0
    assert validate(run(shop, database)).passed
    assert lines_of(database, "src/cart.py") == numbered(CART)
    assert texts_setting(database) == ["on"]


def test_unexpected_source_is_found_and_removed(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database)
    query_rows(
        database, "INSERT INTO texts VALUES ('acme/shop', 'src/cart.py', 0, 1, 1, NULL, x'00')"
    )
    verdict = validate(run(shop, database))
    assert [check.name for check in verdict.checks if not check.passed] == [COUNTS_CHECK, CHECK]
    repair(run(shop, database), verdict)
    assert paths_with_source(database) == []
    assert validate(run(shop, database)).passed


def test_dry_run_reports_rows_and_bytes(shop: Repo, database: SQLite) -> None:
    """For a first sync, for turning it on and for turning it off."""
    planned = run(shop, database, store_source=True)
    sync(planned, dry_run=True)
    first = run_sync(Commit(shop.path), database, store_source=True)
    assert (planned.report.text_rows, planned.report.text_bytes) == (3, first.text_bytes)
    assert sum(query_rows(database, "SELECT length(text) FROM texts")) == first.text_bytes
    ending = run(shop, database, store_source=False)
    sync(ending, dry_run=True)
    assert (ending.report.text_rows, ending.report.text_rows_gone) == (0, 3)
    assert paths_with_source(database) == WITH_NODES
    run_sync(Commit(shop.path), database, store_source=False)
    again = run(shop, database, store_source=True)
    sync(again, dry_run=True)
    assert (again.report.text_rows, again.report.text_bytes) == (3, first.text_bytes)
    assert paths_with_source(database) == []


def test_superseded_run_writes_no_source(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database)

    def run_other_sync() -> None:
        run_sync(Commit(shop.path), database)
        shop.commit({"src/late.py": "def late():\n    pass\n"})
        run_sync(Commit(shop.path), database)

    fuse = FaultInjector(3, fail=run_other_sync)
    with pytest.raises(Superseded):
        sync(run(shop, FailingDatabase(database, fuse), store_source=True))  # type: ignore[arg-type]
    assert validate(run(shop, database)).passed


def test_part_with_gaps_stores_each_line_number() -> None:
    """Such as those of a notebook."""
    [part] = source_blocks(b"one\ntwo\nthree\n", [4, 9, 9, 12])
    assert (part.first_line, part.last_line, part.numbers) == (4, 9, [4, 9, 9])
    assert list(part.lines()) == [(4, "one"), (9, "two"), (9, "three")]


def test_damaged_part_is_an_error() -> None:
    with pytest.raises(ValueError, match="Error"):
        list(SourceBlock(1, 1, None, b"\xff").lines())
