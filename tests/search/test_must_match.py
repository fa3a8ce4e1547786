"""What a question insists on: phrases, prefixes, patterns, the letters' case, what is left out."""

from functools import partial
from pathlib import Path

import pytest

from feeder.search.file_contents import indexed_lines
from feeder.search.must_match import MatchConstraint, RepositoryFiles, make_grep, require_matches
from feeder.search.query import parse_query
from feeder.source.git_trees import Commit
from feeder.source.grep import GrepMatches, Truncation
from feeder.store.hits import hits_by_ids, ids_in_scope
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, run_sync
from parse.documents import docx, p, rtf
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


def asked(world: tuple[Repo, SQLite], question: str, scope: Scope | None = None) -> MatchConstraint:
    repo, database = world
    search = make_grep(repo.path, repo.git("rev-parse", "HEAD"))
    files = RepositoryFiles(REPO, partial(indexed_lines, repo.path), search)
    return require_matches(database, parse_query(question), scope or Scope((REPO,)), files)


def found(world: tuple[Repo, SQLite], question: str) -> set[str]:
    scope = asked(world, question).scope
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
        ('refused -"connection refused" /./', {"Cart", "other"}),
    ],
)
def test_only_nodes_that_have_it_are_found(
    world: tuple[Repo, SQLite], question: str, names: set[str]
) -> None:
    """By FTS5 and then by the text; a pattern by git, in the innermost node."""
    assert found(world, question) == names


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_file_that_is_edited_since_is_asked_as_it_was_indexed(
    world: tuple[Repo, SQLite], *, is_committed: bool
) -> None:
    """Its nodes' lines have other numbers now; git has what was indexed."""
    repo, _ = world
    edited = {"cart.py": "# new\n" * 20 + TREE["cart.py"]}
    if is_committed:
        repo.commit(edited)
    else:
        (repo.path / "cart.py").write_text(edited["cart.py"])
    assert found(world, '"connection refused"') == {"Cart.add", "notes.txt"}
    assert found(world, '"connection refused" case:yes') == {"Cart.add"}


def test_of_contents_that_are_lost_fts5_is_believed(
    world: tuple[Repo, SQLite], tmp_path: Path
) -> None:
    """Rather than lines of other contents: the inflected phrase is found with the other two."""
    _, database = world
    (tmp_path / "cart.py").write_text("nothing\n")
    files = RepositoryFiles(REPO, partial(indexed_lines, tmp_path), make_grep(tmp_path, ""))
    scope = require_matches(
        database, parse_query('"connection refused"'), Scope((REPO,)), files
    ).scope
    assert len(scope.ids or ()) == 3


def test_what_is_no_pattern_is_said(world: tuple[Repo, SQLite]) -> None:
    """And what it was taken for."""
    [note] = asked(world, "/add(/").notes
    assert note == "/add(/ is not a valid regular expression: it was searched for as text."
    assert found(world, "/add(/") == {"Cart.add"}


PAPERS = {"manual.docx": docx(p("Some words.")), "docs/Letter.RTF": rtf("other words")}


@pytest.mark.needs("documents")
@pytest.mark.parametrize("ending", ["pdf", "docx", "mhtml"])
def test_documents_are_counted_by_endings_of_any_length(
    world: tuple[Repo, SQLite], ending: str
) -> None:
    """Three letters, four and five; what a file is called decides before what it is."""
    repo, database = world
    repo.commit({f"a.{ending}": docx(p("Some words."))})
    run_sync(Commit(repo.path), database)
    [note] = asked(world, "/words/", Scope((REPO,))).notes
    assert "in 1 document:" in note


