"""Keys of objects and labels of constructors' arguments refer to fields: `Cart(total = 3)`.

The cases are in `cases/literal_keys.json`; `marked_sites` says what the marks mean. The answers of
a query whose key begins with `sure` are resolved, those of others are listed, at least by name.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("literal_keys"), ids=lambda case: case["id"])
def test_keys_and_labels_are_references(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        if key.startswith("sure"):
            assert given.must <= given.resolved, query
        elif key == "own":  # the label of a constructor's parameter
            assert not places[key, "!"] & given.resolved, query
        else:
            assert given.resolved | given.by_name == given.must, query
            assert given.wrong == set(), query
