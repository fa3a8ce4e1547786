"""Each client is configured in its own file and format, in either scope, and restored."""

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from feeder.mcp.clients.known_clients import CLIENTS, expand_path
from source.repos import Repo

pytestmark = pytest.mark.slow

PLAIN: dict[str, Any] = {"command": "feeder", "args": ["mcp"]}
STDIO = {"type": "stdio", **PLAIN}
OPEN = {**STDIO, "args": ["mcp", "-C", "${workspaceFolder}"]}
ALWAYS = {**STDIO, "alwaysLoad": True}
LOCAL = {"type": "local", "command": ["feeder", "mcp"], "enabled": True}
SERVERS: dict[tuple[str, str], tuple[str, str, dict[str, Any]]] = {
    ("claude", "project"): (".mcp.json", "mcpServers", ALWAYS),
    ("claude", "user"): (".claude.json", "mcpServers", ALWAYS),
    ("cursor", "project"): (".cursor/mcp.json", "mcpServers", OPEN),
    ("cursor", "user"): (".cursor/mcp.json", "mcpServers", OPEN),
    ("vscode", "project"): (".vscode/mcp.json", "servers", OPEN),
    ("codex", "project"): (".codex/config.toml", "mcp_servers", PLAIN),
    ("codex", "user"): (".codex/config.toml", "mcp_servers", PLAIN),
    ("gemini", "project"): (".gemini/settings.json", "mcpServers", PLAIN),
    ("gemini", "user"): (".gemini/settings.json", "mcpServers", PLAIN),
    ("zed", "project"): (".zed/settings.json", "context_servers", {"source": "custom", **PLAIN}),
    ("windsurf", "user"): (".codeium/windsurf/mcp_config.json", "mcpServers", PLAIN),
    ("opencode", "project"): ("opencode.json", "mcp", LOCAL),
    ("opencode", "user"): (".config/opencode/opencode.json", "mcp", LOCAL),
    ("copilot", "project"): (".mcp.json", "mcpServers", ALWAYS),
    ("copilot", "user"): (
        ".copilot/mcp-config.json",
        "mcpServers",
        {"type": "local", **PLAIN, "tools": ["*"]},
    ),
    ("kiro", "project"): (".kiro/settings/mcp.json", "mcpServers", PLAIN),
    ("kiro", "user"): (".kiro/settings/mcp.json", "mcpServers", PLAIN),
    ("antigravity", "user"): (".gemini/config/mcp_config.json", "mcpServers", PLAIN),
    ("cline", "user"): (
        ".cline/data/settings/cline_mcp_settings.json",
        "mcpServers",
        {"transport": STDIO},
    ),
    ("grok", "user"): (".grok/config.toml", "mcp_servers", PLAIN),
    ("kilo", "project"): (".kilo/kilo.jsonc", "mcp", LOCAL),
    ("kilo", "user"): (".config/kilo/kilo.jsonc", "mcp", LOCAL),
    ("qwen", "project"): (".qwen/settings.json", "mcpServers", PLAIN),
    ("qwen", "user"): (".qwen/settings.json", "mcpServers", PLAIN),
}
"""The same on each system: the file, below the home or the root, and what it says."""
BY_SYSTEM = {("vscode", "user"), ("zed", "user")}
HAVING = [(name, scope) for name, client in CLIENTS.items() for scope in client.files["server"]]
Picture = Callable[[], dict[str, bytes | None]]


def read_config(file: Path) -> Any:
    """Reads a configuration file with an independent parser."""
    text = file.read_text("utf-8")
    return tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)


def test_every_client_and_scope_has_its_case() -> None:
    assert {*SERVERS} | BY_SYSTEM == {*HAVING}


@pytest.mark.parametrize(("client", "scope"), [*SERVERS])
def test_server_is_written_to_the_clients_file(
    feeder: RunFeeder, home: Path, repo: Repo, client: str, scope: str
) -> None:
    """A new file has nothing else."""
    answer = feeder(repo, "mcp", "install", "--client", client, "--scope", scope)
    assert answer.code == 0, answer.err
    file, key, entry = SERVERS[client, scope]
    assert read_config((home if scope == "user" else repo.path) / file) == {key: {"feeder": entry}}


