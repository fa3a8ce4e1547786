"""`feeder mcp install` and `uninstall`: clients, the server command, prompts and output."""

import json
import os
import pty
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from command_runner import RunFeeder
from source.repos import Repo

from .conftest import FEEDER_COMMAND

Picture = Callable[[], dict[str, bytes | None]]
INSTALL = ("mcp", "install")
CLAUDE = (*INSTALL, "--client", "claude")


@pytest.fixture
def clients(home: Path) -> None:
    """Two clients that are found: one by its program, one by its folder."""
    claude = home / "bin/claude"
    claude.write_text("#!/bin/sh\n")
    claude.chmod(0o755)
    (home / ".cursor").mkdir()


def test_dry_run_shows_a_diff_and_writes_nothing(
    feeder: RunFeeder, home: Path, repo: Repo, read_all_files: Picture
) -> None:
    file = home / ".claude.json"
    file.write_text('{\n  "a": 1\n}\n')
    before = read_all_files()
    answer = feeder(repo, *CLAUDE, "--dry-run")
    assert answer.code == 0
    assert answer.out.splitlines() == [
        f"--- {file}",
        f"+++ {file}",
        "@@ -1,3 +1,13 @@",
        " {",
        '-  "a": 1',
        '+  "a": 1,',
        '+  "mcpServers": {',
        '+    "feeder": {',
        '+      "type": "stdio",',
        '+      "command": "feeder",',
        '+      "args": [',
        '+        "mcp"',
        "+      ],",
        '+      "alwaysLoad": true',
        "+    }",
        "+  }",
        " }",
        f"would be changed: {file} (server for Claude Code)",
    ]
    assert read_all_files() == before
    [change] = feeder(repo, *CLAUDE, "--dry-run", "--json").json["changes"]
    assert change["diff"] == answer.out.splitlines()[:-1]
    feeder(repo, *CLAUDE)
    installed = read_all_files()
    answer = feeder(repo, "mcp", "uninstall", "--dry-run")
    assert f"would be changed: {file} (server for Claude Code)" in answer.out
    assert read_all_files() == installed


def test_json_lists_the_changes(feeder: RunFeeder, home: Path, repo: Repo) -> None:
    expected = {
        "scope": "user",
        "dry_run": False,
        "command": ["feeder", "mcp"],
        "changes": [
            {
                "kind": "server",
                "clients": ["claude"],
                "file": str(home / ".claude.json"),
                "action": "created",
            }
        ],
        "missing": [],
    }
    assert feeder(repo, *CLAUDE, "--json").json == expected
    del expected["command"]
    expected["changes"][0]["action"] = "deleted"  # type: ignore[index]
    assert feeder(repo, "mcp", "uninstall", "--json").json == expected


@pytest.mark.usefixtures("clients")
def test_all_found_clients_are_configured(feeder: RunFeeder, home: Path, repo: Repo) -> None:
    answer = feeder(repo, *INSTALL, "--all-found")
    assert answer.code == 0
    assert f"Found Claude Code: {home}/bin/claude\n" in answer.err
    assert f"Found Cursor: {home}/.cursor\n" in answer.err
    assert answer.out.splitlines() == [
        f"created {home}/.claude.json (server for Claude Code)",
        f"created {home}/.cursor/mcp.json (server for Cursor)",
    ]
    assert answer.err.endswith("It may ask whether you trust the server.\n")


@pytest.mark.usefixtures("clients")
def test_nothing_is_written_without_consent(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture
) -> None:
    """Without a client's name and without a terminal."""
    before = read_all_files()
    answer = feeder(repo, *INSTALL)
    assert answer.code == 2
    assert "Use --all-found, or --client with one of: claude, cursor." in answer.err
    assert feeder(repo, *INSTALL, "--dry-run").out.count("would be created") == 2
    assert read_all_files() == before


@pytest.mark.usefixtures("clients")
@pytest.mark.parametrize(("typed", "code"), [(b"n\n", 2), (b"y\n", 0)])
def test_terminal_user_is_prompted(home: Path, repo: Repo, typed: bytes, code: int) -> None:
    ours, other = pty.openpty()
    os.write(ours, typed)
    command = [sys.executable, "-m", "feeder", *INSTALL]
    asked = subprocess.run(
        command, cwd=repo.path, stdin=other, stderr=other, stdout=other, timeout=60, check=False
    )
    os.close(other)
    message = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "Change the user files of these clients? [Y/n]:" in message
    assert asked.returncode == code
    assert (home / ".claude.json").exists() == (code == 0)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (["--client", "vim"], "There is no client 'vim'. Choose one of claude, cursor, vscode,"),
        (["--client", "claude", "--all-found"], "Use one of them."),
        (["--all-found"], "on this machine. Use --client with one of: claude, cursor, vscode,"),
    ],
)
def test_invalid_client_names_and_options_are_refused(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture, message: list[str], why: str
) -> None:
    before = read_all_files()
    answer = feeder(repo, *INSTALL, *message)
    assert answer.code == 2
    assert why in answer.err
    assert read_all_files() == before


