"""A field in a literal or a pattern of its struct is a reference to it, also in the short form.

The cases are in `cases/struct_fields.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("struct_fields"), ids=lambda case: case["id"])
def test_fields_of_literals_are_references(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert given.must <= given.resolved, query
        assert given.wrong == set(), query


def test_field_of_a_literal_is_no_method_of_that_name(feeder: RunFeeder, repo: Repo) -> None:
    """`Cart { items }` is the field, also where Cart has a method `items`."""
    source = (
        "pub struct Cart {\n    items: Vec<u32>,\n}\n\nimpl Cart {\n"
        "    pub fn items(&self) -> usize {\n        1\n    }\n}\n\n"
        "pub fn make(items: Vec<u32>) -> Cart {\n    Cart { items }\n}\n"
    )
    repo.commit({"src/cart.rs": source})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    answer = feeder(repo, "references", "src/cart.rs:6", "--json").json
    assert answer["target"]["symbol"] == "Cart.items"
    assert answer["references"] == []
