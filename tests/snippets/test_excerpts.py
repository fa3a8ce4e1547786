"""The lines shown for a hit after files have changed are never those of another node."""

from pathlib import Path

import pytest

from feeder.cli.rendering import render_hits
from feeder.query.request_filters import Pagination
from feeder.ranking.results import Result
from feeder.search.answers import Page
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from feeder.store.hits import Hit
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, result_page, run_sync, search_scope
from source.repos import Repo

TAX = """\
def vat(price):
    rate = 19
    return price * rate


class Duty:
    \"\"\"What is paid at a border.\"\"\"

    def of(self, price):
        return price / 10


# The customs' own.
def toll(price):
    fee = 3
    return price + fee
"""


@pytest.fixture
def database(repo: Repo) -> SQLite:
    repo.commit({"tax.py": TAX})
    database = open_database()
    run_sync(Commit(repo.path), database)
    return database


def run_search(database: SQLite, query: str) -> list[Result]:
    return list(search_scope(database, [], query, Scope.of_repo(REPO), Pagination(1)).results)


def answer(database: SQLite, base: Path, query: str) -> Page:
    return result_page(database, base, run_search(database, query))


def lines(database: SQLite, base: Path, query: str) -> list[str]:
    return list(render_hits(answer(database, base, query)))


def test_moved_node_is_shown_at_its_new_lines(database: SQLite, repo: Repo) -> None:
    (repo.path / "tax.py").write_text(f"# new\n\n{TAX}")
    assert lines(database, repo.path, "vat") == [
        "tax.py:3-5  method  vat  (moved from 1-3)",
        "     3  def vat(price):",
        "     4      rate = 19",
        "     5      return price * rate",
        "1 of the files shown has changed since it was indexed. "
        f"The index matches HEAD {repo.git('rev-parse', '--short=7', 'HEAD')}.",
    ]
    [hit] = answer(database, repo.path, "vat").as_json()["hits"]
    assert (hit["start_line"], hit["end_line"], hit["indexed_lines"]) == (3, 5, [1, 3])
    assert (hit["state"], hit["text"]) == (
        "moved",
        "def vat(price):\n    rate = 19\n    return price * rate",
    )


def test_edited_node_is_marked_as_changed(database: SQLite, repo: Repo) -> None:
    (repo.path / "tax.py").write_text(TAX.replace("rate = 19", "rate = 20\n    print(rate)"))
    heading, *shown = lines(database, repo.path, "vat")
    assert heading == "tax.py:1-4  method  vat  (edited since, was 1-3)"
    assert "    print(rate)" in shown[2]
    [heading, *_] = lines(database, repo.path, "toll")
    assert heading == "tax.py:14-17  method  toll  (moved from 13-16)"


def test_deleted_node_has_no_excerpt(database: SQLite, repo: Repo) -> None:
    """Although other lines now have its line numbers."""
    (repo.path / "tax.py").write_text(TAX.partition("class")[2] * 2)
    assert lines(database, repo.path, "vat")[:2] == [
        "tax.py:1-3  method  vat",
        "        (gone: the file has changed and no longer has these lines)",
    ]
    [hit] = answer(database, repo.path, "vat").as_json()["hits"]
    assert (hit["state"], hit["text"], hit["window"]) == ("gone", None, None)


def test_lines_around_a_node_end_at_blank_and_at_long_lines(database: SQLite, repo: Repo) -> None:
    """At most three lines; a blank line is only between others."""
    [duty] = answer(database, repo.path, "Duty.of").as_json()["hits"]
    assert duty["before"] == ["class Duty:", '    """What is paid at a border."""', ""]
    assert duty["after"] == ["", "", "# The customs' own."]
    [vat] = answer(database, repo.path, "vat").as_json()["hits"]
    assert (vat["before"], vat["after"]) == (None, ["", "", "class Duty:"])
    long = f"# {'own ' * 50}"
    (repo.path / "tax.py").write_text(
        TAX.replace("# The customs'", f"{long}\nx = 1\n\n# The customs'")
    )
    [toll] = answer(database, repo.path, "toll").as_json()["hits"]
    assert (toll["before"], toll["after"]) == (["x = 1", ""], None)


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_crlf_line_ends_do_not_count_as_an_edit(database: SQLite, repo: Repo, ends: str) -> None:
    """git checks files out with CRLF on Windows."""
    (repo.path / "tax.py").write_bytes(TAX.replace("\n", ends).encode())
    page = answer(database, repo.path, "vat")
    assert (page.hits[0].excerpt.freshness, page.status.edited) == ("", 0)


