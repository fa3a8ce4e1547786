"""A declared type is told from another one of its last name by what stands before it.

The cases are in `cases/qualified_types.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("qualified_types"), ids=lambda case: case["id"])
def test_outer_type_namespace_and_module_tell_types_apart(
    feeder: RunFeeder, repo: Repo, case: Any
) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query
        assert given.resolved >= given.must, query


UNKNOWN: dict[str, str | bytes] = {
    "cursor.h": (
        "class Cursor {\n public:\n  bool Valid() { return true; }\n};\n\n"
        "class List {\n public:\n  class Cursor {\n   public:\n"
        "    bool Valid() { return true; }\n  };\n};\n"
    ),
    "use.cc": (
        '#include "cursor.h"\n\n'
        "typedef List Other;\n\n"
        "bool Check(Other::Cursor* cursor) {\n  return cursor->Valid();\n}\n\n"
        "bool Both(Cursor* cursor, List::Cursor* other) {\n"
        "  return cursor->Valid() || other->Valid();\n}\n"
    ),
}


@pytest.mark.parametrize("target", ["cursor.h#Cursor.Valid", "cursor.h#List.Cursor.Valid"])
def test_type_behind_unknown_name_is_by_name_only(
    feeder: RunFeeder, repo: Repo, target: str
) -> None:
    """`Other` is a typedef; line 10 has both types, declared on one line."""
    repo.commit(UNKNOWN)
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    found = feeder(repo, "references", target, "--json").json["references"]
    sites = {(one["path"], one["line"], one["resolved"]) for one in found}
    assert sites == {("use.cc", 6, False), ("use.cc", 10, False)}
