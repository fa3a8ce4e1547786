"""The MCP files of this repository, for its contributors and for the registry."""

import json
import re
import tomllib
from pathlib import Path

import feeder as package
from command_runner import RunFeeder
from source.repos import Repo

ROOT = Path(__file__).resolve().parents[3]
SERVER = json.loads((ROOT / "server.json").read_text("utf-8"))
[PACKAGE] = SERVER["packages"]


def test_mcp_json_is_what_install_writes(feeder: RunFeeder, repo: Repo) -> None:
    assert feeder(repo, "mcp", "install", "--client", "claude", "--scope", "project").code == 0
    assert (ROOT / ".mcp.json").read_bytes() == (repo.path / ".mcp.json").read_bytes()


def test_server_json_follows_the_registry_schema() -> None:
    """Of 2025-12-11: required fields, allowed fields and lengths."""
    assert SERVER["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert SERVER.keys() == {"$schema", "name", "title", "description", "version", "packages"}
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 3 <= len(SERVER["name"]) <= 200
    assert 1 <= len(SERVER["title"]) <= 100
    assert 1 <= len(SERVER["description"]) <= 100
    assert PACKAGE["registryType"] == "pypi"
    assert PACKAGE["transport"] == {"type": "stdio"}
    assert PACKAGE["packageArguments"] == [{"type": "positional", "value": "mcp"}]
    allowed = {"registryType", "identifier", "version", "runtimeHint", "transport"}
    assert PACKAGE.keys() == allowed | {"packageArguments"}


def test_server_json_has_the_published_version() -> None:
    assert SERVER["version"] == PACKAGE["version"] == package.__version__


def test_server_json_command_exists_in_the_package() -> None:
    """`uvx NAME` runs the command named like the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert PACKAGE["runtimeHint"] == "uvx"
    assert project["name"] == PACKAGE["identifier"]
    assert project["scripts"][PACKAGE["identifier"]] == project["scripts"]["feeder"]


def test_readme_has_the_name_that_the_registry_checks() -> None:
    """The registry looks for it on the package index page."""
    assert f"mcp-name: {SERVER['name']} " in (ROOT / "README.md").read_text("utf-8")
