"""docs/explanation/architecture.md lists the packages in the order of the import contract, and
every name on the page exists.
"""

import re
import tomllib
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src/feeder"
PAGE = (ROOT / "docs/explanation/architecture.md").read_text("utf-8")
REFERENCES = sorted(set(re.findall(r"`([a-z_]+(?:\.\w+)+)(?<!\.py)(?<!\.yml)`", PAGE)))


def layers() -> list[str]:
    """Returns the layers of the import contract, from the top."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    [contract] = settings["tool"]["importlinter"]["contracts"]
    return list(contract["layers"])


def packages() -> set[str]:
    return {file.parent.name for file in SOURCES.glob("*/__init__.py")}


def root_modules() -> set[str]:
    return {file.stem for file in SOURCES.glob("*.py")} - {"__init__", "__main__"}


def test_map_lists_each_package_in_the_order_of_the_contract() -> None:
    listed = re.findall(r"^      (\w+)/ ", PAGE, re.MULTILINE)
    assert set(listed) == packages()
    assert ["__main__", *listed] == layers()[:-1]


def test_page_names_the_root_modules() -> None:
    [section] = re.findall(r"Modules beside the packages.*?\n\n", PAGE, re.DOTALL)
    assert set(re.findall(r"`(\w+)\.py`", section)) == root_modules()
    assert set(layers()[-1].split(" : ")) == root_modules()


def test_test_folders_match_the_packages() -> None:
    """Except stand-ins and counted work; `mcp` in the import path would be the official SDK."""
    tested = {file.parent.name for file in (ROOT / "tests").glob("*/test_*.py")}
    assert {name.removesuffix("_server") for name in tested} - packages() == {"services", "counts"}


@pytest.mark.parametrize("reference", REFERENCES)
def test_each_named_module_and_function_exists(reference: str) -> None:
    """`package.module`, with a function, or a class and its method."""
    resolve_name(f"feeder.{reference}")
