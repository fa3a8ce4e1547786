"""Documents come into the index where they can be read, and never leave it by chance."""

from collections.abc import Iterator
from dataclasses import replace
from threading import Condition

import pytest

from feeder.assembly.opening import Place, feeding
from feeder.assembly.opening import opened as opened_store
from feeder.assembly.trees import tree_of
from feeder.config import Settings
from feeder.errors import UserError
from feeder.parse import extract
from feeder.parse.workers import Workers
from feeder.run.stale import Stale
from feeder.run.sync import sync
from feeder.run.validate import validate
from feeder.serve.watching import Watch
from feeder.store.sqlite import SQLite
from feeder.tree import Sizes
from feeder.tree.commit import Commit
from hashed import HashedEmbedder
from parse.papers import docx, p, tbl
from tree.repos import Repo
from worlds import InProcess, feed, fresh, opened, picture, rows, synced

MANUAL = docx(p("Registers", "berschrift1") + tbl([("Name", "Offset"), ("CTRL", "0x00")]))
WITH, WITHOUT = "in process documents:1/5/0", "in process"
STATES = "SELECT path, state, reason FROM files ORDER BY path"


@pytest.fixture
def database() -> Iterator[SQLite]:
    """An empty index."""
    database = opened()
    yield database
    database.close()


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with code and a document."""
    repo.commit({"cart.py": "def total():\n    return 1\n"})
    repo.commit({"manual.docx": MANUAL})
    return repo


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A program without what reads documents; undone by the test, or after it."""
    monkeypatch.setattr(extract, "NEEDED", ("no-such-distribution",))
    extract.versions.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    extract.versions.cache_clear()


def test_a_document_has_its_nodes_in_the_index(shop: Repo, database: SQLite) -> None:
    synced(Commit(shop.path), database)
    sql = "SELECT node_type, logical_path, signature, language FROM docs WHERE path = 'manual.docx'"
    assert ("doc_table", "Registers", "Name | Offset", "docx") in rows(database, sql)


def test_without_the_extra_it_is_left_out_with_the_remedy(
    shop: Repo, database: SQLite, unread: pytest.MonkeyPatch
) -> None:
    report = synced(Commit(shop.path), database, parser=InProcess(WITHOUT))
    assert report.skipped == {"manual.docx": extract.NOT_INSTALLED}
    assert 'pip install "headfeed[documents]"' in extract.NOT_INSTALLED
    assert rows(database, "SELECT path FROM docs") == ["cart.py"]


def test_an_extra_that_is_installed_later_reads_the_documents_alone(
    shop: Repo, database: SQLite, unread: pytest.MonkeyPatch
) -> None:
    synced(Commit(shop.path), database, parser=InProcess(WITHOUT))
    unread.undo()
    extract.versions.cache_clear()
    parser = InProcess(WITH)
    report = synced(Commit(shop.path), database, parser=parser)
    assert parser.parsed == ["manual.docx"]
    assert report.notes == [Stale.DOCUMENTS]
    assert picture(database) == fresh(Commit(shop.path), parser=InProcess(WITH))


def test_an_index_that_took_documents_for_binary_reads_them(shop: Repo, database: SQLite) -> None:
    """So did the program before it knew them."""
    synced(Commit(shop.path), database)
    connection = database.connection
    of_it = "path = 'manual.docx'"
    connection.execute(f"DELETE FROM docs_fts WHERE id IN (SELECT id FROM docs WHERE {of_it})")
    connection.execute(f"DELETE FROM docs WHERE {of_it}")
    kept_out = "state = 'skipped', reason = 'binary, by its name', nodes = 0"
    connection.execute(f"UPDATE files SET {kept_out} WHERE {of_it}")
    connection.execute("UPDATE meta SET value = 'others' WHERE key LIKE '%:rules'")
    synced(Commit(shop.path), database)
    assert rows(database, STATES) == [("cart.py", "clean", None), ("manual.docx", "clean", None)]
    assert picture(database) == fresh(Commit(shop.path))


def test_a_program_that_cannot_read_them_does_not_take_documents_out(
    shop: Repo, database: SQLite, unread: pytest.MonkeyPatch
) -> None:
    """Two installations would else put them in and take them out by turns."""
    unread.undo()
    extract.versions.cache_clear()
    synced(Commit(shop.path), database, parser=InProcess(WITH))
    before = picture(database)
    shop.commit({"new.py": "x = 1\n"})
    run = feed(Commit(shop.path), database, parser=InProcess(WITHOUT))
    with pytest.raises(UserError, match=r"such as manual.docx.*headfeed\[documents\]"):
        sync(run)
    with pytest.raises(UserError, match="cannot read"):
        validate(feed(Commit(shop.path), database, parser=InProcess(WITHOUT)))
    assert picture(database) == before


def test_it_does_where_that_is_asked_for(
    shop: Repo, database: SQLite, unread: pytest.MonkeyPatch
) -> None:
    unread.undo()
    extract.versions.cache_clear()
    synced(Commit(shop.path), database, parser=InProcess(WITH))
    unread.setattr(extract, "NEEDED", ("no-such-distribution",))
    extract.versions.cache_clear()
    run = feed(Commit(shop.path), database, parser=InProcess(WITHOUT))
    sync(replace(run, force=True))
    assert rows(database, STATES)[1] == ("manual.docx", "skipped", extract.NOT_INSTALLED)
    assert picture(database) == fresh(Commit(shop.path), parser=InProcess(WITHOUT))


def test_without_documents_any_installation_does(repo: Repo, database: SQLite) -> None:
    """And reads no file again."""
    repo.commit({"cart.py": "def total():\n    return 1\n"})
    synced(Commit(repo.path), database, parser=InProcess(WITH))
    parser = InProcess(WITHOUT)
    synced(Commit(repo.path), database, parser=parser)
    assert parser.parsed == []
    assert picture(database) == fresh(Commit(repo.path), parser=InProcess(WITHOUT))


def test_a_document_may_be_larger_than_other_files(shop: Repo, database: SQLite) -> None:
    shop.commit({"large.txt": "many words\n" * 100})
    assert len(MANUAL) > 500
    report = synced(Commit(shop.path, sizes=Sizes(text=500)), database)
    assert report.skipped == {"large.txt": "larger than the limit"}
    report = synced(Commit(shop.path, sizes=Sizes(document=500)), database)
    assert report.skipped == {"manual.docx": "larger than the limit"}


def test_an_index_with_documents_is_proved(shop: Repo, database: SQLite) -> None:
    embedder = HashedEmbedder()
    synced(Commit(shop.path), database, embedder)
    assert validate(feed(Commit(shop.path), database, embedder)).passed


def test_a_run_shows_where_in_a_document_its_workers_are(shop: Repo) -> None:
    settings = Settings(directory=shop.path, vectors=False, quiet=True)
    place = Place(shop.path, "shop", "main")
    with opened_store(place, settings, writes=True, create=True) as store:
        store.talk = Watch(Condition())
        with feeding(store, tree_of(place, settings), settings, dry_run=False) as run:
            assert isinstance(run.parser, Workers)
            with store.talk.step("words", 3) as step:
                step(1)
                run.parser.tell("manual.pdf: page 2 of 9")
                assert str(store.talk) == "words: 1 of 3 files, manual.pdf: page 2 of 9"
                run.parser.tell("")
            assert str(store.talk) == "words: 1 of 3 files"
