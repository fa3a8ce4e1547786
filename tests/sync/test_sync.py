"""A sync makes the index equal to HEAD with the least work."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.errors import UserError
from feeder.parse import ParsedFile
from feeder.progress import ProgressReporter
from feeder.source import Entry, Sizes
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.diff import StaleReason, compare_files
from feeder.sync.sync import sync
from feeder.sync.write import write_nodes
from hash_embedder import HashedEmbedder
from index_helpers import (
    CART,
    REPO,
    SHOP,
    InProcessParser,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

SEARCH = "SELECT id FROM docs_fts WHERE docs_fts MATCH ?"
IDS_OF = "SELECT id FROM docs WHERE path = ? ORDER BY start_line, symbol"


def test_first_run_indexes_every_file_of_head(shop: Repo, database: SQLite) -> None:
    """Each node has a row and each file an entry in the manifest."""
    report = run_sync(Commit(shop.path), database)
    head = shop.git("rev-parse", "HEAD")
    assert query_rows(
        database,
        """SELECT repo, branch, sha_head, language, node_type, symbol, start_line, end_line
        FROM docs WHERE path = 'src/cart.py' ORDER BY start_line""",
    ) == [
        (REPO, "main", head, "python", "chunk", None, 1, 3),
        (REPO, "main", head, "python", "class", "Cart", 6, 13),
        (REPO, "main", head, "python", "method", "Cart.addLine", 9, 10),
        (REPO, "main", head, "python", "method", "Cart.total", 12, 13),
        (REPO, "main", head, "python", "method", "emptyCart", 16, 17),
    ]
    assert query_rows(database, "SELECT path, state, reason FROM files ORDER BY path") == [
        ("config.json", "clean", None),
        ("docs/guide.md", "clean", None),
        ("logo.bin", "skipped", "binary, by its name"),
        ("src/__init__.py", "clean", None),
        ("src/cart.py", "clean", None),
        ("yarn.lock", "skipped", "a lock file"),
    ]
    assert query_rows(
        database, "SELECT nodes FROM files WHERE path GLOB 'src/*' ORDER BY path"
    ) == [0, 5]
    assert (report.files_processed, report.files_unchanged, len(report.skipped)) == (4, 0, 2)
    assert report.nodes_new == query_rows(database, "SELECT count(*) FROM docs")[0]
    assert report.head == head


def test_node_ids_follow_the_specification(repo: Repo, database: SQLite) -> None:
    """The SHA-1 of repository, path, symbol and lines, joined by bars."""
    repo.commit({"src/cart.py": "def total():\n    return 1\n"})
    run_sync(Commit(repo.path), database)
    expected = hashlib.sha1(b"acme/shop|src/cart.py|total|1:2").hexdigest()
    assert query_rows(database, "SELECT id FROM docs") == [expected]


def test_second_run_writes_nothing(shop: Repo, tmp_path: Path) -> None:
    """It takes one request, and no byte of the file changes."""
    file = tmp_path / "index.db"
    for embedder in (HashedEmbedder(), HashedEmbedder()):
        database = open_database(file)
        run_sync(Commit(shop.path), database, embedder)
        database.close()
        before = file.read_bytes()
    database = open_database(file)
    fuse = FaultInjector(at=0)
    again = new_sync_context(Commit(shop.path), database, HashedEmbedder())
    again.index.database = FailingDatabase(database, fuse)
    sync(again)
    assert fuse.calls == 1
    assert database.connection.total_changes() == 0
    database.close()
    assert file.read_bytes() == before
    assert again.report.finished
    assert again.report.notes == ["The index is up to date with the source tree: nothing to do."]


class MarkdownAsPlainText(InProcessParser):
    """A parser that treats markdown as plain text."""

    def parse_one(self, path: str, content: bytes, *, keep_source: bool) -> ParsedFile:
        found = super().parse_one(path, content, keep_source=keep_source)
        return found._replace(reason="odd") if path.endswith(".md") else found


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("page", [2, 20_000])
def test_run_without_changes_counts_the_files(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch, dry_run: bool, page: int
) -> None:
    """With skip reasons and reasons for plain text."""
    shop.commit({"odd": b"\0\1\2\3"})
    run_sync(Commit(shop.path), database, parser=MarkdownAsPlainText())
    monkeypatch.setattr("feeder.store.index.PAGE_FILES", page)
    again = new_sync_context(Commit(shop.path), database, parser=MarkdownAsPlainText())
    sync(again, dry_run=dry_run)
    assert again.report.files_unchanged == 4
    assert again.report.skipped == {
        "logo.bin": "binary, by its name",
        "odd": "binary",
        "yarn.lock": "a lock file",
    }
    assert again.report.as_plain_text == {"docs/guide.md": "odd"}


def test_edit_writes_only_the_changed_nodes(shop: Repo, database: SQLite) -> None:
    """One changed function is one row, one posting and one embedding."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    before = dict(query_rows(database, "SELECT id, seq FROM docs"))
    shop.commit({"src/cart.py": CART.replace("return Cart()", "return Basket()")})
    embedder = HashedEmbedder()
    report = run_sync(Commit(shop.path), database, embedder)
    head = shop.git("rev-parse", "HEAD")
    [edited] = query_rows(database, "SELECT id FROM docs WHERE symbol = 'emptyCart'")
    after = dict(query_rows(database, "SELECT id, seq FROM docs"))
    assert after.keys() == before.keys()
    assert {id_ for id_ in after if after[id_] != before[id_]} <= {edited}
    assert query_rows(database, "SELECT id FROM docs WHERE sha_head = ?", head) == [edited]
    assert embedder.texts == report.texts_embedded == 1
    assert (report.files_processed, report.nodes_new, report.nodes_deleted) == (1, 1, 0)


