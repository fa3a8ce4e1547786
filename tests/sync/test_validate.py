"""Validation finds every inconsistency between the parts of an index and repairs only those."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from feeder.errors import UserError
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.context import SyncContext
from feeder.sync.partial_sync import process_paths
from feeder.sync.report import ValidationResult
from feeder.sync.sync import sync
from feeder.sync.validate import NO_MODEL, repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import (
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

pytestmark = pytest.mark.slow

POSTINGS = "every node is in the word index, with no leftovers"
COUNTED = "every file has the number of nodes recorded for it"
LINES = "every file's language and last line match its nodes"
BRANCH = "every node has the index's branch"
SYMBOLS = "symbols that occur once are found by word"
KEPT = "the counts in meta match the files and nodes"
PENDING = "no file waits for its vectors"
OUTBOX = "no vector waits to be deleted"
VECTORS = "every node has a vector, with no leftovers"
MAKERS = "the index was made by this parser, these rules and this model"
HEAD = "the index has the same files as HEAD"
ROWS = "every node matches its parsed file"
WORDS = "every node is found by its words"
MISWORDED = ["src/cart.py: nodes with other words: 1"]


class Shop(NamedTuple):
    """A repository and an index that equals its HEAD."""

    repo: Repo
    database: SQLite

    def feed(self) -> SyncContext:
        return new_sync_context(Commit(self.repo.path), self.database, HashedEmbedder())

    def change(self, sql: str, *params: str | int) -> None:
        self.database.run([Statement(sql, params)])

    def seqs(self) -> dict[str, int]:
        return dict(query_rows(self.database, "SELECT id, seq FROM docs"))


@pytest.fixture
def shop(repo: Repo) -> Iterator[Shop]:
    repo.commit({name: text for name, text in SHOP.items() if name != "logo.bin"})
    database = open_database()
    run_sync(Commit(repo.path), database, HashedEmbedder())
    yield Shop(repo, database)
    database.close()


def failed_checks(verdict: ValidationResult) -> dict[str, list[str]]:
    """Returns the differences of the failed checks by name."""
    return {check.name: check.differences for check in verdict.checks if not check.passed}


def test_correct_index_passes_every_check(shop: Shop) -> None:
    """Each check reports what it counted."""
    verdict = validate(shop.feed())
    docs = query_rows(shop.database, "SELECT count(*) FROM docs")[0]
    assert verdict.passed
    assert {check.name: check.figures for check in verdict.checks} == {
        POSTINGS: {"docs": docs, "docs_fts": docs},
        COUNTED: {"files": 5, "files.nodes": docs, "docs": docs},
        LINES: {"files": 5},
        BRANCH: {"docs": docs},
        SYMBOLS: {"symbols": 4, "checked": 4},
        KEPT: {"files": 5, "docs": docs},
        PENDING: {"pending": 0},
        OUTBOX: {"outbox": 0},
        VECTORS: {"docs not pending": docs, "vectors": docs},
        MAKERS: {},
        HEAD: {"files in HEAD": 5, "files in the index": 5},
        ROWS: {"files": 5, "nodes": docs},
        WORDS: {"files": 5, "nodes": docs},
    }


def test_validation_writes_nothing(shop: Shop) -> None:
    """It may run at any time, beside any other run."""
    before = shop.database.connection.total_changes()
    validate(shop.feed())
    assert shop.database.connection.total_changes() == before


Damage = Callable[[Shop], dict[str, list[str]]]


def _total(shop: Shop) -> tuple[str, int]:
    """Returns the id and row number of `Cart.total`."""
    [found] = query_rows(shop.database, "SELECT id, seq FROM docs WHERE symbol = 'Cart.total'")
    return found  # type: ignore[no-any-return]


def _no_posting(shop: Shop) -> dict[str, list[str]]:
    id_, seq = _total(shop)
    shop.change("DELETE FROM docs_fts WHERE rowid = ?", seq)
    return {
        POSTINGS: [f"src/cart.py: node {id_} has no posting"],
        SYMBOLS: [f"src/cart.py: node {id_}: Cart.total"],
        WORDS: MISWORDED,
    }


def _extra_posting(shop: Shop) -> dict[str, list[str]]:
    shop.change("INSERT INTO docs_fts (rowid, id, body) VALUES (999, 'stray', 'word')")
    return {POSTINGS: ["posting 999 (stray) has no node"]}


def _no_name(shop: Shop) -> dict[str, list[str]]:
    id_, seq = _total(shop)
    shop.change("DELETE FROM names_fts WHERE rowid = ?", seq)
    return {POSTINGS: [f"src/cart.py: node {id_} has no posting"]}


def _extra_name(shop: Shop) -> dict[str, list[str]]:
    shop.change("INSERT INTO names_fts (rowid, name) VALUES (999, 'stray')")
    return {POSTINGS: ["posting 999 (a name) has no node"]}


def _posting_of_another(shop: Shop) -> dict[str, list[str]]:
    id_, seq = _total(shop)
    shop.change("DELETE FROM docs_fts WHERE rowid = ?", seq)
    shop.change("INSERT INTO docs_fts (rowid, id, body) VALUES (?, 'other', 'total')", seq)
    return {
        POSTINGS: [
            f"src/cart.py: node {id_} has no posting",
            f"posting {seq} (other) has no node",
        ],
        SYMBOLS: [f"src/cart.py: node {id_}: Cart.total"],
        WORDS: MISWORDED,
    }


def _symbol_not_found(shop: Shop) -> dict[str, list[str]]:
    id_, seq = _total(shop)
    shop.change("DELETE FROM docs_fts WHERE rowid = ?", seq)
    shop.change("INSERT INTO docs_fts (rowid, id, body) VALUES (?, ?, 'total')", seq, id_)
    return {SYMBOLS: [f"src/cart.py: node {id_}: Cart.total"], WORDS: MISWORDED}


def _no_row(shop: Shop) -> dict[str, list[str]]:
    id_, seq = _total(shop)
    shop.change("DELETE FROM docs WHERE seq = ?", seq)
    return {
        POSTINGS: [f"posting {seq} ({id_}) has no node"],
        COUNTED: ["src/cart.py: 5 in files, 4 in docs"],
        VECTORS: [f"vector {id_} has no node"],
        ROWS: ["src/cart.py: missing nodes: 1"],
    }


def _extra_row(shop: Shop) -> dict[str, list[str]]:
    shop.change(
        """INSERT INTO docs SELECT 999, 'stray', repo, branch, sha_head, path, language, node_type,
        'Cart.stray', signature, logical_path, start_line, end_line, text_sha, members,
        describes, vector_line, is_part, relations, lines_hash,
        part_run
        FROM docs WHERE symbol = 'Cart.total'"""
    )
    return {
        POSTINGS: ["src/cart.py: node stray has no posting"],
        COUNTED: ["src/cart.py: 5 in files, 6 in docs"],
        SYMBOLS: ["src/cart.py: node stray: Cart.stray"],
        VECTORS: ["src/cart.py: node stray has no vector"],
        ROWS: ["src/cart.py: extra nodes: 1"],
    }


def _wrong_count(shop: Shop) -> dict[str, list[str]]:
    shop.change("UPDATE files SET nodes = 7 WHERE path = 'src/cart.py'")
    return {COUNTED: ["src/cart.py: 7 in files, 5 in docs"]}


def _wrong_lines(shop: Shop) -> dict[str, list[str]]:
    shop.change("UPDATE files SET lines = lines + 1 WHERE path = 'src/cart.py'")
    return {LINES: ["src/cart.py"]}


def _no_language(shop: Shop) -> dict[str, list[str]]:
    shop.change("UPDATE files SET language = NULL WHERE path = 'src/cart.py'")
    return {LINES: ["src/cart.py"]}


def _no_file(shop: Shop) -> dict[str, list[str]]:
    shop.change("DELETE FROM files WHERE path = 'src/cart.py'")
    return {
        COUNTED: ["src/cart.py: 0 in files, 5 in docs"],
        HEAD: ["src/cart.py: the index differs from HEAD"],
    }


def _no_empty_file(shop: Shop) -> dict[str, list[str]]:
    shop.change("DELETE FROM files WHERE path = 'src/__init__.py'")
    return {HEAD: ["src/__init__.py: the index differs from HEAD"]}


def _extra_file(shop: Shop) -> dict[str, list[str]]:
    shop.change(
        """INSERT INTO files SELECT repo, 'ghost.py', blob, sha_head, 0, state, reason, 0, parser,
        NULL, NULL, NULL FROM files
        WHERE path = 'src/cart.py'"""
    )
    return {HEAD: ["ghost.py: indexed, but not in HEAD"]}


def _wrong_blob(shop: Shop) -> dict[str, list[str]]:
    shop.change("UPDATE files SET blob = '0' WHERE path = 'src/cart.py'")
    return {HEAD: ["src/cart.py: the index differs from HEAD"]}


def _no_vector(shop: Shop) -> dict[str, list[str]]:
    id_, _ = _total(shop)
    shop.change("DELETE FROM vectors WHERE id = ?", id_)
    return {VECTORS: [f"src/cart.py: node {id_} has no vector"]}


def _extra_vector(shop: Shop) -> dict[str, list[str]]:
    shop.change("INSERT INTO vectors SELECT 'stray', scale, code FROM vectors LIMIT 1")
    return {VECTORS: ["vector stray has no node"]}


def _pending(shop: Shop) -> dict[str, list[str]]:
    shop.change("UPDATE files SET state = 'pending' WHERE path = 'src/cart.py'")
    return {PENDING: ["src/cart.py"]}


def _outbox(shop: Shop) -> dict[str, list[str]]:
    shop.change("INSERT INTO vectors SELECT 'stray', scale, code FROM vectors LIMIT 1")
    shop.change("INSERT INTO outbox VALUES ('stray', 'acme/shop', '')")
    return {OUTBOX: ["stray"], VECTORS: ["vector stray has no node"]}


def _other_branch(shop: Shop) -> dict[str, list[str]]:
    id_, seq = _total(shop)
    shop.change("UPDATE docs SET branch = 'other' WHERE seq = ?", seq)
    return {BRANCH: [f"src/cart.py: node {id_} has other"]}


def _no_number(shop: Shop) -> dict[str, list[str]]:
    [id_] = query_rows(shop.database, "SELECT min(id) FROM vectors")
    shop.change("UPDATE vectors SET scale = 'x' WHERE id = (SELECT min(id) FROM vectors)")
    [path] = query_rows(shop.database, f"SELECT path FROM docs WHERE id = '{id_}'")
    return {VECTORS: [f"{path}: node {id_} has no vector"]}


def _no_description(shop: Shop) -> dict[str, list[str]]:
    shop.change("DELETE FROM meta")
    return {MAKERS: ["The index does not name the parser that made it."]}


def _no_commit(shop: Shop) -> dict[str, list[str]]:
    shop.change("DELETE FROM meta WHERE key = 'acme/shop:head'")
    return {HEAD: ["the index names no commit"]}


def _no_model(shop: Shop) -> dict[str, list[str]]:
    shop.change("DELETE FROM meta WHERE key = 'model'")
    return {MAKERS: ["The index says that its vectors are complete, but names no model."]}


DAMAGES = (
    _no_posting,
    _extra_posting,
    _no_name,
    _extra_name,
    _posting_of_another,
    _symbol_not_found,
    _no_row,
    _extra_row,
    _wrong_count,
    _wrong_lines,
    _no_language,
    _no_file,
    _no_empty_file,
    _extra_file,
    _wrong_blob,
    _no_vector,
    _extra_vector,
    _pending,
    _outbox,
    _other_branch,
    _no_description,
    _no_number,
    _no_commit,
    _no_model,
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_inconsistency_is_found_and_repaired(shop: Shop, damage: Damage) -> None:
    """The check names only what differs; the repair leaves the rows of other files untouched."""
    expected = damage(shop)
    verdict = validate(shop.feed())
    assert not verdict.passed
    failed = failed_checks(verdict)
    failed.pop(KEPT, None)  # where rows are missing, their counts differ too
    assert failed == expected
    others = "SELECT id, seq, sha_head FROM docs WHERE path <> 'src/cart.py' ORDER BY id"
    before = query_rows(shop.database, others)
    repair(shop.feed(), verdict)
    assert failed_checks(validate(shop.feed())) == {}
    assert query_rows(shop.database, others) == before
    assert index_snapshot(shop.database) == fresh_snapshot(Commit(shop.repo.path), HashedEmbedder())


def test_wrong_counts_in_meta_are_found_and_repaired(shop: Shop) -> None:
    """They are not compared while a run is unfinished."""
    sql = (
        "UPDATE meta SET value = json_set(value, '$.files', json('[[\"clean\",7]]')) WHERE key = ?"
    )
    shop.change(sql, f"{REPO}:counts")
    verdict = validate(shop.feed())
    expected = "files: {'clean': 7} in meta, {'clean': 4, 'skipped': 1} counted"
    assert failed_checks(verdict) == {KEPT: [expected]}
    repair(shop.feed(), verdict)
    assert validate(shop.feed()).passed
    shop.change(sql, f"{REPO}:counts")
    shop.change("UPDATE meta SET value = 'dead' WHERE key = ?", f"{REPO}:run")
    assert KEPT not in {check.name for check in validate(shop.feed()).checks}


def test_repair_of_a_vector_writes_no_row(shop: Shop) -> None:
    before = shop.seqs()
    _no_vector(shop)
    repair(shop.feed(), validate(shop.feed()))
    assert shop.seqs() == before


def test_index_behind_head_is_not_right(shop: Shop) -> None:
    shop.repo.commit({"src/cart.py": "x = 1\n", "new.py": "y = 1\n", "config.json": None})
    expected = [
        "new.py: the index differs from HEAD",
        "src/cart.py: the index differs from HEAD",
        "config.json: indexed, but not in HEAD",
    ]
    verdict = validate(shop.feed())
    assert failed_checks(verdict) == {HEAD: expected}
    repair(shop.feed(), verdict)
    assert validate(shop.feed()).passed


def test_other_model_is_reported(shop: Shop) -> None:
    """Vectors of another model cannot be compared; the repair replaces them."""
    tree = Commit(shop.repo.path)
    run = new_sync_context(tree, shop.database, HashedEmbedder(32))
    verdict = validate(run)
    assert failed_checks(verdict) == {
        MAKERS: ["The index has no vectors of this embedding model yet, so every node needs one."]
    }
    repair(new_sync_context(tree, shop.database, HashedEmbedder(32)), verdict)
    assert index_snapshot(shop.database) == fresh_snapshot(tree, HashedEmbedder(32))


def test_other_parser_is_reported(shop: Shop) -> None:
    run = new_sync_context(
        Commit(shop.repo.path), shop.database, HashedEmbedder(), parser=InProcessParser("new")
    )
    assert list(failed_checks(validate(run))) == [MAKERS]


def test_other_branch_with_the_same_files_is_no_difference(shop: Shop) -> None:
    """The branch of the index counts, not the one that is checked out."""
    tree = Commit(shop.repo.path)
    assert validate(new_sync_context(tree, shop.database, HashedEmbedder(), branch="topic")).passed


def test_older_commit_with_the_same_files_is_no_difference(shop: Shop) -> None:
    """A run without changes leaves the commit in `meta`."""
    shop.repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    sync(shop.feed())
    assert validate(shop.feed()).passed


def test_repair_of_a_folder_index_needs_the_same_folder(shop: Shop) -> None:
    """Checking and repairing are refused; the remedies are the folder or a name of its own."""
    part = Commit(shop.repo.path, subfolder="src")
    run_sync(part, shop.database, HashedEmbedder(), name="acme/src")
    whole = Commit(shop.repo.path)

    def run(tree: Commit) -> SyncContext:
        return new_sync_context(tree, shop.database, HashedEmbedder(), name="acme/src")

    with pytest.raises(UserError, match="covers the folder src, not the whole tree") as error:
        validate(run(whole))
    assert error.value.remedy == "Use --path src: feeder validate --path src"
    verdict = validate(run(part))
    before = index_snapshot(shop.database)
    with pytest.raises(UserError, match="Use --path src, use a separate index with --repo NAME"):
        repair(run(whole), verdict)
    assert index_snapshot(shop.database) == before
    assert verdict.passed


def test_index_of_the_whole_tree_is_not_compared_with_a_folder(shop: Shop) -> None:
    sync(shop.feed())
    run = new_sync_context(
        Commit(shop.repo.path, subfolder="src"), shop.database, HashedEmbedder(), name=REPO
    )
    with pytest.raises(UserError, match=r"covers the whole tree, not only src\.") as error:
        validate(run)
    assert error.value.remedy == "Leave out --path: feeder validate"


def test_verdict_names_vectors_that_were_not_compared(shop: Shop) -> None:
    verdict = validate(new_sync_context(Commit(shop.repo.path), shop.database))
    assert verdict.passed
    assert verdict.not_compared == [NO_MODEL]


def test_index_of_words_needs_no_vectors(repo: Repo) -> None:
    """With or without a model."""
    repo.commit(SHOP)
    tree, database = Commit(repo.path), open_database()
    run_sync(tree, database)
    for embedder in (None, HashedEmbedder()):
        verdict = validate(new_sync_context(tree, database, embedder))
        assert verdict.passed
        assert verdict.notes == []
        assert VECTORS not in [check.name for check in verdict.checks]


def test_folder_without_git_is_repaired(tmp_path: Path) -> None:
    """The files in the manifest are read again where something is wrong."""
    (tmp_path / "a.py").write_text("def apple():\n    pass\n")
    (tmp_path / "b.py").write_text("def bread():\n    pass\n")
    (tmp_path / "unknown.py").write_text("x = 1\n")
    database = open_database()

    def run(*names: str) -> SyncContext:
        tree = Folder(tmp_path, [tmp_path / name for name in names or (".",)])
        return new_sync_context(tree, database, HashedEmbedder())

    named = run("a.py", "b.py")
    process_paths(named, tmp_path, [tmp_path / "a.py", tmp_path / "b.py"], dry_run=False)
    before = index_snapshot(database)
    database.run(
        [
            Statement("DELETE FROM files WHERE path = 'a.py'"),
            Statement(
                "DELETE FROM docs_fts WHERE rowid = (SELECT seq FROM docs WHERE path = 'b.py')"
            ),
        ]
    )
    verdict = validate(run())
    assert set(failed_checks(verdict)) == {POSTINGS, COUNTED, SYMBOLS, KEPT}
    repair(run(), verdict)
    assert validate(run()).passed
    assert index_snapshot(database) == before


def test_other_repository_in_the_file_is_no_difference(shop: Shop, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit({"a.py": "def apple():\n    pass\n"})
    run_sync(Commit(other.path), shop.database, HashedEmbedder(), name="acme/other")
    assert validate(shop.feed()).passed


def test_pending_deletions_in_the_outbox_are_no_difference(shop: Shop) -> None:
    """The run after a crashed one deletes its vectors, and the run after that repeats it."""
    shop.change("INSERT INTO outbox VALUES ('gone', 'acme/shop', '')")
    verdict = validate(shop.feed())
    assert verdict.passed
    assert f"ok   {OUTBOX}: outbox 1" in verdict.lines()


def test_verdict_has_one_line_per_check(shop: Shop) -> None:
    """The first differences are shown, the rest are counted, and the last line names the remedy."""
    for number in range(25):
        one = "INSERT INTO vectors SELECT ?, scale, code FROM vectors LIMIT 1"
        shop.change(one, f"{number:02}")
        shop.change("INSERT INTO outbox VALUES (?, 'acme/shop', '')", f"{number:02}")
    lines = list(validate(shop.feed()).lines())
    assert f"FAIL {OUTBOX}: outbox 25" in lines
    assert "       19" in lines
    assert "       20" not in lines
    assert "       and 5 more" in lines
    assert f"ok   {PENDING}: pending 0" in lines
    remedy = "feeder validate --repair; or, if only newer commits are missing, run: feeder sync"
    assert lines[-1] == f"The index is not correct. Repair it: {remedy}"
    sync(shop.feed())
    repair(shop.feed(), validate(shop.feed()))
    assert list(validate(shop.feed()).lines())[-1] == "The index is correct."
