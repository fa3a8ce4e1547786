"""The network is closed: tests talk to this machine only. git is as on a new machine, and no test
knows that it runs in a workflow."""

import os
from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

from tree.conftest import plain_git  # noqa: F401 - a fixture
from tree.repos import Repo


@pytest.fixture(autouse=True)
def _closed_network() -> None:
    """Connections to anything but loopback are refused."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "RUNNER_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")