@pytest.mark.needs("documents")
@pytest.mark.parametrize(
    ("question", "said"),
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
def test_documents_that_a_pattern_is_not_looked_for_in_are_told(
    world: tuple[Repo, SQLite], question: str, said: str | None
) -> None:
    """Those that the rest of the question leaves; a picture of the same ending is none."""
    repo, database = world
    repo.commit({**PAPERS, "broken.pdf": b"no PDF\n"})
    run_sync(Commit(repo.path), database)
    asks = parse_query(question)
    scope = Scope((REPO,), asks.paths, languages=asks.languages, node_types=asks.node_types)
    found = asked(world, question, scope)
    several = f'/words/ was not searched for in {said}: use words or "phrases" there.'
    assert list(found.notes) == ([several] if said else [])
    assert found.is_truncated == bool(said)


def test_lines_of_a_document_that_git_takes_for_a_text_are_none_of_its_nodes(
    world: tuple[Repo, SQLite],
) -> None:
    """The commands of an RTF are not in its text."""
    repo, database = world
    repo.commit({"letter.rtf": rtf("\nWords of a letter.\\par")})
    run_sync(Commit(repo.path), database)
    assert found(world, r"/\\par/") == set()


@pytest.mark.parametrize(
    "found",
    [GrepMatches({}, Truncation.TIMEOUT), GrepMatches({"cart.py": [1]}, Truncation.TIMEOUT)],
)
def test_what_git_has_not_come_to_is_said(world: tuple[Repo, SQLite], found: GrepMatches) -> None:
    """Which is not that there were too many lines, above all where there is none."""
    repo, database = world
    files = RepositoryFiles(REPO, partial(indexed_lines, repo.path), lambda *_: found)
    question, scope = parse_query("/a{1000}{1000}/"), Scope((REPO,))
    assert require_matches(database, question, scope, files).notes == [
        "/a{1000}{1000}/ took git too long: it was stopped before it had looked at all files."
    ]


def test_without_files_a_phrase_is_as_fts5_finds_it(world: tuple[Repo, SQLite]) -> None:
    """Inflected words count there, and a pattern finds nothing, which is said."""
    _, database = world
    question = parse_query('"connection refused"')
    found = require_matches(database, question, Scope((REPO,)))
    assert len(ids_in_scope(database, found.scope, 10)) == 3
    assert not found.notes
    found = require_matches(database, parse_query("/a/"), Scope((REPO,)))
    assert ids_in_scope(database, found.scope, 10) == []
    assert found.notes == ["/a/ was not searched for: patterns need the repository's files."]


def test_too_many_nodes_are_not_looked_at(
    world: tuple[Repo, SQLite], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is not found, and said."""
    monkeypatch.setattr("feeder.search.must_match.MAX_CHECKED", 1)
    answer = asked(world, '"connection refused"')
    assert len(answer.scope.ids or ()) == 1
    assert answer.is_truncated
    assert answer.notes == [
        '"connection refused" is in too many nodes to check each. '
        "Narrow the search, for example with path:"
    ]


@pytest.mark.parametrize("question", ['"', "/", "-", '"\0"', "/\0/", "-*", '-"*"', '"*"', "/*/"])
def test_no_sign_is_an_error(world: tuple[Repo, SQLite], question: str) -> None:
    """Neither SQLite's nor git's."""
    assert isinstance(found(world, f"cart {question}"), set)


def test_files_speak_for_their_own_repository_alone(world: tuple[Repo, SQLite]) -> None:
    """One of the same path in another repository is not read here; a pattern says so."""
    repo, database = world
    run_sync(Commit(repo.path), database, name="acme/other")
    both = Scope((REPO, "acme/other"))
    scope, notes, _ = asked(world, '"connection refused"', both)
    found = [hit.repo for hit in hits_by_ids(database, ids_in_scope(database, scope, 100), scope)]
    # of the other, what FTS5 finds: the inflected one too
    assert (found.count(REPO), found.count("acme/other"), notes) == (2, 3, [])
    scope, [note], _ = asked(world, "/def add/", both)
    assert {
        hit.repo for hit in hits_by_ids(database, ids_in_scope(database, scope, 100), scope)
    } == {REPO}
    assert (
        note == f"/def add/ was searched for in {REPO} only: "
        "the files of other repositories are not available."
    )
