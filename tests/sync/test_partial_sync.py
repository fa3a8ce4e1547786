"""Runs over a part of the index: named files and folders of the working tree, or deltas."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.parse import ParsedFile
from feeder.source.deltas import Delta, compute_deltas
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.diff import StaleReason
from feeder.sync.partial_sync import apply_deltas, delete_paths, process_paths
from feeder.sync.report import Report
from hash_embedder import HashedEmbedder
from index_helpers import (
    InProcessParser,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

FILES = "SELECT path FROM files ORDER BY path"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder outside of git with two files and one in a subfolder."""
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text("def apple():\n    pass\n")
    (folder / "b.py").write_text("def bread():\n    pass\n")
    (folder / "sub/c.py").write_text("def cherry():\n    pass\n")
    return folder


def run_process(
    base: Path,
    database: SQLite,
    *names: str,
    parser: InProcessParser | None = None,
    dry: bool = False,
) -> Report:
    paths = [base / name for name in names]
    tree = Folder(base, [path for path in paths if path.exists() or path.is_symlink()])
    run = new_sync_context(tree, database, HashedEmbedder(), parser=parser)
    process_paths(run, base, paths, dry_run=dry)
    return run.report


def run_delete(base: Path, database: SQLite, *names: str) -> Report:
    run = new_sync_context(Folder(base, []), database, HashedEmbedder())
    delete_paths(run, base, [base / name for name in names], dry_run=False)
    return run.report


def run_apply(base: Path, database: SQLite, deltas: Sequence[Delta]) -> Report:
    there = [base / d.file for d in deltas if d.action == "process" and (base / d.file).exists()]
    run = new_sync_context(Folder(base, there), database, HashedEmbedder())
    apply_deltas(run, deltas, dry_run=False)
    return run.report


def test_files_outside_a_sparse_checkout_stay_indexed(shop: Repo, database: SQLite) -> None:
    """The files of the folder that are checked out are processed."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.git("sparse-checkout", "set", "--no-cone", "/docs/", "/config.json")
    before = query_rows(database, FILES)
    report = run_process(shop.path, database, "src", "docs")
    assert query_rows(database, FILES) == before
    assert report.files_deleted == 0
    (shop.path / "config.json").unlink()  # this one is gone
    assert run_process(shop.path, database, ".").files_deleted == 1


def test_a_folder_outside_of_git_is_indexed_as_it_lies_there(plain: Path, database: SQLite) -> None:
    """All its files come in; a second run finds nothing to do and writes nothing."""
    report = run_process(plain, database, ".")
    assert query_rows(database, FILES) == ["a.py", "b.py", "sub/c.py"]
    assert (report.files_processed, report.nodes_new, report.texts_embedded) == (3, 3, 3)
    before = database.connection.total_changes()
    report = run_process(plain, database, ".")
    assert database.connection.total_changes() == before
    assert (report.files_processed, report.files_unchanged) == (0, 3)


def test_a_file_that_vanished_from_a_folder_leaves_the_index(plain: Path, database: SQLite) -> None:
    """What the index holds below a named folder, and nothing else, becomes what lies there."""
    run_process(plain, database, ".")
    (plain / "sub/c.py").unlink()
    (plain / "b.py").unlink()
    (plain / "sub/d.py").write_text("new = 1\n")
    report = run_process(plain, database, "sub")
    assert query_rows(database, FILES) == ["a.py", "b.py", "sub/d.py"]
    assert (report.files_processed, report.files_deleted) == (1, 1)
    assert len(query_rows(database, "SELECT id FROM vectors")) == 3


def test_several_paths_are_one_run(plain: Path, database: SQLite) -> None:
    """Files and folders, also one inside the other."""
    run_process(plain, database, "a.py", "sub", "sub/c.py")
    assert query_rows(database, FILES) == ["a.py", "sub/c.py"]


def test_a_named_file_that_is_gone_leaves_the_index(plain: Path, database: SQLite) -> None:
    """To process what was there once is to take it out."""
    run_process(plain, database, ".")
    (plain / "a.py").unlink()
    run_process(plain, database, "a.py")
    assert query_rows(database, FILES) == ["b.py", "sub/c.py"]


def test_unknown_path_is_an_error(plain: Path, database: SQLite) -> None:
    """It is neither on disk nor in the index; nothing is written."""
    run_process(plain, database, ".")
    with pytest.raises(UserError, match=r"ab\.py does not exist.*Correct --path"):
        run_process(plain, database, "a.py", "ab.py")


def test_path_outside_the_folder_is_an_error(plain: Path, database: SQLite, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("x = 1\n")
    with pytest.raises(UserError, match="outside"):
        run_process(plain, database, "../beside.py")
    with pytest.raises(UserError, match=r"outside.*Name a path inside"):
        run_delete(plain, database, "../beside.py")


@pytest.mark.parametrize("act", [run_process, run_delete])
def test_path_through_a_link_out_of_the_folder_is_an_error(
    plain: Path, database: SQLite, tmp_path: Path, act: Callable[..., Report]
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.py").write_text("x = 1\n")
    (plain / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(UserError, match="outside"):
        act(plain, database, "link/a.py")


def test_link_to_a_folder_is_resolved(plain: Path, database: SQLite) -> None:
    """Files deleted from the folder leave the index under either name."""
    (plain / "link").symlink_to("sub")
    run_process(plain, database, ".")
    assert query_rows(database, "SELECT path, state FROM files WHERE path GLOB 'link*'") == [
        ("link", "skipped")
    ]
    (plain / "sub/c.py").unlink()
    run_process(plain, database, "link")
    assert query_rows(database, FILES) == ["a.py", "b.py", "link"]


def test_uncommitted_file_is_processed_as_on_disk(shop: Repo, database: SQLite) -> None:
    """The next sync restores the committed version."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.write({"src/cart.py": "def unheard():\n    pass\n"})
    run_process(shop.path, database, "src")
    assert query_rows(database, "SELECT symbol FROM docs WHERE path = 'src/cart.py'") == ["unheard"]
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())


