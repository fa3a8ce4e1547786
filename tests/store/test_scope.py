"""Scopes: the nodes that filters select, in a real source tree."""

import re
import sqlite3

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feeder.bigrams import split_text
from feeder.errors import UserError
from feeder.nodes import Node
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.hits import hits_by_ids
from feeder.store.index import Index
from feeder.store.index_counts import TEST_PATH_WORDS, known_counts
from feeder.store.index_state import VectorProgress
from feeder.store.rows import IndexedFile, encode_nodes
from feeder.store.scope import TEST_PATH_GLOBS, TEST_PATH_STEMS, Scope, is_test_path
from feeder.store.sqlite import SQLite
from feeder.store.tokenizer import tokenize
from feeder.text import expand_words
from index_helpers import REPO, open_database, run_sync
from source.repos import Repo

PROSE = "A sentence of a guide that is no tiny one. " * 20
CLASS = "class Cart:\n    def add(self):\n        pass\n\n    def addAll(self):\n        pass\n"
TREE = {
    "src/cart.py": CLASS,
    "src/color.py": "import enum\n\n\nclass Color(enum.Enum):\n    RED = 1\n    GREEN = 2\n",
    "README.md": f"# Install\n\n{PROSE}\n\n## From source\n\n{PROSE}\n",
    "server.toml": "[server]\nport = 1\n",
}


@pytest.fixture
def database(repo: Repo) -> SQLite:
    repo.commit(TREE)
    database = open_database()
    run_sync(Commit(repo.path), database)
    return database


def names(database: SQLite, symbol: str) -> set[str]:
    [ids] = database.run([Statement("SELECT id FROM docs")])
    found = hits_by_ids(database, [str(id_) for (id_,) in ids], Scope((REPO,), symbols=(symbol,)))
    return {node.symbol or node.logical_path or "" for node in found}


@pytest.mark.parametrize(
    ("symbol", "found"),
    [
        ("add", {"Cart.add"}),
        ("Cart.add", {"Cart.add"}),
        ("cart::ADD()", {"Cart.add"}),
        ("Cart#add", {"Cart.add"}),
        ("Cart", {"Cart"}),
        ("art.add", set()),
        ("add*", {"Cart.add", "Cart.addAll"}),
        ("Cart.*", {"Cart.add", "Cart.addAll"}),
        ("*dAll", {"Cart.addAll"}),
        ("RED", {"Color"}),
        ("Color.RED", {"Color"}),
        ("Cart.RED", set()),
        ("From source", {"Install > From source"}),
        ("nothing", set()),
        ("+", set()),
        ('"', set()),
    ],
)
def test_symbol_filter_matches_a_name_or_its_last_parts(
    database: SQLite, symbol: str, found: set[str]
) -> None:
    """In any case and with any separator; a member matches the node that contains it."""
    assert names(database, symbol) == found


def test_symbol_glob_has_a_length_limit(database: SQLite) -> None:
    """D1 accepts 50 bytes."""
    assert names(database, "a" * 47 + "*") == set()
    with pytest.raises(
        UserError, match=r"The symbol a+\* has 49 bytes, but a glob may have at most 48"
    ):
        names(database, "a" * 48 + "*")
    with pytest.raises(UserError, match=r"has 58 bytes, but a glob may have at most 48"):
        names(database, "[" * 19 + "*")


def test_quotes_in_a_symbol_are_escaped(database: SQLite) -> None:
    """For FTS5."""
    for symbol in ('total"', 'a"b', 'a"b*', 'Cart.to"tal', 'x" OR symbol : "total'):
        assert names(database, symbol) == set(), symbol


@pytest.mark.parametrize(
    "path",
    [
        *("tests/cart.py", "a/test/cart.go", "spec/cart.rb", "src/__tests__/cart.js"),
        *("test_cart.py", "src/test_cart.py", "cart_test.go", "cart.test.ts", "cart.spec.tsx"),
        *("cart_spec.rb", "CartTest.java", "CartTests.cs", "CartSpec.scala", "TestCart.java"),
        *("Tests/CartTests/Cart.swift", "Acme.Tests/Cart.cs", "app/src/androidTest/A.kt"),
        *("conftest.py", "tests.rs", "test.js", "cart.bats", "cart-test.el"),
        *("tsdb/testdata/a.json", "src/__snapshots__/cart.txt", "src/cart.snap"),
        *("regress/alerts.sh", "usr/regress/a.c"),
    ],
)
def test_test_files_are_recognized_by_path(path: str) -> None:
    """In any language."""
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        *("src/cart.py", "latest.py", "contest/a.py", "src/testing.py", "attestation/spec_of.md"),
        *("lib/test_functions.bash", "spec.md", "special/a.go", "greatest.java", "protest/x"),
        *("docs/specification.md", "inspector/a.py", "Contest.java", "testify/assert.go"),
        *("snapshots/a.py", "snap.go", "src/snapshot.ts"),
    ],
)
def test_other_files_are_not_tests(path: str) -> None:
    """Although their names contain the letters."""
    assert not is_test_path(path)