def started(file: Path) -> list[str]:
    entry = json.loads(file.read_text())["mcpServers"]["feeder"]
    return [entry["command"], *entry["args"]]


def test_user_scope_has_the_absolute_path_of_a_feeder_outside_path(
    feeder: RunFeeder, home: Path, repo: Repo
) -> None:
    """The shared file of a project never has it."""
    (home / "bin/feeder").unlink()
    assert feeder(repo, *CLAUDE).code == 0
    assert started(home / ".claude.json") == [str(FEEDER_COMMAND), "mcp"]
    assert feeder(repo, *CLAUDE, "--scope", "project").code == 0
    assert started(repo.path / ".mcp.json") == ["feeder", "mcp"]


def test_feeder_of_an_active_virtual_environment_needs_its_path(
    feeder: RunFeeder, home: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "bin/feeder").unlink()
    monkeypatch.setenv("PATH", f"{FEEDER_COMMAND.parent}{os.pathsep}{home}/bin")
    monkeypatch.setenv("VIRTUAL_ENV", str(FEEDER_COMMAND.parents[1]))
    assert feeder(repo, *CLAUDE).code == 0
    assert started(home / ".claude.json") == [str(FEEDER_COMMAND), "mcp"]


def test_another_program_named_feeder_is_not_used(
    feeder: RunFeeder, home: Path, repo: Repo
) -> None:
    (home / "bin/feeder").unlink()
    (home / "bin/feeder").write_text("#!/bin/sh\n")
    (home / "bin/feeder").chmod(0o755)
    assert feeder(repo, *CLAUDE).code == 0
    assert started(home / ".claude.json") == [str(FEEDER_COMMAND), "mcp"]


@pytest.mark.parametrize("client", ["claude", "codex", "opencode", "cline"])
def test_changed_command_is_updated(
    feeder: RunFeeder, home: Path, repo: Repo, read_all_files: Picture, client: str
) -> None:
    """The rest of the file and the receipt stay."""
    before = read_all_files()
    link = home / "bin/feeder"
    link.unlink()
    install = [*INSTALL, "--client", client, "--json"]
    [change] = feeder(repo, *install).json["changes"]
    file = Path(change["file"])
    old = file.read_text()
    link.symlink_to(FEEDER_COMMAND)
    [change] = feeder(repo, *install).json["changes"]
    assert change["action"] == "changed"
    read = tomllib.loads if file.suffix == ".toml" else json.loads
    new = json.dumps(read(file.read_text()))
    assert new == json.dumps(read(old)).replace(str(FEEDER_COMMAND), "feeder")
    assert feeder(repo, "mcp", "uninstall").code == 0
    assert read_all_files() == before


@pytest.mark.parametrize(
    ("client", "file"), [("claude", ".claude.json"), ("cursor", ".cursor/mcp.json")]
)
def test_installed_entry_starts_the_server(
    feeder: RunFeeder, home: Path, repo: Repo, client: str, file: str
) -> None:
    """It answers a client's first request in the opened folder."""
    (home / "bin/feeder").unlink()
    feeder(repo, *INSTALL, "--client", client)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    command = [part.replace("${workspaceFolder}", str(repo.path)) for part in started(home / file)]
    done = subprocess.run(
        command,
        cwd=repo.path if client == "claude" else home,
        input=json.dumps(ping) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_uninstall_names_what_it_removed(feeder: RunFeeder, home: Path, repo: Repo) -> None:
    """For all clients or the named ones."""
    feeder(repo, *INSTALL, "--client", "claude", "--client", "zed")
    answer = feeder(repo, "mcp", "uninstall", "--client", "claude")
    assert answer.out == f"deleted {home}/.claude.json (server for Claude Code)\n"
    assert "zed/settings.json (server for Zed)" in feeder(repo, "mcp", "uninstall").out
    assert (
        feeder(repo, "mcp", "uninstall").out
        == "Nothing to remove: no user file has entries from feeder.\n"
    )


def test_uninstall_names_the_scope_that_has_entries(
    feeder: RunFeeder, home: Path, repo: Repo
) -> None:
    feeder(repo, *INSTALL, "--client", "cursor", "--scope", "project")
    file = repo.path / ".cursor/mcp.json"
    told = feeder(repo, "mcp", "uninstall")
    assert file.exists()
    _, _, command = told.err.strip().rpartition(": ")
    assert feeder(repo, *command.split()[1:]).code == 0
    assert not file.exists()
    assert "--scope" not in feeder(repo, "mcp", "uninstall").err


def test_help_of_uninstall_is_about_removal(feeder: RunFeeder, repo: Repo) -> None:
    page = " ".join(feeder(repo, "mcp", "uninstall", "--help").out.split())
    assert "Client to remove feeder from: claude, " in page
    assert "Also remove entries of the same name that feeder did not write." in page
    assert "set up" not in page