def test_removed_word_is_not_found(repo: Repo, database: SQLite) -> None:
    """The node has the same lines and another text."""
    repo.commit({"a.py": "def f():\n    return apple\n"})
    run_sync(Commit(repo.path), database)
    assert len(query_rows(database, SEARCH, "apple")) == 1
    repo.commit({"a.py": "def f():\n    return cherry\n"})
    run_sync(Commit(repo.path), database)
    assert query_rows(database, SEARCH, "apple") == []
    assert query_rows(database, SEARCH, "cherry") == query_rows(database, "SELECT id FROM docs")


def test_line_shift_embeds_nothing(repo: Repo, database: SQLite, tmp_path: Path) -> None:
    """Moved nodes get new ids; their vectors come from the cache."""
    source = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(50))
    cache = tmp_path / "cache.db"
    repo.commit({"a.py": source})
    run_sync(Commit(repo.path), database, HashedEmbedder(), cache=cache)
    before = set(query_rows(database, "SELECT id FROM docs"))
    repo.commit({"a.py": "\n" + source})
    embedder = HashedEmbedder()
    report = run_sync(Commit(repo.path), database, embedder, cache=cache)
    assert embedder.texts == 0
    assert (report.texts_embedded, report.texts_cached) == (0, 50)
    assert before.isdisjoint(query_rows(database, "SELECT id FROM docs"))
    assert index_snapshot(database) == fresh_snapshot(Commit(repo.path), HashedEmbedder())


def _executable(shop: Repo) -> None:
    (shop.path / "src/cart.py").chmod(0o755)


def _symlink(shop: Repo) -> None:
    (shop.path / "src/cart.py").unlink()
    (shop.path / "src/cart.py").symlink_to("../config.json")


def _submodule(shop: Repo) -> None:
    inner = Repo(shop.path / "src/inner")
    inner.commit({"a.py": "x = 1\n"})


def _rename(shop: Repo) -> None:
    shop.git("mv", "src/cart.py", "src/basket.py")


def _swap(shop: Repo) -> None:
    shop.write({"docs/guide.md": None})
    (shop.path / "docs").rmdir()
    shop.write({"docs": "no folder any more\n", "config.json/a.json": "{}"})


def _to(files: dict[str, str | bytes | None]) -> Callable[[Repo], None]:
    return lambda shop: shop.write(files)


