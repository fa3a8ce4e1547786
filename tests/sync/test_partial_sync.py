"""A part of the index is brought on: named files and folders as they lie there, or deltas."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

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
    """A folder outside of git with two files and one below."""
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text("def apple():\n    pass\n")
    (folder / "b.py").write_text("def bread():\n    pass\n")
    (folder / "sub/c.py").write_text("def cherry():\n    pass\n")
    return folder


def processed(
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


def deleted(base: Path, database: SQLite, *names: str) -> Report:
    run = new_sync_context(Folder(base, []), database, HashedEmbedder())
    delete_paths(run, base, [base / name for name in names], dry_run=False)
    return run.report


def applied(base: Path, database: SQLite, deltas: Sequence[Delta]) -> Report:
    there = [base / d.file for d in deltas if d.action == "process" and (base / d.file).exists()]
    run = new_sync_context(Folder(base, there), database, HashedEmbedder())
    apply_deltas(run, deltas, dry_run=False)
    return run.report


def test_what_is_not_checked_out_is_not_gone(shop: Repo, database: SQLite) -> None:
    """Of a folder in a sparse checkout, what lies there is brought on and the rest stays."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.git("sparse-checkout", "set", "--no-cone", "/docs/", "/config.json")
    before = query_rows(database, FILES)
    report = processed(shop.path, database, "src", "docs")
    assert query_rows(database, FILES) == before
    assert report.files_deleted == 0
    (shop.path / "config.json").unlink()  # this one is gone
    assert processed(shop.path, database, ".").files_deleted == 1


def test_a_folder_outside_of_git_is_indexed_as_it_lies_there(plain: Path, database: SQLite) -> None:
    """All its files come in; a second run finds nothing to do and writes nothing."""
    report = processed(plain, database, ".")
    assert query_rows(database, FILES) == ["a.py", "b.py", "sub/c.py"]
    assert (report.files_processed, report.nodes_new, report.texts_embedded) == (3, 3, 3)
    before = database.connection.total_changes()
    report = processed(plain, database, ".")
    assert database.connection.total_changes() == before
    assert (report.files_processed, report.files_unchanged) == (0, 3)


def test_a_file_that_vanished_from_a_folder_leaves_the_index(plain: Path, database: SQLite) -> None:
    """What the index holds below a named folder, and nothing else, becomes what lies there."""
    processed(plain, database, ".")
    (plain / "sub/c.py").unlink()
    (plain / "b.py").unlink()
    (plain / "sub/d.py").write_text("new = 1\n")
    report = processed(plain, database, "sub")
    assert query_rows(database, FILES) == ["a.py", "b.py", "sub/d.py"]
    assert (report.files_processed, report.files_deleted) == (1, 1)
    assert len(query_rows(database, "SELECT id FROM vectors")) == 3


def test_several_paths_are_one_run(plain: Path, database: SQLite) -> None:
    """Files and folders, also one inside the other."""
    processed(plain, database, "a.py", "sub", "sub/c.py")
    assert query_rows(database, FILES) == ["a.py", "sub/c.py"]


def test_a_named_file_that_is_gone_leaves_the_index(plain: Path, database: SQLite) -> None:
    """To process what was there once is to take it out."""
    processed(plain, database, ".")
    (plain / "a.py").unlink()
    processed(plain, database, "a.py")
    assert query_rows(database, FILES) == ["b.py", "sub/c.py"]


def test_a_path_that_nobody_knows_is_named(plain: Path, database: SQLite) -> None:
    """Neither there nor in the index: a slip of the pen, and nothing is written."""
    processed(plain, database, ".")
    with pytest.raises(UserError, match=r"ab\.py does not exist.*Correct --path"):
        processed(plain, database, "a.py", "ab.py")


def test_a_path_outside_is_named(plain: Path, database: SQLite, tmp_path: Path) -> None:
    """An index is of one folder; what lies beside it has no name in it."""
    (tmp_path / "beside.py").write_text("x = 1\n")
    with pytest.raises(UserError, match="outside"):
        processed(plain, database, "../beside.py")
    with pytest.raises(UserError, match=r"outside.*-C"):
        deleted(plain, database, "../beside.py")


