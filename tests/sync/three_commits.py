"""Three commits with documents among their files, a fresh index of each, and runs on them."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fake_describer import FakeDescriber
from feeder.source import Tree
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.context import DescriptionOptions
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    CART,
    SHOP,
    IndexSnapshot,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    run_sync,
)
from parse.documents import docx, p, tbl, xlsx
from source.known_commit import KnownCommit
from source.repos import Repo

PRICES = xlsx({"Prices": [("article", "price"), ("apple", 1.5)]})


def manual(offset: str) -> bytes:
    """A document with a table."""
    return docx(p("Registers", "berschrift1") + tbl([("Name", "Offset"), ("CTRL", offset)]))


class Trees(NamedTuple):
    """Three commits: the third undoes the second and changes something else.

    Some of the files are documents; one of them is plain text in the second commit.
    """

    first: Commit
    second: Commit
    third: Commit


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    repo = Repo(tmp_path_factory.mktemp("trees"))
    repo.commit(SHOP)
    repo.commit({"manual.docx": manual("0x00"), "prices.xlsx": PRICES})
    first = KnownCommit(repo.path)
    edited = CART.replace("return Cart()", "return Basket()")
    repo.commit({"src/cart.py": edited, "docs/guide.md": None, "src/tax.py": "RATE = 19\n"})
    repo.commit({"manual.docx": manual("0x04")})
    repo.commit({"prices.xlsx": "apples\n"})
    second = KnownCommit(repo.path)
    moved = edited.replace("\n\n\nclass", "\n\n\n\nclass")
    repo.commit({"src/cart.py": moved, "docs/guide.md": SHOP["docs/guide.md"]})
    repo.commit({"manual.docx": None, "prices.xlsx": PRICES})
    repo.commit({"src/tax.py": None, "config.json": None, "src/vat.py": "RATE = 7\n"})
    return Trees(first, second, KnownCommit(repo.path))


@pytest.fixture(scope="module")
def fresh_snapshots(trees: Trees) -> dict[Tree, IndexSnapshot]:
    """A snapshot of a fresh index of each commit."""
    return {tree: fresh_snapshot(tree, HashedEmbedder()) for tree in trees}


@pytest.fixture
def file(trees: Trees, tmp_path: Path) -> Iterator[Path]:
    """The path of an index of the first commit."""
    path = tmp_path / "index.db"
    database = open_database(path)
    run_sync(trees.first, database, HashedEmbedder())
    database.close()
    yield path


def vectors(tree: Commit, database: SQLite) -> None:
    run_sync(tree, database, HashedEmbedder())


def other_vectors(tree: Commit, database: SQLite) -> None:
    run_sync(tree, database, HashedEmbedder(32))


def copy_beside(file: Path, name: str) -> Path:
    """Copies a file within its folder."""
    return Path(shutil.copy(file, file.with_name(name)))


def assert_sync_completes(
    tree: Tree, file: Path, fresh_snapshots: dict[Tree, IndexSnapshot], *, with_lines: bool = False
) -> None:
    """Runs a sync and checks that the index equals a fresh one."""
    database = SQLite(file)
    run = new_sync_context(tree, database, HashedEmbedder())
    run.description_options = DescriptionOptions(FakeDescriber()) if with_lines else None
    sync(run)
    assert index_snapshot(database) == fresh_snapshots[tree]
    assert validate(run).passed
    database.close()
