"""Facts about a repository, read from git."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.source import git, git_files
from source.repos import Repo


def test_root_of_a_path(repo: Repo) -> None:
    repo.write({"src/deep/a.py": "x"})
    for inside in (repo.path, repo.path / "src/deep", repo.path / "src/deep/a.py"):
        assert git.find_root(inside) == repo.path.resolve()


def test_root_of_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "x"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert git.find_root(tmp_path / "bare.git" / "refs") == (tmp_path / "bare.git").resolve()


def test_no_root_outside_git(tmp_path: Path) -> None:
    """It is no error."""
    assert git.find_root(tmp_path) is None


def test_root_with_any_name(tmp_path: Path) -> None:
    """With line ends and bytes that are not UTF-8."""
    repo = Repo(tmp_path / os.fsdecode(b"caf\xe9 \n"))
    assert git.find_root(repo.path) == repo.path.resolve()


def test_current_branch(repo: Repo) -> None:
    """Also before the first commit; none for a detached HEAD."""
    repo.git("checkout", "-q", "-b", 'feature/a";echo')
    assert git.current_branch(repo.path) == 'feature/a";echo'
    repo.commit({"a": "x"})
    repo.git("checkout", "-q", "--detach")
    assert git.current_branch(repo.path) is None


def test_default_branch(repo: Repo, tmp_path: Path) -> None:
    """A clone knows its origin's HEAD; other repositories do not."""
    repo.git("checkout", "-q", "-b", "release/trunk")
    repo.commit({"a": "x"})
    clone = repo.clone(tmp_path / "clone")
    assert git.default_branch(clone.path) == "release/trunk"
    assert git.default_branch(repo.path) is None


def test_repository_name(repo: Repo) -> None:
    """Owner and name from origin's URL, or none."""
    assert git.origin_slug(repo.path) is None
    repo.git("remote", "add", "origin", "https://user:s3cret@github.com/acme/shop.git")
    assert git.origin_slug(repo.path) == "acme/shop"


def test_shallow_clone_is_recognized(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "x"})
    repo.commit({"b": "x"})
    assert git.is_shallow(repo.clone(tmp_path / "one", "--depth=1").path)
    assert not git.is_shallow(repo.path)


@pytest.mark.parametrize("revision", ["nope", "", "--all", "-h", "0" * 40, "a b", "main:a", "@{u}"])
def test_unknown_revision_has_no_commit(repo: Repo, revision: str) -> None:
    repo.commit({"a": "x"})
    assert git.commit_id(repo.path, revision) is None


def test_revision_is_resolved(repo: Repo) -> None:
    """Branches, tags and short ids."""
    commit = repo.commit({"a": "x"})
    repo.git("tag", "-a", "-m", "one", "v1")
    for revision in ("HEAD", "main", "v1", commit[:8], commit):
        assert git.commit_id(repo.path, revision) == commit


def test_repository_of_another_user_is_an_error(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With git's own remedy."""
    real = shutil.which("git")
    distrusting = tmp_path / "bin" / "git"
    distrusting.parent.mkdir()
    distrusting.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "{real}" "$@"\n')
    distrusting.chmod(0o755)
    monkeypatch.setenv("PATH", str(distrusting.parent), prepend=os.pathsep)
    remedy = f"`git config --global --add safe.directory {repo.path}`"
    with pytest.raises(UserError, match="belongs to another user") as caught:
        git.head_ids(repo.path)
    assert str(caught.value).endswith(f"Allow it with {remedy}.")


def test_missing_git_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"git was not found\. Install it"):
        git.find_root(tmp_path)


def test_broken_repository_is_an_error(repo: Repo) -> None:
    """With git's reason."""
    repo.commit({"a": "x"})
    repo.write({".git/config": "[broken"})
    with pytest.raises(UserError, match=r"git failed in .* \(fatal: bad config line"):
        git.is_shallow(repo.path)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_blob_id_equals_gits(tmp_path: Path, object_format: str) -> None:
    """As from `git hash-object`."""
    repo = Repo(tmp_path / "repo", f"--object-format={object_format}")
    assert git.object_format(repo.path) == object_format
    for contents in (b"", b"hello\n", b"\0\xff" * 5_000):
        expected = repo.git("hash-object", "--stdin", stdin=contents)
        assert git.blob_id(contents, object_format) == expected


