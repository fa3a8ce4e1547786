"""`feeder mcp install --hook` makes Claude Code suggest a call of feeder for a grep of a symbol."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from feeder.mcp.clients import hook_entries
from feeder.mcp.tool_schemas import INPUT_SCHEMAS, validate_arguments
from source.repos import Repo

Picture = Callable[[], dict[str, bytes | None]]
PROJECT = ("mcp", "install", "--client", "claude", "--scope", "project", "--hook")
UNINSTALL = ("mcp", "uninstall", "--scope", "project")
OTHER = {"matcher": "Write", "hooks": [{"type": "command", "command": "mine"}]}
SHELLS = sorted({os.path.realpath(path) for name in ("sh", "bash") if (path := shutil.which(name))})
PATH = "/usr/bin:/bin"


def run_script(shell: str, script: Path, sent: str, folder: Path) -> str:
    """Returns what the script prints; any other exit code than 0 may forbid the search."""
    command = [shell, str(script)]
    environment = {**os.environ, "PATH": PATH}
    done = subprocess.run(
        command, cwd=folder, env=environment, input=sent, capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout


@pytest.fixture(params=SHELLS)
def suggest(request: pytest.FixtureRequest, repo: Repo) -> Callable[..., str]:
    """Runs the installed script for a tool's call, and returns its hint; the shell is given."""
    script = repo.path / ".claude/hooks/feeder.sh"

    def run(tool: str, arguments: dict[str, Any], **more: str) -> str:
        (repo.path / "src").mkdir(exist_ok=True)
        (repo.path / "src/one.py").touch()
        message = {"session_id": "s", "transcript_path": "/a.jsonl", "cwd": "/", **more}
        call = {"tool_name": tool, "tool_input": arguments}
        sent = json.dumps(message | call, separators=(",", ":"))
        printed = run_script(request.param, script, sent, repo.path)
        if not printed:
            return ""
        output = json.loads(printed)["hookSpecificOutput"]
        assert output.keys() == {"hookEventName", "additionalContext"}
        assert output["hookEventName"] == "PreToolUse"
        return str(output["additionalContext"])

    return run


@pytest.mark.parametrize(
    ("command", "symbol"),
    [
        ("rg load_clients", "load_clients"),
        ("grep -rn SignalManager src", "SignalManager"),
        ('grep -rn "SignalManager" .', "SignalManager"),
        ("grep SignalManager -r src", "SignalManager"),
        ("grep -rnw --include=*.py 'load_clients' src/ 2>/dev/null | head -20", "load_clients"),
        ("git grep -nw load_clients -- src", "load_clients"),
        ("cd src && rg -n _private", "_private"),
        (r'rg "\bloadClients\b" -t py', "loadClients"),
        (r"rg -A 3 'connect\('", "connect"),
        (r'rg "\.connect\(" src', "connect"),
        ("rg -e load_clients", "load_clients"),
        ("rg 'def connect'", "connect"),
        ('grep -rn "class Cart(" src', "Cart"),
        (r'rg "func Route\b"', "Route"),
    ],
)
def test_recursive_search_for_a_symbol_gets_a_hint(
    feeder: RunFeeder, repo: Repo, suggest: Callable[..., str], command: str, symbol: str
) -> None:
    """It names a valid call with that symbol; in a sub-agent a command."""
    feeder(repo, *PROJECT)
    found = re.search(r"feeder (\w+) (\{.*\})", suggest("Bash", {"command": command}))
    assert found
    arguments = validate_arguments(found[1], INPUT_SCHEMAS[found[1]], json.loads(found[2]))
    assert symbol in (arguments.get("query"), *arguments.get("target", ()))
    for_agent = suggest("Bash", {"command": command}, agent_id="a", agent_type="Explore")
    assert re.search(rf": feeder (definition|references) {symbol} ", for_agent)


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "rg error",
        "rg TODO",
        "rg HTTP_PROXY",
        "rg 'some words here'",
        "rg 'load_clients|read_clients'",
        r"grep -rn 'load_clients\|read_clients' .",
        "rg -e load_clients -e read_clients",
        "rg -i load_clients",
        "rg -v load_clients",
        "rg --files-without-match load_clients",
        "grep -n load_clients src/one.py",
        "grep -rn load_clients src/one.py",
        "rg load_clients src/other.py",
        "cat a.log | grep load_clients",
        "python -c 'import rg' load_clients",
        "rg load.*clients",
        "rg",
        "grep -r",
        "rg 'def '",
        'rg "class',
        "rg -t",
        "rg -e",
        "git",
        "cd src &&",
        "echo 'rg load_clients'",
        "rg $(whoami)",
        "rg load_clients\\nrm x",
        "",
    ],
)
def test_other_commands_get_no_hint(
    feeder: RunFeeder, repo: Repo, suggest: Callable[..., str], command: str
) -> None:
    feeder(repo, *PROJECT)
    assert suggest("Bash", {"command": command, "description": "rg load_clients"}) == ""


