"""What most tests of runs need."""

from collections.abc import Iterator

import pytest

from feeder.store.sqlite import SQLite
from source.repos import Repo
from worlds import SHOP, opened


@pytest.fixture
def database() -> Iterator[SQLite]:
    """An empty index."""
    database = opened()
    yield database
    database.close()


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository of a commit with code, a document, data, an empty and two kept-out files."""
    repo.commit(SHOP)
    return repo
