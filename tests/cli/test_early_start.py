"""Parser processes start before a sync has loaded its modules, if the index is of another tree."""

from contextlib import ExitStack

import pytest

from command_runner import RunFeeder
from feeder.config import Settings
from feeder.parse.worker_process import WorkerProcess
from feeder.session.early_start import started_processes
from feeder.session.workspace import Workspace, workspace_for
from source.repos import Repo


def _started(stack: ExitStack, repo: Repo, jobs: int = 2) -> int:
    settings = Settings(vectors=False, jobs=jobs)
    processes = stack.enter_context(started_processes(_place(repo), settings, _tree(repo)))
    return len(processes)


def _place(repo: Repo) -> Workspace:
    return workspace_for(repo.path.resolve(), Settings())


def _tree(repo: Repo) -> str:
    return repo.git("rev-parse", "HEAD^{tree}")


def test_processes_for_a_first_sync_and_for_a_change(repo: Repo, feeder: RunFeeder) -> None:
    """As many as `--jobs` says for a first sync, one for a change, and none without one."""
    repo.commit({"a.py": "A = 1\n"})
    with ExitStack() as stack:
        assert _started(stack, repo, jobs=3) == 3
    assert feeder(repo, "sync", "--no-vectors").code == 0
    with ExitStack() as stack:
        assert _started(stack, repo, jobs=3) == 0
        repo.commit({"a.py": "A = 2\n"})
        assert _started(stack, repo, jobs=3) == 1


def test_processes_that_are_not_taken_are_ended(repo: Repo) -> None:
    """As after an error; a parser takes its processes out of the list."""
    repo.commit({"a.py": "A = 1\n"})
    settings = Settings(vectors=False, jobs=2)
    with started_processes(_place(repo), settings, _tree(repo)) as processes:
        taken, left = processes.pop(), processes[0]
        assert isinstance(taken, WorkerProcess)
    try:
        assert left.peer.process.poll() is not None
        assert taken.peer.process.poll() is None
    finally:
        taken.peer.stop()


@pytest.mark.parametrize("content", [b"", b"no database" * 99])
def test_an_index_that_cannot_be_read_is_left_to_the_sync(repo: Repo, content: bytes) -> None:
    """The sync says what is wrong."""
    repo.commit({"a.py": "A = 1\n"})
    repo.write({".feeder/index.db": content})
    with ExitStack() as stack:
        assert _started(stack, repo) == 2
