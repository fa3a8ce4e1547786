"""The number of requests of each kind of run; a change that needs more fails here."""

from math import inf

import pytest
from clouds import Cloud

from feeder.cloudflare.vectorize import Vectorize
from feeder.cloudflare.workers_ai import WorkersAIEmbedder
from feeder.source.git_trees import Commit
from feeder.store import ownership
from feeder.sync.sync import sync
from source.repos import Repo

FILES = 100
CLASSES = 5
NODES = 2000
"""Of each class, itself and three methods."""


def module(number: int) -> str:
    """Returns a file of 20 nodes."""
    return "\n\n".join(
        f'class Part{number}x{part}:\n    """Part {part} of module {number}."""\n\n'
        + "\n".join(
            f"    def {name}{part}(self, value):\n        return self.{name} + value * {number}\n"
            for name in ("weigh", "measure", "count")
        )
        for part in range(CLASSES)
    )


@pytest.fixture(autouse=True)
def _no_check_of_slow_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that waits for long asks D1 once more whether it may still write."""
    monkeypatch.setattr(ownership, "RECHECK_AFTER_S", inf)


@pytest.fixture
def indexed_cloud(cloud: Cloud, repo: Repo) -> Cloud:
    """An account with an index of 2,000 nodes in 100 files, made with Workers AI."""
    repo.commit({f"src/parts/m{number:03}.py": module(number) for number in range(FILES)})
    cloud.make_index("parts", 1024)
    cloud.vectorize = Vectorize(cloud.api, "parts")
    cloud.migrated()
    return cloud


def _spent(cloud: Cloud, repo: Repo) -> dict[str, int]:
    """Returns the requests of a run without cached embeddings."""
    cloud.spent()
    embedder = WorkersAIEmbedder(cloud.api)
    run = cloud.feed(Commit(repo.path), embedder)
    sync(run)
    embedder.close()
    return {**cloud.spent(), "texts": run.report.texts_embedded}


def test_requests_and_rows_of_each_kind_of_run(indexed_cloud: Cloud, repo: Repo) -> None:
    """A first sync, no change, one edit, a line inserted at the top of a file, half renamed."""
    before = indexed_cloud.standin.rows_written()
    # state, two transactions of words, one between 1,000 vectors and the next, the end;
    # whether the index fits is asked once, before two upserts
    assert _spent(indexed_cloud, repo) == {"d1": 5, "vectorize": 3, "ai": 20, "texts": 2000}
    assert len(indexed_cloud.node_ids()) == NODES
    assert (indexed_cloud.standin.rows_written() - before) / NODES <= 7

    assert _spent(indexed_cloud, repo) == {"d1": 1, "vectorize": 0, "ai": 0, "texts": 0}

    edited = module(3).replace("self.weigh + value", "self.weigh - value", 1)
    repo.commit({"src/parts/m003.py": edited})
    # state, words, the end; which index it is, one upsert and no deletion: the ids have stayed
    assert _spent(indexed_cloud, repo) == {"d1": 3, "vectorize": 2, "ai": 1, "texts": 1}

    repo.commit({"src/parts/m004.py": f"\n{module(4)}"})
    # twenty ids have changed: an upsert and a deletion
    assert _spent(indexed_cloud, repo) == {"d1": 3, "vectorize": 3, "ai": 1, "texts": 20}

    for number in range(50, 100):
        (repo.path / "src/kept").mkdir(exist_ok=True)
        name = f"m{number:03}.py"
        (repo.path / "src/parts" / name).rename(repo.path / "src/kept" / name)
    repo.commit()
    # a thousand ids are deleted by a hundred
    assert _spent(indexed_cloud, repo) == {"d1": 3, "vectorize": 12, "ai": 10, "texts": 1000}
