"""The working tree in each kind of checkout, and files that are difficult for git."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from feeder.source import SkipReason, snapshot, snapshot_cache, staging
from source.repos import Repo
from source.test_working_tree import (
    age_git_index,
    contents,
    files_of_dot_git,
    read_working_tree,
    tree_by_git_add,
)

pytestmark = pytest.mark.slow

PYTHON = f"'{sys.executable}'"
SHOUT = f"{PYTHON} -c 'import sys; sys.stdout.write(sys.stdin.read().upper())'"
ALLOWED = ("-c", "protocol.file.allow=always")


@pytest.fixture(autouse=True)
def _patient_with_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python starts slowly as a filter on a busy machine."""
    monkeypatch.setattr(staging, "FILTER_TIMEOUT_S", 60.0)
    monkeypatch.setattr(staging, "ALL_FILTERS_TIMEOUT_S", 120.0)


def filtered(repo: Repo, clean: str, *, required: bool = True) -> None:
    """Sets up a filter for *.f after the first commit of such files."""
    repo.git("config", "filter.own.clean", clean)
    repo.git("config", "filter.own.required", str(required).lower())


def test_linked_worktree_has_its_own_index(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    repo.write({"a.py": "a = 2\n"})
    linked = Repo(tmp_path / "linked")
    before = files_of_dot_git(repo)
    assert read_working_tree(linked).working_tree_id == ""
    linked.write({"b.py": "b = 1\n"})
    assert contents(read_working_tree(linked)) == {"a.py": b"a = 1\n", "b.py": b"b = 1\n"}
    assert contents(read_working_tree(repo)) == {"a.py": b"a = 2\n"}
    assert files_of_dot_git(repo) == before


def test_submodules_and_nested_repositories_are_not_read(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit({"o.py": "o = 1\n"})
    repo.git(*ALLOWED, "submodule", "add", "-q", other.path.as_uri(), "sub")
    repo.commit({"a.py": "a = 1\n"})
    assert read_working_tree(repo).working_tree_id == ""
    Repo(repo.path / "inside").commit({"i.py": "i = 1\n"})
    Repo(repo.path / "empty")
    found = read_working_tree(repo)
    kept_out = dict.fromkeys(("sub", "inside", "empty"), SkipReason.SUBMODULE)
    assert {path: why for path, why in contents(found).items() if path in kept_out} == kept_out
    Repo(repo.path / "inside").commit({"i.py": "i = 2\n"})
    assert read_working_tree(repo).root_tree_id == found.root_tree_id


def test_missing_submodule_is_that_of_the_commit(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit({"o.py": "o = 1\n"})
    repo.git(*ALLOWED, "submodule", "add", "-q", other.path.as_uri(), "sub")
    repo.commit()
    assert read_working_tree(repo.clone(tmp_path / "clone")).working_tree_id == ""


@pytest.mark.parametrize("options", [(), ("--sparse-index",)])
def test_files_outside_a_sparse_checkout_are_those_of_head(
    repo: Repo, options: tuple[str, ...]
) -> None:
    repo.commit({"in/a.py": "a = 1\n", "out/b.py": "b = 1\n", "c.py": "c = 1\n"})
    repo.git("sparse-checkout", "set", "--cone", *options, "in")
    assert not (repo.path / "out").exists()
    assert read_working_tree(repo).working_tree_id == ""
    repo.write({"in/a.py": "a = 2\n"})
    there = {"in/a.py": b"a = 2\n", "out/b.py": b"b = 1\n", "c.py": b"c = 1\n"}
    assert contents(read_working_tree(repo)) == there


def test_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.commit({"b.py": "b = 1\n"})
    shallow = repo.clone(tmp_path / "shallow", "--depth=1")
    assert read_working_tree(shallow).working_tree_id == ""
    shallow.write({"b.py": "b = 2\n"})
    assert contents(read_working_tree(shallow)) == {"a.py": b"a = 1\n", "b.py": b"b = 2\n"}


def test_unfinished_rebase_has_the_files_on_disk(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "gone.py": "g = 1\n"})
    repo.git("checkout", "-q", "-b", "ours")
    repo.commit({"a.py": "a = 2\n", "gone.py": "g = 2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a.py": "a = 3\n", "gone.py": None})
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("rebase", "main", "ours")
    repo.write({"gone.py": None})
    tree = read_working_tree(repo)
    assert contents(tree) == {"a.py": (repo.path / "a.py").read_bytes()}
    assert b"<<<<<<<" in (repo.path / "a.py").read_bytes()
    assert tree.root_tree_id == tree_by_git_add(repo)
    assert repo.git("ls-files", "--unmerged")


def test_assume_unchanged_files_are_those_of_the_index(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    repo.git("update-index", "--assume-unchanged", "a.py")
    repo.git("update-index", "--skip-worktree", "b.py")
    repo.write({"a.py": "a = 2\n", "b.py": None})
    assert (
        read_working_tree(repo).root_tree_id
        == tree_by_git_add(repo)
        == repo.git("rev-parse", "HEAD^{tree}")
    )


def test_edit_of_the_same_size_and_second_is_seen(repo: Repo) -> None:
    repo.commit({"a.py": "a = 0\n"})
    read_working_tree(repo)
    for digit in range(1, 10):  # faster than a second: the stat tells nothing
        repo.write({"a.py": f"a = {digit}\n"})
        assert contents(read_working_tree(repo)) == {"a.py": f"a = {digit}\n".encode()}


def test_git_index_of_the_same_second_is_not_trusted(repo: Repo) -> None:
    repo.write({"a.py": "a = 1\n"})
    repo.git("add", "a.py")
    repo.git("commit", "-q", "-m", "a commit")
    repo.write({"a.py": "a = 2\n"})
    assert contents(read_working_tree(repo)) == {"a.py": b"a = 2\n"}


def test_file_changed_while_reading_is_seen_by_the_next_read(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "x.f": "x\n", ".gitattributes": "*.f filter=own\n"})
    change = "open('a.py', 'w').write('a = 3\\n')"
    filtered(repo, f'{PYTHON} -c "import sys; {change}; sys.stdout.write(sys.stdin.read())"')
    repo.write({"a.py": "a = 2\n", "x.f": "y\n"})
    assert contents(read_working_tree(repo))["a.py"] == b"a = 2\n"  # read before its filter was
    assert contents(read_working_tree(repo))["a.py"] == b"a = 3\n"


@pytest.mark.parametrize("setting", ["true", "input"])
def test_line_ends_are_converted_like_git(repo: Repo, setting: str) -> None:
    repo.commit({"lf.py": "a = 1\n", "crlf.py": "b = 1\r\n"})
    repo.git("config", "core.autocrlf", setting)
    repo.git("config", "core.safecrlf", "true")
    repo.write({"lf.py": "a = 1\r\n", "crlf.py": "b = 2\r\n", "new.py": "c = 1\r\n"})
    tree = read_working_tree(repo)
    there = {"lf.py": b"a = 1\n", "crlf.py": b"b = 2\r\n", "new.py": b"c = 1\n"}
    assert contents(tree) == there


def test_filters_are_applied_like_git(repo: Repo) -> None:
    filtered(repo, SHOUT)
    repo.commit({"a.f": "one\n", "b.py": "b = 1\n", ".gitattributes": "*.f filter=own\n"})
    os.utime(repo.path / "a.f", (1, 1))
    assert read_working_tree(repo).working_tree_id == ""
    repo.write({"a.f": "two\n"})
    tree = read_working_tree(repo)
    assert contents(tree)["a.f"] == b"TWO\n"
    assert tree.root_tree_id == tree_by_git_add(repo)


@pytest.mark.parametrize(
    ("clean", "timeout_s"),
    [("false", 120.0), ("no-such-program-of-git", 120.0), ("sleep 900", 0.5)],
)
def test_failing_or_slow_filter_affects_only_its_file(
    repo: Repo, clean: str, timeout_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "ALL_FILTERS_TIMEOUT_S", timeout_s)
    repo.commit({"a.f": "one\n", "b.py": "b = 1\n", ".gitattributes": "*.f filter=own\n"})
    filtered(repo, clean)
    repo.write({"a.f": "two\n", "b.py": "b = 2\n", "c.f": "new\n"})
    tree = read_working_tree(repo)
    found = contents(tree)
    assert (found["a.f"], found["c.f"]) == (SkipReason.FILTER_FAILED, SkipReason.FILTER_FAILED)
    assert found["b.py"] == b"b = 2\n"
    monkeypatch.setattr(staging, "ALL_FILTERS_TIMEOUT_S", 120.0)
    repo.git("config", "filter.own.clean", SHOUT)
    assert contents(read_working_tree(repo))["c.f"] == b"NEW\n"


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="the test needs os.waitid")
def test_no_process_is_killed_after_its_end_is_known(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its id may be that of another process then: the timeout passes just as git ends."""
    end, kill = vars(subprocess.Popen)["_handle_exitstatus"], os.killpg
    late: list[int] = []

    def end_slowly(self: subprocess.Popen[bytes], *arguments: int) -> None:
        time.sleep(1.5)
        end(self, *arguments)

    def kill_or_note(group: int, number: int) -> None:
        try:
            os.waitid(os.P_PID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            late.append(group)
        else:
            kill(group, number)

    repo.commit({"a.f": "one\n", ".gitattributes": "*.f filter=own\n"})
    filtered(repo, "cat")
    monkeypatch.setattr(staging, "ALL_FILTERS_TIMEOUT_S", 1.0)
    monkeypatch.setattr(subprocess.Popen, "_handle_exitstatus", end_slowly)
    monkeypatch.setattr(os, "killpg", kill_or_note)
    repo.write({"a.f": "two\n"})
    read_working_tree(repo)
    assert late == []


def test_failed_filter_is_not_tried_at_each_read(repo: Repo) -> None:
    repo.commit({".gitattributes": "*.f filter=own\n"})
    filtered(repo, "echo tried >> ../tried; false")
    repo.write({"a.f": "one\n"})
    age_git_index(repo)
    read_working_tree(repo)
    tried = (repo.path.parent / "tried").read_text("utf-8")
    assert read_working_tree(repo).root_tree_id == read_working_tree(repo).root_tree_id
    assert (repo.path.parent / "tried").read_text("utf-8") == tried
    repo.write({"a.f": "other\n"})
    read_working_tree(repo)
    assert (repo.path.parent / "tried").read_text("utf-8") != tried


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_special_files_are_not_opened(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    repo.write({"a.py": None})
    os.mkfifo(repo.path / "a.py")
    os.mkfifo(repo.path / "new.py")
    assert contents(read_working_tree(repo)) == {"a.py": SkipReason.SPECIAL, "b.py": b"b = 1\n"}


def test_encoding_error_affects_only_its_file(repo: Repo) -> None:
    repo.commit({".gitattributes": "*.u working-tree-encoding=UTF-16\n"})
    repo.write({"a.u": b"odd", "b.py": b"b = 1\n", "c.py": b"c = 1\n"})
    found = contents(read_working_tree(repo))
    assert (found["a.u"], found["b.py"], found["c.py"]) == (
        SkipReason.UNREADABLE,
        b"b = 1\n",
        b"c = 1\n",
    )


def test_programs_of_the_repository_do_not_run(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n", "utf-8")
    program.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(program))
    (repo.path / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (repo.path / ".git" / "hooks" / hook).symlink_to(program)
    repo.write({"a.py": "a = 2\n", "b.py": "b = 1\n"})
    assert contents(read_working_tree(repo)) == {"a.py": b"a = 2\n", "b.py": b"b = 1\n"}
    assert not (tmp_path / "started").exists()


def test_file_system_monitor_is_not_trusted(repo: Repo, tmp_path: Path) -> None:
    monitor = tmp_path / "monitor"
    monitor.write_text("#!/bin/sh\nprintf 'token\\0'\n", "utf-8")  # nothing has changed, ever
    monitor.chmod(0o755)
    repo.commit({"a.py": "a = 1\n"})
    repo.git("config", "core.fsmonitor", str(monitor))
    repo.git("update-index", "--fsmonitor")
    repo.git("status")
    time.sleep(1.1)  # git believes a monitor of an index that is no newer than the file
    repo.git("status")
    repo.write({"a.py": "a = 2\n"})
    assert contents(read_working_tree(repo)) == {"a.py": b"a = 2\n"}


def test_split_index_is_not_changed(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.git("update-index", "--split-index")
    repo.git("config", "core.splitIndex", "true")
    repo.commit({"b.py": "b = 1\n"})
    repo.write({"a.py": "a = 2\n"})
    before = {name: text for name, (text, _) in files_of_dot_git(repo).items()}
    assert contents(read_working_tree(repo)) == {"a.py": b"a = 2\n", "b.py": b"b = 1\n"}
    assert {name: text for name, (text, _) in files_of_dot_git(repo).items()} == before


def test_concurrent_reads_see_the_same(repo: Repo) -> None:
    repo.commit({f"{number}.py": f"n = {number}\n" for number in range(30)})
    repo.write({f"{number}.py": f"m = {number}\n" for number in range(10, 50)})
    with ThreadPoolExecutor(4) as several:
        roots = {tree.root_tree_id for tree in several.map(read_working_tree, [repo] * 8)}
    assert roots == {tree_by_git_add(repo)}


def test_moved_repository(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.write({"b.py": "b = 1\n"})
    read_working_tree(repo)
    repo.path.rename(tmp_path / "moved")
    repo.path.with_name("repo-ours").rename(tmp_path / "moved-ours")
    assert contents(read_working_tree(Repo(tmp_path / "moved"))) == {
        "a.py": b"a = 1\n",
        "b.py": b"b = 1\n",
    }


def test_partial_clone_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    """Missing objects are skipped, and the rest is read."""
    rules = {"out/.gitattributes": "*.py linguist-generated\n", "out/b.py": "b = 1\n"}
    repo.commit({"in/a.py": "a = 1\n", **rules})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--sparse")
    clone.git("sparse-checkout", "set", "in")
    clone.write({"in/a.py": "a = 2\n"})
    before = files_of_dot_git(clone)
    absent = {"out/.gitattributes": SkipReason.NOT_FETCHED, "out/b.py": SkipReason.NOT_FETCHED}
    assert contents(read_working_tree(clone)) == {"in/a.py": b"a = 2\n", **absent}
    assert files_of_dot_git(clone) == before


def test_large_object_cache_is_discarded(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an hour, so that concurrent readers can finish."""
    monkeypatch.setattr(snapshot_cache, "MAX_OBJECT_BYTES", 10_000)
    monkeypatch.setattr(snapshot, "PRUNE_INTERVAL", 2)
    repo.commit({"a.py": "a = 1\n"})
    age_git_index(repo)
    place = repo.path.with_name("repo-ours")
    trees = []
    for _ in range(6):
        repo.write({"a.bin": os.urandom(9_000)})
        trees.append(read_working_tree(repo))
    first, *others = reversed(snapshot_cache.private_repositories(place))
    assert others
    assert contents(trees[0])["a.bin"] == SkipReason.BINARY
    assert snapshot_cache.repository_with_tree([first], trees[0].root_tree_id)
    os.utime(first / "used", (1, 1))
    for number in range(6):
        repo.write({"a.bin": os.urandom(9_000 + number)})
        read_working_tree(repo)
    assert first not in snapshot_cache.private_repositories(place)
    assert len(snapshot_cache.private_repositories(place)) < 8
