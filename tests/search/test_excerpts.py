"""Whose lines are shown when files have changed since they were indexed: never other ones."""

from pathlib import Path

import pytest

from feeder.cli.rendering import render_hits
from feeder.search import engine, results
from feeder.search.answers import Page
from feeder.search.results import Result
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from feeder.store.hits import Hit
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, result_page, run_sync
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


def asked(database: SQLite, query: str) -> list[Result]:
    return list(
        engine.search_scope(database, [], query, Scope.of_repo(REPO), results.Pagination(1)).results
    )


def answer(database: SQLite, base: Path, query: str) -> Page:
    return result_page(database, base, asked(database, query))


def lines(database: SQLite, base: Path, query: str) -> list[str]:
    return list(render_hits(answer(database, base, query)))


def test_a_node_that_has_moved_is_shown_where_it_is(database: SQLite, repo: Repo) -> None:
    (repo.path / "tax.py").write_text(f"# new\n\n{TAX}")
    assert lines(database, repo.path, "vat") == [
        "tax.py:3-5  method  vat  (moved from 1-3)",
        "     3  def vat(price):",
        "     4      rate = 19",
        "     5      return price * rate",
        "1 of the files shown has changed since. "
        f"The index equals HEAD {repo.git('rev-parse', '--short=7', 'HEAD')}.",
    ]
    [hit] = answer(database, repo.path, "vat").as_json()["hits"]
    assert (hit["start_line"], hit["end_line"], hit["indexed_lines"]) == (3, 5, [1, 3])
    assert (hit["state"], hit["text"]) == (
        "moved",
        "def vat(price):\n    rate = 19\n    return price * rate",
    )


def test_a_node_that_was_edited_is_marked_so(database: SQLite, repo: Repo) -> None:
    (repo.path / "tax.py").write_text(TAX.replace("rate = 19", "rate = 20\n    print(rate)"))
    heading, *shown = lines(database, repo.path, "vat")
    assert heading == "tax.py:1-4  method  vat  (edited since, was 1-3)"
    assert "    print(rate)" in shown[2]
    [heading, *_] = lines(database, repo.path, "toll")
    assert heading == "tax.py:14-17  method  toll  (moved from 13-16)"


def test_a_node_that_is_gone_shows_nothing(database: SQLite, repo: Repo) -> None:
    """Although there are other lines with its numbers."""
    (repo.path / "tax.py").write_text(TAX.partition("class")[2] * 2)
    assert lines(database, repo.path, "vat")[:2] == [
        "tax.py:1-3  method  vat",
        "        (gone: the file has changed and no longer has these lines)",
    ]
    [hit] = answer(database, repo.path, "vat").as_json()["hits"]
    assert (hit["state"], hit["text"], hit["window"]) == ("gone", None, None)


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_other_ends_of_lines_are_no_edit(database: SQLite, repo: Repo, ends: str) -> None:
    """As git checks files out on Windows."""
    (repo.path / "tax.py").write_bytes(TAX.replace("\n", ends).encode())
    page = answer(database, repo.path, "vat")
    assert (page.hits[0].excerpt.freshness, page.status.edited) == ("", 0)


def test_head_that_has_moved_on_is_told(database: SQLite, repo: Repo) -> None:
    old = repo.git("rev-parse", "--short=7", "HEAD")
    repo.commit({"tax.py": f"\n{TAX}"})
    new = repo.git("rev-parse", "--short=7", "HEAD")
    assert lines(database, repo.path, "vat")[0].endswith("(moved from 1-3)")
    note = "1 of the files shown has changed since. The index is "
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


def test_an_older_and_another_commit_are_told_too(repo: Repo) -> None:
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
        f"The index equals {index[:7]}, a commit that is not in this repository; "
        f"HEAD is {head}: feeder sync"
    )