@pytest.mark.parametrize(
    ("arguments", "is_suggested"),
    [
        ({"pattern": "load_clients"}, True),
        ({"pattern": r"\bloadClients\b", "path": "src", "output_mode": "content"}, True),
        ({"pattern": "def connect", "glob": "*.py"}, True),
        ({"pattern": "load_clients", "path": "src/one.py"}, False),
        ({"pattern": "load_clients", "-i": True}, False),
        ({"pattern": 'load"clients'}, False),
        ({"pattern": "load_clients\n"}, False),
        ({"pattern": ""}, False),
        ({"path": "src"}, False),
    ],
)
def test_grep_tool_gets_a_hint_for_symbols_in_folders(
    feeder: RunFeeder,
    repo: Repo,
    suggest: Callable[..., str],
    arguments: dict[str, Any],
    is_suggested: bool,
) -> None:
    feeder(repo, *PROJECT)
    assert bool(suggest("Grep", arguments)) == is_suggested
    assert suggest("Read", arguments) == ""


@pytest.mark.parametrize("sent", ["", "x", "{", '{"tool_name":"Bash"}', '{"tool_name":"Grep",'])
def test_malformed_input_ends_with_0(feeder: RunFeeder, repo: Repo, sent: str) -> None:
    feeder(repo, *PROJECT)
    script = repo.path / ".claude/hooks/feeder.sh"
    assert run_script(SHELLS[0], script, sent, repo.path) == ""


