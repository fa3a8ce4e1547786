"""Sites that are known to mean something else are not resolved: `int.from_bytes`, a field, a type.

The cases are in `cases/known_others.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("known_others"), ids=lambda case: case["id"])
def test_known_others_are_not_resolved(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query
        assert given.resolved >= given.must, query


def test_sites_left_out_say_what_they_are(feeder: RunFeeder, repo: Repo) -> None:
    """A member of a built-in type, a field and a type of the function's name."""
    [rust, kotlin] = [case for case in cases("known_others") if case["id"] in {"rust", "kotlin"}]
    commit_marked(repo, rust["files"] | kotlin["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0

    def means(target: str) -> dict[str, str]:
        left_out = feeder(repo, "references", target, "--all", "--json").json["elsewhere"]
        return {f"{site['path']}:{site['line']}": site["means"] for site in left_out}

    assert means("src/bytes.rs#Cart.from_str_radix") == {
        "src/uses.rs:8": "a member of a built-in type"
    }
    field, other = "a field, not a method", "a type or a field, not a function"
    assert means("src/bytes.rs#Cart.size") == {
        "src/bytes.rs:12": field,
        "src/bytes.rs:20": other,
        "src/uses.rs:6": field,
        "src/uses.rs:10": other,
    }
    assert means("src/acme/Text.kt#String")["src/acme/Use.kt:3"] == other