CHANGES: dict[str, Callable[[Repo], None]] = {
    "nothing": lambda shop: None,
    "an edit": _to({"src/cart.py": CART.replace("total", "sum")}),
    "a new file": _to({"src/tax.py": "RATE = 19\n"}),
    "a delete": _to({"src/cart.py": None}),
    "a rename": _rename,
    "a line at the top": _to({"src/cart.py": "#!/usr/bin/env python\n" + CART}),
    "a mode": _executable,
    "a symbolic link in a file's place": _symlink,
    "a repository inside": _submodule,
    "an ignore rule": _to({".feederignore": "*.py\n"}),
    "an attribute": _to({".gitattributes": "src/** linguist-generated\n"}),
    "a file emptied": _to({"src/cart.py": ""}),
    "an empty file filled": _to({"src/__init__.py": "VERSION = 1\n"}),
    "a file that became binary": _to({"src/cart.py": b"\0\1\2\3"}),
    "a file above the limit": _to({"src/cart.py": "x = 1\n" * 200_000}),
    "a kept-out file changed": _to({"yarn.lock": "another lock\n"}),
    "a duplicate": _to({"src/copy.py": CART}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_gives_the_index_of_its_tree(
    shop: Repo, database: SQLite, change: Callable[[Repo], None]
) -> None:
    """In both directions the index equals a fresh one."""
    first = shop.git("rev-parse", "HEAD")
    before = Commit(shop.path)
    run_sync(before, database, HashedEmbedder())
    change(shop)
    shop.commit()
    after = Commit(shop.path)
    run_sync(after, database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(after, HashedEmbedder())
    shop.git("reset", "-q", "--hard", first)
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(before, HashedEmbedder())


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("model", ["the same", "none", "another", "the first"])
def test_dry_run_report_equals_that_of_the_run(
    shop: Repo, database: SQLite, change: Callable[[Repo], None], model: str
) -> None:
    """It writes nothing."""
    embedders = {"the same": HashedEmbedder(), "none": None, "another": HashedEmbedder(32)}
    embedder = embedders.get(model, HashedEmbedder())
    run_sync(Commit(shop.path), database, None if model == "the first" else HashedEmbedder())
    change(shop)
    shop.commit()
    run = new_sync_context(Commit(shop.path), database, embedder)
    before = database.connection.total_changes()
    sync(run, dry_run=True)
    assert database.connection.total_changes() == before
    assert run.report == run_sync(Commit(shop.path), database, embedder)


def test_file_replaced_by_a_folder_is_indexed(repo: Repo, database: SQLite) -> None:
    """And the reverse."""
    repo.commit({"a": "a file\n", "b/c": "in a folder\n"})
    run_sync(Commit(repo.path), database)
    repo.write({"a": None, "b/c": None})
    (repo.path / "b").rmdir()
    repo.commit({"a/d": "in a folder\n", "b": "a file\n"})
    run_sync(Commit(repo.path), database)
    assert query_rows(database, "SELECT path FROM files ORDER BY path") == ["a/d", "b"]
    assert index_snapshot(database) == fresh_snapshot(Commit(repo.path))


def test_branch_switch_updates_the_branch_of_all_rows(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database, branch="main")
    shop.git("switch", "-q", "-c", "topic")
    run_sync(Commit(shop.path), database, branch="topic")
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), branch="topic")
    shop.commit({"docs/guide.md": None})
    run_sync(Commit(shop.path), database, branch="topic")
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), branch="topic")


def test_uncommitted_changes_are_not_indexed(shop: Repo, database: SQLite) -> None:
    """Neither staged nor unstaged ones."""
    shop.write({"src/cart.py": "def unheard():\n    pass\n", "new.py": "y = 2\n"})
    shop.git("add", "new.py")
    run_sync(Commit(shop.path), database)
    assert query_rows(database, SEARCH, "unheard") == []
    assert len(query_rows(database, IDS_OF, "src/cart.py")) == 5
    assert query_rows(database, "SELECT path FROM files WHERE path = 'new.py'") == []


def test_repository_without_a_commit_is_an_error(repo: Repo) -> None:
    with pytest.raises(UserError, match="has no commit"):
        Commit(repo.path)


