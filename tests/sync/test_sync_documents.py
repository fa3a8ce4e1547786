"""Documents are indexed if they can be read; an installation that cannot never removes them."""

from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from threading import Condition
from typing import Any

import pytest

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.config import Settings
from feeder.errors import StoppedEarly, UserError
from feeder.mcp.index_refresh import ProgressMonitor
from feeder.parse import extract
from feeder.parse.worker_pool import WorkerPool
from feeder.session.opening import open_session as opened_store
from feeder.session.runs import open_run
from feeder.session.workspace import Workspace, indexed_tree
from feeder.source import Sizes
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.diff import StaleReason
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    InProcessParser,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    query_rows,
    run_sync,
)
from parse.documents import docx, p, tbl
from source.repos import Repo
from sync.sync_histories.branch import without_document_packages

MANUAL = docx(p("Registers", "berschrift1") + tbl([("Name", "Offset"), ("CTRL", "0x00")]))
WITH, WITHOUT = "in process documents:1/5/0", "in process"
STATES = "SELECT path, state, reason FROM files ORDER BY path"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with code and a document."""
    repo.commit({"cart.py": "def total():\n    return 1\n"})
    repo.commit({"manual.docx": MANUAL})
    return repo


@pytest.mark.needs("documents")
def test_document_has_its_nodes_in_the_index(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database)
    sql = "SELECT node_type, logical_path, signature, language FROM docs WHERE path = 'manual.docx'"
    assert ("doc_table", "Registers", "Name | Offset", "docx") in query_rows(database, sql)


def test_without_the_extra_documents_are_skipped_with_a_remedy(
    shop: Repo, database: SQLite
) -> None:
    with without_document_packages():
        report = run_sync(Commit(shop.path), database, parser=InProcessParser(WITHOUT))
    assert report.skipped == {"manual.docx": extract.NOT_INSTALLED}
    assert "the extra `documents`" in extract.NOT_INSTALLED
    assert query_rows(database, "SELECT path FROM docs") == ["cart.py"]


def test_extra_installed_later_reads_only_the_documents(shop: Repo, database: SQLite) -> None:
    with without_document_packages():
        run_sync(Commit(shop.path), database, parser=InProcessParser(WITHOUT))
    parser = InProcessParser(WITH)
    report = run_sync(Commit(shop.path), database, parser=parser)
    assert parser.parsed == ["manual.docx"]
    assert report.notes == [StaleReason.DOCUMENTS]
    assert index_snapshot(database) == fresh_snapshot(
        Commit(shop.path), parser=InProcessParser(WITH)
    )


@pytest.mark.needs("documents")
def test_documents_indexed_as_binary_are_read(shop: Repo, database: SQLite) -> None:
    """As by versions that did not know them."""
    run_sync(Commit(shop.path), database)
    connection = database.connection
    of_it = "path = 'manual.docx'"
    connection.execute(f"DELETE FROM docs_fts WHERE id IN (SELECT id FROM docs WHERE {of_it})")
    connection.execute(f"DELETE FROM docs WHERE {of_it}")
    kept_out = "state = 'skipped', reason = 'binary, by its name', nodes = 0"
    connection.execute(f"UPDATE files SET {kept_out} WHERE {of_it}")
    connection.execute(
        "UPDATE meta SET value = 'others' WHERE key LIKE '%:rules' OR key LIKE '%:limits'"
    )
    connection.execute("DELETE FROM meta WHERE key LIKE '%:counts'")
    run_sync(Commit(shop.path), database)
    assert query_rows(database, STATES) == [
        ("cart.py", "clean", None),
        ("manual.docx", "clean", None),
    ]
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path))


def test_installation_without_the_extra_does_not_remove_documents(
    shop: Repo, database: SQLite
) -> None:
    """Two installations would otherwise add and remove them in turn."""
    run_sync(Commit(shop.path), database, parser=InProcessParser(WITH))
    before = index_snapshot(database)
    shop.commit({"new.py": "x = 1\n"})
    _refused_without(shop, database)
    assert index_snapshot(database) == before


def _refused_without(shop: Repo, database: SQLite) -> None:
    """Checks that run and validation are refused with a remedy."""
    with without_document_packages():
        run = new_sync_context(Commit(shop.path), database, parser=InProcessParser(WITHOUT))
        with pytest.raises(UserError, match=r"such as manual.docx.*documents\]"):
            sync(run)
        with pytest.raises(UserError, match="cannot read"):
            validate(run)


def test_force_removes_documents_without_the_extra(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database, parser=InProcessParser(WITH))
    _force_removal(shop, database)


def _force_removal(shop: Repo, database: SQLite) -> None:
    """Removes the documents with `--force`."""
    tree = Commit(shop.path)
    with without_document_packages():
        sync(replace(new_sync_context(tree, database, parser=InProcessParser(WITHOUT)), force=True))
        assert index_snapshot(database) == fresh_snapshot(tree, parser=InProcessParser(WITHOUT))
        assert validate(new_sync_context(tree, database, parser=InProcessParser(WITHOUT))).passed
    assert query_rows(database, STATES)[1] == ("manual.docx", "skipped", extract.NOT_INSTALLED)


@pytest.mark.needs("documents")
@pytest.mark.parametrize("before", [WITHOUT, f"old {WITH}"])
def test_documents_of_a_crashed_run_are_not_removed_either(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """At any call, whether or not the index had documents before."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    held = []
    for at in count(2):  # behind the reading
        with without_document_packages() if before == WITHOUT else nullcontext():
            sync(
                replace(
                    new_sync_context(Commit(shop.path), database, parser=InProcessParser(before)),
                    force=True,
                )
            )
        fuse = FaultInjector(at, before=False)
        wire: Any = FailingDatabase(database, fuse)
        with suppress(Crash):
            sync(new_sync_context(Commit(shop.path), wire, parser=InProcessParser(WITH)))
        if not fuse.has_failed:
            break
        held.append(query_rows(database, STATES)[1][1])
        _refused_without(shop, database)
        _force_removal(shop, database)
    assert len(held) >= 2
    assert held[-1] == "clean"


