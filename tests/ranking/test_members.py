"""Enum members, fields and constants are found by name, with their line."""

import pytest

from feeder.cli.rendering import render_hits
from feeder.nodes import Member
from feeder.query.request_filters import Pagination
from feeder.ranking.member_names import find_member
from feeder.ranking.results import Result
from feeder.source.git_trees import Commit
from feeder.store.name_search import MAX_SPELLED
from feeder.store.rows import decode_members, encode_members
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, result_page, run_sync, search_scope
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
CONFIG = """\
package acme

interface Config {
  companion object {
    const val KEY: String = "key"
  }
}
"""
USES = "LIMIT = 3\n\n\ndef use():\n    # GREEN GREEN\n    return GREEN + Color.GREEN + LIMIT\n"


@pytest.fixture
def database(repo: Repo) -> SQLite:
    repo.commit(
        {
            "Color.java": COLOR,
            "use.py": USES,
            "page.server.ts": ACTIONS,
            "Config.kt": CONFIG,
            "limits.py": "import os\nMAX_RETRIES = 3\n",
            "words.py": "import os\nA_B_C_VALUE = 3\nA_B_C_D_VALUE = 3\n",
        }
    )
    database = open_database()
    run_sync(Commit(repo.path), database)
    return database


def first(database: SQLite, query: str) -> Result:
    return search_scope(database, [], query, Scope.of_repo(REPO), Pagination(10)).results[0]


@pytest.mark.parametrize(
    ("query", "line"), [("RETRY", 7), ("retry", 9), ("Client.RETRY", 7), ("reTry", 5)]
)
def test_of_members_that_differ_in_case_the_typed_one_is_found(query: str, line: int) -> None:
    """Else the first."""
    members = encode_members([Member("Retry", 5), Member("RETRY", 7), Member("retry", 9)])
    found = find_member("acme.Client", members, query)
    assert found is not None
    assert found.line == line


@pytest.mark.parametrize(
    "query", ["GREEN", "green", "Color.GREEN", "Color::GREEN", "Color#GREEN", "acme.Color.GREEN"]
)
def test_member_ranks_before_its_mentions(database: SQLite, query: str) -> None:
    found = first(database, query)
    assert (found.hit.symbol, found.member) == ("acme.Color", Member("GREEN", 5))


@pytest.mark.parametrize(
    ("query", "member"),
    [
        ("signUot", Member("signOut", 2)),
        ("creatComment", Member("createComment", 3)),
        ("CREATECOMENT", Member("createComment", 3)),
        ("MAX_RETRISE", Member("MAX_RETRIES", 2)),
        ("MX_RETRIES", Member("MAX_RETRIES", 2)),
        ("MAX_ETRIES", Member("MAX_RETRIES", 2)),
        ("MAX_TETRIES", Member("MAX_RETRIES", 2)),
        ("limits.MAX_RETRIESS", Member("MAX_RETRIES", 2)),
        ("A_B_C_VALEU", Member("A_B_C_VALUE", 2)),
    ],
)
def test_misspelt_member_is_found(database: SQLite, query: str, member: Member) -> None:
    """One edit away, as by a note; in names of several words one of these differs."""
    results = search_scope(database, [], query, Scope.of_repo(REPO), Pagination(10))
    assert results.results[0].member == member
    assert list(map(str, results.notes)) == [
        f"No symbol is named {query}. Similar names: {member.name}"
    ]


