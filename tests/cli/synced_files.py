"""Fixtures of tests that run commands on a small repository, indexed by words."""

from collections.abc import Mapping

import pytest

from command_runner import RunFeeder
from source.repos import Repo


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_VECTORS": "no"}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo, request: pytest.FixtureRequest) -> Repo:
    """A repository with the files in the test module's `FILES`, after a sync."""
    repo.commit(request.module.FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo
