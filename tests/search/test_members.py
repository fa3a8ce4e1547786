"""Enum members, fields and constants are found by name, at their line."""

import pytest

from feeder.cli.rendering import render_hits
from feeder.nodes import Member
from feeder.search.engine import search_scope
from feeder.search.results import Pagination, Result
from feeder.source.git_trees import Commit
from feeder.store.rows import decode_members, encode_members
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, result_page, run_sync
from source.repos import Repo

COLOR = """\
package acme;

enum Color {
  RED,
  GREEN;

  Color next() { return this == RED ? GREEN : RED; }
}
"""
ACTIONS = """\
export const actions = {
  signOut: () => {},
  createComment: async ({ request }) => {
    await save(request);
  },
};
"""
USES = "LIMIT = 3\n\n\ndef use():\n    # GREEN GREEN\n    return GREEN + Color.GREEN + LIMIT\n"


@pytest.fixture
def database(repo: Repo) -> SQLite:
    repo.commit({"Color.java": COLOR, "use.py": USES, "page.server.ts": ACTIONS})
    database = open_database()
    run_sync(Commit(repo.path), database)
    return database


def first(database: SQLite, query: str) -> Result:
    return search_scope(database, [], query, Scope.of_repo(REPO), Pagination(10)).results[0]


@pytest.mark.parametrize(
    "query", ["GREEN", "green", "Color.GREEN", "Color::GREEN", "Color#GREEN", "acme.Color.GREEN"]
)
def test_a_member_comes_before_all_that_speak_of_it(database: SQLite, query: str) -> None:
    found = first(database, query)
    assert (found.hit.symbol, found.member) == ("acme.Color", Member("GREEN", 5))


def test_a_constant_above_is_found_though_its_chunk_has_no_name(database: SQLite) -> None:
    found = first(database, "LIMIT")
    assert (found.hit.node_type, found.member) == ("chunk", Member("LIMIT", 1))


@pytest.mark.parametrize("query", ["createComment", "createcomment", "actions.createComment"])
def test_a_function_of_a_small_object_is_found_at_its_line(
    database: SQLite, repo: Repo, query: str
) -> None:
    [heading, *lines] = render_hits(result_page(database, repo.path, [first(database, query)], 1))
    assert heading == "page.server.ts:3  class  actions.createComment"
    assert lines[0] == "     3    createComment: async ({ request }) => {"


def test_the_line_of_a_member_is_shown(database: SQLite, repo: Repo) -> None:
    answer = result_page(database, repo.path, [first(database, "GREEN")], 1)
    assert list(render_hits(answer))[:3] == [
        "Color.java:5  class  acme.Color.GREEN",
        "     5    GREEN;",
        "        … 3 lines more",
    ]
    [found] = answer.as_json()["hits"]
    assert found["member"] == {"name": "GREEN", "line": 5}
    assert "members" not in found


def test_who_asks_for_a_class_is_shown_the_class(database: SQLite, repo: Repo) -> None:
    [heading, _] = render_hits(result_page(database, repo.path, [first(database, "Color")], 0))
    assert heading == "Color.java:3-8  class  acme.Color"


def test_a_member_that_only_moves_within_its_class_is_found_where_it_is(repo: Repo) -> None:
    """Lines of the class and its text without methods are as before: the row is written anew."""
    long, short = "  void f() {\n    a();\n  }\n", "  void f() { a(); }\n"
    field = "  int size;\n"
    repo.commit({"A.java": f"class A {{\n{long}{field}{short}}}\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    assert first(database, "size").member == Member("size", 5)
    repo.commit({"A.java": f"class A {{\n{short}{field}{long}}}\n"})
    run_sync(Commit(repo.path), database)
    assert first(database, "size").member == Member("size", 3)


def test_members_are_kept_as_a_hash_and_their_names_with_lines() -> None:
    members = (Member("RED", 3), Member("größe", 4))
    text = encode_members(members)
    # sha256 of `RED:3 größe:4`
    assert text == "3f6b3f08835cee72 RED:3 größe:4"
    assert tuple(decode_members(text)) == members
    assert encode_members(()) == "" and not list(decode_members(""))
