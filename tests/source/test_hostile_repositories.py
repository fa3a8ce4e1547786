"""What a repository of somebody else's cannot make git, or us, do."""

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
    """A program that leaves a trace; tells whether it has run."""
    trace = tmp_path / "it has run"
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\ntouch '{trace}'\n")
    program.chmod(0o755)
    return trace.exists


def test_no_program_of_the_settings_runs(
    repo: Repo, trap: Callable[[], bool], tmp_path: Path
) -> None:
    """A file system monitor and hooks are for git's own work, not for questions."""
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
def test_a_repository_that_a_commit_brings_is_none(
    repo: Repo, trap: Callable[[], bool], tmp_path: Path, place: str
) -> None:
    """A bare one is made of files alone: one among another's files is not asked anything."""
    repo.git("init", "-q", "--bare", "evil")
    for name, value in {"bare": "false", "worktree": "..", "fsmonitor": tmp_path / "trap"}.items():
        repo.git("config", "--file", "evil/config", f"core.{name}", str(value))
    with pytest.raises(UserError, match=r"evil is a bare repository inside the working tree of"):
        git.find_root(repo.path / place)
    assert not trap()
    assert git.find_root(repo.path) == repo.path.resolve()


def test_the_token_is_none_of_gits_business(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What git starts, such as a credential helper, does not inherit it."""
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
def test_a_revision_is_no_option(repo: Repo, revision: str) -> None:
    """What looks like one names no commit, as a base and as a head."""
    tip = repo.commit({"a": "x"})
    assert git.commit_id(repo.path, revision) is None
    said = f"The base {revision} is not in this repository, so every file of {tip} is listed. "
    assert (compute_deltas(repo.path, revision).note or "").startswith(said)
    with pytest.raises(UserError, match="There is no commit"):
        compute_deltas(repo.path, tip, revision)
    assert sorted(place.name for place in repo.path.iterdir()) == [".git", "a"]


@pytest.mark.parametrize(
    "file", [".git/config", ".GIT/config", "a/.git/hooks/x", ".git", "./.Git/x", ".git/"]
)
@pytest.mark.parametrize("action", ["process", "delete"])
def test_deltas_name_nothing_of_gits(file: str, action: str) -> None:
    """In no case of letters and at no depth: a commit holds no such name."""
    with pytest.raises(UserError, match=r"Entry 1 of the deltas is inside \.git"):
        parse_deltas(f'[{{"file": "{file}", "action": "{action}"}}]')


@pytest.mark.parametrize("file", ["a" * 300, "a/" * 3000 + "b", "a" * 200_000])
def test_a_delta_of_any_length(repo: Repo, file: str) -> None:
    """No file system has such a name: it is a file that is gone."""
    [delta] = parse_deltas(f'[{{"file": "{file}", "action": "process"}}]', repo.path)
    assert delta.file == file


def test_what_lies_behind_a_link_is_not_there(repo: Repo, tmp_path: Path) -> None:
    """A tracked folder whose place a link took: its files, and its rules, are another's."""
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


def test_rules_reach_no_further_than_their_folder(repo: Repo, tmp_path: Path) -> None:
    """Patterns that lead upwards, from the root or a drive, and what only looks like an include."""
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


def test_a_rule_file_behind_a_link_is_none(repo: Repo, tmp_path: Path) -> None:
    """Neither in a commit nor in a folder is a rule file read from elsewhere."""
    (tmp_path / "rules").write_text("*.py\n")
    repo.write({"a.py": "x"})
    (repo.path / ".feederignore").symlink_to(tmp_path / "rules")
    repo.commit()
    for tree in (Commit(repo.path), Folder(repo.path, [repo.path])):
        found = {entry.path: entry.skip for entry in tree.entries()}
        assert found == {".feederignore": "a symbolic link", "a.py": None}


def test_rules_that_take_too_long_are_refused() -> None:
    """One line of `*` would keep git busy for days; the run ends with a sentence."""
    with pytest.raises(UserError, match=r"more than 0\.5 s to evaluate .* \.feederignore"):
        exclusions.ignored_files([MANY], ".feederignore", {b".feederignore": SLOW}, timeout_s=0.5)
    rules = {b".gitattributes": SLOW.strip() + b" linguist-vendored\n"}
    with pytest.raises(UserError, match=r"more than 0\.5 s to evaluate .* \.gitattributes"):
        exclusions.attribute_values([MANY], ["linguist-vendored"], rules, timeout_s=0.5)


@pytest.mark.parametrize("folder", [b"a" * 300, b"dir/" * 1500 + b"x"])
def test_rules_in_a_folder_that_no_disk_holds_are_refused(repo: Repo, folder: bytes) -> None:
    """The sentence names the rule file by its beginning."""
    raw_commit(repo.path, {folder + b"/.feederignore": ("100644", b"x\n")})
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    with pytest.raises(UserError, match=r"The rule file '(aaaa|dir/).* cannot be copied"):
        Commit(repo.path).entries()


def test_rules_beside_a_file_of_their_folders_name_are_refused(repo: Repo) -> None:
    """git would check out one of the two."""
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x\n")
    inner = tree_of(repo, (b"100644", b".feederignore", blob))
    commit_tree(repo, (b"100644", b".feederignore", blob), (b"40000", b".feederignore", inner))
    with pytest.raises(UserError, match=r"The rule file '\.feederignore/\.feederignore' cannot"):
        Commit(repo.path).entries()


def test_a_name_that_a_commit_holds_twice(repo: Repo) -> None:
    """One of two files would hide the other: refused, as `git fsck` does, in any order."""
    one, two = (repo.git("hash-object", "-w", "--stdin", stdin=text) for text in (b"1", b"2"))
    commit_tree(repo, (b"100644", b"a", one), (b"100644", b"b", one), (b"100644", b"a", two))
    with pytest.raises(UserError, match="has the path 'a' twice, which git would not check out"):
        Commit(repo.path).entries()


def test_an_object_that_is_not_there(repo: Repo) -> None:
    """A commit may name what was never sent."""
    commit_tree(repo, (b"100644", b"a", "12" * 20))
    with pytest.raises(UserError, match=f"does not have the object {'12' * 20}"):
        Commit(repo.path).entries()


def tree_of(repo: Repo, *rows: tuple[bytes, bytes, str]) -> str:
    """A tree of exactly these rows, as git itself would not write it."""
    raw = b"".join(b"%b %b\0%b" % (mode, name, bytes.fromhex(id_)) for mode, name, id_ in rows)
    return repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)


def commit_tree(repo: Repo, *rows: tuple[bytes, bytes, str]) -> None:
    commit = repo.git("commit-tree", "-m", "a commit", tree_of(repo, *rows))
    repo.git("update-ref", "HEAD", commit)
