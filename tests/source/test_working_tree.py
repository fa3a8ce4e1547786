"""The working tree as a tree: git says what is in it, and nothing of the repository changes."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.source import DEFAULT_SIZES, Sizes, SkipReason
from feeder.source.git_trees import Commit, WorkingTree
from source.repos import Repo

ENGLISH = {"LC_ALL": "C"}


def looked(repo: Repo, sizes: Sizes = DEFAULT_SIZES) -> WorkingTree:
    place = repo.path.with_name(f"{repo.path.name}-ours")
    place.mkdir(exist_ok=True)
    return WorkingTree(repo.path, place, sizes=sizes)


def aged(repo: Repo) -> None:
    """Makes git's index older than the files, so that what a look finds out is kept."""
    index = repo.path / ".git" / "index"
    if index.exists() and index.stat().st_mtime > time.time() - 5:
        os.utime(index, (time.time() - 10,) * 2)


def added(repo: Repo) -> str:
    """The tree that git itself makes of all that lies there, in a copy of the repository.

    None, as "", where it cannot tell: behind links in a circle it keeps a file that nobody can
    read.
    """
    copy = repo.path.with_name("copy")
    shutil.copytree(repo.path, copy, symlinks=True)
    try:
        git, said = ("git", "-C", copy), os.environ | ENGLISH
        told = subprocess.run([*git, "add", "--all"], check=True, capture_output=True, env=said)
        done = subprocess.run([*git, "write-tree"], check=True, capture_output=True)
        return "" if b"Too many levels" in told.stderr else done.stdout.decode().strip()
    finally:
        shutil.rmtree(copy)


def of_git(repo: Repo) -> dict[str, tuple[bytes, int]]:
    """Every file below .git, with its contents and when it was written."""
    folder = repo.path / ".git"
    files = (path for path in folder.rglob("*") if path.is_file())
    return {os.fspath(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def contents(tree: WorkingTree) -> dict[str, bytes | str]:
    """By path, what is in each file, or why it is kept out."""
    entries = tree.entries()
    found: dict[str, bytes | str] = {entry.path: entry.skip for entry in entries if entry.skip}
    read = tree.read([entry for entry in entries if not entry.skip])
    return found | {entry.path: text for entry, text in read}


def test_an_untouched_working_tree_is_heads(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "src/b.py": "b = 1\n"})
    tree, head = looked(repo), Commit(repo.path)
    assert (tree.commit, tree.root_tree_id, tree.rules_digest) == (
        head.commit,
        head.root_tree_id,
        head.rules_digest,
    )
    assert tree.working_tree_id == ""
    assert tree.entries() == head.entries()


def test_edited_new_and_removed_files_are_as_they_lie(repo: Repo) -> None:
    head = repo.commit({"a.py": "a = 1\n", "b.py": "b = 1\n", ".gitignore": "*.log\n"})
    repo.write({"a.py": "a = 2\n", "b.py": None, "new/c.py": "c = 3\n", "x.log": "no\n"})
    tree = looked(repo)
    assert tree.commit == head
    assert tree.root_tree_id == tree.working_tree_id == added(repo)
    there = {"a.py": b"a = 2\n", "new/c.py": b"c = 3\n", ".gitignore": b"*.log\n"}
    assert contents(tree) == there


def test_nothing_of_the_repository_changes(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "b.py": "b = 1\n", "c/d.py": "d = 1\n"})
    repo.write({"a.py": "a = 2\n", "b.py": None, "new.py": "n = 1\n"})
    os.utime(repo.path / "c" / "d.py", (1, 1))  # touched, and the same
    before = of_git(repo)
    looked(repo)
    repo.write({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    looked(repo)
    assert of_git(repo) == before
    assert repo.git("status", "--short") == "?? new.py"


def test_a_file_that_comes_to_be_ignored_goes(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.write({"env/lib.py": "l = 1\n"})
    assert set(contents(looked(repo))) == {"a.py", "env/lib.py"}
    repo.write({"env/.gitignore": "*\n"})  # which ignores itself too, as that of venv
    assert looked(repo).working_tree_id == ""


def test_a_file_that_comes_back_is_seen(repo: Repo) -> None:
    """As a file, where a folder was meanwhile, and where a link leads to one like it."""
    repo.commit({"a.py": "a = 1\n", "d/b.py": "b = 1\n"})
    aged(repo)
    repo.write({"a.py": None, "d/b.py": None})
    assert contents(looked(repo)) == {}
    repo.write({"a.py/c.py": "c = 1\n", "e/b.py": "b = 2\n"})
    (repo.path / "d").rmdir()
    (repo.path / "d").symlink_to("e")
    there: dict[str, bytes | str] = {"d": SkipReason.SYMLINK, "e/b.py": b"b = 2\n"}
    assert contents(looked(repo)) == {"a.py/c.py": b"c = 1\n", **there}
    repo.write({"a.py/c.py": None})
    (repo.path / "a.py").rmdir()
    repo.write({"a.py": "a = 2\n"})
    assert contents(looked(repo)) == {"a.py": b"a = 2\n", **there}


def test_a_large_file_is_not_read(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "grown.py": "g = 1\n"})
    for name in ("grown.py", "new.py"):
        with (repo.path / name).open("wb") as file:
            file.truncate(5_000_000_000)  # of holes: reading it would take many seconds
    tree = looked(repo)
    assert contents(tree) == {
        "a.py": b"a = 1\n",
        "grown.py": SkipReason.TOO_LARGE,
        "new.py": SkipReason.TOO_LARGE,
    }
    assert looked(repo).root_tree_id == tree.root_tree_id
    repo.write({"grown.py": "g = 1\n", "new.py": None})
    assert looked(repo).working_tree_id == ""


def test_the_working_tree_before_the_first_commit(repo: Repo) -> None:
    repo.write({"a.py": "a = 1\n"})
    tree = looked(repo)
    assert (tree.commit, contents(tree)) == ("", {"a.py": b"a = 1\n"})


def test_a_bare_repository_has_none(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("clone", "-q", "--bare", repo.path.as_uri(), str(tmp_path / "bare"))
    with pytest.raises(UserError, match=r"has no working tree\. Index its HEAD with: feeder sync"):
        WorkingTree(tmp_path / "bare", tmp_path)


def test_what_lies_behind_links_in_a_circle_is_gone(repo: Repo) -> None:
    """Git keeps it as it was where the link is ignored, though nobody can read it."""
    repo.commit({"a.py": "a = 1\n", "d/a.py": "b = 1\n"})
    shutil.rmtree(repo.path / "d")
    (repo.path / "d").symlink_to("d")
    (repo.path / ".gitignore").write_text("*\n", "utf-8")
    assert added(repo) == ""
    assert contents(looked(repo)) == {"a.py": b"a = 1\n"}
