"""The network is closed: tests talk to this machine only."""

import pytest
from pytest_socket import socket_allow_hosts


@pytest.fixture(autouse=True)
def _closed_network() -> None:
    """Connections to anything but loopback are refused."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