def test_processing_a_clean_checkout_equals_a_sync(shop: Repo, database: SQLite) -> None:
    run_process(shop.path, database, ".")
    expected = fresh_snapshot(Commit(shop.path), HashedEmbedder())
    found = index_snapshot(database)
    for part in ("docs", "postings", "vectors", "outbox"):
        assert found[part] == expected[part]


def test_delete_removes_files_and_folders_from_the_index(plain: Path, database: SQLite) -> None:
    """With their nodes and vectors; the files on disk stay."""
    run_process(plain, database, ".")
    report = run_delete(plain, database, "sub", "a.py")
    assert query_rows(database, FILES) == ["b.py"]
    assert len(query_rows(database, "SELECT id FROM vectors")) == 1
    assert (report.files_deleted, report.nodes_deleted) == (2, 2)
    assert (plain / "a.py").exists()


def test_delete_of_an_unindexed_path_writes_nothing(plain: Path, database: SQLite) -> None:
    run_process(plain, database, "a.py")
    before = database.connection.total_changes()
    assert run_delete(plain, database, "never.py").files_deleted == 0
    assert database.connection.total_changes() == before


def test_folder_does_not_match_names_with_the_same_prefix(plain: Path, database: SQLite) -> None:
    """`sub` is the folder and its files, not `subway.py`."""
    (plain / "subway.py").write_text("x = 1\n")
    run_process(plain, database, ".")
    run_delete(plain, database, "sub")
    assert query_rows(database, FILES) == ["a.py", "b.py", "subway.py"]