def test_no_hint_outside_of_a_repository(
    feeder: RunFeeder, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeder(repo, *PROJECT)
    script = repo.path / ".claude/hooks/feeder.sh"
    sent = '{"tool_name":"Grep","tool_input":{"pattern":"load_clients"}}'
    (repo.path / "deep").mkdir()
    for folder, is_suggested in ((repo.path / "deep", True), (tmp_path, False)):
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
        assert bool(run_script(SHELLS[0], script, sent, folder)) == is_suggested


@pytest.mark.parametrize("scope", ["project", "user"])
def test_installed_command_runs_the_script(
    feeder: RunFeeder, home: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    """If the script is missing, it ends with 0 all the same."""
    feeder(repo, "mcp", "install", "--client", "claude", "--scope", scope, "--hook")
    base = (home if scope == "user" else repo.path) / ".claude"
    [group] = json.loads((base / "settings.json").read_text())["hooks"]["PreToolUse"]
    [hook] = group["hooks"]
    assert re.fullmatch(group["matcher"], "Grep")
    assert re.fullmatch(group["matcher"], "Bash")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo.path))
    monkeypatch.setenv("PATH", PATH)
    sent = '{"tool_name":"Grep","tool_input":{"pattern":"load_clients"}}'

    def run() -> str:
        done = subprocess.run(
            hook["command"],
            shell=True,
            cwd=repo.path,
            input=sent,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert "load_clients" in run()
    (base / "hooks/feeder.sh").unlink()
    assert run() == ""


def test_path_of_the_program_is_not_run_by_the_shell(
    feeder: RunFeeder, home: Path, repo: Repo
) -> None:
    from feeder.mcp.clients.instructions import hook_script
    from feeder.mcp.clients.known_clients import CLIENTS

    program = '"/a $(touch x) `touch y`/it\'s/feeder"'
    script = repo.path / "hook.sh"
    script.write_text(hook_script(CLIENTS["claude"], script.name, program))
    sent = '{"agent_id":"a","tool_name":"Grep","tool_input":{"pattern":"load_clients"}}'
    printed = run_script(SHELLS[0], script, sent, repo.path)
    hint = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
    assert f"{program} references load_clients" in hint
    assert not {"x", "y"} & {file.name for file in repo.path.iterdir()}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff{}",
        '{"hooks": {}}',
        '{"hooks": null, "a": 1}',
        '{\n  "hooks": {"PreToolUse": []}\n}\n',
        json.dumps({"hooks": {"PreToolUse": [OTHER], "Stop": []}}, indent=4),
        json.dumps({"permissions": {"allow": ["Bash(feeder:*)"]}}, indent=2).replace("\n", "\r\n"),
        '{\n\t"hooks": {\n\t\t// mine\n\t\t"Stop": [],\n\t},\n}\n',
    ],
)
def test_settings_are_restored_to_the_byte(
    feeder: RunFeeder, home: Path, repo: Repo, read_all_files: Picture, text: str
) -> None:
    """With or without a receipt, of which the latter may leave other blanks."""
    file = repo.path / ".claude/settings.json"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    before = read_all_files()
    assert feeder(repo, *PROJECT).code == 0
    installed = file.read_bytes()
    assert feeder(repo, *PROJECT).code == 0
    assert file.read_bytes() == installed
    assert feeder(repo, *UNINSTALL).code == 0
    assert read_all_files() == before
    feeder(repo, *PROJECT)
    shutil.rmtree(home / ".local")
    assert feeder(repo, *UNINSTALL).code == 0
    left = file.read_text("utf-8-sig") if file.exists() else "{}"
    assert "feeder.sh" not in left
    assert ("mine" in left) == ("mine" in text)
    assert not (repo.path / ".claude/hooks/feeder.sh").exists()


def test_hooks_that_were_added_beside_it_stay(feeder: RunFeeder, home: Path, repo: Repo) -> None:
    file = repo.path / ".claude/settings.json"
    feeder(repo, *PROJECT)
    settings = json.loads(file.read_text())
    [group] = settings["hooks"]["PreToolUse"]
    group["hooks"].append(OTHER["hooks"][0])
    file.write_text(json.dumps(settings))
    assert feeder(repo, *UNINSTALL).code == 0
    [group] = json.loads(file.read_text())["hooks"]["PreToolUse"]
    assert group["hooks"] == OTHER["hooks"]


def test_changed_command_is_replaced() -> None:
    old = {"type": "command", "command": "sh /old/hooks/feeder.sh", "timeout": 9}
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [old]}]}})
    [group] = json.loads(hook_entries.add(text, "project"))["hooks"]["PreToolUse"]
    assert group["matcher"] == "Bash"
    assert group["hooks"][0]["command"].endswith("/.claude/hooks/feeder.sh || true")
    assert group["hooks"][0]["timeout"] == 9


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"hooks": []}', "hooks does not have the expected form"),
        ('{"hooks": {"PreToolUse": {}}}', "hooks.PreToolUse does not have the expected form"),
        ('{"hooks": ', "line 1, column 11: a value is expected"),
    ],
)
def test_settings_of_another_form_are_refused(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture, text: str, why: str
) -> None:
    (repo.path / ".claude").mkdir()
    (repo.path / ".claude/settings.json").write_text(text)
    before = read_all_files()
    answer = feeder(repo, *PROJECT)
    assert answer.code == 2
    assert why in answer.err
    assert read_all_files() == before
    assert feeder(repo, *UNINSTALL).code == 0
    assert read_all_files() == before


def test_only_claude_code_has_a_hook(feeder: RunFeeder, repo: Repo) -> None:
    answer = feeder(repo, "mcp", "install", "--client", "codex", "--hook")
    assert answer.code == 0
    assert answer.err.count("Codex has no hook at user level, so none was written.\n") == 1