def test_tracked_files_at_a_path(repo: Repo, tmp_path: Path) -> None:
    """In any case, at this depth only; none outside of a working tree."""
    repo.commit({".feeder/a": "x", ".FEEDER/b": "x", "x/.feeder/c": "x", ".feeders": "x"})
    repo.write({".feeder/new": "x"})
    assert git_files.tracked_at(repo.path, ".feeder") == [b".FEEDER/b", b".feeder/a"]
    assert git_files.tracked_at(repo.clone(tmp_path / "bare", "--bare").path, ".feeder") == []
    assert git_files.tracked_at(tmp_path, ".feeder") == []


def test_tracked_files_are_listed_again_when_the_index_has_changed(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    assert git_files.tracked_at(repo.path, ".feeder") == []
    repo.commit({".feeder/index.db": "x"})
    assert git_files.tracked_at(repo.path, ".feeder") == [b".feeder/index.db"]
    repo.git("rm", "-q", "--cached", ".feeder/index.db")
    assert git_files.tracked_at(repo.path, ".feeder") == []


def test_files_by_name(repo: Repo) -> None:
    """In any folder, by the whole name; links are left out."""
    repo.commit({".noindex": "", "a/b/.noindex": "x", "c/my.noindex": "", "c/.noindex/d": ""})
    (repo.path / "e").mkdir()
    (repo.path / "e/.noindex").symlink_to("../.noindex")
    tip = repo.commit({})
    assert git_files.files_named(repo.path, tip, [b".noindex", b".none"]) == [
        (b".noindex", git.blob_id(b"", "sha1")),
        (b"a/b/.noindex", git.blob_id(b"x", "sha1")),
    ]


def test_checkout_has_the_ids_and_the_branch_of_head(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    checkout = git.read_checkout(repo.path)
    ids = repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD^{tree}")
    assert checkout == git.Checkout(repo.path, *ids, "main", git.repository_layout(repo.path))
    assert checkout.layout == git.RepositoryLayout(
        is_bare=False,
        object_format="sha1",
        objects=repo.path / ".git/objects",
        index_file=repo.path / ".git/index",
    )


def test_checkout_before_the_first_commit_has_a_branch_alone(repo: Repo) -> None:
    assert git.read_checkout(repo.path) == git.Checkout(repo.path, None, None, "main")


def test_checkout_with_a_detached_head_has_no_branch(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("checkout", "-q", "--detach")
    checkout = git.read_checkout(repo.path)
    assert checkout and (checkout.branch, checkout.commit) == (None, repo.git("rev-parse", "HEAD"))


def test_checkout_of_a_bare_repository_is_the_repository(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    checkout = git.read_checkout(tmp_path / "bare.git")
    assert checkout and checkout.root == tmp_path / "bare.git"
    assert checkout.tree == repo.git("rev-parse", "HEAD^{tree}")


def test_checkout_outside_of_git_is_none(tmp_path: Path) -> None:
    assert git.read_checkout(tmp_path) is None


def test_checkout_below_a_folder_with_a_line_break_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "two\nlines"
    folder.mkdir()
    other = Repo(folder)
    other.commit({"b/a.py": "a = 1\n"})
    checkout = git.read_checkout(folder / "b")
    assert checkout and checkout.root == folder


def test_branch_with_the_name_of_head_is_no_obstacle(repo: Repo) -> None:
    repo.commit({"HEAD": "a = 1\n"})
    repo.git("branch", "-q", "other")
    repo.git("update-ref", "refs/heads/HEAD", "HEAD")
    checkout = git.read_checkout(repo.path)
    assert checkout and checkout.branch == "main"


def _commits_seen(repo: Repo, path: Path) -> str | None:
    """HEAD as a server reads it, which has read it before."""
    git.head_commit_or_none(path)
    git.head_commit_or_none(path)
    before = git.head_commit_or_none(path)
    assert before == repo.git("rev-parse", "HEAD")
    return before


_MOVES_OF_HEAD = [
    ("commit", "-q", "--allow-empty", "-m", "another"),
    ("checkout", "-q", "-b", "other", "HEAD~1"),
    ("checkout", "-q", "--detach", "HEAD~1"),
    ("reset", "-q", "--hard", "HEAD~1"),
]


@pytest.mark.parametrize("change", _MOVES_OF_HEAD)
def test_moved_head_is_noticed_after_the_checkout_was_read(
    repo: Repo, change: tuple[str, ...]
) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.commit({"a.py": "a = 2\n"})
    before = git.read_checkout(repo.path)
    repo.git(*change)
    after = git.head_commit_or_none(repo.path)
    assert before and after == repo.git("rev-parse", "HEAD") != before.commit


@pytest.mark.parametrize("detached", [False, True])
def test_checkout_that_was_read_shows_head_without_git(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, *, detached: bool
) -> None:
    repo.commit({"a.py": "a = 1\n"})
    if detached:
        repo.git("checkout", "-q", "--detach")
    commit = repo.git("rev-parse", "HEAD")
    git.read_checkout(repo.path)
    monkeypatch.setenv("PATH", "")
    assert git.head_commit_or_none(repo.path) == commit


@pytest.mark.parametrize("change", _MOVES_OF_HEAD)
def test_moved_head_is_noticed(repo: Repo, change: tuple[str, ...]) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.commit({"a.py": "a = 2\n"})
    before = _commits_seen(repo, repo.path)
    repo.git(*change)
    after = git.head_commit_or_none(repo.path)
    assert after == repo.git("rev-parse", "HEAD")
    assert after != before


@pytest.mark.parametrize("options", [(), ("--ref-format=reftable",)])
def test_moved_head_is_noticed_among_packed_refs(tmp_path: Path, options: tuple[str, ...]) -> None:
    try:
        repo = Repo(tmp_path / "packed", *options)
    except subprocess.CalledProcessError:
        pytest.skip("this git has no reftable")
    repo.commit({"a.py": "a = 1\n"})
    repo.git("pack-refs", "--all")
    before = _commits_seen(repo, repo.path)
    repo.git("commit", "-q", "--allow-empty", "-m", "another")
    repo.git("pack-refs", "--all")
    after = git.head_commit_or_none(repo.path)
    assert after == repo.git("rev-parse", "HEAD")
    assert after != before


def test_moved_head_of_a_worktree_is_noticed(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    before = _commits_seen(side, side.path)
    side.commit({"a.py": "a = 2\n"})
    after = git.head_commit_or_none(side.path)
    assert after == side.git("rev-parse", "HEAD")
    assert after != before


def test_head_that_points_at_another_symbolic_ref_is_followed(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    before = _commits_seen(repo, repo.path)
    repo.git("commit", "-q", "--allow-empty", "-m", "another")
    assert git.head_commit_or_none(repo.path) == repo.git("rev-parse", "HEAD") != before


def test_unchanged_head_starts_git_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"a.py": "a = 1\n"})
    before = _commits_seen(repo, repo.path)
    monkeypatch.setenv("PATH", "")
    assert git.head_commit_or_none(repo.path) == before


def test_worktree_whose_main_folder_has_moved(repo: Repo, tmp_path: Path) -> None:
    """It is not taken for a folder outside of git; the remedy works."""
    repo.commit({"a": "x"})
    linked, moved = tmp_path / "linked tree", tmp_path / "moved"
    repo.git("worktree", "add", "-q", "--detach", str(linked))
    repo.path.rename(moved)
    with pytest.raises(UserError) as error:
        git.find_root(linked)
    assert str(error.value) == (
        f"The .git file of {linked} names {repo.path}/.git/worktrees/linked-tree, which does not "
        "exist. If its main folder has moved, run there: git worktree repair "
        f"'{linked}'"
    )
    Repo(moved).git("worktree", "repair", str(linked))
    assert git.find_root(linked) == linked