@pytest.fixture
def plain(tmp_path: Path) -> tuple[SQLite, Path]:
    """A folder outside of git, and its index."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "tax.py").write_text(TAX)
    database = open_database()
    run_sync(Folder(folder, [folder]), database)
    return database, folder


def test_outside_of_git_lines_are_found_by_the_hash_of_their_text(
    plain: tuple[SQLite, Path],
) -> None:
    """What was indexed is nowhere else."""
    database, folder = plain
    (folder / "tax.py").write_text(f"# new\n{TAX}")
    assert lines(database, folder, "vat")[0] == "tax.py:2-4  method  vat  (moved from 1-3)"
    assert lines(database, folder, "toll")[0] == "tax.py:14-17  method  toll  (moved from 13-16)"


def test_where_the_hash_finds_nothing_lines_are_said_to_be_unsure(
    plain: tuple[SQLite, Path],
) -> None:
    """They are looked for by the signature; without that they are gone."""
    database, folder = plain
    (folder / "tax.py").write_text(f"# new\n{TAX.replace('19', '20')}")
    assert lines(database, folder, "vat")[:2] == [
        "tax.py:2-4  method  vat  (the file is edited since: these may be other lines, was 1-3)",
        "     2  def vat(price):",
    ]
    (folder / "tax.py").write_text("x = 1\n" * 20)
    assert "(gone: " in lines(database, folder, "vat")[1]


def test_an_untouched_folder_has_nothing_to_say(plain: tuple[SQLite, Path]) -> None:
    database, folder = plain
    assert lines(database, folder, "vat") == [
        "tax.py:1-3  method  vat",
        "     1  def vat(price):",
        "     2      rate = 19",
        "     3      return price * rate",
    ]


def test_a_window_of_a_class_keeps_out_of_its_methods(database: SQLite, repo: Repo) -> None:
    """They are hits of their own."""
    all_found = engine.search_scope(
        database, [], "Duty", Scope.of_repo(REPO), results.Pagination(9)
    ).results
    [found] = [one for one in all_found if one.hit.symbol == "Duty"]
    [hit] = result_page(database, repo.path, [found], 2, ["price"]).hits
    assert hit.snippet.start_line == 6


def test_a_hit_of_another_repository_shows_no_lines(database: SQLite, repo: Repo) -> None:
    """Its files are not here, though one here may be called the same."""
    run_sync(Commit(repo.path), database, name="acme/other")
    found = engine.search_scope(
        database, [], "vat", Scope.of_repo("acme/other"), results.Pagination(1)
    ).results
    answer = result_page(database, repo.path, found)
    assert list(render_hits(answer))[:2] == [
        "tax.py:1-3  method  vat  (in acme/other)",
        f"The index equals HEAD {repo.git('rev-parse', '--short=7', 'HEAD')}.",
    ]
    assert answer.as_json()["hits"][0]["repo"] == "acme/other"


def test_a_node_whose_index_is_gone_meanwhile_shows_nothing(database: SQLite, repo: Repo) -> None:
    """Another run may write between the question and the answer."""
    [one] = asked(database, "vat")
    hit = Hit(**{**one.hit._asdict(), "id": "0" * 40})
    assert not result_page(database, repo.path, [one._replace(hit=hit)]).hits[0].excerpt.is_shown


def test_lines_of_a_notebook_have_the_numbers_of_its_file(repo: Repo) -> None:
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
    [hit] = result_page(database, repo.path, asked(database, "load"), 6, ["path"]).hits
    assert [mark.line for mark in hit.snippet.marks] == [3, 4]


def test_a_removed_file_is_shown_as_head_has_it(database: SQLite, repo: Repo) -> None:
    (repo.path / "tax.py").unlink()
    head = repo.git("rev-parse", "HEAD")
    assert lines(database, repo.path, "vat")[0].endswith(f"(as committed in {head[:10]})")


def test_the_piece_that_answers_is_told_where_it_is_now(repo: Repo) -> None:
    body = "".join(f"    total = total + weight(parcel_{n})\n" for n in range(200))
    repo.commit({"weigh.py": f"def weigh(total):\n{body}    return total\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    [found] = asked(database, "parcel_150")
    assert found.part_match
    (repo.path / "weigh.py").write_text(f"# new\n{(repo.path / 'weigh.py').read_text()}")
    [hit] = result_page(database, repo.path, [found]).as_json()["hits"]
    assert (hit["start_line"], hit["end_line"]) == (2, 203)
    lines = hit["piece"]["start_line"], hit["piece"]["end_line"]
    assert lines == (found.part_match.start_line + 1, found.part_match.end_line + 1)


def test_a_member_is_told_where_the_hash_of_its_node_is_found(tmp_path: Path) -> None:
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
    """That of the long function after its file was edited."""
    (folder / "weigh.py").write_text("\n".join([*edited, ""]))
    return lines(database, folder, "parcel_150")[0].removeprefix("weigh.py:")


@pytest.fixture
def long(tmp_path: Path) -> tuple[Path, SQLite]:
    """A function in several pieces, outside of git."""
    (tmp_path / "weigh.py").write_text("\n".join([*WEIGH, ""]))
    database = open_database()
    run_sync(Folder(tmp_path, [tmp_path]), database)
    return tmp_path, database


def test_outside_of_git_all_pieces_are_found_by_their_texts(long: tuple[Path, SQLite]) -> None:
    """The whole node's lines are told with what has become of them."""
    name = "  method  weigh  (6 of 6 parts"
    assert heading(*long, WEIGH) == f"1-202{name})"
    assert heading(*long, ["# new", *WEIGH]) == f"2-203{name}, moved from 1-202)"


@pytest.mark.parametrize(
    ("row", "is_sure"),
    [(100, True), (2, False), (199, False)],
    ids=["between", "in the first", "in the last"],
)
def test_a_piece_that_was_edited_is_told(
    long: tuple[Path, SQLite], row: int, is_sure: bool
) -> None:
    """Where the first or the last has been, its end is not known."""
    edited = ["# new", *WEIGH[:row], "    print(total)", *WEIGH[row:]]
    said = "edited since" if is_sure else "the file is edited since: these may be other lines"
    told = heading(*long, edited)
    assert f"{said}, was 1-202)" in told
    assert told.startswith("2-")


def test_lines_that_come_between_two_pieces_are_no_move(long: tuple[Path, SQLite]) -> None:
    folder, database = long
    [found] = asked(database, "parcel_150")
    cut = found.grouped[0].hit.start_line - 1
    edited = [*WEIGH[:cut], "    print(total)", *WEIGH[cut:]]
    assert "edited since, was 1-202)" in heading(folder, database, edited)
