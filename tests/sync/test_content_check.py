"""Validation compares every column and every word of the index with HEAD's files."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from feeder.parse import ParsedFile
from feeder.parse.file_parser import parse_as_plain_text
from feeder.parse.grammar_files import load_grammars
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.context import SyncContext
from feeder.sync.partial_sync import process_paths
from feeder.sync.report import ValidationResult
from feeder.sync.validate import CHANGED_DURING_VALIDATION, repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    SHOP,
    InProcessParser,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    query_rows,
    run_sync,
)
from source.repos import Repo

pytestmark = pytest.mark.slow

ROWS = "every node matches its parsed file"
WORDS = "every node is found by its words"
SLOW = "the parser took longer than 7 s"


class Shop(NamedTuple):
    """A repository and an index that equals its HEAD."""

    repo: Repo
    database: SQLite

    def feed(self, parser: InProcessParser | None = None) -> SyncContext:
        tree = Commit(self.repo.path)
        return new_sync_context(tree, self.database, HashedEmbedder(), parser=parser)

    def change(self, *statements: str) -> None:
        self.database.run([Statement(sql) for sql in statements])

    def assert_repaired(self, verdict: ValidationResult) -> None:
        """Repairs the index and checks that it equals a fresh one."""
        repair(self.feed(), verdict)
        assert validate(self.feed()).passed
        assert index_snapshot(self.database) == fresh_snapshot(
            Commit(self.repo.path), HashedEmbedder()
        )


@pytest.fixture
def shop(repo: Repo, database: SQLite) -> Shop:
    repo.commit(SHOP)
    run_sync(Commit(repo.path), database, HashedEmbedder())
    return Shop(repo, database)


class ParserStoppedOnce(InProcessParser):
    """A parser that is stopped at one file and returns it as plain text."""

    def parse_one(self, path: str, content: bytes, *, keep_source: bool) -> ParsedFile:
        if path != "src/cart.py":
            return super().parse_one(path, content, keep_source=keep_source)
        return parse_as_plain_text(
            load_grammars(None), path, content, SLOW, keep_source=keep_source
        )


def differences(verdict: ValidationResult, name: str) -> list[str]:
    """Returns the differences of a check."""
    [check] = [check for check in verdict.checks if check.name == name]
    return check.differences


FALSE = {
    "language = 'cobol'": ["src/cart.py: different language: 1"],
    "language = NULL": ["src/cart.py: different language: 1"],
    "node_type = 'class'": ["src/cart.py: different node_type: 1"],
    "symbol = 'Cart.sum'": ["src/cart.py: different symbol: 1"],
    "signature = NULL": ["src/cart.py: different signature: 1"],
    "logical_path = 'Cart'": ["src/cart.py: different logical_path: 1"],
    "start_line = start_line - 1": ["src/cart.py: different start_line: 1"],
    "end_line = end_line + 1": ["src/cart.py: different end_line: 1"],
    "text_sha = 'abc'": ["src/cart.py: different text_sha: 1"],
    "id = 'abc'": ["src/cart.py: missing nodes: 1, extra nodes: 1"],
    "path = 'gone.py'": ["src/cart.py: missing nodes: 1"],
    "path = 'yarn.lock'": ["src/cart.py: missing nodes: 1", "yarn.lock: extra nodes: 1"],
    "repo = 'acme/other'": ["src/cart.py: missing nodes: 1"],
    "start_line = 1, end_line = 1": ["src/cart.py: different start_line: 1, different end_line: 1"],
}


@pytest.mark.parametrize("lie", FALSE)
def test_wrong_column_is_found_and_repaired(shop: Shop, lie: str) -> None:
    """Although the id, the text's hash and the number of nodes are right."""
    shop.change(f"UPDATE docs SET {lie} WHERE symbol = 'Cart.total'")
    verdict = validate(shop.feed())
    assert not verdict.passed
    assert differences(verdict, ROWS) == FALSE[lie]
    shop.assert_repaired(verdict)


def test_repair_rewrites_only_files_that_differ(shop: Shop) -> None:
    others = "SELECT seq, id FROM docs WHERE path <> 'src/cart.py' ORDER BY seq"
    before = query_rows(shop.database, others)
    shop.change("UPDATE docs SET signature = 'x' WHERE symbol = 'Cart.total'")
    shop.assert_repaired(validate(shop.feed()))
    assert query_rows(shop.database, others) == before


