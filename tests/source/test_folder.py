"""The files of a folder or working tree."""

import os
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.source import Entry, Tree
from feeder.source.folder import Folder, common_base
from feeder.source.git_trees import Commit
from source.repos import Repo

HELLO = "ce013625030ba8dba906f756967f9e9ca394464a"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder outside of git."""
    folder = tmp_path / "plain"
    folder.mkdir()
    return folder


def fill(folder: Path, *paths: str, text: str = "hello\n") -> None:
    for path in paths:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def paths(tree: Tree) -> list[str]:
    return [entry.path for entry in tree.entries()]


def test_clean_checkout_equals_its_commit(repo: Repo) -> None:
    """In paths, blob ids, sizes and reasons."""
    repo.write({b"caf\xe9 \n.md": "hello\n"})
    repo.write({".feederignore": "*.log\n", "a.log": "", "s/.env": "", "yarn.lock": ""})
    repo.write({"gen/.gitattributes": "*.py linguist-generated\n", "gen/a.py": ""})
    commit = repo.commit({"src/a.py": "hello\n", "n/.noindex": "", "big.txt": "x" * 2_000_000})
    folder: Tree = Folder(repo.path, [repo.path])
    tree = Commit(repo.path)
    assert folder.commit == commit
    assert folder.rules_digest == tree.rules_digest
    assert [entry._replace(blob="") for entry in folder.entries()] == [
        entry._replace(blob="") for entry in tree.entries()
    ]
    stored = [entry for entry in tree.entries() if not entry.skip]
    assert [entry for entry in folder.entries() if not entry.skip] == stored
    assert list(folder.read(stored)) == list(tree.read(stored))


def test_new_and_changed_files_are_listed(repo: Repo) -> None:
    """Deleted and ignored ones are not."""
    repo.commit({"changed.txt": "old", "gone.txt": "x", ".gitignore": "*.tmp\n", "kept.tmp": "x"})
    repo.write({"changed.txt": "hello\n", "gone.txt": None, "new.txt": "hello\n", "b.tmp": "x"})
    folder = Folder(repo.path, [repo.path])
    assert paths(folder) == [".gitignore", "changed.txt", "kept.tmp", "new.txt"]
    assert folder.entries()[1] == Entry("changed.txt", HELLO, 6, None)


def test_only_given_paths_are_listed(repo: Repo) -> None:
    """Relative to the repository's root."""
    repo.write(dict.fromkeys(["src/a.py", "src/deep/b.py", "docs/c.md", "*.py", "x.py"], "hello\n"))
    named = [repo.path / "src", repo.path / "src/a.py", repo.path / "*.py"]
    assert paths(Folder(repo.path, named)) == ["*.py", "src/a.py", "src/deep/b.py"]


@pytest.mark.parametrize("folder", ["*", ":!x", "-x"])
def test_paths_are_no_patterns(repo: Repo, folder: str) -> None:
    """Nor git options."""
    repo.write(dict.fromkeys([f"{folder}/a.py", "x/b.py", "y/c.py"], "hello\n"))
    assert paths(Folder(repo.path, [repo.path / folder])) == [f"{folder}/a.py"]


def test_given_file_is_listed_although_gitignored(repo: Repo) -> None:
    """But not one that may contain secrets."""
    repo.write({".gitignore": "*\n", "notes.tmp": "hello\n", ".env": "PASSWORD=1\n"})
    folder = Folder(repo.path, [repo.path / "notes.tmp", repo.path / ".env"])
    assert folder.entries() == [
        Entry(".env", "", 11, "a name that suggests secrets"),
        Entry("notes.tmp", HELLO, 6, None),
    ]


@pytest.mark.parametrize("path", [".git", ".git/config", "inner/.git/config"])
def test_files_in_dot_git_are_refused(repo: Repo, path: str) -> None:
    """.git/config may contain a password."""
    Repo(repo.path / "inner")
    with pytest.raises(UserError, match=r"is inside \.git"):
        Folder(repo.path, [repo.path / path])


def test_rules_above_a_given_folder_apply(repo: Repo) -> None:
    """Rule files between it and the root, and .noindex."""
    repo.write({".feederignore": "*.log\n", "a/b/x.log": "x", "a/b/x.py": "x"})
    assert [e.skip for e in Folder(repo.path, [repo.path / "a/b"]).entries()] == [
        "excluded by .feederignore",
        None,
    ]
    repo.write({"a/.noindex": ""})
    assert {e.skip for e in Folder(repo.path, [repo.path / "a/b"]).entries()} == {
        "in a folder with .noindex"
    }


def test_symbolic_links_are_skipped(repo: Repo, tmp_path: Path) -> None:
    fill(tmp_path, "outside/secret.txt")
    repo.path.joinpath("folder").symlink_to(tmp_path / "outside")
    repo.path.joinpath("file").symlink_to(tmp_path / "outside/secret.txt")
    found = {entry.path: entry.skip for entry in Folder(repo.path, [repo.path]).entries()}
    assert found == {"folder": "a symbolic link", "file": "a symbolic link"}


def test_pipe_is_skipped(repo: Repo) -> None:
    """Reading it would never end."""
    os.mkfifo(repo.path / "pipe")
    folder = Folder(repo.path, [repo.path / "pipe"])
    assert [entry.skip for entry in folder.entries()] == ["not a regular file"]


