"""A member that a class without a name or an object of a type declares overrides the type's.

The cases are in `cases/unnamed_members.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("unnamed_members"), ids=lambda case: case["id"])
def test_members_without_a_node_are_overrides(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.must - given.resolved, given.wrong) == (set(), set()), query
        if query[0] == "references":
            listed = feeder(repo, *query, "--kind", "override", "--json").json["references"]
            assert {f"{one['path']}:{one['line']}" for one in listed} >= given.must