def test_rows_and_postings_of_other_texts_are_found(shop: Shop) -> None:
    """Ids and counts alone prove nothing."""
    shop.change(
        "UPDATE docs SET start_line = 1, end_line = 2, signature = 'x', text_sha = 'y', "
        "language = 'z'",
        "DELETE FROM docs_fts",
        "INSERT INTO docs_fts (rowid, id, symbol, path, body) "
        "SELECT seq, id, symbol, path, 'lies' FROM docs",
    )
    verdict = validate(shop.feed())
    named = [line.partition(":")[0] for line in differences(verdict, ROWS)]
    assert named == ["config.json", "docs/guide.md", "src/cart.py"]
    shop.assert_repaired(verdict)


@pytest.mark.parametrize(
    "body", ["", "lies", "def total self return sum Decimal price price for in self lines _"]
)
def test_wrong_postings_are_found_and_repaired(shop: Shop, body: str) -> None:
    """Missing words, other words, and the same words in another order."""
    seq = "(SELECT seq FROM docs WHERE symbol = 'Cart.total')"
    shop.change(
        f"DELETE FROM docs_fts WHERE rowid = {seq}",
        "INSERT INTO docs_fts (rowid, id, symbol, path, body) "
        f"SELECT seq, id, 'Cart.total', 'src/cart.py', '{body}' FROM docs WHERE seq = {seq}",
    )
    verdict = validate(shop.feed())
    failed = [check.name for check in verdict.checks if not check.passed]
    assert failed == [WORDS]
    assert differences(verdict, WORDS) == ["src/cart.py: nodes with other words: 1"]
    shop.assert_repaired(verdict)


@pytest.mark.parametrize(
    ("then", "now"), [(InProcessParser, ParserStoppedOnce), (ParserStoppedOnce, InProcessParser)]
)
def test_file_whose_parser_was_stopped_is_not_compared(
    repo: Repo, database: SQLite, then: type[InProcessParser], now: type[InProcessParser]
) -> None:
    """Its nodes are plain text in one of the two parses; the verdict says so."""
    repo.commit(SHOP)
    run_sync(Commit(repo.path), database, parser=then())
    verdict = validate(new_sync_context(Commit(repo.path), database, parser=now()))
    first, *others = verdict.not_compared
    assert (verdict.passed, first) == (
        True,
        "Not compared because the parser was stopped, now or at the sync: src/cart.py.",
    )
    assert bool(others) is (now is InProcessParser)
    assert first in verdict.lines()


def test_repair_restores_the_nodes_of_a_file_whose_parser_was_stopped(
    repo: Repo, database: SQLite
) -> None:
    """Until then the index counts as right."""
    repo.commit(SHOP)
    tree = Commit(repo.path)
    run_sync(tree, database, parser=ParserStoppedOnce())
    run = new_sync_context(tree, database)
    verdict = validate(run)
    assert (verdict.passed, verdict.damage.paths) == (True, {"src/cart.py"})
    assert verdict.not_compared[-1] == (
        "1 of them can be parsed now; index their nodes with: feeder validate --repair"
    )
    repair(run, verdict)
    assert validate(new_sync_context(tree, database)).not_compared == []
    [[row]] = database.run(
        [Statement("SELECT count(*) FROM docs WHERE path = 'src/cart.py' AND symbol IS NOT NULL")]
    )
    assert row[0]


def test_file_whose_parser_always_stops_is_compared_as_plain_text(
    repo: Repo, database: SQLite
) -> None:
    repo.commit(SHOP)
    tree = Commit(repo.path)
    run_sync(tree, database, parser=ParserStoppedOnce())
    assert validate(new_sync_context(tree, database, parser=ParserStoppedOnce())).not_compared == []
    database.run([Statement("UPDATE docs SET end_line = 9 WHERE path = 'src/cart.py'")])
    verdict = validate(new_sync_context(tree, database, parser=ParserStoppedOnce()))
    assert differences(verdict, ROWS) == ["src/cart.py: different end_line: 1"]


def test_file_skipped_without_a_valid_reason_is_found(shop: Shop) -> None:
    """A deterministic reason must hold now."""
    shop.change(
        "DELETE FROM docs_fts WHERE rowid IN (SELECT seq FROM docs WHERE path = 'config.json')",
        "DELETE FROM docs WHERE path = 'config.json'",
        "UPDATE files SET state = 'skipped', reason = 'binary', nodes = 0 "
        "WHERE path = 'config.json'",
    )
    [said] = differences(validate(shop.feed()), ROWS)
    assert said.startswith("config.json: different state, different reason, missing nodes: ")