@pytest.mark.parametrize("act", [processed, deleted])
def test_a_path_through_a_link_that_leaves_is_named(
    plain: Path, database: SQLite, tmp_path: Path, act: Callable[..., Report]
) -> None:
    """What lies behind a link is where it lies, in another folder."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.py").write_text("x = 1\n")
    (plain / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(UserError, match="outside"):
        act(plain, database, "link/a.py")


def test_a_link_to_a_folder_stands_for_the_folder(plain: Path, database: SQLite) -> None:
    """What has vanished from the folder leaves the index, whatever name it was called by."""
    (plain / "link").symlink_to("sub")
    processed(plain, database, ".")
    assert query_rows(database, "SELECT path, state FROM files WHERE path GLOB 'link*'") == [
        ("link", "skipped")
    ]
    (plain / "sub/c.py").unlink()
    processed(plain, database, "link")
    assert query_rows(database, FILES) == ["a.py", "b.py", "link"]


def test_a_dirty_file_is_processed_as_it_lies_there(shop: Repo, database: SQLite) -> None:
    """The next sync makes it what HEAD says again."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.write({"src/cart.py": "def unheard():\n    pass\n"})
    processed(shop.path, database, "src")
    assert query_rows(database, "SELECT symbol FROM docs WHERE path = 'src/cart.py'") == ["unheard"]
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())


def test_a_whole_clean_checkout_is_like_its_commit(shop: Repo, database: SQLite) -> None:
    """Rows, postings and vectors are those of a sync."""
    processed(shop.path, database, ".")
    expected = fresh_snapshot(Commit(shop.path), HashedEmbedder())
    found = index_snapshot(database)
    for part in ("docs", "postings", "vectors", "outbox"):
        assert found[part] == expected[part]


def test_delete_takes_out_files_and_folders(plain: Path, database: SQLite) -> None:
    """With their nodes and vectors; the files themselves stay."""
    processed(plain, database, ".")
    report = deleted(plain, database, "sub", "a.py")
    assert query_rows(database, FILES) == ["b.py"]
    assert len(query_rows(database, "SELECT id FROM vectors")) == 1
    assert (report.files_deleted, report.nodes_deleted) == (2, 2)
    assert (plain / "a.py").exists()


def test_delete_of_what_is_not_indexed_is_fine(plain: Path, database: SQLite) -> None:
    """It converges: nothing is there, nothing is written."""
    processed(plain, database, "a.py")
    before = database.connection.total_changes()
    assert deleted(plain, database, "never.py").files_deleted == 0
    assert database.connection.total_changes() == before


def test_names_that_begin_alike_are_not_below(plain: Path, database: SQLite) -> None:
    """`sub` is the folder and its files, not `subway.py`."""
    (plain / "subway.py").write_text("x = 1\n")
    processed(plain, database, ".")
    deleted(plain, database, "sub")
    assert query_rows(database, FILES) == ["a.py", "b.py", "subway.py"]