def test_deltas_change_only_the_named_files(shop: Repo, database: SQLite) -> None:
    """Files that do not exist are removed from the index or ignored."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.write(
        {"src/cart.py": "def other():\n    pass\n", "new.py": "x = 1\n", "config.json": None}
    )
    report = run_apply(
        shop.path,
        database,
        [
            Delta("new.py", "process"),
            Delta("config.json", "process"),
            Delta("docs/guide.md", "delete"),
            Delta("never.py", "delete"),
            Delta("nor/this.py", "process"),
        ],
    )
    assert query_rows(database, FILES) == [
        "logo.bin",
        "new.py",
        "src/__init__.py",
        "src/cart.py",
        "yarn.lock",
    ]
    assert len(query_rows(database, "SELECT id FROM docs WHERE path = 'src/cart.py'")) == 5
    assert (report.files_processed, report.files_deleted) == (1, 2)


def test_deltas_between_two_commits_give_the_second_index(shop: Repo, database: SQLite) -> None:
    base = shop.git("rev-parse", "HEAD")
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.git("mv", "src/cart.py", "src/basket.py")
    shop.commit({"docs/guide.md": None, "new.md": "# New\n", "config.json": "[1]\n"})
    run_apply(shop.path, database, compute_deltas(shop.path, base).deltas)
    expected = fresh_snapshot(Commit(shop.path), HashedEmbedder())
    found = index_snapshot(database)
    for part in ("docs", "files", "postings", "vectors", "outbox"):
        assert found[part] == expected[part]


@pytest.mark.parametrize("names", [["."], ["a.py"], ["sub", "b.py"]])
def test_dry_run_counts_the_same_and_writes_nothing(
    plain: Path, database: SQLite, names: list[str]
) -> None:
    run_process(plain, database, ".")
    (plain / "a.py").write_text("def apricot():\n    pass\n\n\ndef apple():\n    pass\n")
    (plain / "b.py").write_text("def bread():\n    return 1\n")
    (plain / "sub/c.py").unlink()
    before = database.connection.total_changes()
    foreseen = run_process(plain, database, *names, dry=True)
    assert database.connection.total_changes() == before
    real = run_process(plain, database, *names)
    assert foreseen == real


def test_without_git_a_new_parser_parses_all_files_once(plain: Path, database: SQLite) -> None:
    run_process(plain, database, ".", parser=InProcessParser("1"))
    parser = InProcessParser("2")
    report = run_process(plain, database, ".", parser=parser)
    assert report.notes == [StaleReason.PARSER]
    assert {"a.py", "b.py", "sub/c.py"} <= set(parser.parsed)
    parser = InProcessParser("2")
    run_process(plain, database, ".", parser=parser)
    assert parser.parsed == []


def test_file_edited_during_a_run_is_correct_after_the_next_run(
    plain: Path, database: SQLite
) -> None:
    """Words and vectors of two versions never belong to a file in state clean."""

    class EditingParser(InProcessParser):
        """Edits the file between the words and the vectors."""

        def parse(self, files: Iterable[tuple[str, bytes]], **options: Any) -> Iterator[ParsedFile]:
            yield from super().parse(files, **options)
            (plain / "a.py").write_text("def apricot():\n    pass\n")

    run_process(plain, database, "a.py", parser=EditingParser())
    assert query_rows(database, "SELECT state FROM files") == ["pending"]
    run_process(plain, database, "a.py")
    assert query_rows(database, "SELECT state FROM files") == ["clean"]
    assert query_rows(database, "SELECT symbol FROM docs JOIN vectors USING (id)") == ["apricot"]


def _to_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


Change = Callable[[Path], None]
UNREADABLE: dict[str, Change] = {
    "gone": lambda file: file.unlink(),
    "a folder now": _to_folder,
}


@pytest.mark.parametrize("change", UNREADABLE.values(), ids=UNREADABLE)
def test_file_deleted_between_listing_and_reading_is_skipped(
    plain: Path, database: SQLite, change: Change
) -> None:
    """It is reported, and the rest of the run continues."""
    tree = Folder(plain, [plain])
    run = new_sync_context(tree, database, HashedEmbedder())
    tree.entries()
    change(plain / "a.py")
    process_paths(run, plain, [plain], dry_run=False)
    assert run.report.skipped == {"a.py": "cannot be read"}
    assert query_rows(database, "SELECT path FROM docs ORDER BY path") == ["b.py", "sub/c.py"]


def test_next_sync_parses_the_files_that_a_partial_run_read_with_another_parser(repo: Repo) -> None:
    repo.commit({"a.py": "def alpha():\n    pass\n", "b.py": "def beta():\n    pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database, parser=InProcessParser("one"))
    other = new_sync_context(
        Folder(repo.path, [repo.path / "a.py"]), database, parser=InProcessParser("other")
    )
    process_paths(other, repo.path, [repo.path / "a.py"], dry_run=False)
    parser = InProcessParser("one")
    run_sync(Commit(repo.path), database, parser=parser)
    assert parser.parsed == ["a.py"]
    again = InProcessParser("one")
    run_sync(Commit(repo.path), database, parser=again)
    assert again.parsed == []
    database.close()


def test_delete_of_an_unindexed_path_is_reported(repo: Repo) -> None:
    """It is no error, but a mistyped path must not look like done work."""
    repo.commit({"a.py": "def alpha():\n    pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    run = new_sync_context(Folder(repo.path, []), database)
    delete_paths(run, repo.path, [repo.path / "nope.py"], dry_run=False)
    assert run.report.notes == [
        f"Nothing was deleted: the index has no file at {repo.path / 'nope.py'}."
    ]
    database.close()
