"""Names are followed through all syntax in which a language can read or import them.

The cases are in `cases/followed_names.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("followed_names"), ids=lambda case: case["id"])
def test_no_site_is_missed(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query


def test_attribute_that_a_method_assigns_is_a_member(feeder: RunFeeder, repo: Repo) -> None:
    """It is defined where it is assigned first; a class attribute or property comes before it."""
    shop = (
        "class Cart:\n    limit = 3\n\n    def __init__(self, total):\n"
        "        self.total, self.limit = total, 4\n        self.size = 1\n\n"
        "    def add(self):\n        self.total = 2\n\n"
        "    @property\n    def size(self):\n        return 1\n"
    )
    repo.commit({"shop.py": shop})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0

    def places(name: str) -> list[tuple[str, int]]:
        found = feeder(repo, "definition", name, "--json").json["definitions"]
        return [(node["symbol"], node["start_line"]) for node in found]

    assert places("total") == [("Cart.total", 5)]
    assert places("limit") == [("Cart.limit", 2)]
    assert places("size") == [("Cart.size", 11)]


def test_uses_of_operators_are_said_to_be_unknown(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"A.scala": "class Cart {\n  def <->(x: Int): Int = x\n  val a = this <-> 2\n}\n"})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    printed = (
        feeder(repo, "references", "A.scala:2").err + feeder(repo, "references", "A.scala:2").out
    )
    assert "What refers to Cart.<-> is unknown: uses of operators are not indexed." in printed


def test_markup_with_long_names_and_deep_functions_is_indexed(
    feeder: RunFeeder, repo: Repo
) -> None:
    """A name of more than 100 bytes is no relation."""
    long = "n" * 101
    nested = "function f() { " * 300 + "}" * 300
    repo.commit(
        {
            "Cart.vue": "<script>\nexport function total() {}\n</script>\n"
            f"<template>{{{{ {long}() + total() }}}}</template>\n",
            "Deep.vue": f"<script>\n{nested}\n</script>\n<template>{{{{ f() }}}}</template>\n",
        }
    )
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    assert feeder(repo, "validate").code == 0
    references = feeder(repo, "references", "total", "--json").json["references"]
    assert [reference["line"] for reference in references] == [4]
