"""Fixtures that most tests of runs need."""

from collections.abc import Iterator

import pytest

from feeder.store.sqlite import SQLite
from index_helpers import SHOP, open_database
from source.repos import Repo


@pytest.fixture
def database() -> Iterator[SQLite]:
    """An empty index."""
    database = open_database()
    yield database
    database.close()


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository of one commit: code, a document, data, an empty file and two excluded files."""
    repo.commit(SHOP)
    return repo
