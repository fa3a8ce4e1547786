"""The map in CONTRIBUTING.md is the tree, in the order that the import contract holds."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src/feeder"
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
[MAP] = re.findall(r"    src/feeder/\n(.*?)    tests/", PAGE, re.DOTALL)


def layers() -> list[str]:
    """The contract's layers, from the highest on; one that is still to come is left out."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    [contract] = settings["tool"]["importlinter"]["contracts"]
    return [layer for layer in contract["layers"] if not layer.startswith("(")]


def test_the_map_names_each_room_once_in_the_contracts_order() -> None:
    """A room is a folder with modules in it."""
    rooms = {file.parent.name for file in SOURCES.glob("*/__init__.py")}
    shown = re.findall(r"^      (\w+)/ ", MAP, re.MULTILINE)
    assert set(shown) == rooms
    assert ["__main__", *shown] == layers()[:-1]


def test_the_map_names_the_ground_floor() -> None:
    """Modules beside the rooms are known to all of them."""
    beside = {file.stem for file in SOURCES.glob("*.py")} - {"__init__", "__main__"}
    assert set(re.findall(r"(\w+)\.py(?=  |$)", MAP, re.MULTILINE)) == beside
    assert set(layers()[-1].split(" : ")) == beside


def test_tests_are_in_the_same_rooms() -> None:
    """A room without tests has none of its own to say; other folders are what tests need."""
    rooms = {file.parent.name for file in SOURCES.glob("*/__init__.py")}
    tested = {file.parent.name for file in (ROOT / "tests").glob("*/test_*.py")}
    # `mcp` at the top of the import path is the official SDK
    tested = {"mcp" if name == "mcp_server" else name for name in tested}
    assert tested - rooms == {"services"}