def test_any_file_name_is_indexed(repo: Repo, database: SQLite) -> None:
    """Spaces, quotes, line ends, glob characters and bytes that are not UTF-8."""
    names = [b"a b.txt", b"q\"u'o.txt", b"l\ni.txt", b"caf\xe9.txt", b"*[x].txt", b"-n.txt"]
    repo.commit({name: b"word %d\n" % number for number, name in enumerate(names)})
    run_sync(Commit(repo.path), database, HashedEmbedder())
    paths = ["*[x].txt", "-n.txt", "a b.txt", r"caf\xe9.txt", "l\ni.txt", "q\"u'o.txt"]
    assert query_rows(database, "SELECT path FROM docs ORDER BY path") == paths
    assert index_snapshot(database) == fresh_snapshot(Commit(repo.path), HashedEmbedder())
    repo.commit(dict.fromkeys(names[:4]) | {b"rest.txt": "rest\n"})
    run_sync(Commit(repo.path), database, HashedEmbedder())
    paths = ["*[x].txt", "-n.txt", "rest.txt"]
    assert query_rows(database, "SELECT path FROM docs ORDER BY path") == paths


@pytest.mark.parametrize(
    "contents",
    [
        b"\xef\xbb\xbfdef f():\r\n    return 1\r\n",
        b"def f():\n    return 1",
        "größe = 1\n".encode("latin-1"),
        "text\n".encode("utf-16"),
        b"word " * 180_000,
        b"\n\n\n",
    ],
    ids=["BOM and CRLF", "no newline", "latin-1", "UTF-16", "one long line", "blank"],
)
def test_any_text_is_indexed_in_any_encoding(repo: Repo, database: SQLite, contents: bytes) -> None:
    repo.commit({"a.py": contents})
    run_sync(Commit(repo.path), database, HashedEmbedder())
    assert query_rows(database, "SELECT state, reason FROM files") == [("clean", None)]
    assert (query_rows(database, "SELECT count(*) FROM docs") == [0]) is not bool(contents.strip())


def test_vectors_are_added_by_the_first_run_with_a_model(shop: Repo, database: SQLite) -> None:
    report = run_sync(Commit(shop.path), database)
    nodes = query_rows(database, "SELECT count(*) FROM docs")[0]
    assert report.texts_waiting == 0
    embedder = HashedEmbedder()
    report = run_sync(Commit(shop.path), database, embedder)
    assert report.texts_embedded == embedder.texts == nodes
    assert report.notes == [StaleReason.VECTORS]
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())


def test_first_run_with_a_model_adds_vectors_of_unchanged_nodes_too(
    shop: Repo, database: SQLite
) -> None:
    run_sync(Commit(shop.path), database)
    shop.commit({"src/cart.py": CART.replace("return Cart()", "return Basket()")})
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())


def test_run_without_a_model_leaves_vectors_pending(shop: Repo, database: SQLite) -> None:
    """The next run with the model makes only those."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.commit(
        {"src/cart.py": CART.replace("return Cart()", "return Basket()"), "config.json": ""}
    )
    shop.commit({"docs/guide.md": None})
    run_sync(Commit(shop.path), database)
    assert query_rows(database, "SELECT path FROM files WHERE state = 'pending'") == ["src/cart.py"]
    embedder = HashedEmbedder()
    run_sync(Commit(shop.path), database, embedder)
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())
    assert embedder.texts <= 5


def test_second_run_without_a_model_writes_nothing(shop: Repo, database: SQLite) -> None:
    """Files with pending vectors are not processed again."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.commit({"src/cart.py": None})
    run_sync(Commit(shop.path), database)
    before = database.connection.total_changes()
    run_sync(Commit(shop.path), database)
    assert database.connection.total_changes() == before


