"""A hostile repository cannot make git or the program run code or read other files."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.source import exclusions, git
from feeder.source.deltas import compute_deltas, parse_deltas
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from source.repos import Repo, raw_commit

SLOW = b"*a" * 14 + b"*b\n"
"""A pattern that git tries in more ways than anybody can wait for, on a name of many a."""
MANY = b"a" * 200 + b".py"


@pytest.fixture
def trap(tmp_path: Path) -> Callable[[], bool]:
    """A program that leaves a file when it runs, and a check for it."""
    trace = tmp_path / "it has run"
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\ntouch '{trace}'\n")
    program.chmod(0o755)
    return trace.exists


def test_programs_in_git_settings_do_not_run(
    repo: Repo, trap: Callable[[], bool], tmp_path: Path
) -> None:
    """File system monitors and hooks."""
    base = repo.commit({"a.py": "x"})
    repo.commit({"b.py": "x", ".feederignore": "x\n", ".gitattributes": "* linguist-vendored\n"})
    (tmp_path / "hooks").mkdir()
    shutil.copy(tmp_path / "trap", tmp_path / "hooks" / "post-index-change")
    repo.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    repo.git("config", "core.fsmonitor", str(tmp_path / "trap"))

    Commit(repo.path).entries()
    Folder(repo.path, [repo.path]).entries()
    compute_deltas(repo.path, base, from_merge_base=True)
    assert not trap()


@pytest.mark.parametrize("place", ["evil", "evil/refs"])
def test_committed_bare_repository_is_not_used(
    repo: Repo, trap: Callable[[], bool], tmp_path: Path, place: str
) -> None:
    """It consists of plain files."""
    repo.git("init", "-q", "--bare", "evil")
    for name, value in {"bare": "false", "worktree": "..", "fsmonitor": tmp_path / "trap"}.items():
        repo.git("config", "--file", "evil/config", f"core.{name}", str(value))
    with pytest.raises(UserError, match=r"evil is a bare repository inside the working tree of"):
        git.find_root(repo.path / place)
    assert not trap()
    assert git.find_root(repo.path) == repo.path.resolve()


def test_git_does_not_inherit_the_token(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor its credential helpers."""
    repo.commit({"a": "x"})
    real = shutil.which("git")
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(f'#!/bin/sh\nenv >> "{tmp_path}/seen"\nexec "{real}" "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy.parent}{os.pathsep}{os.environ['PATH']}")
    for name in ("CLOUDFLARE_API_TOKEN", "FEEDER_API_KEY", "FEEDER_MODEL"):
        monkeypatch.setenv(name, "t0ken")

    tree = Commit(repo.path)
    list(tree.read(tree.entries()))
    assert "PATH=" in (tmp_path / "seen").read_text()
    assert "t0ken" not in (tmp_path / "seen").read_text()


@pytest.mark.parametrize(
    "revision", ["--upload-pack=touch x", "--output=x", "-x", "--exec=x", "a\0b", "HEAD --", "\n"]
)
def test_revision_is_never_an_option(repo: Repo, revision: str) -> None:
    """As base and as head."""
    tip = repo.commit({"a": "x"})
    assert git.commit_id(repo.path, revision) is None
    for base, head in ((revision, "HEAD"), (tip, revision)):
        with pytest.raises(UserError, match="There is no commit"):
            compute_deltas(repo.path, base, head)
    assert sorted(place.name for place in repo.path.iterdir()) == [".git", "a"]


@pytest.mark.parametrize(
    "file", [".git/config", ".GIT/config", "a/.git/hooks/x", ".git", "./.Git/x", ".git/"]
)
@pytest.mark.parametrize("action", ["process", "delete"])
def test_deltas_cannot_name_files_of_dot_git(file: str, action: str) -> None:
    """In any case and at any depth."""
    with pytest.raises(UserError, match=r"Entry 1 of the deltas is inside \.git"):
        parse_deltas(f'[{{"file": "{file}", "action": "{action}"}}]')


@pytest.mark.parametrize("file", ["a" * 300, "a/" * 3000 + "b", "a" * 200_000])
def test_too_long_path_in_deltas_is_a_deleted_file(repo: Repo, file: str) -> None:
    """No file system allows it."""
    [delta] = parse_deltas(f'[{{"file": "{file}", "action": "process"}}]', repo.path)
    assert delta.file == file


def test_files_behind_a_link_are_not_read(repo: Repo, tmp_path: Path) -> None:
    """If a link replaced a tracked folder, its files and rules are foreign."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("secret")
    (outside / ".feederignore").write_text("*\n")
    repo.commit({"src/deep/a.py": "x", "src/deep/.feederignore": "", "b.py": "x"})
    shutil.rmtree(repo.path / "src")
    (repo.path / "src").symlink_to(tmp_path)
    (tmp_path / "deep").symlink_to(outside)

    entries = Folder(repo.path, [repo.path]).entries()
    assert [(entry.path, entry.skip) for entry in entries] == [
        ("b.py", None),
        ("src", "a symbolic link"),
    ]


def test_rules_apply_only_below_their_folder(repo: Repo, tmp_path: Path) -> None:
    """For patterns with `..`, `/` or a drive."""
    (tmp_path / "outside").write_text("*.py\n")
    rules = ["../b.py", "/../b.py", f"{repo.path}/b.py", "..\\b.py", "..\\\\b.py", "\\b.py"]
    rules += [
        "C:/b.py",
        "C:\\b.py",
        "C:b.py",
        "\\\\host\\b.py",
        "../.git/config",
        ".git/../../b.py",
    ]
    rules += [f"include {tmp_path}/outside", f"@{tmp_path}/outside"]
    repo.commit({"src/.feederignore": "\n".join(rules), "src/a.py": "x", "b.py": "x"})
    found = {entry.path: entry.skip for entry in Commit(repo.path).entries()}
    assert found == {"b.py": None, "src/.feederignore": None, "src/a.py": None}


def test_rule_file_behind_a_link_is_ignored(repo: Repo, tmp_path: Path) -> None:
    """In commits and folders."""
    (tmp_path / "rules").write_text("*.py\n")
    repo.write({"a.py": "x"})
    (repo.path / ".feederignore").symlink_to(tmp_path / "rules")
    repo.commit()
    for tree in (Commit(repo.path), Folder(repo.path, [repo.path])):
        found = {entry.path: entry.skip for entry in tree.entries()}
        assert found == {".feederignore": "a symbolic link", "a.py": None}


def test_rules_that_take_too_long_are_refused() -> None:
    """One line of many `*` would take git days."""
    with pytest.raises(UserError, match=r"more than 0\.5 s to evaluate .* \.feederignore"):
        exclusions.ignored_files([MANY], ".feederignore", {b".feederignore": SLOW}, timeout_s=0.5)
    rules = {b".gitattributes": SLOW.strip() + b" linguist-vendored\n"}
    with pytest.raises(UserError, match=r"more than 0\.5 s to evaluate .* \.gitattributes"):
        exclusions.attribute_values([MANY], ["linguist-vendored"], rules, timeout_s=0.5)


@pytest.mark.parametrize("folder", [b"a" * 300, b"dir/" * 1500 + b"x"])
def test_rules_in_a_too_long_path_are_refused(repo: Repo, folder: bytes) -> None:
    """The error has the beginning of the path."""
    raw_commit(repo.path, {folder + b"/.feederignore": ("100644", b"x\n")})
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    with pytest.raises(UserError, match=r"The rule file '(aaaa|dir/).* cannot be copied"):
        Commit(repo.path).entries()


def test_file_and_folder_of_one_name_with_rules_are_refused(repo: Repo) -> None:
    """git would check out only one of them."""
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x\n")
    inner = tree_of(repo, (b"100644", b".feederignore", blob))
    commit_tree(repo, (b"100644", b".feederignore", blob), (b"40000", b".feederignore", inner))
    with pytest.raises(UserError, match=r"The rule file '\.feederignore/\.feederignore' cannot"):
        Commit(repo.path).entries()


def test_repeated_name_in_a_tree_is_refused(repo: Repo) -> None:
    """As by `git fsck`, in any order."""
    one, two = (repo.git("hash-object", "-w", "--stdin", stdin=text) for text in (b"1", b"2"))
    commit_tree(repo, (b"100644", b"a", one), (b"100644", b"b", one), (b"100644", b"a", two))
    with pytest.raises(UserError, match="has the path 'a' twice, which git would not check out"):
        Commit(repo.path).entries()


def test_missing_object_of_a_commit_is_an_error(repo: Repo) -> None:
    commit_tree(repo, (b"100644", b"a", "12" * 20))
    with pytest.raises(UserError, match=f"does not have the object {'12' * 20}"):
        Commit(repo.path).entries()


def tree_of(repo: Repo, *rows: tuple[bytes, bytes, str]) -> str:
    """Writes a tree of exactly these rows, which git itself would not write."""
    raw = b"".join(b"%b %b\0%b" % (mode, name, bytes.fromhex(id_)) for mode, name, id_ in rows)
    return repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)


def commit_tree(repo: Repo, *rows: tuple[bytes, bytes, str]) -> None:
    commit = repo.git("commit-tree", "-m", "a commit", tree_of(repo, *rows))
    repo.git("update-ref", "HEAD", commit)