def test_installation_without_the_extra_does_not_supersede_one_with_it(
    shop: Repo, database: SQLite
) -> None:
    """It is refused before it takes over the index."""
    run_sync(Commit(shop.path), database, parser=InProcessParser(WITH))
    for at in (2, 3):
        shop.commit({"new.py": f"x = {at}\n"})
        refused = FaultInjector(at, before=False, fail=partial(_refused_without, shop, database))
        wire: Any = FailingDatabase(database, refused)
        sync(new_sync_context(Commit(shop.path), wire, parser=InProcessParser(WITH)))
        assert refused.has_failed
    assert index_snapshot(database) == fresh_snapshot(
        Commit(shop.path), parser=InProcessParser(WITH)
    )


def test_new_extractor_reads_all_documents_within_any_limit(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run reads one document, and no document is read twice."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    shop.commit({f"{number}.docx": MANUAL for number in range(4)})
    run_sync(Commit(shop.path), database, parser=InProcessParser(WITH))
    parsed: list[str] = []
    for _ in range(5):
        parser = InProcessParser(f"{WITH}/newer")
        run = new_sync_context(Commit(shop.path), database, parser=parser)
        run.budget.max_requests = 0
        with suppress(StoppedEarly):
            sync(run)
        parsed += parser.parsed[:1]  # what is read ahead is not written
    assert parsed == ["0.docx", "1.docx", "2.docx", "3.docx", "manual.docx"]
    assert index_snapshot(database) == fresh_snapshot(
        Commit(shop.path), parser=InProcessParser(f"{WITH}/newer")
    )


def test_index_without_documents_accepts_any_installation(repo: Repo, database: SQLite) -> None:
    """No file is read again."""
    repo.commit({"cart.py": "def total():\n    return 1\n"})
    run_sync(Commit(repo.path), database, parser=InProcessParser(WITH))
    parser = InProcessParser(WITHOUT)
    run_sync(Commit(repo.path), database, parser=parser)
    assert parser.parsed == []
    assert index_snapshot(database) == fresh_snapshot(
        Commit(repo.path), parser=InProcessParser(WITHOUT)
    )


@pytest.mark.needs("documents")
def test_documents_have_a_higher_size_limit(shop: Repo, database: SQLite) -> None:
    shop.commit({"large.txt": "many words\n" * 100})
    assert len(MANUAL) > 500
    report = run_sync(Commit(shop.path, sizes=Sizes(text=500)), database)
    assert report.skipped == {"large.txt": "larger than the limit"}
    report = run_sync(Commit(shop.path, sizes=Sizes(document=500)), database)
    assert report.skipped == {"manual.docx": "larger than the limit"}


def test_index_with_documents_passes_validation(shop: Repo, database: SQLite) -> None:
    embedder = HashedEmbedder()
    run_sync(Commit(shop.path), database, embedder)
    assert validate(new_sync_context(Commit(shop.path), database, embedder)).passed


def test_progress_shows_the_position_within_a_document(shop: Repo) -> None:
    settings = Settings(directory=shop.path, vectors=False, quiet=True)
    place = Workspace(shop.path, "shop", "main")
    with opened_store(place, settings, writes=True, create=True) as store:
        store.progress = ProgressMonitor(Condition())
        with open_run(store, indexed_tree(place, settings), settings, dry_run=False) as run:
            assert isinstance(run.parser, WorkerPool)
            with store.progress.step("words", 3) as step:
                step(1)
                run.parser.on_progress("manual.pdf: page 2 of 9")
                assert str(store.progress) == "words: 1 of 3 files, manual.pdf: page 2 of 9"
                run.parser.on_progress("")
            assert str(store.progress) == "words: 1 of 3 files"
