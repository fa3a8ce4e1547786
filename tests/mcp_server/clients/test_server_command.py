"""The server command of a client entry, and recognizing entries of this program."""

from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.mcp.clients.server_entries import is_own_entry, server_command, shell_command


def test_program_without_a_command_is_started_as_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when it is only on the Python path."""
    python = str(tmp_path / "my python")
    monkeypatch.setattr("sys.executable", python)
    assert server_command("user") == [python, "-m", "feeder", "mcp"]
    assert shell_command(server_command("user")) == f"'{python}' -m feeder"
    assert server_command("project") == ["feeder", "mcp"]
    assert shell_command(server_command("project")) == "feeder"


def test_command_in_the_uvx_cache_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "uv/archive-v0/x1/bin/python"))
    with pytest.raises(UserError, match="uv tool install "):
        server_command("user")
    assert server_command("project") == ["feeder", "mcp"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "feeder", "args": ["mcp"]}, True),
        ({"command": "feeder", "args": ["mcp", "-C", "."], "env": {}}, True),
        ({"command": "/opt/x/bin/feeder", "args": ["mcp"]}, True),
        ({"command": "C:\\x\\feeder.exe", "args": ["mcp"]}, True),
        ({"command": "/usr/bin/python3", "args": ["-m", "feeder", "mcp"]}, True),
        ({"command": "uvx", "args": ["headfeed", "mcp"]}, True),
        ({"type": "local", "command": ["feeder", "mcp"]}, True),
        ({"transport": {"type": "stdio", "command": "feeder", "args": ["mcp"]}}, True),
        ({"command": "feeder"}, False),
        ({"command": "feeder", "args": ["birds"]}, False),
        ({"command": "npx", "args": ["feeder", "mcp"]}, False),
        ({"url": "https://example.org/feeder/mcp"}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_entry_that_starts_feeder_is_recognized(entry: Any, expected: bool) -> None:
    """With any path; another program of the name is not."""
    assert is_own_entry(entry) == expected
