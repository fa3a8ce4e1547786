"""Instruction files get a marked block, and sub-agents a file; uninstall removes both."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from command_runner import RunFeeder
from feeder.mcp.clients import instructions
from feeder.mcp.clients.known_clients import CLIENTS
from source.repos import Repo

Picture = Callable[[], dict[str, bytes | None]]
PROJECT = ("mcp", "install", "--scope", "project", "--instructions")
UNINSTALL = ("mcp", "uninstall", "--scope", "project")


@pytest.mark.parametrize(
    "text",
    ["", "# Ours\n", "# Ours", "# Ours\n\n", "# Ours\r\n\r\nBe kind.\r\n", "\ufeff# ü\n\n\n"],
)
def test_instruction_file_keeps_its_content(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture, text: str
) -> None:
    """The block is appended with the file's line ends and removed to the byte."""
    page = repo.path / "CLAUDE.md"
    page.write_bytes(text.encode())
    before = read_all_files()
    assert feeder(repo, *PROJECT, "--client", "claude").code == 0
    told = page.read_bytes().decode()
    assert told.startswith(text)
    block = told[len(text) :].strip().replace("\r\n", "\n")
    assert block.startswith("<!-- feeder:start -->\n") and block.endswith("<!-- feeder:end -->")
    assert told.count("\r\n") in {0, told.count("\n")}
    assert feeder(repo, *UNINSTALL).code == 0
    assert read_all_files() == before


@pytest.mark.parametrize("text", ["# Ours\n", "# Ours\r\n\r\nBe kind.\r\n"])
def test_block_is_removed_without_a_receipt(
    feeder: RunFeeder, home: Path, repo: Repo, text: str
) -> None:
    """Text written around it later stays."""
    page = repo.path / "AGENTS.md"
    page.write_bytes(text.encode())
    feeder(repo, *PROJECT, "--client", "codex")
    (home / ".local/state/feeder/installed.json").unlink()
    page.write_bytes(page.read_bytes() + b"More.\n")
    assert feeder(repo, *UNINSTALL).code == 0
    assert page.read_bytes().decode() == text + "More.\n"


def test_blocks_in_all_instruction_files_are_updated(feeder: RunFeeder, repo: Repo) -> None:
    """Files of other clients with an older block are updated; files without one are not touched."""
    old = "# A\n\n<!-- feeder:start -->\nold\n<!-- feeder:end -->\nB\n"
    (repo.path / "GEMINI.md").write_text(old)
    answer = feeder(repo, *PROJECT, "--client", "claude")
    assert answer.code == 0
    today = (repo.path / "CLAUDE.md").read_text()
    assert (repo.path / "GEMINI.md").read_text() == f"# A\n\n{today}B\n"
    assert not (repo.path / "AGENTS.md").exists()


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({}, "CLAUDE.md"),
        ({"AGENTS.md": "# Ours\n"}, "AGENTS.md"),
        ({"AGENTS.md": "# Ours\n", "CLAUDE.md": "# More\n"}, "CLAUDE.md"),
        ({"AGENTS.md": "# Ours\n", "CLAUDE.md": "@AGENTS.md\n\n# More\n"}, "AGENTS.md"),
        ({"CLAUDE.md": "@AGENTS.md\n"}, "CLAUDE.md"),
    ],
)
def test_claude_code_block_is_written_to_the_file_it_reads(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture, pages: dict[str, str], expected: str
) -> None:
    """A new CLAUDE.md would hide AGENTS.md from it; one may import the other."""
    for name, text in pages.items():
        (repo.path / name).write_text(text)
    before = read_all_files()
    assert feeder(repo, *PROJECT, "--client", "claude").code == 0
    telling = [
        file.name for file in repo.path.glob("*.md") if instructions.BLOCK_START in file.read_text()
    ]
    assert telling == [expected]
    assert feeder(repo, *UNINSTALL).code == 0
    assert read_all_files() == before


