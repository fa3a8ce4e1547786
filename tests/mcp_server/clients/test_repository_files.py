"""What lies in this repository for its team and for the registry is what the program needs."""

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


def test_the_teams_file_is_what_install_writes(feeder: RunFeeder, repo: Repo) -> None:
    assert feeder(repo, "mcp", "install", "--client", "claude", "--scope", "project").code == 0
    assert (ROOT / ".mcp.json").read_bytes() == (repo.path / ".mcp.json").read_bytes()


def test_the_registry_gets_what_its_schema_asks_for() -> None:
    """That of 2025-12-11: what is required, what is allowed, and how long it may be."""
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


def test_the_registry_gets_the_version_that_is_published() -> None:
    assert SERVER["version"] == PACKAGE["version"] == package.__version__


def test_what_the_registry_starts_is_a_command_of_the_package() -> None:
    """`uvx NAME` runs the command that is called as the package is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert PACKAGE["runtimeHint"] == "uvx"
    assert project["name"] == PACKAGE["identifier"]
    assert project["scripts"][PACKAGE["identifier"]] == project["scripts"]["feeder"]


def test_readme_says_whose_package_it_is() -> None:
    """The registry looks for the name in the page that the package index shows."""
    assert f"mcp-name: {SERVER['name']} " in (ROOT / "README.md").read_text("utf-8")
