"""Conditions that every hit must meet: phrases, prefixes, patterns, case and excluded words."""

from functools import partial
from pathlib import Path

import pytest

from feeder.corpus.file_contents import indexed_lines
from feeder.query.must_match import MatchConstraint, RepositoryFiles, make_grep, require_matches
from feeder.query.query import parse_query
from feeder.source.git_trees import Commit
from feeder.source.grep import GrepMatches, Truncation
from feeder.store.hits import hits_by_ids, ids_in_scope
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, run_sync
from parse.documents import docx, p, rtf
from search.run_query import find, index_files
from source.repos import Repo

TREE = {
    "cart.py": '''\
class Cart:
    """Holds articles."""

    def add(self, article):
        self.rows.append(article)  # connection refused


def parse_delta_file(path):
    return [path, "connections refused"]


def other(cart):
    return cart -> 1
''',
    "notes.txt": "Connection\n    refused, a line further on. The CART.\n",
}


@pytest.fixture
def world(repo: Repo) -> tuple[Repo, SQLite]:
    repo.commit(TREE)
    database = open_database()
    run_sync(Commit(repo.path), database)
    return repo, database


def run_search(
    world: tuple[Repo, SQLite], question: str, scope: Scope | None = None
) -> MatchConstraint:
    repo, database = world
    search = make_grep(repo.path, repo.git("rev-parse", "HEAD"))
    files = RepositoryFiles(REPO, partial(indexed_lines, repo.path), search)
    return require_matches(database, parse_query(question), scope or Scope((REPO,)), files)


def matching_symbols(world: tuple[Repo, SQLite], question: str) -> set[str]:
    scope = run_search(world, question).scope
    ids = ids_in_scope(world[1], scope, 100)
    return {hit.symbol or hit.path for hit in hits_by_ids(world[1], ids, scope)}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ('"connection refused"', {"Cart.add", "notes.txt"}),
        ('"connection refused" case:yes', {"Cart.add"}),
        ('"connections refused"', {"parse_delta_file"}),
        ('"connection refused" "a line"', {"notes.txt"}),
        ('"refused connection"', set()),
        ('"->"', {"other"}),
        ("pars*", {"parse_delta_file"}),
        ("parse_del* conn*", {"parse_delta_file"}),
        ("case:yes CART", {"notes.txt"}),
        ("case:yes Cart", {"Cart"}),
        ("case:yes Cart CART", {"Cart", "notes.txt"}),
        (r"/def \w+_\w+/", {"parse_delta_file"}),
        (r"/DEF add/", {"Cart.add"}),
        (r"/DEF add/ case:yes", set()),
        (r'/def/ "connection refused"', {"Cart.add"}),
        (r"/def/ -article", {"parse_delta_file", "other"}),
        (
            '"connection refused" OR "connections refused"',
            {"Cart.add", "notes.txt", "parse_delta_file"},
        ),
        ('article OR "nothing like it"', {"Cart", "Cart.add"}),
        ("pars* OR holds", {"Cart", "parse_delta_file"}),
        ('ARTIC* OR "nothing like it"', {"Cart", "Cart.add"}),
        ('(parse_del* "connection refused") OR rows', {"Cart.add"}),
        ('("connection refused" OR path) case:yes', {"Cart.add", "parse_delta_file"}),
        ('"->" OR "rows.append"', {"Cart.add", "other"}),
        ("/def add/ OR /def other/", {"Cart.add", "other"}),
        ("case:yes Cart OR CART", {"Cart", "notes.txt"}),
        ('refused -"connection refused" /./', {"Cart", "other"}),
    ],
)
def test_only_nodes_that_match_are_found(
    world: tuple[Repo, SQLite], question: str, names: set[str]
) -> None:
    """FTS5 finds candidates and the text decides; git finds patterns, in the innermost node."""
    assert matching_symbols(world, question) == names


@pytest.mark.parametrize("is_committed", [True, False])
def test_edited_file_is_matched_as_it_was_indexed(
    world: tuple[Repo, SQLite], *, is_committed: bool
) -> None:
    """The line numbers of its nodes have changed; git has the indexed content."""
    repo, _ = world
    edited = {"cart.py": "# new\n" * 20 + TREE["cart.py"]}
    if is_committed:
        repo.commit(edited)
    else:
        (repo.path / "cart.py").write_text(edited["cart.py"])
    assert matching_symbols(world, '"connection refused"') == {"Cart.add", "notes.txt"}
    assert matching_symbols(world, '"connection refused" case:yes') == {"Cart.add"}


def test_fts5_decides_where_the_indexed_content_is_lost(
    world: tuple[Repo, SQLite], tmp_path: Path
) -> None:
    """The current lines are other lines, so inflected matches of the phrase count too."""
    _, database = world
    (tmp_path / "cart.py").write_text("nothing\n")
    files = RepositoryFiles(REPO, partial(indexed_lines, tmp_path), make_grep(tmp_path, ""))
    scope = require_matches(
        database, parse_query('"connection refused"'), Scope((REPO,)), files
    ).scope
    assert len(scope.ids or ()) == 3


def test_invalid_pattern_is_reported(world: tuple[Repo, SQLite]) -> None:
    """The note says how it was interpreted."""
    [note] = run_search(world, "/add(/").notes
    assert str(note) == "/add(/ is not a valid regular expression, so it was searched for as text."
    assert matching_symbols(world, "/add(/") == {"Cart.add"}


PAPERS = {"manual.docx": docx(p("Some words.")), "docs/Letter.RTF": rtf("other words")}


