"""Queries, files in the working tree and other users cannot reach what they must not."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feeder.cli.rendering import render_hits
from feeder.config import Settings
from feeder.embedding.cache import CachedEmbedder
from feeder.errors import UserError
from feeder.query.request_filters import Pagination
from feeder.ranking.results import Result
from feeder.session.backends import local_backend
from feeder.source.git_trees import Commit
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    REPO,
    IndexSnapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    result_page,
    run_sync,
    search_scope,
)
from source.repos import Repo

FILES = {
    "app/[id]/page.py": "def page(): pass\n",
    "app/i/page.py": "def page(): pass\n",
    "app/x*y?.py": "def page(): pass\n",
    "app/xay.py": "def page(): pass\n",
    "q.py": "def drop_table(): pass\n",
}
DEEP = "src/main/java/com/acme/shop/checkout/payment/provider/internal"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("files"))
    repo.commit(FILES | {f"{DEEP}/page.py": "def page(): pass\n"})
    return repo


@pytest.fixture(scope="module")
def database(files: Repo) -> Iterator[SQLite]:
    """An index of the files above."""
    database = open_database()
    run_sync(Commit(files.path), database)
    yield database
    database.close()


@pytest.fixture(scope="module")
def before(database: SQLite) -> IndexSnapshot:
    """The content of the index before any query."""
    return index_snapshot(database)


def run_search(database: SQLite, query: str, path: str | None = None) -> Sequence[Result]:
    return search_scope(database, [], query, Scope.of_repo(REPO, path), Pagination(10)).results


SYNTAX = [
    '"',
    "*",
    "^",
    ":",
    "(",
    ")",
    "{",
    "}",
    "-",
    "+",
    "'",
    ";",
    "--",
    "\0",
    "%",
    "_",
    "\\",
    "é",
]
WORDS = ["NEAR", "AND", "OR", "NOT", "drop", "table", "symbol", "docs_fts", "x"]


@settings(max_examples=200)
@given(st.lists(st.sampled_from(SYNTAX + WORDS)).map("".join) | st.text(st.characters(codec=None)))
@example("'; DROP TABLE docs; --")
@example('symbol : "drop" OR NEAR(a b, 2) AND {x y} : ^z * NOT')
@example('"' * 1001)
@example("half \ud800 a character")
def test_query_is_never_sql_or_fts5_syntax(
    database: SQLite, before: IndexSnapshot, query: str
) -> None:
    """It finds something or nothing, and changes nothing."""
    run_search(database, query)
    assert index_snapshot(database) == before


@pytest.mark.parametrize(
    "name", ["x'; DROP TABLE docs; --y", 'x" OR symbol : * NEAR(a b)', "x') UNION SELECT y"]
)
def test_symbol_is_never_sql_or_fts5_syntax(repo: Repo, name: str) -> None:
    """Foreign names and headings are stored, found and validated unchanged."""
    repo.commit({"a.kt": f"fun `{name}`() {{ body() }}\n", "a.md": f"# {name}\n\nbody\n"})
    database = open_database()
    run = new_sync_context(Commit(repo.path), database)
    sync(run)
    found = [result.hit for result in run_search(database, "body")]
    names = {hit.path: hit.symbol or hit.logical_path for hit in found}
    assert names == {"a.kt": name, "a.md": name}
    assert validate(run).passed
    database.close()


@pytest.mark.parametrize(
    "query",
    [
        "table " * 400_000,
        "page " + " ".join(f"w{number}" for number in range(200_000)),
        "page " + "(" * 3_000_000,
    ],
    ids=["one word", "many words", "signs"],
)
def test_long_query_is_cut(database: SQLite, query: str) -> None:
    """To 10,000 characters."""
    assert run_search(database, query)
    assert run_search(database, " " * 10_000 + query) == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("app/[id]", ["app/[id]/page.py", "app/i/page.py"]),
        ("app/[id]/", ["app/[id]/page.py", "app/i/page.py"]),
        ("app/[id]/page.py", ["app/[id]/page.py", "app/i/page.py"]),
        ("app/[i]", ["app/i/page.py"]),
        ("app/x*y?.py", ["app/x*y?.py"]),
        ("app/x*y*.py", ["app/x*y?.py", "app/xay.py"]),
        ("*/page.py", ["app/[id]/page.py", "app/i/page.py", f"{DEEP}/page.py"]),
        ("src/*/pay*", [f"{DEEP}/page.py"]),
        (f"{DEEP}/p*", [f"{DEEP}/page.py"]),
        (DEEP, [f"{DEEP}/page.py"]),
        ("ap", []),
        ("[", []),
        ("app' OR 1 = 1 --", []),
        (
            "/",
            ["app/[id]/page.py", "app/i/page.py", "app/x*y?.py", "app/xay.py", f"{DEEP}/page.py"],
        ),
    ],
)
def test_path_filter_is_a_name_or_a_glob(database: SQLite, path: str, found: list[str]) -> None:
    """A folder named like a glob is found by its name too."""
    assert sorted(result.hit.path for result in run_search(database, "page", path)) == found


def test_too_long_glob_is_refused(database: SQLite) -> None:
    """D1 accepts 50 bytes from the first folder with a wildcard."""
    assert run_search(database, "page", f"{DEEP}/{'?' * 48}") == []
    with pytest.raises(UserError, match=r"has 49 bytes from its first folder with \*"):
        run_search(database, "page", f"{DEEP}/{'?' * 49}")


def test_symbolic_links_are_not_followed_for_lines(repo: Repo, tmp_path: Path) -> None:
    """Neither instead of a file nor of its folder."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.py").write_text("TOP SECRET\n")
    repo.commit({"src/a.py": "def answer(): pass\n", "b.py": "def answer(): pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    found = run_search(database, "answer")
    (repo.path / "src/a.py").unlink()
    (repo.path / "src").rmdir()
    (repo.path / "src").symlink_to(tmp_path / "outside")
    (repo.path / "b.py").unlink()
    (repo.path / "b.py").symlink_to(tmp_path / "outside/a.py")

    answer = result_page(database, repo.path, found, 9)
    assert [hit["text"] for hit in answer.as_json()["hits"]] == [None, None]
    assert "SECRET" not in "".join(render_hits(answer))


@pytest.mark.parametrize("path", ["../secret.py", "src/../../secret.py", "{0}/secret.py", "a\0b"])
def test_manipulated_index_shows_no_outside_files(repo: Repo, tmp_path: Path, path: str) -> None:
    """Write access to the index gives no access to other files."""
    (tmp_path / "secret.py").write_text("TOP SECRET\n")
    repo.commit({"src/a.py": "def answer(): pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    [one] = run_search(database, "answer")
    lie = one._replace(hit=one.hit._replace(path=path.format(tmp_path)))
    assert [hit["text"] for hit in result_page(database, repo.path, [lie]).as_json()["hits"]] == [
        None
    ]


def test_pipe_is_not_read(repo: Repo) -> None:
    """It has no lines."""
    repo.commit({"a.py": "def answer(): pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    (repo.path / "a.py").unlink()
    os.mkfifo(repo.path / "a.py")
    answer = result_page(database, repo.path, run_search(database, "answer"))
    assert [hit["text"] for hit in answer.as_json()["hits"]] == [None]


@pytest.fixture
def usual_umask() -> Iterator[None]:
    """Sets a umask with which others can read new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {place.name: f"{place.stat().st_mode & 0o777:o}" for place in folder.iterdir()}


@pytest.mark.usefixtures("usual_umask")
def test_index_is_readable_only_by_its_owner(tmp_path: Path, files: Repo) -> None:
    """It has the words of the source; also SQLite's temporary files."""
    database = open_database(tmp_path / "index.db")
    run_sync(Commit(files.path), database, cache=tmp_path / "unused.db")
    assert modes(tmp_path) == dict.fromkeys(["index.db", "index.db-wal", "index.db-shm"], "600")
    database.close()


@pytest.mark.usefixtures("usual_umask")
def test_cache_is_readable_only_by_its_owner(tmp_path: Path) -> None:
    """Embeddings reveal texts; also its new folder."""
    cache = CachedEmbedder(HashedEmbedder(), tmp_path / "cache" / "embeddings.db")
    cache.embed(["a text"])
    names = ["embeddings.db", "embeddings.db-wal", "embeddings.db-shm"]
    assert modes(tmp_path / "cache") == dict.fromkeys(names, "600")
    assert modes(tmp_path) == {"cache": "700"}
    cache.close()


@pytest.mark.usefixtures("usual_umask")
def test_existing_index_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "index.db").touch(0o660)
    (tmp_path / "index.db").chmod(0o660)
    open_database(tmp_path / "index.db").close()
    assert modes(tmp_path) == {"index.db": "660"}


@pytest.mark.parametrize("link", [".feeder", ".feeder/index.db", ".feeder/index.db-wal"])
@pytest.mark.parametrize("writes", [True, False])
def test_committed_link_instead_of_the_index_is_not_followed(
    tmp_path: Path, link: str, writes: bool
) -> None:
    base, outside = tmp_path / "base", tmp_path / "outside"
    (base / link).parent.mkdir(parents=True)
    (base / link).symlink_to(outside)
    outside.mkdir()
    settings = Settings(vectors=False)
    with pytest.raises(UserError, match=f"{link} is a symbolic link"), ExitStack() as stack:
        local_backend(base, settings, stack, writes=writes, create=True)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [".feeder/index.db", ".feeder/index.db-wal", ".feeder/embeddings.db", ".FEEDER/Index.DB"],
)
@pytest.mark.parametrize("writes", [True, False])
def test_committed_index_is_not_opened(repo: Repo, name: str, writes: bool) -> None:
    """Its author would decide what is found; file systems may ignore case."""
    repo.commit({name: "made to mislead"})
    (repo.path / ".feeder").mkdir(exist_ok=True)
    with pytest.raises(UserError, match=f"git tracks {name}, .* `git rm -r .feeder`"):
        open_default_index(repo, writes=writes)


def test_index_in_a_submodule_is_not_opened(repo: Repo) -> None:
    """A commit adds that too."""
    commit = repo.commit()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},.feeder")
    (repo.path / ".feeder").mkdir()
    with pytest.raises(UserError, match=r"git tracks \.feeder, "):
        open_default_index(repo)


def test_other_committed_files_in_the_index_folder_are_accepted(repo: Repo) -> None:
    """wrangler's migrations may be committed beside the user's own index."""
    repo.commit({".feeder/migrations/0001_init.sql": "", ".feeder/.gitignore": "*\n"})
    open_default_index(repo)
    open_default_index(repo)
    assert (repo.path / ".feeder/index.db").exists()


def test_index_given_by_db_may_be_tracked(repo: Repo) -> None:
    """The user has chosen it."""
    repo.commit({".feeder/index.db": ""})
    open_default_index(repo, db=repo.path / ".feeder/index.db")


def open_default_index(repo: Repo, *, writes: bool = True, db: Path | None = None) -> None:
    """Opens the index of a repository and closes it."""
    with ExitStack() as stack:
        settings = Settings(vectors=False, db=db)
        local_backend(repo.path, settings, stack, writes=writes, create=True)


def test_index_given_by_db_may_be_a_link(tmp_path: Path) -> None:
    """The user has chosen it."""
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    with ExitStack() as stack:
        local_backend(
            tmp_path,
            Settings(vectors=False, db=tmp_path / "link.db"),
            stack,
            writes=True,
            create=True,
        )
    assert (tmp_path / "real.db").exists()