@pytest.mark.parametrize(
    ("lie", "expected"),
    [
        ("reason = 'more than 9 nodes'", "different reason"),
        ("state = 'skipped'", "different state"),
        ("state = 'unheard of'", "different state"),
    ],
)
def test_wrong_manifest_entry_is_found_and_repaired(shop: Shop, lie: str, expected: str) -> None:
    """A file that counts as skipped would get no vectors of another model."""
    shop.change(f"UPDATE files SET {lie} WHERE path = 'src/cart.py'")
    verdict = validate(shop.feed())
    assert differences(verdict, ROWS) == [f"src/cart.py: {expected}"]
    shop.assert_repaired(verdict)


def test_nodes_of_another_parser_are_not_compared(shop: Shop) -> None:
    """The other parser is a difference of its own."""
    shop.change("UPDATE meta SET value = 'mixed' WHERE key = 'acme/shop:parser'")
    verdict = validate(shop.feed())
    assert [check.name for check in verdict.checks if not check.passed] == [
        "the index was made by this parser, these rules and this model"
    ]
    assert verdict.not_compared == [
        "Rows and words were not compared with the files: another parser made them."
    ]


def test_rows_written_during_validation_are_not_compared(shop: Shop) -> None:
    """The verdict says so."""

    class Slow(InProcessParser):
        def parse(self, files: Iterable[tuple[str, bytes]], **options: Any) -> Iterator[ParsedFile]:
            yield from super().parse(files, **options)
            shop.repo.commit({"new.py": "def new():\n    pass\n"})
            run_sync(Commit(shop.repo.path), shop.database, HashedEmbedder())

    verdict = validate(shop.feed(Slow()))
    assert verdict.passed
    assert verdict.not_compared == [CHANGED_DURING_VALIDATION]


def test_quick_validation_parses_nothing(shop: Shop) -> None:
    """It compares counts only and says so."""
    shop.change("UPDATE docs SET signature = 'another'")
    parser = InProcessParser()
    verdict = validate(shop.feed(parser), content=False)
    assert verdict.passed
    assert parser.parsed == []
    skipped = "Rows and words were not compared with the files: --no-content."
    assert verdict.not_compared == [skipped]
    assert [*verdict.lines()][-2:] == [
        skipped,
        "The index is correct in everything that was compared.",
    ]


def test_only_files_of_the_indexed_version_are_compared(repo: Repo, database: SQLite) -> None:
    """For an index of a part, or of a folder with edits after HEAD."""
    repo.commit(SHOP)
    named = [repo.path / "src", repo.path / "config.json"]
    repo.write({"config.json": '{"ahead": true}\n'})
    process_paths(
        new_sync_context(Folder(repo.path, named), database), repo.path, named, dry_run=False
    )
    verdict = validate(new_sync_context(Commit(repo.path), database))
    figures = {check.name: check.figures for check in verdict.checks}
    assert figures[ROWS] == {"files": 2, "nodes": 5}  # cart.py and the empty __init__.py
    assert differences(verdict, ROWS) == []
    assert differences(verdict, WORDS) == []


def test_folder_without_a_commit_is_not_compared(tmp_path: Path, database: SQLite) -> None:
    (tmp_path / "a.py").write_text("def apple():\n    pass\n")
    tree = Folder(tmp_path, [tmp_path])
    process_paths(new_sync_context(tree, database), tmp_path, [tmp_path], dry_run=False)
    verdict = validate(new_sync_context(tree, database))
    assert verdict.passed
    no_commit = "Files were not compared: there is no commit to compare them with."
    assert verdict.not_compared == [no_commit]


def test_files_skipped_in_a_folder_equal_those_of_head(
    repo: Repo, database: SQLite, tmp_path: Path
) -> None:
    """A submodule, a link and a lock file have no blob in a folder."""
    other = Repo(tmp_path / "other")
    other.commit({"a.py": "x = 1\n"})
    (repo.path / "link").symlink_to("src/cart.py")
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", other.path.as_uri(), "sub"
    )
    repo.commit(SHOP)
    paths = [repo.path, repo.path / "link"]
    process_paths(
        new_sync_context(Folder(repo.path, paths), database), repo.path, paths, dry_run=False
    )
    blobs = "SELECT path FROM files WHERE blob = '' ORDER BY path"
    assert query_rows(database, blobs) == ["link", "logo.bin", "sub", "yarn.lock"]
    assert validate(new_sync_context(Commit(repo.path), database)).passed
    database.run([Statement("UPDATE files SET reason = 'binary' WHERE path = 'sub'")])
    assert not validate(new_sync_context(Commit(repo.path), database)).passed