def test_note_names_a_newer_head(database: SQLite, repo: Repo) -> None:
    old = repo.git("rev-parse", "--short=7", "HEAD")
    repo.commit({"tax.py": f"\n{TAX}"})
    new = repo.git("rev-parse", "--short=7", "HEAD")
    assert lines(database, repo.path, "vat")[0].endswith("(moved from 1-3)")
    note = "1 of the files shown has changed since it was indexed. The index is "
    assert answer(database, repo.path, "vat").note == (
        f"{note}1 commit behind HEAD ({old} → {new}): feeder sync"
    )
    repo.commit({"b.py": "pass\n"})
    new = repo.git("rev-parse", "--short=7", "HEAD")
    assert answer(database, repo.path, "vat").note == (
        f"{note}2 commits behind HEAD ({old} → {new}): feeder sync"
    )
    assert answer(database, repo.path, "vat").as_json()["index"] == {
        "repo": REPO,
        "equals": repo.git("rev-parse", "HEAD~2"),
        "head": repo.git("rev-parse", "HEAD"),
        "behind": 2,
        "ahead": 0,
        "edited": 1,
        "unfinished": False,
        "working": False,
        "below": "",
        "partial": False,
        "seen": False,
    }


def test_note_names_an_older_or_unknown_commit(repo: Repo) -> None:
    """Of a commit that is not here, that it is not."""
    first = repo.commit({"tax.py": TAX})
    repo.commit({"b.py": "pass\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    index = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", first)
    short = f"({index[:7]} → {first[:7]})"
    assert answer(database, repo.path, "vat").note == (
        f"The index is 1 commit ahead of HEAD {short}: feeder sync"
    )
    repo.commit({"c.py": "pass\n"})
    head = repo.git("rev-parse", "--short=7", "HEAD")
    assert answer(database, repo.path, "vat").note == (
        "The index lacks 1 commit of HEAD and has 1 that HEAD lacks "
        f"({index[:7]} → {head}): feeder sync"
    )
    other = Repo(repo.path / "other")
    other.commit({"tax.py": TAX})
    head = other.git("rev-parse", "--short=7", "HEAD")
    assert answer(database, other.path, "vat").note == (
        f"The index matches {index[:7]}, a commit that is not in this repository; "
        f"HEAD is {head}: feeder sync"
    )


@pytest.fixture
def plain(tmp_path: Path) -> tuple[SQLite, Path]:
    """An indexed folder without git."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "tax.py").write_text(TAX)
    database = open_database()
    run_sync(Folder(folder, [folder]), database)
    return database, folder


def test_without_git_nodes_are_relocated_by_text_hash(
    plain: tuple[SQLite, Path],
) -> None:
    """The indexed content is not stored anywhere else."""
    database, folder = plain
    (folder / "tax.py").write_text(f"# new\n{TAX}")
    assert lines(database, folder, "vat")[0] == "tax.py:2-4  method  vat  (moved from 1-3)"
    assert lines(database, folder, "toll")[0] == "tax.py:14-17  method  toll  (moved from 13-16)"


def test_without_git_edited_nodes_are_found_by_signature(
    plain: tuple[SQLite, Path],
) -> None:
    """The excerpt is marked as uncertain. Without the signature the node counts as deleted."""
    database, folder = plain
    (folder / "tax.py").write_text(f"# new\n{TAX.replace('19', '20')}")
    assert lines(database, folder, "vat")[:2] == [
        "tax.py:2-4  method  vat  (the file was edited: these may be other lines, was 1-3)",
        "     2  def vat(price):",
    ]
    (folder / "tax.py").write_text("x = 1\n" * 20)
    assert "(gone: " in lines(database, folder, "vat")[1]


def test_unchanged_folder_has_no_note(plain: tuple[SQLite, Path]) -> None:
    database, folder = plain
    assert lines(database, folder, "vat") == [
        "tax.py:1-3  method  vat",
        "     1  def vat(price):",
        "     2      rate = 19",
        "     3      return price * rate",
    ]


def test_class_excerpt_leaves_out_its_methods(database: SQLite, repo: Repo) -> None:
    """Methods are hits of their own."""
    all_found = search_scope(database, [], "Duty", Scope.of_repo(REPO), Pagination(9)).results
    [found] = [result for result in all_found if result.hit.symbol == "Duty"]
    [hit] = result_page(database, repo.path, [found], 2, ["price"]).hits
    assert hit.snippet.start_line == 6


def test_hit_in_another_repository_has_no_excerpt(database: SQLite, repo: Repo) -> None:
    """Its files are not here, even if a local file has the same path."""
    run_sync(Commit(repo.path), database, name="acme/other")
    found = search_scope(database, [], "vat", Scope.of_repo("acme/other"), Pagination(1)).results
    answer = result_page(database, repo.path, found)
    assert list(render_hits(answer))[:2] == [
        "tax.py:1-3  method  vat  (in acme/other)",
        f"The index matches HEAD {repo.git('rev-parse', '--short=7', 'HEAD')}.",
    ]
    assert answer.as_json()["hits"][0]["repo"] == "acme/other"


def test_node_deleted_by_a_concurrent_run_has_no_excerpt(database: SQLite, repo: Repo) -> None:
    """Another run may write between the search and the reading of the excerpt."""
    [one] = run_search(database, "vat")
    hit = Hit(**{**one.hit._asdict(), "id": "0" * 40})
    assert not result_page(database, repo.path, [one._replace(hit=hit)]).hits[0].excerpt.is_shown


def test_notebook_lines_have_the_line_numbers_of_the_file(repo: Repo) -> None:
    cells = '"source": [\n "def load(path):\\n",\n "    return path\\n"\n ]'
    notebook = f'{{"cells": [{{"cell_type": "code", "metadata": {{}}, "outputs": [], {cells}}}],\n'
    notebook += '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
    repo.commit({"a.ipynb": notebook})
    database = open_database()
    run_sync(Commit(repo.path), database)
    assert lines(database, repo.path, "load")[1:3] == [
        "     2  def load(path):",
        "     3      return path",
    ]
    (repo.path / "a.ipynb").write_text(f"\n{notebook}")
    [hit] = result_page(database, repo.path, run_search(database, "load"), 6, ["path"]).hits
    assert [mark.line for mark in hit.snippet.marks] == [3, 4]


def test_deleted_file_is_read_from_head_and_marked(database: SQLite, repo: Repo) -> None:
    (repo.path / "tax.py").unlink()
    committed = f"as committed in {repo.git('rev-parse', 'HEAD')[:10]}"
    heading = lines(database, repo.path, "vat")[0]
    assert heading.endswith(f"(deleted in the working tree, {committed})")
    repo.git("rm", "-q", "tax.py")
    assert lines(database, repo.path, "vat")[0] == heading


def test_file_outside_of_a_sparse_checkout_is_not_marked_as_deleted(
    database: SQLite, repo: Repo
) -> None:
    repo.git("update-index", "--skip-worktree", "tax.py")
    (repo.path / "tax.py").unlink()
    head = repo.git("rev-parse", "HEAD")
    assert lines(database, repo.path, "vat")[0].endswith(f"(as committed in {head[:10]})")


def test_matching_part_has_its_current_lines(repo: Repo) -> None:
    body = "".join(f"    total = total + weight(parcel_{n})\n" for n in range(200))
    repo.commit({"weigh.py": f"def weigh(total):\n{body}    return total\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    [found] = run_search(database, "parcel_150")
    assert found.part_match
    (repo.path / "weigh.py").write_text(f"# new\n{(repo.path / 'weigh.py').read_text()}")
    [hit] = result_page(database, repo.path, [found]).as_json()["hits"]
    assert (hit["start_line"], hit["end_line"]) == (2, 203)
    lines = hit["piece"]["start_line"], hit["piece"]["end_line"]
    assert lines == (found.part_match.start_line + 1, found.part_match.end_line + 1)


def test_without_git_member_line_moves_with_its_node(tmp_path: Path) -> None:
    """Outside of git: its line moves with the node's."""
    file = tmp_path / "color.ts"
    file.write_text("export enum Color {\n  RED,\n  GREEN,\n}\n")
    database = open_database()
    run_sync(Folder(tmp_path, [file]), database)
    file.write_text(f"// new\n\n{file.read_text()}")
    assert lines(database, tmp_path, "Color.GREEN")[0] == (
        "color.ts:5  class  Color.GREEN  (moved from 1-4)"
    )


WEIGH = [
    "def weigh(total):",
    *(f"    total = total + weight(parcel_{n})" for n in range(200)),
    "    return total",
]


def heading(folder: Path, database: SQLite, edited: list[str]) -> str:
    """Returns the heading of the long function's hit after the file was edited."""
    (folder / "weigh.py").write_text("\n".join([*edited, ""]))
    return lines(database, folder, "parcel_150")[0].removeprefix("weigh.py:")


@pytest.fixture
def long(tmp_path: Path) -> tuple[Path, SQLite]:
    """A function in several parts, in a folder without git."""
    (tmp_path / "weigh.py").write_text("\n".join([*WEIGH, ""]))
    database = open_database()
    run_sync(Folder(tmp_path, [tmp_path]), database)
    return tmp_path, database


def test_without_git_all_parts_are_relocated_by_text(long: tuple[Path, SQLite]) -> None:
    """The heading has the lines of the whole node and its freshness."""
    name = "  method  weigh  (6 of 6 parts"
    assert heading(*long, WEIGH) == f"1-202{name})"
    assert heading(*long, ["# new", *WEIGH]) == f"2-203{name}, moved from 1-202)"


@pytest.mark.parametrize(
    ("row", "is_sure"),
    [(100, True), (2, False), (199, False)],
    ids=["between", "in the first", "in the last"],
)
def test_edited_part_is_reported(long: tuple[Path, SQLite], row: int, is_sure: bool) -> None:
    """If the first or the last part was edited, that end of the node is unknown."""
    edited = ["# new", *WEIGH[:row], "    print(total)", *WEIGH[row:]]
    state_text = "edited since" if is_sure else "the file was edited: these may be other lines"
    text = heading(*long, edited)
    assert f"{state_text}, was 1-202)" in text
    assert text.startswith("2-")


def test_lines_inserted_between_two_parts_do_not_count_as_a_move(long: tuple[Path, SQLite]) -> None:
    folder, database = long
    [found] = run_search(database, "parcel_150")
    cut = found.grouped[0].hit.start_line - 1
    edited = [*WEIGH[:cut], "    print(total)", *WEIGH[cut:]]
    assert "edited since, was 1-202)" in heading(folder, database, edited)
