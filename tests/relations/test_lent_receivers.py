"""A bare name outside of a type may be a member of a value: `with(cart) { add(item) }`.

So may one behind `this` there, and in Python one behind a module that a package names otherwise.
The cases are in `cases/lent_receivers.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("lent_receivers"), ids=lambda case: case["id"])
def test_members_of_lent_receivers_are_listed(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query


def test_names_that_cannot_be_the_member_are_left_out(feeder: RunFeeder, repo: Repo) -> None:
    """An imported function, one of the file, and a module or type that is known."""
    by_id = {case["id"]: case for case in cases("lent_receivers")}
    kotlin, python = by_id["kotlin"], by_id["python-renamed-modules"]
    commit_marked(repo, kotlin["files"] | python["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0

    def left_out(target: str) -> set[str]:
        sites = feeder(repo, "references", target, "--all", "--json").json["elsewhere"]
        return {f"{site['path']}:{site['line']}" for site in sites}

    assert left_out("k/Cart.kt#Cart.fill") == {"k/Other.kt:3", "k/Other.kt:6"}
    assert left_out("k/Cart.kt#Cart.empty") == {"k/Other.kt:7"}
    assert left_out("svc/impl.py#run_impl") == {"app.py:10", "app.py:11"}


def test_members_in_extensions_of_kotlin_are_resolved(feeder: RunFeeder, repo: Repo) -> None:
    kotlin = cases("lent_receivers")[0]
    places = commit_marked(repo, kotlin["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    given = answers(feeder, repo, kotlin["q"]["f"], places, "f")
    assert given.resolved == {"k/Use.kt:17", "k/Use.kt:18"}