def test_nested_repository_is_skipped(repo: Repo) -> None:
    """It is one entry."""
    inner = Repo(repo.path / "inner")
    inner.commit({"a.py": "x"})
    entries = Folder(repo.path, [repo.path]).entries()
    assert entries[0].path == "inner"
    assert entries[0].skip == "a submodule or a repository of its own"


def test_repository_without_a_commit(repo: Repo) -> None:
    """Its files are listed."""
    repo.write({"a.py": "hello\n"})
    folder = Folder(repo.path, [repo.path])
    assert (folder.commit, folder.root_tree_id, paths(folder)) == ("", "", ["a.py"])


def test_sha256_repository(tmp_path: Path) -> None:
    """Blob ids have its hash."""
    repo = Repo(tmp_path / "repo", "--object-format=sha256")
    repo.commit({"a.py": "hello\n"})
    assert Folder(repo.path, [repo.path]).entries() == Commit(repo.path).entries()


def test_folder_outside_git(plain: Path) -> None:
    """Its files except those that its .gitignore files exclude."""
    fill(plain, "src/a.py", "src/skip.tmp", "src/keep.tmp", "node_modules/x.js", "b.py")
    plain.joinpath(".gitignore").write_text("node_modules/\n*.tmp\n")
    plain.joinpath("src/.gitignore").write_text("!keep.tmp\n")
    plain.joinpath(".feederignore").write_text("b.py\n")
    folder = Folder(plain, [plain])
    assert folder.commit == ""
    assert {entry.path: entry.skip for entry in folder.entries()} == {
        ".feederignore": None,
        ".gitignore": None,
        "b.py": "excluded by .feederignore",
        "src/.gitignore": None,
        "src/a.py": None,
        "src/keep.tmp": None,
    }
    assert Entry("src/a.py", HELLO, 6, None) in folder.entries()


def test_folder_outside_git_is_not_changed(plain: Path) -> None:
    fill(plain, "a.py")
    Folder(plain, [plain]).entries()
    assert [place.name for place in plain.iterdir()] == ["a.py"]


def test_paths_may_contain_dots(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """`.` and `..`."""
    repo.write(dict.fromkeys(["a/x.py", "b/y.py"], "hello\n"))
    monkeypatch.chdir(repo.path / "a")
    assert paths(Folder(repo.path, [Path()])) == ["a/x.py"]
    assert paths(Folder(repo.path, [Path("../b"), Path("x.py")])) == ["a/x.py", "b/y.py"]


def test_base_folder_may_be_a_link(repo: Repo, tmp_path: Path) -> None:
    repo.write({"a/x.py": "hello\n"})
    link = tmp_path / "link"
    link.symlink_to(repo.path)
    base = common_base([link / "a"])
    assert base == repo.path.resolve()
    assert paths(Folder(base, [link, link / "a/x.py"])) == ["a/x.py"]


def test_missing_path_is_an_error(repo: Repo) -> None:
    with pytest.raises(UserError, match=r"missing\.py does not exist"):
        Folder(repo.path, [repo.path / "missing.py"])


def test_path_outside_the_base_is_refused(repo: Repo, tmp_path: Path) -> None:
    """Also through a link."""
    fill(tmp_path, "beside/a.py")
    repo.path.joinpath("link").symlink_to(tmp_path / "beside")
    for outside in (tmp_path / "beside/a.py", repo.path / "link/a.py", repo.path / "link"):
        with pytest.raises(UserError, match="is outside of"):
            Folder(repo.path, [outside])


def test_file_changed_while_reading(repo: Repo) -> None:
    """Its blob id is that of the new content; a deleted file has a reason."""
    repo.write({"a.py": "old", "b.py": "old"})
    folder = Folder(repo.path, [repo.path])
    listed = folder.entries()
    repo.write({"a.py": "hello\n", "b.py": None})
    assert list(folder.read(listed)) == [
        (Entry("a.py", HELLO, 6, None), b"hello\n"),
        (listed[1]._replace(skip="cannot be read"), b""),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_skipped(repo: Repo) -> None:
    """An unreadable rule file is an error, since it may exclude files."""
    repo.write({"a.py": "x", ".feederignore": "x"})
    repo.path.joinpath("a.py").chmod(0)
    assert Folder(repo.path, [repo.path]).entries()[1] == Entry("a.py", "", 1, "cannot be read")
    repo.path.joinpath(".feederignore").chmod(0)
    with pytest.raises(UserError, match=r"rule file .*\.feederignore cannot be read .*Make it"):
        Folder(repo.path, [repo.path]).entries()


def test_base_of_paths(repo: Repo, plain: Path) -> None:
    """The root in git, else the common folder."""
    repo.write({"a/b/c.py": "x"})
    fill(plain, "a/b/c.py", "a/d.py")
    assert common_base([repo.path / "a/b/c.py"]) == repo.path.resolve()
    assert common_base([plain / "a/b/c.py"]) == plain.resolve() / "a/b"
    assert common_base([plain / "a/b/c.py", plain / "a/d.py"]) == plain.resolve() / "a"
    assert common_base([plain / "a"]) == plain.resolve() / "a"
