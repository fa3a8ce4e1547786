"""The working tree: git decides what is in it, and the repository is not changed."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.source import DEFAULT_SIZES, Sizes, SkipReason
from feeder.source.git_trees import Commit, WorkingTree
from source.repos import Repo

ENGLISH = {"LC_ALL": "C"}


def read_working_tree(repo: Repo, sizes: Sizes = DEFAULT_SIZES) -> WorkingTree:
    place = repo.path.with_name(f"{repo.path.name}-ours")
    place.mkdir(exist_ok=True)
    return WorkingTree(repo.path, place, sizes=sizes)


def age_git_index(repo: Repo) -> None:
    """Makes git's index older than the files, so that its cached stat data is used."""
    index = repo.path / ".git" / "index"
    if index.exists() and index.stat().st_mtime > time.time() - 5:
        os.utime(index, (time.time() - 10,) * 2)


def tree_by_git_add(repo: Repo) -> str:
    """Returns the tree that `git add --all` makes in a copy of the repository.

    Returns "" if git cannot: behind cyclic links it keeps a file that nobody can read.
    """
    copy = repo.path.with_name("copy")
    shutil.copytree(repo.path, copy, symlinks=True)
    try:
        git, said = ("git", "-C", copy), os.environ | ENGLISH
        completed = subprocess.run(
            [*git, "add", "--all"], check=True, capture_output=True, env=said
        )
        done = subprocess.run([*git, "write-tree"], check=True, capture_output=True)
        return "" if b"Too many levels" in completed.stderr else done.stdout.decode().strip()
    finally:
        shutil.rmtree(copy)


