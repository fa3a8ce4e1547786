"""References through imports: other names, files that export a name again, manifests."""

import sys
from typing import Any

import pytest

from command_runner import RunFeeder
from feeder.relations.module_paths import PYTHON_MODULES, file_ends
from relations.imports import CASES, files_of, marked_lines
from source.repos import Repo


@pytest.mark.parametrize("name", CASES)
def test_imports_lead_to_the_definition(feeder: RunFeeder, repo: Repo, name: str) -> None:
    case = CASES[name]
    repo.commit(files_of(case))
    assert feeder(repo, "sync", "-q").code == 0
    expected = marked_lines(case)
    for key, target in case.queries.items():
        answer = feeder(repo, "references", target, "--json").json
        resolved = {
            (reference["path"], reference["line"])
            for reference in answer["references"]
            if reference["resolved"]
        }
        assert (target, resolved - _overrides(answer)) == (target, expected[key])
        assert answer["at_least"] is False


def _overrides(answer: dict[str, Any]) -> set[tuple[str, int]]:
    sites = answer["references"]
    return {(site["path"], site["line"]) for site in sites if site["kind"] == "override"} - {
        (site["path"], site["line"]) for site in sites if site["kind"] != "override"
    }


def test_standard_modules_are_those_of_this_python() -> None:
    public = {name for name in sys.stdlib_module_names if not name.startswith("_")}
    assert public <= PYTHON_MODULES


def test_ends_by_which_a_module_names_a_file() -> None:
    assert file_ends("a/shop/index.d.ts") == {
        *("/a/shop/index.d.ts", "a/shop/index.d.ts", "shop/index.d.ts", "index.d.ts"),
        *("/a/shop/index", "a/shop/index", "shop/index", "index"),
        *("/a/shop", "a/shop", "shop"),
    }
    assert file_ends("index.ts") == {"/index.ts", "index.ts", "/index", "index", "/"}
