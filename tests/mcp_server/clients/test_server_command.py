"""What a client is to run starts this program, and what starts one is known as ours."""

from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.mcp.clients.server_entries import is_own_entry, server_command, shell_command


def test_a_program_without_a_command_of_its_own_is_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where it is on the path of a Python alone."""
    python = str(tmp_path / "my python")
    monkeypatch.setattr("sys.executable", python)
    assert server_command("user") == [python, "-m", "feeder", "mcp"]
    assert shell_command(server_command("user")) == f"'{python}' -m feeder"
    assert server_command("project") == ["feeder", "mcp"]
    assert shell_command(server_command("project")) == "feeder"


def test_what_uvx_runs_from_its_cache_is_not_there_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "uv/archive-v0/x1/bin/python"))
    with pytest.raises(UserError, match="uv tool install headfeed"):
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
def test_what_starts_a_feeder_is_ours(entry: Any, expected: bool) -> None:
    """By whatever path; another program of the name is not."""
    assert is_own_entry(entry) == expected
