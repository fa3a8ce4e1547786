"""Folders that the program may not read or write."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from command_runner import RunFeeder
from source.repos import Repo
from unprivileged import permissions, run_unprivileged

FILES = ["src/a.py", "src/new/b.py", "src/new/c.py"]


@pytest.fixture(params=["git", "plain"])
def indexed(request: pytest.FixtureRequest, feeder: RunFeeder, tmp_path: Path) -> Path:
    """A folder with an index of its files, of which git tracks at most the first."""
    folder = tmp_path / "shop"
    (folder / "src/new").mkdir(parents=True)
    if request.param == "git":
        Repo(folder).commit({FILES[0]: "x = 1\n"})
    for name in FILES:
        (folder / name).write_text("def pay():\n    pass\n")
    assert feeder(folder, "process", "--path", ".").code == 0
    return folder


@pytest.mark.parametrize("mode", [0, 0o300])
@pytest.mark.parametrize("requested", [".", "src", "src/new"])
def test_process_refuses_a_folder_that_cannot_be_read(
    feeder: RunFeeder, indexed: Path, requested: str, mode: int
) -> None:
    """At or below the given one: its files stay in the index."""
    with permissions(indexed / "src/new", mode):
        answer = run_unprivileged(indexed, "process", "--path", requested)
    assert answer.returncode == 2
    assert f"{indexed}/src/new cannot be read (Permission denied). Make it" in answer.stderr
    assert feeder(indexed, "stats", "--json").json["files"] == {"clean": len(FILES)}


@pytest.mark.parametrize(
    ("rule_file", "rules"),
    [
        (".feederignore", "*\n!*/\n!*.py\n"),
        (".feederignore", "src/new/*\n"),
        (".gitattributes", "* linguist-vendored\n*.py -linguist-vendored\n"),
    ],
)
def test_a_folder_that_may_have_included_files_is_refused(
    feeder: RunFeeder, indexed: Path, rule_file: str, rules: str
) -> None:
    """A rule excludes some of its files, or rule files in it could include them again."""
    (indexed / rule_file).write_text(rules)
    with permissions(indexed / "src/new", 0):
        answer = run_unprivileged(indexed, "process", "--path", ".")
    assert answer.returncode == 2
    assert f"{indexed}/src/new cannot be read" in answer.stderr
    assert feeder(indexed, "stats", "--json").json["files"] == {"clean": len(FILES)}


@pytest.mark.parametrize("rule_file", [".gitignore", ".feederignore"])
def test_an_excluded_folder_need_not_be_readable(
    feeder: RunFeeder, indexed: Path, rule_file: str
) -> None:
    (indexed / rule_file).write_text("new/\n")
    with permissions(indexed / "src/new", 0):
        answer = run_unprivileged(indexed, "process", "--path", "src", "--json")
    assert answer.returncode == 0, answer.stderr
    assert feeder(indexed, "stats", "--json").json["files"] == {"clean": 1}


@pytest.mark.parametrize("is_git", [True, False])
def test_the_first_run_names_a_folder_that_cannot_be_read(tmp_path: Path, is_git: bool) -> None:
    """Without an index the base is looked for first, and git cannot start in the folder."""
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    if is_git:
        Repo(folder).commit({"src/a.py": "x = 1\n"})
    with permissions(folder / "src", 0):
        answer = run_unprivileged(folder, "process", "--path", "src")
    assert answer.returncode == 2
    assert f"{folder}/src cannot be read (Permission denied). Make it" in answer.stderr


def test_an_index_in_a_folder_that_cannot_be_written(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    folder = repo.path / "kept"
    folder.mkdir()
    with permissions(folder, 0o555):
        answer = run_unprivileged(repo.path, "sync", "--db", "kept/index.db")
    assert answer.returncode == 2
    assert "kept/index.db cannot be opened: unable to open database file. Make it and its" in (
        answer.stderr
    )
    assert "folder writable" in answer.stderr


@pytest.mark.parametrize("closed", ["src", "src/a.py"])
def test_a_file_that_may_not_be_read_is_not_called_deleted(
    feeder: RunFeeder, repo: Repo, closed: str
) -> None:
    """Its lines are those of the commit."""
    repo.commit({"src/a.py": "def pay():\n    pass\n"})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    with permissions(repo.path / closed, 0):
        answer = run_unprivileged(repo.path, "search", "pay", "--no-refresh")
    assert "(as committed in " in answer.stdout
    assert "def pay():" in answer.stdout


@pytest.mark.parametrize("is_whole_folder", [False, True])
def test_search_says_that_the_index_cannot_be_written(
    tmp_path: Path, is_whole_folder: bool
) -> None:
    """A new file is missing from its answer."""
    folder = tmp_path / "shop"
    folder.mkdir()
    Repo(folder).commit({"a.py": "def pay():\n    pass\n"})
    assert run_unprivileged(folder, "grep", "pay", "--refresh").returncode == 0
    index = folder / ".feeder"
    closed = [index, *(index.rglob("*") if is_whole_folder else ())]
    with ExitStack() as stack:
        for path in closed:
            stack.enter_context(permissions(path, 0o500 if path.is_dir() else 0o400))
        (folder / "b.py").write_text("def refund():\n    pass\n")
        changed = run_unprivileged(folder, "grep", "refund", "--refresh")
    reason = f"{index}/index.working is not" if is_whole_folder else f"{index}/index.db cannot be"
    assert f"The index could not be updated: {reason} " in changed.stderr
