"""A call through a base or an interface is listed when one asks for the method that implements it.

The cases are in `cases/through_bases.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("through_bases"), ids=lambda case: case["id"])
def test_callers_through_a_base_are_listed(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query


def test_type_inside_of_another_one_competes_only_there(feeder: RunFeeder, repo: Repo) -> None:
    """`Cursor` outside of `List` is no `List::Cursor`, and `Cursor::Cursor()` is no other type."""
    [case] = [case for case in cases("through_bases") if case["id"] == "cpp-nested-namesake"]
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert given.must <= given.resolved, query


SHAPES: dict[str, str | bytes] = {
    "pump.py": (
        "class Pump:\n    def flow(self):\n        return 0\n\n    def open(self):\n"
        "        return self.flow()\n\n\n"
        "class Steel(Pump):\n    def flow(self):\n        return super().flow()\n\n\n"
        "class Tin(Pump):\n    pass\n\n\n"
        "class Iron(Pump):\n    def flow(self):\n        return Pump.flow(self)\n"
    ),
    "use.py": (
        "from pump import Iron, Pump, Steel, Tin\n\n\n"
        "def go(pump: Pump, steel: Steel, tin: Tin, iron: Iron):\n"
        "    pump.flow()\n    steel.flow()\n    tin.flow()\n    iron.flow()\n"
    ),
}


def test_sites_of_the_base_itself_and_of_types_beside_are_not_resolved(
    feeder: RunFeeder, repo: Repo
) -> None:
    """`pump.flow()` and `self.flow()` in Pump may reach Steel.flow; Tin's and Iron's do not.

    Neither does `super().flow()`, nor `Pump.flow(self)`, which names the base's own.
    """
    repo.commit(SHAPES)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "pump.py#Steel.flow", "--json").json
    resolved = [reference for reference in answer["references"] if reference["resolved"]]
    sites = {(site["path"], site["line"]): site.get("through") for site in resolved}
    assert sites == {
        ("use.py", 6): None,
        ("pump.py", 6): "Pump.flow",
        ("use.py", 5): "Pump.flow",
    }
    printed = feeder(repo, "references", "pump.py#Steel.flow").out
    assert "call through Pump.flow" in printed