def test_two_names_of_one_file_get_one_block(feeder: RunFeeder, repo: Repo) -> None:
    (repo.path / "AGENTS.md").write_text("# Ours\n")
    (repo.path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert feeder(repo, *PROJECT, "--client", "claude", "--client", "codex").code == 0
    assert (repo.path / "AGENTS.md").read_text().count(instructions.BLOCK_START) == 1
    assert (repo.path / "CLAUDE.md").is_symlink()


def test_block_without_its_end_marker_is_refused(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture
) -> None:
    (repo.path / "CLAUDE.md").write_text("# Ours\n\n <!-- feeder:start -->\nmore\n")
    before = read_all_files()
    answer = feeder(repo, *PROJECT, "--client", "claude")
    assert answer.code == 2
    assert "CLAUDE.md: line 3, column 2: <!-- feeder:start --> has no" in answer.err
    assert read_all_files() == before


def test_instructions_name_existing_tools(feeder: RunFeeder, repo: Repo) -> None:
    """They are short, since they cost tokens in every session."""
    from feeder.mcp.tool_schemas import TOOL_DEFINITIONS

    assert feeder(repo, *PROJECT, "--client", "claude").code == 0
    output = (repo.path / "CLAUDE.md").read_text()
    assert len(output) < 1_200
    tools = {tool["name"] for tool in TOOL_DEFINITIONS}
    assert {
        word
        for word in ("search", "grep", "read", "outline", "references", "impact")
        if f"`{word}`" in output
    } >= tools


@pytest.mark.parametrize(
    "client", [client for client in CLIENTS if "project" in CLIENTS[client].files["agent"]]
)
def test_sub_agent_file_has_the_format_of_its_client(
    feeder: RunFeeder, repo: Repo, client: str
) -> None:
    """YAML before markdown, or TOML; it describes the command line only."""
    asked = ["mcp", "install", "--client", client, "--scope", "project", "--agent", "--json"]
    [_, change] = feeder(repo, *asked).json["changes"]
    assert change["kind"] == "agent"
    file = Path(change["file"])
    text = file.read_text()
    if file.suffix == ".toml":
        head = tomllib.loads(text)
        body = head["developer_instructions"]
    else:
        _, front, body = text.split("---\n", 2)
        head = yaml.safe_load(front)
    assert head["name"] == "feeder-search"
    assert 20 < len(head["description"]) < 1_000
    assert 'feeder search "' in body
    assert "PROGRAM" not in text


@pytest.mark.parametrize("client", [name for name in CLIENTS if CLIENTS[name].files["skill"]])
def test_skill_has_the_format_of_the_standard(feeder: RunFeeder, repo: Repo, client: str) -> None:
    """https://agentskills.io: the folder's name, and a description of at most 1,024 characters."""
    [*_, change] = feeder(repo, "mcp", "install", "--client", client, "--skill", "--json").json[
        "changes"
    ]
    assert (change["kind"], change["action"]) == ("skill", "created")
    file = Path(change["file"])
    text = file.read_text()
    _, front, _ = text.split("---\n", 2)
    head = yaml.safe_load(front)
    assert head.keys() == {"name", "description"}
    assert (head["name"], file.name) == (file.parent.name, "SKILL.md")
    assert 100 < len(head["description"]) <= 1_024
    assert "PROGRAM" not in text


def test_skill_names_existing_tools_and_commands(feeder: RunFeeder, repo: Repo) -> None:
    """Its calls are accepted by the tools' schemas, its commands by the command line."""
    from feeder.cli.main import cli
    from feeder.mcp.tool_schemas import INPUT_SCHEMAS, validate_arguments

    feeder(repo, "mcp", "install", "--client", "claude", "--scope", "project", "--skill")
    text = (repo.path / ".claude/skills/feeder/SKILL.md").read_text()
    calls = re.findall(r"\| `(\w+) (\{.*?\})` \|", text)
    assert {name for name, _ in calls} == {*INPUT_SCHEMAS}
    for name, arguments in calls:
        validate_arguments(name, INPUT_SCHEMAS[name], json.loads(arguments))
    commands = {name for name in re.findall(r"`feeder (\w+)", text) if name != "mcp"}
    assert len(commands) > 4
    assert commands <= cli.load_commands().keys()


def test_user_sub_agent_uses_the_command_of_this_feeder(
    feeder: RunFeeder, home: Path, repo: Repo
) -> None:
    (home / "bin/feeder").unlink()
    assert feeder(repo, "mcp", "install", "--client", "claude", "--agent").code == 0
    text = (home / ".claude/agents/feeder-search.md").read_text()
    assert 'bin/feeder search "' in text
    assert "    feeder " not in text


def test_foreign_sub_agent_of_the_same_name_is_refused(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture
) -> None:
    """With --force it is replaced and later restored; an edited one of ours is removed."""
    file = repo.path / ".claude/agents/feeder-search.md"
    file.parent.mkdir(parents=True)
    file.write_text("mine\n")
    before = read_all_files()
    asked = ["mcp", "install", "--client", "claude", "--scope", "project", "--agent"]
    answer = feeder(repo, *asked)
    assert answer.code == 2
    assert f"{file}: feeder did not write it. Rename it, or replace it with --force." in answer.err
    assert read_all_files() == before
    assert feeder(repo, *UNINSTALL).code == 0
    assert read_all_files() == before
    assert feeder(repo, *asked, "--force").code == 0
    assert feeder(repo, *UNINSTALL).code == 0
    assert read_all_files() == before


def test_missing_support_of_a_client_is_reported(feeder: RunFeeder, repo: Repo) -> None:
    """The server is installed all the same."""
    answer = feeder(repo, "mcp", "install", "--client", "zed", "--agent", "--instructions")
    assert answer.code == 0
    assert "Zed has no instruction file at user level, so none was written.\n" in answer.err
    assert "Zed has no sub-agent file at user level, so none was written.\n" in answer.err


def test_foreign_skill_of_the_same_name_is_refused(
    feeder: RunFeeder, repo: Repo, read_all_files: Picture
) -> None:
    file = repo.path / ".cursor/skills/feeder/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: feeder\n---\nmine\n")
    before = read_all_files()
    asked = ["mcp", "install", "--client", "cursor", "--scope", "project", "--skill"]
    assert f"{file}: feeder did not write it." in feeder(repo, *asked).err
    assert feeder(repo, *UNINSTALL).code == 0
    assert read_all_files() == before


def test_clients_with_a_common_sub_agent_file_write_the_same() -> None:
    shared: dict[str, set[str]] = {}
    for client in CLIENTS.values():
        for file in client.files["agent"].values():
            shared.setdefault(str(file), set()).add(client.agent_tools)
    assert {len(tools) for tools in shared.values()} == {1}
    agents = [CLIENTS[name].files["agent"]["project"] for name in ("copilot", "vscode")]
    assert agents[0] == agents[1]
