"""A field that a type below declares again is one field; Java's is another, which hides it.

The cases are in `cases/redeclared_fields.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("redeclared_fields"), ids=lambda case: case["id"])
def test_sites_of_a_redeclared_field_are_resolved(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.must - given.resolved, given.wrong) == (set(), set()), query