def test_sql_and_python_recognize_the_same_tests() -> None:
    """For each glob, inside a folder and at the root."""
    paths = [glob.replace("*", "a").replace("[a-z]", "b").lstrip("/") for glob in TEST_PATH_GLOBS]
    paths += [f"{path}/cart.py" for path in paths] + ["src/cart.py", "latest.py", "a/spec.md"]
    database = open_database()
    insert = """INSERT INTO docs (repo, path, id, branch, sha_head, node_type, start_line, end_line,
        text_sha) VALUES ('r', ?1, ?1, 'b', 'c', 'chunk', 1, 1, '')"""
    files = """INSERT INTO files (repo, path, blob, sha_head, nodes, state)
        SELECT DISTINCT repo, path, '', '', 1, 'clean' FROM docs"""
    database.run([*(Statement(insert, (path,)) for path in dict.fromkeys(paths)), Statement(files)])
    found = {
        hits_by_id.path for hits_by_id in hits_by_ids(database, paths, Scope(("r",), tests="only"))
    }
    others = {
        hits_by_id.path for hits_by_id in hits_by_ids(database, paths, Scope(("r",), tests="no"))
    }
    assert found == {path for path in paths if is_test_path(path)}
    assert found | others == set(paths)
    assert not found & others


def test_test_globs_are_below_d1_limits() -> None:
    """50 bytes; each contains one of the words of the prefilter."""
    for glob in TEST_PATH_GLOBS:
        text = glob.replace("[Tt]", "t").casefold()
        assert len(glob.encode()) <= 50
        assert any(
            word in text for word in ("test", "spec", ".bats", ".snap", "__snap", "regress/")
        )


# what paths are made of: the words of tests and longer ones, in several cases, and separators
PATH_PIECES = [
    *("test", "Test", "TEST", "tEST", "tests", "spec", "Spec", "SPEC", "testdata", "TestData"),
    *(
        "conftest",
        "la",
        "in",
        "ting",
        "\u017fpec",
        "te\u017ft",
        "é",
        "ß",
        "a",
        "X",
        "s",
        "1",
        "/",
        "_",
        ".",
    ),
]
PATHS = st.lists(st.sampled_from(PATH_PIECES), min_size=1, max_size=7).map("".join)


@st.composite
def paths_of_tests(draw: st.DrawFn) -> str:
    """A path that one of the globs matches."""
    parts = re.split(r"(\*|\[.*?\])", draw(st.sampled_from(TEST_PATH_GLOBS)))
    one_of = {
        "[a-z]": "az",
        "[a-z0-9]": "az09",
        "[._-]": "._-",
        "[_.-]": "._-",
        "[_-]": "_-",
        "[Tt]": "Tt",
        "[jt]": "jt",
        "[A-Z]": "AZ",
    }
    made = [
        draw(st.text("abXY09_-./é", max_size=5))
        if part == "*"
        else draw(st.sampled_from(one_of[part]))
        if part.startswith("[")
        else part
        for part in parts
    ]
    return "".join(made).lstrip("/")


def path_stems(path: str) -> set[str]:
    """The words of a path in its nodes' postings."""
    words = expand_words(split_text(path)).encode()
    return {stem for *_, stem in tokenize(words)}


@settings(max_examples=500)
@given(paths_of_tests().filter(is_test_path))
def test_path_of_a_test_has_one_of_the_words(path: str) -> None:
    """A search in tests alone looks for these words."""
    assert path_stems(path) & set(TEST_PATH_STEMS)