@pytest.mark.parametrize(
    "other",
    [HashedEmbedder(model="other"), HashedEmbedder(32), HashedEmbedder(32, model="other")],
    ids=["name", "dimensions", "both"],
)
def test_other_model_replaces_all_vectors(
    shop: Repo, database: SQLite, other: HashedEmbedder
) -> None:
    """The run prints that all texts are embedded again."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.commit({"src/cart.py": CART.replace("return Cart()", "return Basket()")})
    report = run_sync(Commit(shop.path), database, other)
    assert report.notes == [StaleReason.VECTORS]
    assert other.texts == query_rows(database, "SELECT count(*) FROM docs")[0]
    assert index_snapshot(database) == fresh_snapshot(
        Commit(shop.path), HashedEmbedder(other.dimensions, model=other.model)
    )


def test_other_parser_parses_all_files_and_writes_only_differences(
    shop: Repo, database: SQLite
) -> None:
    run_sync(Commit(shop.path), database, HashedEmbedder(), parser=InProcessParser("1"))
    before = query_rows(database, "SELECT id, seq FROM docs ORDER BY id")
    parser, embedder = InProcessParser("2"), HashedEmbedder()
    report = run_sync(Commit(shop.path), database, embedder, parser=parser)
    assert {"config.json", "docs/guide.md", "src/__init__.py", "src/cart.py"} <= set(parser.parsed)
    assert report.notes == [StaleReason.PARSER]
    assert query_rows(database, "SELECT id, seq FROM docs ORDER BY id") == before
    assert embedder.texts == 0
    parser = InProcessParser("2")
    run_sync(Commit(shop.path), database, HashedEmbedder(), parser=parser)
    assert parser.parsed == []


def test_full_reparse_is_announced_before_the_first_write(
    shop: Repo, database: SQLite, capfd: pytest.CaptureFixture[str]
) -> None:
    """A run that crashes at its first write has printed the reason and the amount."""
    run_sync(Commit(shop.path), database, HashedEmbedder(), parser=InProcessParser("1"))
    reads, writes = FaultInjector(2), HashedEmbedder(32)
    run = new_sync_context(Commit(shop.path), database, writes, parser=InProcessParser("2"))
    run.index.database = FailingDatabase(database, reads)
    with pytest.raises(Crash):
        sync(replace(run, progress=ProgressReporter()))
    amount = "Files to parse: 4; to embed without parsing: 0."
    said = capfd.readouterr().err.splitlines()
    assert said == [*sorted([StaleReason.PARSER, StaleReason.VECTORS]), amount]


def test_higher_size_limit_indexes_skipped_files(shop: Repo, database: SQLite) -> None:
    """Without a new commit."""
    shop.commit({"large.txt": "many words\n" * 100})
    run_sync(Commit(shop.path, sizes=Sizes(1000)), database)
    assert query_rows(database, IDS_OF, "large.txt") == []
    report = run_sync(Commit(shop.path, sizes=Sizes(2000)), database)
    assert report.notes == [StaleReason.RULES]
    assert query_rows(database, IDS_OF, "large.txt") != []
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path, sizes=Sizes(2000)))


def test_two_repositories_share_a_database(shop: Repo, tmp_path: Path, database: SQLite) -> None:
    """A change of one leaves the rows, postings and vectors of the other as they are."""
    other = Repo(tmp_path / "other")
    other.commit({"src/cart.py": CART, "b.md": "# Other\n"})
    run_sync(Commit(shop.path), database, HashedEmbedder())
    run_sync(Commit(other.path), database, HashedEmbedder(), name="acme/other")
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())
    mine = index_snapshot(database, "acme/other")
    assert mine == fresh_snapshot(Commit(other.path), HashedEmbedder(), name="acme/other")
    shop.commit({"src/cart.py": None})
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database, "acme/other") == mine


def test_other_model_replaces_the_vectors_of_every_repository(
    shop: Repo, tmp_path: Path, database: SQLite
) -> None:
    """In the next run of each."""
    other = Repo(tmp_path / "other")
    other.commit({"a.py": CART})
    run_sync(Commit(shop.path), database, HashedEmbedder())
    run_sync(Commit(other.path), database, HashedEmbedder(), name="acme/other")
    run_sync(Commit(shop.path), database, HashedEmbedder(32))
    run_sync(Commit(other.path), database, HashedEmbedder(32), name="acme/other")
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder(32))
    assert index_snapshot(database, "acme/other") == fresh_snapshot(
        Commit(other.path), HashedEmbedder(32), name="acme/other"
    )


def test_texts_are_embedded_in_the_models_batch_size(repo: Repo, database: SQLite) -> None:
    repo.commit({f"{number}.txt": f"text {number}\n" for number in range(23)})
    embedder = HashedEmbedder(batch=10)
    run_sync(Commit(repo.path), database, embedder)
    assert (embedder.calls, embedder.texts) == (3, 23)


def test_batch_size_does_not_change_the_index(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.commit({f"{number}.txt": f"text {number}\n" for number in range(9)})
    expected = fresh_snapshot(Commit(shop.path), HashedEmbedder())
    for constant in ("write.BATCH_NODES", "write.BATCH_DELETED_FILES", "vectors.BATCH_VECTORS"):
        monkeypatch.setattr(f"feeder.sync.{constant}", 2)
    monkeypatch.setattr("feeder.store.rows.PARAM_BYTES", 300)
    monkeypatch.setattr("feeder.store.index.PAGE_FILES", 2)
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == expected
    shop.commit({f"{number}.txt": None for number in range(9)})
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())


def test_bare_repository_is_indexed(shop: Repo, tmp_path: Path, database: SQLite) -> None:
    """HEAD gives the same index as with a working tree."""
    bare = tmp_path / "bare.git"
    shop.git("clone", "-q", "--bare", os.fspath(shop.path), os.fspath(bare))
    run_sync(Commit(bare), database)
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path))


class ParserStoppedOnce(InProcessParser):
    """A parser that is stopped once, at the second file, as on a busy machine."""

    def parse_one(self, path: str, content: bytes, *, keep_source: bool) -> ParsedFile:
        found = super().parse_one(path, content, keep_source=keep_source)
        if len(self.parsed) != 2:
            return found
        return found._replace(nodes=[found.nodes[0]._replace(symbol=None)], reason="stopped")


def test_file_whose_parser_was_stopped_is_repaired_by_the_next_run(repo: Repo) -> None:
    """It then equals a fresh index."""
    repo.commit({"a.py": "def alpha():\n    return 1\n"})
    database = open_database()
    tree = Commit(repo.path)
    report = run_sync(tree, database, HashedEmbedder(), parser=ParserStoppedOnce())
    assert report.texts_waiting == 1
    run_sync(tree, database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(tree, HashedEmbedder())
    database.close()


def test_run_by_words_alone_keeps_no_nodes_in_memory(repo: Repo, database: SQLite) -> None:
    """Nodes that wait for a model are only counted."""
    repo.commit(SHOP)
    run_sync(Commit(repo.path), database, HashedEmbedder())
    repo.commit({"src/tax.py": "def tax():\n    return 19\n"})
    run = new_sync_context(Commit(repo.path), database)
    state = run.index.read_state({})
    work = compare_files(run.tree.entries(), state.files or {})
    run.index.begin(run.token, state, {}, recompute_vectors=False)
    assert write_nodes(run, state, work) == ({}, set())
    assert run.report.texts_waiting == 1


class UnlistedCommit(Commit):
    """A commit of which only the changes since another tree are listed."""

    def entries(self) -> list[Entry]:
        raise AssertionError("all files were listed")


def test_a_change_is_synced_without_listing_all_files(shop: Repo, database: SQLite) -> None:
    """The report names the files that have not changed, and the index is that of a new run."""
    first = run_sync(Commit(shop.path), database)
    shop.commit({"src/cart.py": CART + "\nLIMIT = 9\n", "src/__init__.py": None, "b.bin": "x"})
    report = run_sync(UnlistedCommit(shop.path), database)
    assert (report.files_processed, report.files_deleted) == (1, 1)
    assert report.files_unchanged == first.files_processed - 2
    assert report.skipped == {**first.skipped, "b.bin": "binary, by its name"}
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path))
    assert run_sync(UnlistedCommit(shop.path), database).files_processed == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET value = 'another' WHERE key = ? || ':run'",
        "DELETE FROM meta WHERE key = ? || ':tree'",
        "UPDATE meta SET value = 'other' WHERE key = ? || ':limits'",
        "UPDATE meta SET value = 'other' WHERE key = ? || ':parser'",
    ],
)
def test_an_index_of_an_unfinished_or_another_run_is_compared_with_all_files(
    shop: Repo, database: SQLite, statement: str
) -> None:
    """It need not equal the tree that it names."""
    run_sync(Commit(shop.path), database)
    shop.commit({"src/cart.py": CART + "\nLIMIT = 9\n"})
    database.connection.execute(statement, (REPO,))
    with pytest.raises(AssertionError, match="all files were listed"):
        run_sync(UnlistedCommit(shop.path), database)


def test_only_a_first_run_merges_the_postings(repo: Repo, database: SQLite) -> None:
    """A later one that adds files would take as long as the index is large."""
    segments = "SELECT count(DISTINCT segid) FROM docs_fts_idx"
    for number in (1, 2):
        repo.commit({f"{number}.py": "def add():\n    return 1\n"})
        run_sync(Commit(repo.path), database, None)
        assert query_rows(database, segments) == [number]