def files_of_dot_git(repo: Repo) -> dict[str, tuple[bytes, int]]:
    """Returns every file in .git with its contents and modification time."""
    folder = repo.path / ".git"
    files = (path for path in folder.rglob("*") if path.is_file())
    return {os.fspath(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def contents(tree: WorkingTree) -> dict[str, bytes | str]:
    """Returns the content or skip reason of each file."""
    entries = tree.entries()
    found: dict[str, bytes | str] = {entry.path: entry.skip for entry in entries if entry.skip}
    read = tree.read([entry for entry in entries if not entry.skip])
    return found | {entry.path: text for entry, text in read}


def test_unchanged_working_tree_has_the_tree_of_head(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "src/b.py": "b = 1\n"})
    tree, head = read_working_tree(repo), Commit(repo.path)
    assert (tree.commit, tree.root_tree_id, tree.rules_digest) == (
        head.commit,
        head.root_tree_id,
        head.rules_digest,
    )
    assert tree.working_tree_id == ""
    assert tree.entries() == head.entries()


def test_edited_new_and_deleted_files_are_those_on_disk(repo: Repo) -> None:
    head = repo.commit({"a.py": "a = 1\n", "b.py": "b = 1\n", ".gitignore": "*.log\n"})
    repo.write({"a.py": "a = 2\n", "b.py": None, "new/c.py": "c = 3\n", "x.log": "no\n"})
    tree = read_working_tree(repo)
    assert tree.commit == head
    assert tree.root_tree_id == tree.working_tree_id == tree_by_git_add(repo)
    there = {"a.py": b"a = 2\n", "new/c.py": b"c = 3\n", ".gitignore": b"*.log\n"}
    assert contents(tree) == there


def test_repository_is_not_changed(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "b.py": "b = 1\n", "c/d.py": "d = 1\n"})
    repo.write({"a.py": "a = 2\n", "b.py": None, "new.py": "n = 1\n"})
    os.utime(repo.path / "c" / "d.py", (1, 1))  # touched, and the same
    before = files_of_dot_git(repo)
    read_working_tree(repo)
    repo.write({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    read_working_tree(repo)
    assert files_of_dot_git(repo) == before
    assert repo.git("status", "--short") == "?? new.py"


def test_newly_ignored_file_is_left_out(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.write({"env/lib.py": "l = 1\n"})
    assert set(contents(read_working_tree(repo))) == {"a.py", "env/lib.py"}
    repo.write({"env/.gitignore": "*\n"})  # which ignores itself too, as that of venv
    assert read_working_tree(repo).working_tree_id == ""


def test_restored_file_is_seen(repo: Repo) -> None:
    """After a folder of its name, and through a link to an equal one."""
    repo.commit({"a.py": "a = 1\n", "d/b.py": "b = 1\n"})
    age_git_index(repo)
    repo.write({"a.py": None, "d/b.py": None})
    assert contents(read_working_tree(repo)) == {}
    repo.write({"a.py/c.py": "c = 1\n", "e/b.py": "b = 2\n"})
    (repo.path / "d").rmdir()
    (repo.path / "d").symlink_to("e")
    there: dict[str, bytes | str] = {"d": SkipReason.SYMLINK, "e/b.py": b"b = 2\n"}
    assert contents(read_working_tree(repo)) == {"a.py/c.py": b"c = 1\n", **there}
    repo.write({"a.py/c.py": None})
    (repo.path / "a.py").rmdir()
    repo.write({"a.py": "a = 2\n"})
    assert contents(read_working_tree(repo)) == {"a.py": b"a = 2\n", **there}


def test_large_file_is_not_read(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "grown.py": "g = 1\n"})
    for name in ("grown.py", "new.py"):
        with (repo.path / name).open("wb") as file:
            file.truncate(5_000_000_000)  # of holes: reading it would take many seconds
    tree = read_working_tree(repo)
    assert contents(tree) == {
        "a.py": b"a = 1\n",
        "grown.py": SkipReason.TOO_LARGE,
        "new.py": SkipReason.TOO_LARGE,
    }
    assert read_working_tree(repo).root_tree_id == tree.root_tree_id
    repo.write({"grown.py": "g = 1\n", "new.py": None})
    assert read_working_tree(repo).working_tree_id == ""


def test_working_tree_before_the_first_commit(repo: Repo) -> None:
    repo.write({"a.py": "a = 1\n"})
    tree = read_working_tree(repo)
    assert (tree.commit, contents(tree)) == ("", {"a.py": b"a = 1\n"})


def test_bare_repository_has_no_working_tree(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("clone", "-q", "--bare", repo.path.as_uri(), str(tmp_path / "bare"))
    with pytest.raises(UserError, match=r"has no working tree\. Index its HEAD with: feeder sync"):
        WorkingTree(tmp_path / "bare", tmp_path)


def test_files_behind_cyclic_links_are_deleted(repo: Repo) -> None:
    """git keeps them if the link is ignored, though nobody can read them."""
    repo.commit({"a.py": "a = 1\n", "d/a.py": "b = 1\n"})
    shutil.rmtree(repo.path / "d")
    (repo.path / "d").symlink_to("d")
    (repo.path / ".gitignore").write_text("*\n", "utf-8")
    assert tree_by_git_add(repo) == ""
    assert contents(read_working_tree(repo)) == {"a.py": b"a = 1\n"}


def damage_copy(file: Path, damage: str) -> None:
    """Damages the cached copy of git's index: digest, facts in JSON, then the index."""
    content = file.read_bytes()
    digest, facts, index = content.split(b"\n", 2)
    file.write_bytes(
        {
            "garbage": b"\xff" * len(content),
            "cut": content[: len(content) // 2],
            "empty": b"",
            "facts": content.replace(b'"missing": []', b'"missing": ["6162"]'),
            "flipped": digest + b"\n" + facts + b"\n" + index.replace(b"a.py", b"z.py"),
        }[damage]
    )


@pytest.mark.parametrize("damage", ["garbage", "cut", "empty", "facts", "flipped"])
def test_damaged_copy_of_the_index_is_made_again(repo: Repo, damage: str) -> None:
    repo.commit({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    repo.write({"b.py": "b = 2\n", "c.py": "c = 3\n"})
    age_git_index(repo)
    first = read_working_tree(repo)
    [file] = repo.path.with_name(f"{repo.path.name}-ours").glob("objects-*/index-*")
    damage_copy(file, damage)
    repo.write({"d.py": "d = 4\n"})
    assert contents(read_working_tree(repo)) == {
        "a.py": b"a = 1\n",
        "b.py": b"b = 2\n",
        "c.py": b"c = 3\n",
        "d.py": b"d = 4\n",
    }
    assert contents(first).keys() == {"a.py", "b.py", "c.py"}


def lose_objects(private: Path) -> None:
    for file in (private / ".git" / "objects").glob("??/*"):
        file.unlink()


def cut_objects(private: Path) -> None:
    for file in (private / ".git" / "objects").glob("??/*"):
        file.chmod(0o600)
        file.write_bytes(file.read_bytes()[:5])


def lose_head(private: Path) -> None:
    (private / ".git" / "HEAD").unlink()


def garble_size(private: Path) -> None:
    (private / "first").write_text("garbage", encoding="utf-8")


@pytest.mark.parametrize("damage", [lose_objects, cut_objects, lose_head, garble_size])
def test_damaged_private_repository_is_replaced(repo: Repo, damage: Callable[[Path], None]) -> None:
    """The snapshot after it is right."""
    repo.commit({"a.py": "a = 1\n", "src/b.py": "b = 1\n"})
    repo.write({"src/b.py": "b = 2\n", "c.py": "c = 3\n"})
    age_git_index(repo)
    expected = contents(read_working_tree(repo))
    [private] = repo.path.with_name(f"{repo.path.name}-ours").glob("objects-*")
    damage(private)
    assert contents(read_working_tree(repo)) == expected
    repo.write({"d.py": "d = 4\n"})
    assert contents(read_working_tree(repo)) == expected | {"d.py": b"d = 4\n"}
