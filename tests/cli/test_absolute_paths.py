"""Absolute paths below the root may be given, also those that reach it by a symbolic link."""

import json
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.config import Settings
from feeder.mcp.service import IndexService
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "src/cart.py": "class Cart:\n    def add(self, item):\n        return item\n",
    "lib/box.py": "from src.cart import Cart\n\n\ndef fill():\n    return Cart().add(1)\n",
}


@pytest.fixture
def places(feeder: RunFeeder, repo: Repo, tmp_path: Path) -> dict[str, str]:
    """The root itself, a link to it, a link to a folder above, and one to a folder in it."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    (tmp_path / "link").symlink_to(repo.path)
    (tmp_path / "above").symlink_to(repo.path.parent)
    (tmp_path / "inner").symlink_to(repo.path / "src")
    return {
        "root": str(repo.path),
        "link": str(tmp_path / "link"),
        "above": str(tmp_path / "above" / repo.path.name),
        "inner": str(tmp_path / "inner"),
    }


@pytest.mark.parametrize("name", ["root", "link", "above", "inner"])
def test_commands_take_absolute_paths(
    feeder: RunFeeder, repo: Repo, places: dict[str, str], name: str
) -> None:
    src = places[name] if name == "inner" else f"{places[name]}/src"
    for command, expected in {
        ("show", f"{src}/cart.py:2"): "def add(self, item):",
        ("outline", src): "method  add",
        ("outline", f"{src}/"): "method  add",
        ("references", f"{src}/cart.py:2"): "lib/box.py",
        ("definition", f"{src}/cart.py:2:9"): "src/cart.py",
        ("similar", f"{src}/cart.py:2"): "Cart",
        ("grep", "return", src): "src/cart.py",
        ("search", f"add path:{src}"): "src/cart.py",
        ("search", f"add path:{src}/*.py"): "src/cart.py",
        ("search", "add", "--path", src): "src/cart.py",
        ("search", "--every", f"/return/ path:{src}"): "src/cart.py",
    }.items():
        answer = feeder(repo, *command)
        assert (command, answer.code) == (command, 0), answer.err
        assert expected in answer.out, command
    for command in [("grep", "return", src), ("search", "return", "--path", src)]:
        assert "lib/box.py" not in feeder(repo, *command).out
    excluded = feeder(repo, "search", f"return -path:{src}", "--json")
    assert {hit["path"] for hit in json.loads(excluded.out)["hits"]} == {"lib/box.py"}


def test_root_is_not_the_current_folder(
    feeder: RunFeeder, repo: Repo, places: dict[str, str]
) -> None:
    for root in (places["root"], f"{places['link']}/"):
        answer = feeder(repo.path / "src", "outline", root)
        assert "lib/box.py" in answer.out
        answer = feeder(repo.path / "src", "search", f"fill path:{root}")
        assert "lib/box.py" in answer.out


@pytest.mark.parametrize("name", ["root", "link", "above", "inner"])
def test_tools_take_absolute_paths(repo: Repo, places: dict[str, str], name: str) -> None:
    src = places[name] if name == "inner" else f"{places[name]}/src"
    service = IndexService(Settings(directory=repo.path, vectors=False, quiet=True))
    calls: list[tuple[str, dict[str, object], str]] = [
        ("read", {"target": [f"{src}/cart.py:2"]}, "def add(self, item):"),
        ("outline", {"path": src}, "method add"),
        ("references", {"target": f"{src}/cart.py:2"}, "lib/box.py"),
        ("references", {"target": f"{src}/cart.py:2:9", "kind": "definition"}, "src/cart.py"),
        ("search", {"query": "add", "path": [src]}, "src/cart.py"),
        ("search", {"query": f"add path:{src}"}, "src/cart.py"),
    ]
    for tool, arguments, expected in calls:
        result = service.call(tool, arguments, lambda _: None)
        assert not result.is_error, result.text
        assert expected in result.text
    text = service.call("search", {"query": "add", "exclude": [src]}, lambda _: None).text
    assert "src/cart.py" not in text
    service.close()


def test_path_outside_of_the_root_is_refused(
    feeder: RunFeeder, repo: Repo, places: dict[str, str], tmp_path: Path
) -> None:
    for outside in (f"{tmp_path}/none/cart.py", f"{places['root']}x/src"):
        answer = feeder(repo, "outline", outside)
        assert answer.code == 2
        assert outside in answer.err