@pytest.mark.parametrize(
    ("client", "key", "entry"),
    [("vscode", "servers", OPEN), ("zed", "context_servers", {"source": "custom", **PLAIN})],
)
def test_file_content_is_the_same_on_every_system(
    feeder: RunFeeder, repo: Repo, client: str, key: str, entry: dict[str, Any]
) -> None:
    [change] = feeder(repo, "mcp", "install", "--client", client, "--json").json["changes"]
    assert read_config(Path(change["file"])) == {key: {"feeder": entry}}


@pytest.mark.parametrize(("client", "scope"), HAVING)
def test_uninstall_removes_everything(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture, client: str, scope: str
) -> None:
    """The server, the instruction block, the skill, the sub-agent, the hook and their folders."""
    before = read_all_files()
    also = ["--instructions", "--agent", "--skill", "--hook"]
    assert feeder(repo, "mcp", "install", "--client", client, "--scope", scope, *also).code == 0
    installed = read_all_files()
    assert len(installed) > len(before)
    again = feeder(repo, "mcp", "install", "--client", client, "--scope", scope, *also, "--json")
    assert {change["action"] for change in again.json["changes"]} == {"unchanged"}
    assert read_all_files() == installed
    assert feeder(repo, "mcp", "uninstall", "--client", client, "--scope", scope).code == 0
    assert read_all_files() == before


def file_texts() -> Iterator[tuple[str, str, str]]:
    """Generates texts of a client's file; `KEY` stands for the name of its servers."""
    yield "empty", "", ""
    yield "blank", "\n", "\n"
    yield "nothing in it", "{}", "# mine\n"
    yield "no servers", '{\n  "KEY": {}\n}\n', "[KEY]\n"
    yield "no line's end", '{"KEY": {"a": {"command": "x"}}}', '[KEY.a]\ncommand = "x"'
    yield (
        "comments",
        '// mine\n{\n\t"z": [1, 2], // kept\n\t"KEY": {\n\t\t"b": {"command": "x"},\n'
        "\t\t/* last */\n\t},\n}\n",
        '# mine\nz = [1, 2] # kept\n\n[KEY.b]\ncommand = "x" # x\n\n[other]\na = 1\n\n# last\n',
    )
    yield (
        "CRLF and a mark",
        '\ufeff{\r\n    "a": "ü",\r\n    "KEY": {\r\n        "b": {}\r\n    }\r\n}\r\n',
        "\ufeff# ü\r\na = 1\r\n\r\n[KEY.b]\r\nc = 1\r\n",
    )
    yield "in one line", '{"a": 1, "KEY": {"b": {}}, "c": {}}', "a = 1\nKEY = { b = { c = 1 } }\n"


@pytest.mark.parametrize("world", [*file_texts()], ids=lambda world: world[0])
@pytest.mark.parametrize(("client", "scope"), HAVING)
def test_existing_file_is_restored_to_the_byte(
    feeder: RunFeeder,
    repo: Repo,
    read_all_files: Picture,
    client: str,
    scope: str,
    world: tuple[str, str, str],
) -> None:
    """With comments and line ends; while installed, the rest means the same."""
    install = ["mcp", "install", "--client", client, "--scope", scope, "--json"]
    [change] = feeder(repo, *install, "--dry-run").json["changes"]
    file = Path(change["file"])
    key = CLIENTS[client].servers_key
    file.parent.mkdir(parents=True, exist_ok=True)
    text = world[2 if file.suffix == ".toml" else 1].replace("KEY", key)
    file.write_bytes(text.encode())
    before = read_all_files()
    [change] = feeder(repo, *install).json["changes"]
    assert change["action"] == "changed"
    installed = file.read_bytes()
    assert b"feeder" in installed
    assert installed.count(b"\r\n") in {0, installed.count(b"\n")}
    stored = iter(installed.decode())
    assert all(letter in stored for letter in text.rstrip("{}"))
    [change] = feeder(repo, *install).json["changes"]
    assert (change["action"], file.read_bytes()) == ("unchanged", installed)
    assert feeder(repo, "mcp", "uninstall", "--client", client, "--scope", scope).code == 0
    assert read_all_files() == before