@pytest.mark.needs("documents")
@pytest.mark.parametrize("ending", ["pdf", "docx", "mhtml"])
def test_documents_are_recognized_by_extensions_of_any_length(
    world: tuple[Repo, SQLite], ending: str
) -> None:
    """The extension decides before the content does."""
    repo, database = world
    repo.commit({f"a.{ending}": docx(p("Some words."))})
    run_sync(Commit(repo.path), database)
    [note] = run_search(world, "/words/", Scope((REPO,))).notes
    assert "in 1 document:" in str(note)


@pytest.mark.needs("documents")
@pytest.mark.parametrize(
    ("question", "extensions"),
    [
        ("/words/", "2 documents"),
        ("/words/ path:docs", "1 document"),
        ("/words/ lang:docx", "1 document"),
        ("/words/ other", "2 documents"),
        ('/words/ "other words"', "1 document"),
        ("/words/ path:cart.py", None),
        ("/words/ type:method", None),
        ("words", None),
    ],
)
def test_documents_not_searched_for_a_pattern_are_reported(
    world: tuple[Repo, SQLite], question: str, extensions: str | None
) -> None:
    """Only those within the other filters, and no files of another type with the same extension."""
    repo, database = world
    repo.commit({**PAPERS, "broken.pdf": b"no PDF\n"})
    run_sync(Commit(repo.path), database)
    asks = parse_query(question)
    scope = Scope((REPO,), asks.paths, languages=asks.languages, node_types=asks.node_types)
    found = run_search(world, question, scope)
    several = f'/words/ was not searched for in {extensions}: use words or "phrases" there.'
    assert list(map(str, found.notes)) == ([several] if extensions else [])
    assert found.is_truncated == bool(extensions)


def test_pattern_does_not_match_the_source_of_an_rtf_document(
    world: tuple[Repo, SQLite],
) -> None:
    """git treats RTF as text, but its control words are not in the extracted text."""
    repo, database = world
    repo.commit({"letter.rtf": rtf("\nWords of a letter.\\par")})
    run_sync(Commit(repo.path), database)
    assert matching_symbols(world, r"/\\par/") == set()


@pytest.mark.parametrize(
    "found",
    [GrepMatches({}, Truncation.TIMEOUT), GrepMatches({"cart.py": [1]}, Truncation.TIMEOUT)],
)
def test_timeout_of_git_is_reported(world: tuple[Repo, SQLite], found: GrepMatches) -> None:
    """It differs from the note about too many lines."""
    repo, database = world
    files = RepositoryFiles(REPO, partial(indexed_lines, repo.path), lambda *_: found)
    question, scope = parse_query("/a{1000}{1000}/"), Scope((REPO,))
    notes = require_matches(database, question, scope, files).notes
    assert list(map(str, notes)) == [
        "/a{1000}{1000}/ took too long: git was stopped before it had searched all files."
    ]


def test_prefix_ranks_the_words_that_begin_so(repo: Repo) -> None:
    """Also one that is no word itself, whose nodes are found by no name."""
    often = "def a():\n    return [refuse, refusal, refused]\n"
    once = "def b():\n    return [connection, article, refusal]\n"
    index_files(repo, {"once.py": once, "often.py": often, "never.py": "def c():\n    pass\n"})
    assert [hit.result.hit.path for hit in find(repo, "refu*").hits] == ["often.py", "once.py"]


def test_without_files_a_phrase_matches_as_in_fts5(world: tuple[Repo, SQLite]) -> None:
    """Inflected words match, and a pattern matches nothing, which is reported."""
    _, database = world
    question = parse_query('"connection refused"')
    found = require_matches(database, question, Scope((REPO,)))
    assert len(ids_in_scope(database, found.scope, 10)) == 3
    assert not found.notes
    found = require_matches(database, parse_query("/a/"), Scope((REPO,)))
    assert ids_in_scope(database, found.scope, 10) == []
    assert list(map(str, found.notes)) == [
        "/a/ was not searched for: patterns need the repository's files."
    ]


def test_limit_of_checked_nodes_is_reported(
    world: tuple[Repo, SQLite], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes beyond the limit are not found."""
    monkeypatch.setattr("feeder.query.must_match.MAX_CHECKED", 1)
    answer = run_search(world, '"connection refused"')
    assert len(answer.scope.ids or ()) == 1
    assert answer.is_truncated
    assert list(map(str, answer.notes)) == [
        '"connection refused" is in too many nodes to check each. '
        "Narrow the search, for example with path:"
    ]


@pytest.mark.parametrize("question", ['"', "/", "-", '"\0"', "/\0/", "-*", '-"*"', '"*"', "/*/"])
def test_no_special_character_is_an_error(world: tuple[Repo, SQLite], question: str) -> None:
    """Neither of SQLite nor of git."""
    assert isinstance(matching_symbols(world, f"cart {question}"), set)


def test_files_are_read_for_their_own_repository_only(world: tuple[Repo, SQLite]) -> None:
    """A file of the same path in another repository is not read; a note says so for patterns."""
    repo, database = world
    run_sync(Commit(repo.path), database, name="acme/other")
    both = Scope((REPO, "acme/other"))
    scope, notes, *_ = run_search(world, '"connection refused"', both)
    found = [hit.repo for hit in hits_by_ids(database, ids_in_scope(database, scope, 100), scope)]
    # of the other, what FTS5 finds: the inflected one too
    assert (found.count(REPO), found.count("acme/other"), notes) == (2, 3, [])
    scope, [note], *_ = run_search(world, "/def add/", both)
    assert {
        hit.repo for hit in hits_by_ids(database, ids_in_scope(database, scope, 100), scope)
    } == {REPO}
    assert (
        str(note) == f"/def add/ was searched for in {REPO} only: "
        "the files of other repositories are not available."
    )
