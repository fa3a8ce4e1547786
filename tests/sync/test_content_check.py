"""The proof that the index is what HEAD's files make: every column, and every word."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from feeder.parse import ParsedFile
from feeder.parse.file_parser import parse_as_plain_text
from feeder.parse.grammars import load_grammars
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

ROWS = "every node's row equals what its file parses to"
WORDS = "every node is found by the words of its text"
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

    def check_mended(self, verdict: ValidationResult) -> None:
        """The repair makes the index equal to one that has seen nothing but HEAD."""
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


class Hurried(InProcessParser):
    """A parser that is stopped at one file, and makes plain text of it."""

    def parse(
        self, files: Iterable[tuple[str, bytes]], *, keep_source: bool = False
    ) -> Iterator[ParsedFile]:
        grammars = load_grammars(None)
        for path, content in files:
            if path == "src/cart.py":
                yield parse_as_plain_text(grammars, path, content, SLOW, keep_source=keep_source)
            else:
                yield from super().parse([(path, content)], keep_source=keep_source)


def differences(verdict: ValidationResult, name: str) -> list[str]:
    """What a check says."""
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
def test_a_false_column_is_named_and_mended(shop: Shop, lie: str) -> None:
    """Whatever else is right: the id, the hash of the text, the number of nodes."""
    shop.change(f"UPDATE docs SET {lie} WHERE symbol = 'Cart.total'")
    verdict = validate(shop.feed())
    assert not verdict.passed
    assert differences(verdict, ROWS) == FALSE[lie]
    shop.check_mended(verdict)


def test_what_is_right_stays_where_it_is(shop: Shop) -> None:
    """Only the files that differ are made anew."""
    others = "SELECT seq, id FROM docs WHERE path <> 'src/cart.py' ORDER BY seq"
    before = query_rows(shop.database, others)
    shop.change("UPDATE docs SET signature = 'x' WHERE symbol = 'Cart.total'")
    shop.check_mended(validate(shop.feed()))
    assert query_rows(shop.database, others) == before


def test_an_index_of_lies_is_not_right(shop: Shop) -> None:
    """Ids and numbers alone prove nothing: every row and every posting may be another's."""
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
    shop.check_mended(verdict)


@pytest.mark.parametrize(
    "body", ["", "lies", "def total self return sum Decimal price price for in self lines _"]
)
def test_words_that_are_not_the_text_s_are_found_and_mended(shop: Shop, body: str) -> None:
    """None at all, others, or the same in another order."""
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
    shop.check_mended(verdict)


@pytest.mark.parametrize(("then", "now"), [(InProcessParser, Hurried), (Hurried, InProcessParser)])
def test_a_file_whose_parser_was_stopped_once_is_left_out(
    repo: Repo, database: SQLite, then: type[InProcessParser], now: type[InProcessParser]
) -> None:
    """Its nodes are plain text the one time and not the other; the verdict says so."""
    repo.commit(SHOP)
    run_sync(Commit(repo.path), database, parser=then())
    verdict = validate(new_sync_context(Commit(repo.path), database, parser=now()))
    first, *others = verdict.notes
    assert (verdict.passed, first) == (
        True,
        "Not compared because the parser was stopped, now or at the sync: src/cart.py.",
    )
    assert bool(others) is (now is InProcessParser)
    assert first in verdict.lines()


def test_a_repair_gives_a_file_its_nodes_whose_parser_was_stopped(
    repo: Repo, database: SQLite
) -> None:
    """On a machine that is not as busy as then; nothing is wrong until it is done."""
    repo.commit(SHOP)
    tree = Commit(repo.path)
    run_sync(tree, database, parser=Hurried())
    run = new_sync_context(tree, database)
    verdict = validate(run)
    assert (verdict.passed, verdict.damage.paths) == (True, {"src/cart.py"})
    assert verdict.notes[-1] == (
        "1 of them can be parsed now; index their nodes with: feeder validate --repair"
    )
    repair(run, verdict)
    assert validate(new_sync_context(tree, database)).notes == []
    [[row]] = database.run(
        [Statement("SELECT count(*) FROM docs WHERE path = 'src/cart.py' AND symbol IS NOT NULL")]
    )
    assert row[0]