@pytest.mark.parametrize("client", ["windsurf", "antigravity", "cline", "grok"])
def test_unsupported_scope_is_reported(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture, client: str
) -> None:
    before = read_all_files()
    answer = feeder(repo, "mcp", "install", "--client", client, "--scope", "project")
    assert answer.code == 2
    missing = "has no server configuration at project level, so none was written."
    assert f"{missing} Choose the other --scope." in answer.err
    assert read_all_files() == before


def test_clients_with_a_common_file_write_it_once(feeder: RunFeeder, repo: Repo) -> None:
    """Claude Code and Copilot CLI read one file of a project."""
    both = ["--client", "copilot", "--client", "claude", "--scope", "project"]
    [one] = feeder(repo, "mcp", "install", *both, "--json").json["changes"]
    assert (one["clients"], one["action"]) == (["copilot", "claude"], "created")
    for client in ("claude", "copilot"):
        [one] = feeder(
            repo, "mcp", "install", "--client", client, "--scope", "project", "--json"
        ).json["changes"]
        assert one["action"] == "unchanged"


def test_existing_one_of_two_file_names_is_written(feeder: RunFeeder, repo: Repo) -> None:
    (repo.path / "opencode.jsonc").write_text("{} // mine\n")
    assert feeder(repo, "mcp", "install", "--client", "opencode", "--scope", "project").code == 0
    assert not (repo.path / "opencode.json").exists()
    assert "feeder" in (repo.path / "opencode.jsonc").read_text()


def test_entry_in_the_other_file_name_is_found(feeder: RunFeeder, repo: Repo) -> None:
    """A file with precedence was added since."""
    opencode = ["--client", "opencode", "--scope", "project"]
    (repo.path / "opencode.jsonc").write_text("{} // mine\n")
    assert feeder(repo, "mcp", "install", *opencode).code == 0
    (repo.path / "opencode.json").write_text("{}\n")
    assert feeder(repo, "mcp", "uninstall", *opencode).code == 0
    assert (repo.path / "opencode.jsonc").read_text() == "{} // mine\n"
    assert (repo.path / "opencode.json").read_text() == "{}\n"


@pytest.mark.parametrize(
    ("written", "platform", "file"),
    [
        ("{settings}/Code", "linux", "~/.config/Code"),
        ("{settings}/Code", "darwin", "~/Library/Application Support/Code"),
        ("{settings}/Code", "win32", "C:/Users/a/AppData/Code"),
        ("{zed}", "linux", "~/.config/zed"),
        ("{zed}", "darwin", "~/.config/zed"),
        ("{zed}", "win32", "C:/Users/a/AppData/Zed"),
        ("{CODEX_HOME:~/.codex}/x", "win32", "~/.codex/x"),
        ("{CLAUDE_CONFIG_DIR:~}/.claude.json", "linux", "/etc/claude/.claude.json"),
    ],
)
def test_file_path_depends_on_the_system(written: str, platform: str, file: str) -> None:
    """Variables have precedence; an empty one is ignored."""
    environment = {"APPDATA": "C:/Users/a/AppData", "CODEX_HOME": ""}
    environment["CLAUDE_CONFIG_DIR"] = "/etc/claude"
    assert expand_path(written, environment, platform) == file


def test_environment_variables_of_clients_are_used(
    feeder: RunFeeder, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    assert feeder(repo, "mcp", "install", "--client", "codex").code == 0
    assert read_config(tmp_path / "codex/config.toml") == {"mcp_servers": {"feeder": PLAIN}}
