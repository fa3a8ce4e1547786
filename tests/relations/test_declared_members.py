"""References of members, labels, class bodies, and small shops in PHP, Ruby, Dart and Groovy.

The cases are in `cases/declared_members.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("declared_members"), ids=lambda case: case["id"])
def test_no_reference_is_missed(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query
