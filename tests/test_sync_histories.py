"""Any history synced step by step equals its last tree synced once."""

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feeder.store.sqlite import SQLite
from feeder.sync import sync
from feeder.tree.commit import Commit
from feeder.validate import validate
from hashed import HashedEmbedder
from tree.repos import Repo, raw_commit
from worlds import Death, Fuse, FusedDatabase, FusedEmbedder, feed, fresh, opened, picture

PATHS = ("a.py", "src/a.py", "src/b.py", "notes.md", "c.json", "yarn.lock", ".feederignore")
PARTS = (
    "def total(cart):\n    return sum(cart)\n\n\n",
    "class Cart:\n    def add(self):\n        pass\n\n\n",
    "class Cart:\n    def add(self):\n        return 1\n\n\n",
    "# Install\n\nUse a package.\n",
    '{"server": {"port": 1}}\n',
    "*.json\n",
    "\n",
    "\0",
)

contents = st.lists(st.sampled_from(PARTS), max_size=4).map(lambda parts: "".join(parts).encode())
modes = st.sampled_from(["100644"] * 8 + ["100755", "120000"])
files = st.dictionaries(st.sampled_from(PATHS), st.tuples(modes, contents), max_size=5)


class Step(NamedTuple):
    """A commit and a run on it: with or without a model, that may die at its `dies_at`-th call."""

    files: dict[str, tuple[str, bytes]]
    with_model: bool
    dies_at: int
    before: bool


steps = st.builds(
    Step, files, st.sampled_from([True, True, False]), st.integers(1, 24), st.booleans()
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo(tmp_path_factory.mktemp("history"))
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    return repo.path


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(history=st.lists(steps, max_size=4), last=files)
def test_any_history_ends_in_the_index_of_its_last_tree(
    place: Path, history: list[Step], last: dict[str, tuple[str, bytes]]
) -> None:
    """Whatever was committed before, and wherever runs have died: only seq and sha_head tell."""
    database = opened()
    for step in history:
        _walk(database, _commit(place, step.files), step)
    tree = _commit(place, last)
    run = feed(tree, database, HashedEmbedder())
    sync(run)
    assert picture(database) == fresh(tree, HashedEmbedder())
    assert validate(run).passed
    database.close()


def _commit(place: Path, files: dict[str, tuple[str, bytes]]) -> Commit:
    raw_commit(place, {path.encode(): file for path, file in files.items()})
    return Commit(place)


def _walk(database: SQLite, tree: Commit, step: Step) -> None:
    fuse = Fuse(step.dies_at, before=step.before)
    embedder = FusedEmbedder(fuse, batch=3) if step.with_model else None
    run = feed(tree, FusedDatabase(database, fuse), embedder)
    try:
        sync(run)
    except Death:
        assert fuse.has_blown