def test_deltas_are_followed_to_the_letter(shop: Repo, database: SQLite) -> None:
    """Only the named files change; those that are gone, or never were, converge."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.write(
        {"src/cart.py": "def other():\n    pass\n", "new.py": "x = 1\n", "config.json": None}
    )
    report = applied(
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


def test_deltas_of_two_commits_lead_from_one_index_to_the_other(
    shop: Repo, database: SQLite
) -> None:
    """What `deltas` prints, applied, gives the rows of the second commit."""
    base = shop.git("rev-parse", "HEAD")
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.git("mv", "src/cart.py", "src/basket.py")
    shop.commit({"docs/guide.md": None, "new.md": "# New\n", "config.json": "[1]\n"})
    applied(shop.path, database, compute_deltas(shop.path, base).deltas)
    expected = fresh_snapshot(Commit(shop.path), HashedEmbedder())
    found = index_snapshot(database)
    for part in ("docs", "files", "postings", "vectors", "outbox"):
        assert found[part] == expected[part]


@pytest.mark.parametrize("names", [["."], ["a.py"], ["sub", "b.py"]])
def test_a_dry_run_foresees_and_writes_nothing(
    plain: Path, database: SQLite, names: list[str]
) -> None:
    """Its counts are those of the run that follows."""
    processed(plain, database, ".")
    (plain / "a.py").write_text("def apricot():\n    pass\n\n\ndef apple():\n    pass\n")
    (plain / "b.py").write_text("def bread():\n    return 1\n")
    (plain / "sub/c.py").unlink()
    before = database.connection.total_changes()
    foreseen = processed(plain, database, *names, dry=True)
    assert database.connection.total_changes() == before
    real = processed(plain, database, *names)
    assert foreseen == real


def test_a_new_parser_is_noticed_without_git(plain: Path, database: SQLite) -> None:
    """A run over the whole folder parses all files anew, once."""
    processed(plain, database, ".", parser=InProcessParser("1"))
    parser = InProcessParser("2")
    report = processed(plain, database, ".", parser=parser)
    assert report.notes == [StaleReason.PARSER]
    assert {"a.py", "b.py", "sub/c.py"} <= set(parser.parsed)
    parser = InProcessParser("2")
    processed(plain, database, ".", parser=parser)
    assert parser.parsed == []


def test_a_file_that_changes_while_it_is_read_is_right_after_the_next_run(
    plain: Path, database: SQLite
) -> None:
    """Words and vectors are never of two states of a file that claims to be clean."""

    class Restless(InProcessParser):
        """Has the file edited between the words and the vectors."""

        def parse(
            self, files: Iterable[tuple[str, bytes]], *, keep_source: bool = False
        ) -> Iterator[ParsedFile]:
            yield from super().parse(files, keep_source=keep_source)
            (plain / "a.py").write_text("def apricot():\n    pass\n")

    processed(plain, database, "a.py", parser=Restless())
    assert query_rows(database, "SELECT state FROM files") == ["pending"]
    processed(plain, database, "a.py")
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
def test_a_file_that_goes_between_listing_and_reading_is_kept_out(
    plain: Path, database: SQLite, change: Change
) -> None:
    """It is reported, and the rest of the run goes on."""
    tree = Folder(plain, [plain])
    run = new_sync_context(tree, database, HashedEmbedder())
    tree.entries()
    change(plain / "a.py")
    process_paths(run, plain, [plain], dry_run=False)
    assert run.report.skipped == {"a.py": "cannot be read"}
    assert query_rows(database, "SELECT path FROM docs ORDER BY path") == ["b.py", "sub/c.py"]


def test_a_part_made_by_another_parser_leaves_the_whole_to_be_made_anew(repo: Repo) -> None:
    """After `process` with another grammar the next sync parses every file."""
    repo.commit({"a.py": "def alpha():\n    pass\n", "b.py": "def beta():\n    pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database, parser=InProcessParser("one"))
    other = new_sync_context(
        Folder(repo.path, [repo.path / "a.py"]), database, parser=InProcessParser("other")
    )
    process_paths(other, repo.path, [repo.path / "a.py"], dry_run=False)
    parser = InProcessParser("one")
    run_sync(Commit(repo.path), database, parser=parser)
    assert sorted(parser.parsed) == ["a.py", "b.py"]
    again = InProcessParser("one")
    run_sync(Commit(repo.path), database, parser=again)
    assert again.parsed == []
    database.close()


def test_deleting_what_the_index_has_not_says_so(repo: Repo) -> None:
    """It is no error, but a mistyped path shall not look like work done."""
    repo.commit({"a.py": "def alpha():\n    pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    run = new_sync_context(Folder(repo.path, []), database)
    delete_paths(run, repo.path, [repo.path / "nope.py"], dry_run=False)
    assert run.report.notes == [
        f"Nothing was deleted: the index has no file at {repo.path / 'nope.py'}."
    ]
    database.close()