def test_a_file_whose_parser_is_always_stopped_is_compared(repo: Repo, database: SQLite) -> None:
    """Plain text with plain text."""
    repo.commit(SHOP)
    tree = Commit(repo.path)
    run_sync(tree, database, parser=Hurried())
    assert validate(new_sync_context(tree, database, parser=Hurried())).notes == []
    database.run([Statement("UPDATE docs SET end_line = 9 WHERE path = 'src/cart.py'")])
    verdict = validate(new_sync_context(tree, database, parser=Hurried()))
    assert differences(verdict, ROWS) == ["src/cart.py: different end_line: 1"]


def test_a_file_that_is_kept_out_although_it_is_text_is_named(shop: Shop) -> None:
    """A reason that would hold each time must hold now."""
    shop.change(
        "DELETE FROM docs_fts WHERE rowid IN (SELECT seq FROM docs WHERE path = 'config.json')",
        "DELETE FROM docs WHERE path = 'config.json'",
        "UPDATE files SET state = 'skipped', reason = 'binary', nodes = 0 "
        "WHERE path = 'config.json'",
    )
    [said] = differences(validate(shop.feed()), ROWS)
    assert said.startswith("config.json: different state, different reason, missing nodes: ")


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ("reason = 'more than 9 nodes'", "different reason"),
        ("state = 'skipped'", "different state"),
        ("state = 'unheard of'", "different state"),
    ],
)
def test_a_false_fact_of_a_file_is_named_and_mended(shop: Shop, lie: str, said: str) -> None:
    """One that says it was kept out would get no vectors of another model."""
    shop.change(f"UPDATE files SET {lie} WHERE path = 'src/cart.py'")
    verdict = validate(shop.feed())
    assert differences(verdict, ROWS) == [f"src/cart.py: {said}"]
    shop.check_mended(verdict)


def test_nodes_of_another_parser_are_not_compared(shop: Shop) -> None:
    """That they are another's is a difference of its own."""
    shop.change("UPDATE meta SET value = 'mixed' WHERE key = 'acme/shop:parser'")
    verdict = validate(shop.feed())
    assert [check.name for check in verdict.checks if not check.passed] == [
        "the index was made by this parser, these rules and this model"
    ]
    assert verdict.notes == [
        "Rows and words were not compared with the files: another parser made them."
    ]


def test_rows_that_a_run_writes_meanwhile_are_not_taken_for_damage(shop: Shop) -> None:
    """The verdict says that they were not compared."""

    class Slow(InProcessParser):
        def parse(
            self, files: Iterable[tuple[str, bytes]], *, keep_source: bool = False
        ) -> Iterator[ParsedFile]:
            yield from super().parse(files, keep_source=keep_source)
            shop.repo.commit({"new.py": "def new():\n    pass\n"})
            run_sync(Commit(shop.repo.path), shop.database, HashedEmbedder())

    verdict = validate(shop.feed(Slow()))
    assert verdict.passed
    assert verdict.notes == [CHANGED_DURING_VALIDATION]


def test_the_cheap_form_parses_nothing(shop: Shop) -> None:
    """It sees the numbers alone, and says so."""
    shop.change("UPDATE docs SET end_line = 9")
    parser = InProcessParser()
    verdict = validate(shop.feed(parser), content=False)
    assert verdict.passed
    assert parser.parsed == []
    assert verdict.notes == ["Rows and words were not compared with the files: --no-content."]


def test_only_files_that_are_indexed_as_head_has_them_are_compared(
    repo: Repo, database: SQLite
) -> None:
    """An index of a part, or of a folder ahead of HEAD, is not accused of what it does not say."""
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


def test_a_folder_without_a_commit_is_not_compared(tmp_path: Path, database: SQLite) -> None:
    """There is no HEAD that it could equal."""
    (tmp_path / "a.py").write_text("def apple():\n    pass\n")
    tree = Folder(tmp_path, [tmp_path])
    process_paths(new_sync_context(tree, database), tmp_path, [tmp_path], dry_run=False)
    verdict = validate(new_sync_context(tree, database))
    assert verdict.passed
    assert verdict.notes == ["Files were not compared: there is no commit to compare them with."]


def test_what_a_folder_keeps_out_is_as_head_has_it(
    repo: Repo, database: SQLite, tmp_path: Path
) -> None:
    """A submodule, a link and a lock file are not read from a folder: they have no blob there."""
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