def test_misspelt_symbol_comes_before_misspelt_members(repo: Repo) -> None:
    repo.commit({"a.py": "class A:\n    RETRY = 1\n", "b.py": "def retry():\n    pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    results = search_scope(database, [], "rerty", Scope.of_repo(REPO), Pagination(10)).results
    assert [result.hit.symbol for result in results] == ["retry", "A"]
    assert [result.member for result in results] == [None, Member("RETRY", 2)]


def test_misspelt_member_is_found_if_excluded_nodes_have_the_misspelt_word(repo: Repo) -> None:
    repo.commit({"a.py": "class A:\n    TIMEOUT = 1\n", "doc.md": "timeot foo\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    scope = Scope((REPO,), without_words='"foo"')
    [found] = search_scope(database, [], "timeot", scope, Pagination(10)).results
    assert found.member == Member("TIMEOUT", 2)


def test_misspelt_member_is_found_in_the_scope_only(repo: Repo) -> None:
    """Though nodes of other languages have it, more than are compared."""
    java = "class A%d {\n  int timeout;\n}\n"
    repo.commit({f"src/A{at}.java": java % at for at in range(MAX_SPELLED + 5)})
    repo.commit({"z.go": "package a\n\ntype Config struct {\n\tTimeout int\n}\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    scope = Scope((REPO,), languages=("go",))
    [found] = search_scope(database, [], "timeot", scope, Pagination(10)).results
    assert (found.hit.path, found.member) == ("z.go", Member("Timeout", 4))


@pytest.mark.parametrize(
    "query", ["signOutput", "createCommentary", "M" * 30, "größex", "A_B_C_D_VALEU"]
)
def test_other_names_are_no_misspelt_members(database: SQLite, query: str) -> None:
    """With more edits, longer than what is corrected, with letters that are not replaced, or of
    more than four words.
    """
    results = search_scope(database, [], query, Scope.of_repo(REPO), Pagination(10)).results
    assert not [result for result in results if result.member]


@pytest.mark.parametrize("query", ["Config.KEY", "acme.Config.KEY", "Config.Companion.KEY"])
def test_member_of_a_companion_object_is_named_with_or_without_it(
    database: SQLite, query: str
) -> None:
    found = first(database, query)
    assert (found.hit.symbol, found.member) == ("acme.Config.Companion", Member("KEY", 5))


def test_constant_in_a_nameless_chunk_is_found(database: SQLite) -> None:
    found = first(database, "LIMIT")
    assert (found.hit.node_type, found.member) == ("chunk", Member("LIMIT", 1))


@pytest.mark.parametrize("query", ["createComment", "createcomment", "actions.createComment"])
def test_function_in_an_object_literal_is_found_at_its_line(
    database: SQLite, repo: Repo, query: str
) -> None:
    [heading, *lines] = render_hits(result_page(database, repo.path, [first(database, query)], 1))
    assert heading == "page.server.ts:3  class  actions.createComment"
    assert lines[0] == "     3    createComment: async ({ request }) => {"


def test_snippet_shows_the_line_of_the_member(database: SQLite, repo: Repo) -> None:
    answer = result_page(database, repo.path, [first(database, "GREEN")], 1)
    assert list(render_hits(answer))[:3] == [
        "Color.java:5  class  acme.Color.GREEN",
        "     5    GREEN;",
        "        … 3 lines more",
    ]
    [found] = answer.as_json()["hits"]
    assert found["member"] == {"name": "GREEN", "line": 5}
    assert "members" not in found


def test_query_for_a_class_shows_the_class(database: SQLite, repo: Repo) -> None:
    [heading, _] = render_hits(result_page(database, repo.path, [first(database, "Color")], 0))
    assert heading == "Color.java:3-8  class  acme.Color"


def test_member_moved_within_its_class_is_found_at_its_new_line(repo: Repo) -> None:
    """The lines and text of the class are unchanged, but its row is written again."""
    long, short = "  void f() {\n    a();\n  }\n", "  void f() { a(); }\n"
    field = "  int size;\n"
    repo.commit({"A.java": f"class A {{\n{long}{field}{short}}}\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    assert first(database, "size").member == Member("size", 5)
    repo.commit({"A.java": f"class A {{\n{short}{field}{long}}}\n"})
    run_sync(Commit(repo.path), database)
    assert first(database, "size").member == Member("size", 3)


def test_members_are_stored_as_a_hash_and_as_names_with_lines() -> None:
    members = (Member("RED", 3), Member("größe", 4))
    text = encode_members(members)
    # sha256 of `RED:3 größe:4`
    assert text == "3f6b3f08835cee72 RED:3 größe:4"
    assert tuple(decode_members(text)) == members
    assert encode_members(()) == "" and not list(decode_members(""))