@settings(max_examples=500)
@given(st.sets(PATHS.filter(lambda path: bool(path.strip("/"))), max_size=20))
def test_paths_like_tests_are_counted(paths: set[str]) -> None:
    """Those that are no tests and have a word of tests are known, so that no other is left out."""
    database = open_database()
    index = Index(database, REPO, "main")
    index.begin("1", index.read_state({}), {}, recompute_vectors=False)
    node = Node("python", "method", "weigh", None, None, 1, 1, text="weigh")
    files = [IndexedFile(path, "1", encode_nodes(REPO, path, [node])) for path in paths]
    index.write(files, [], "c", pending=False)
    index.finish(VectorProgress(), {})
    counts = known_counts(Index(database, REPO, "main").read_state({}).meta, REPO)
    assert counts is not None
    like_tests = set(counts["like_tests"])
    assert like_tests == {path for path in like_tests if path in paths and not is_test_path(path)}
    others = {path for path in paths if not is_test_path(path)} - like_tests
    assert not any(path_stems(path) & set(TEST_PATH_WORDS) for path in others)


LONG_FOLDER = "module/src/main/java/com/example/shop/internal/checkout"
LONG_FILE = f"{LONG_FOLDER}/CartRepository.java"


@pytest.mark.parametrize(
    ("path", "is_matched"),
    [
        (LONG_FILE, True),
        (LONG_FOLDER, True),
        (f"*/{LONG_FILE.partition('/')[2]}", True),
        (f"*/{LONG_FOLDER.partition('/')[2]}", True),
        (f"*/{LONG_FOLDER.partition('/')[2][1:]}", False),
        (f"*/{LONG_FOLDER.partition('/')[2][:-1]}", False),
        ("*/CartRepository.java", True),
        ("*/cartrepository.java", False),
    ],
)
def test_long_path_in_any_folder_is_compared_by_its_end(
    repo: Repo, path: str, is_matched: bool
) -> None:
    """D1 accepts patterns of 50 bytes only."""
    repo.commit({LONG_FILE: "class CartRepository {}\n", "a.py": "a = 1\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    [ids] = database.run([Statement("SELECT id FROM docs")])
    nodes = [str(id_) for (id_,) in ids]
    matched = {hit.path for hit in hits_by_ids(database, nodes, Scope((REPO,), (path,)))}
    assert matched == ({LONG_FILE} if is_matched else set())
    others = hits_by_ids(database, nodes, Scope((REPO,), not_paths=(path,)))
    assert (LONG_FILE in {hit.path for hit in others}) is not is_matched


def _has_words(path: str, query: str) -> bool:
    """Returns True if FTS5 finds a node by the words of its path."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE f USING fts5 (path, tokenize='porter unicode61')")
    database.execute("INSERT INTO f VALUES (?)", (expand_words(path),))
    return bool(database.execute("SELECT 1 FROM f WHERE f MATCH ?", (query,)).fetchone())


def _is_at(path: str, pattern: str) -> bool:
    """Returns True if SQLite's globs find a file, or a folder of it, by the pattern."""
    [[found]] = sqlite3.connect(":memory:").execute(
        "SELECT ?1 GLOB ?2 OR ?1 GLOB ?2 || '/*'", (path, pattern)
    )
    return bool(found) or path == pattern or path.startswith(f"{pattern}/")


_LETTERS = st.text("aB_.-/é1", max_size=6)
_GLOBS = st.lists(
    _LETTERS | st.sampled_from(["*", "?", "[a.]", "[^b]", "[]a]", "[", "/*/"]), max_size=5
).map("".join)


@settings(max_examples=500)
@given(
    _GLOBS.map(lambda text: text.strip("/")),
    st.lists(_LETTERS, min_size=1, max_size=4).map(lambda parts: "".join(parts).strip("/")),
    st.lists(_LETTERS, max_size=3),
)
@example("src/*Test.java", "src/core/CartTest.java", [])
@example("a[b/c.]d.ts", "abd.ts", [])
@example("*.md", "docs/x.md/y", [])
def test_each_path_of_a_pattern_has_the_words_of_the_pattern(
    pattern: str, path: str, fillings: list[str]
) -> None:
    """`path_words` narrows a search, so it must not lose a node; also with stars filled in."""
    query = Scope(None, (pattern,)).path_words
    filled = pattern
    for filling in fillings:
        filled = filled.replace("*", filling, 1)
    for one in (path, filled, f"{filled}/{path}"):
        if query and _is_at(one, pattern):
            assert _has_words(one, query)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("*.md", 'path : ((".md"))'),
        ("src/*Test.java", 'path : (("src/" AND ".java"))'),
        ("src/**/x_*/cart.py", 'path : (("src/" AND "/x_" AND "/cart.py"))'),
        ("*/src/cart.py", 'path : (("src/cart.py"))'),
        ("*Test*", None),
        ("[.a]b/*", None),
    ],
)
def test_words_next_to_a_wildcard_are_left_out(pattern: str, words: str | None) -> None:
    assert Scope(None, (pattern,)).path_words == words
