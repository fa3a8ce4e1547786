"""What most tests of runs need."""

from collections.abc import Iterator

import pytest

from feeder.store.sqlite import SQLite
from worlds import opened


@pytest.fixture
def database() -> Iterator[SQLite]:
    """An empty index."""
    database = opened()
    yield database
    database.close()
