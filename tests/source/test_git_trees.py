"""The files of HEAD."""

import gc
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.errors import UserError
from feeder.source import Entry, Sizes, Tree
from feeder.source.git_trees import MAX_CHANGES, Commit
from source.repos import Repo, raw_commit

HELLO = "ce013625030ba8dba906f756967f9e9ca394464a"
"""git's id of "hello\\n", as `git hash-object` gives it."""


def contents(tree: Tree) -> dict[str, bytes]:
    return {entry.path: text for entry, text in tree.read(e for e in tree.entries() if not e.skip)}


def test_entries_are_the_files_of_head(repo: Repo) -> None:
    """With path, blob id and size, ordered by the bytes of names."""
    commit = repo.commit({"b.py": "hello\n", "a/b.py": "hello\n", "a.py": "", "é": "hello\n"})
    tree: Tree = Commit(repo.path)
    assert tree.commit == commit
    assert tree.root_tree_id == repo.git("rev-parse", "HEAD^{tree}")
    assert tree.entries() == [
        Entry("a.py", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", 0, None),
        Entry("a/b.py", HELLO, 6, None),
        Entry("b.py", HELLO, 6, None),
        Entry("é", HELLO, 6, None),
    ]


def test_any_file_name_is_listed_and_read(repo: Repo) -> None:
    """Spaces, quotes, line ends, dashes, wildcards and bytes that are not UTF-8."""
    names = [
        b"a b",
        b'q"q',
        b"l\ni",
        b"t\tb",
        b"-n",
        b"caf\xe9",
        b"\\",
        b"*",
        b":(top)",
        b"\xc3\xb6",
    ]
    paths = ["a b", 'q"q', "l\ni", "t\tb", "-n", r"caf\xe9", r"\x5c", "*", ":(top)", "ö"]
    names += [b"d \t/" + name for name in names]
    paths += ["d \t/" + path for path in paths]
    repo.commit({name: b"in " + name for name in names})
    expected = {path: b"in " + name for path, name in zip(paths, names, strict=True)}
    assert contents(Commit(repo.path)) == expected


def test_contents_are_read_in_the_requested_order(repo: Repo) -> None:
    """Including empty and repeated files."""
    repo.commit({"a": "one", "b": "", "c": "no end\nof line"})
    a, b, c = Commit(repo.path).entries()
    read = list(Commit(repo.path).read([c, b, a, c]))
    assert read == [(c, b"no end\nof line"), (b, b""), (a, b"one"), (c, b"no end\nof line")]


def children() -> set[str]:
    """Returns the child processes, including zombies."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {pid for task in tasks for pid in task.read_text().split()}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_reading_may_stop_early(repo: Repo) -> None:
    """No process is left."""
    repo.commit({f"{number}.txt": b"x" * 500_000 for number in range(9)})
    tree = Commit(repo.path)
    before = children()
    for _entry, _contents in tree.read(tree.entries()):
        break
    gc.collect()
    assert children() <= before


def test_uncommitted_changes_are_not_visible(repo: Repo) -> None:
    repo.commit({"kept.txt": "committed\n", "gone.txt": "committed\n"})
    repo.write(
        {"kept.txt": "changed\n", "new.txt": "new\n", ".feederignore": "*\n", "gone.txt": None}
    )
    repo.write({".gitattributes": "* linguist-generated\n"})
    repo.git("add", "new.txt", ".feederignore")
    tree = Commit(repo.path)
    assert contents(tree) == {"kept.txt": b"committed\n", "gone.txt": b"committed\n"}


def test_local_settings_do_not_change_contents(repo: Repo) -> None:
    """core.autocrlf and filters are for checkouts."""
    repo.commit({"a.txt": "one\ntwo\n"})
    repo.git("config", "core.autocrlf", "true")
    repo.write({".git/info/attributes": "* text eol=crlf linguist-generated"})
    assert contents(Commit(repo.path)) == {"a.txt": b"one\ntwo\n"}


def test_replaced_objects_are_not_visible(repo: Repo) -> None:
    """`git replace` is local."""
    repo.commit({"a.txt": "hello\n"})
    other = repo.git("hash-object", "-w", "--stdin", stdin=b"other\n")
    repo.git("replace", HELLO, other)
    assert contents(Commit(repo.path)) == {"a.txt": b"hello\n"}


def test_git_variables_of_a_hook_are_ignored(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR and GIT_INDEX_FILE."""
    repo.commit({"a.txt": "hello\n"})
    other = Repo(tmp_path / "other")
    other.commit({"b.txt": "hello\n"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    assert [entry.path for entry in Commit(repo.path).entries()] == ["a.txt"]


def test_links_and_submodules_are_skipped(repo: Repo) -> None:
    """With their reason."""
    target = repo.commit({"a.txt": "hello\n"})
    repo.path.joinpath("link").symlink_to("a.txt")
    repo.git("add", "link")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{target},vendor/lib")
    repo.git("commit", "-q", "-m", "both")
    found = {entry.path: (entry.skip, entry.size) for entry in Commit(repo.path).entries()}
    assert found == {
        "a.txt": (None, 6),
        "link": ("a symbolic link", 5),
        "vendor/lib": ("a submodule or a repository of its own", 0),
    }


def test_executable_files_are_files(repo: Repo) -> None:
    raw_commit(repo.path, {b"run": ("100755", b"hello\n")})
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    assert Commit(repo.path).entries() == [Entry("run", HELLO, 6, None)]


def test_detached_head_is_read(repo: Repo) -> None:
    first = repo.commit({"a.txt": "hello\n"})
    repo.commit({"b.txt": "hello\n"})
    repo.git("checkout", "-q", "--detach", first)
    assert (Commit(repo.path).commit, list(contents(Commit(repo.path)))) == (first, ["a.txt"])


@pytest.mark.parametrize("options", [["--bare"], ["--depth=1"], ["--no-checkout"]])
def test_clones_are_read(repo: Repo, tmp_path: Path, options: list[str]) -> None:
    """Bare, shallow and without a checkout."""
    repo.commit({".feederignore": "*.log\n"})
    repo.commit({"a.txt": "hello\n", "a.log": "x", ".gitattributes": "g.py linguist-generated"})
    repo.commit({"g.py": "x"})
    target = tmp_path / "clone"
    repo.git("clone", "-q", *options, repo.path.as_uri(), str(target))
    clone, original = Commit(target), Commit(repo.path)
    assert (clone.root_tree_id, clone.rules_digest) == (
        original.root_tree_id,
        original.rules_digest,
    )
    assert clone.entries() == original.entries()
    assert contents(clone) == contents(original)


def test_linked_worktree_has_its_own_head(repo: Repo, tmp_path: Path) -> None:
    """Also from a subfolder."""
    repo.commit({"src/a.txt": "hello\n"})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    repo.commit({"src/b.txt": "hello\n"})
    assert list(contents(Commit(tmp_path / "side" / "src"))) == ["src/a.txt"]


def test_sha256_repositories_are_read(tmp_path: Path) -> None:
    """With rule files."""
    repo = Repo(tmp_path / "repo", "--object-format=sha256")
    commit = repo.commit({"a.txt": "hello\n", ".gitattributes": "a.txt linguist-vendored"})
    tree = Commit(repo.path)
    assert (tree.commit, len(tree.root_tree_id)) == (commit, 64)
    assert tree.entries()[1] == Entry(
        "a.txt",
        "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4",
        6,
        "marked linguist-vendored",
    )


def test_empty_repository_is_an_error(repo: Repo) -> None:
    """With a remedy."""
    with pytest.raises(
        UserError, match=r"has no commit at HEAD\. Commit .*feeder sync --working-tree$"
    ):
        Commit(repo.path)


def test_branch_without_commits_is_an_error(repo: Repo) -> None:
    """Even if other branches have some."""
    repo.commit({"a.txt": "hello\n"})
    repo.git("checkout", "-q", "--orphan", "new")
    with pytest.raises(UserError, match="has no commit at HEAD"):
        Commit(repo.path)


def test_empty_commit_has_no_entries(repo: Repo) -> None:
    repo.commit()
    assert Commit(repo.path).entries() == []


def test_folder_outside_git_is_an_error(tmp_path: Path) -> None:
    """With a remedy."""
    remedy = "is not in a git repository. Change to a repository, or run `git init`"
    with pytest.raises(UserError, match=re.escape(remedy)):
        Commit(tmp_path)


def test_missing_object_is_an_error(repo: Repo) -> None:
    repo.commit({"a.txt": "hello\n"})
    tree = Commit(repo.path)
    entries = tree.entries()
    repo.path.joinpath(".git/objects", HELLO[:2], HELLO[2:]).unlink()
    with pytest.raises(UserError, match=rf"does not have the object {HELLO}\. Check it with"):
        list(tree.read(entries))


def test_path_with_dots_is_refused(repo: Repo) -> None:
    """A crafted commit may contain `..`."""
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x")
    inner = b"100644 .feederignore\0" + bytes.fromhex(blob)
    hash_object = ("hash-object", "-w", "-t", "tree", "--literally", "--stdin")
    inner_id = repo.git(*hash_object, stdin=inner)
    outer_id = repo.git(*hash_object, stdin=b"40000 ..\0" + bytes.fromhex(inner_id))
    commit = repo.git("commit-tree", "-m", "bad", outer_id)
    repo.git("update-ref", "HEAD", commit)
    with pytest.raises(UserError, match=r"has the path '\.\./\.feederignore'"):
        Commit(repo.path).entries()


PARTS = st.sampled_from([b"a", b"b.py", b"\xff", b" ", b"\n", b"-", "ö".encode()])
NAMES = st.lists(PARTS, min_size=1, max_size=3).map(b"/".join)
FILES = st.dictionaries(NAMES, st.binary(max_size=50), max_size=6).filter(
    lambda files: not any(other.startswith(name + b"/") for name in files for other in files)
)


@settings(max_examples=25)
@given(FILES)
def test_committed_contents_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, files: dict[bytes, bytes]
) -> None:
    """For any names and contents."""
    repo = Repo(tmp_path_factory.mktemp("any"))
    raw_commit(repo.path, {name: ("100644", text) for name, text in files.items()})
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    tree = Commit(repo.path)
    assert [entry.size for entry in tree.entries()] == [len(files[name]) for name in sorted(files)]
    assert list(contents(tree).values()) == [files[name] for name in sorted(files)]


def test_number_of_processes_does_not_depend_on_files(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "calls"
    counting = tmp_path / "bin" / "git"
    counting.parent.mkdir()
    counting.write_text(f'#!/bin/sh\necho call >> "{log}"\nexec "{shutil.which("git")}" "$@"\n')
    counting.chmod(0o755)
    rules = {
        b".feederignore": ("100644", b"x"),
        b".gitattributes": ("100644", b"x linguist-generated"),
    }
    files = {b"%d/%d.py" % (number % 99, number): ("100644", b"x") for number in range(10_000)}
    raw_commit(repo.path, rules | files)
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    monkeypatch.setenv("PATH", str(counting.parent), prepend=os.pathsep)
    assert len(contents(Commit(repo.path))) == 10_002
    assert len(log.read_text().splitlines()) < 15


CHANGED_PATHS = st.sampled_from(
    ["a", "a/b", "a/b.py", "b/c/d.py", "b/c/x.min.js", "b/big.txt", "é/b.lock"]
)
FILE_SETS = st.dictionaries(
    CHANGED_PATHS, st.sampled_from(["hello\n", "world\n", "x" * 99]), max_size=5
)


@settings(max_examples=15)
@given(FILE_SETS, FILES)
def test_changes_since_a_tree_are_the_entries_that_differ(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, str], after: dict[str, str]
) -> None:
    """Files that were added, changed or removed, files that become folders, and every rule."""
    rules = {
        ".feederignore": "b.*\n",
        "b/.gitattributes": "*.py linguist-generated",
        "é/.noindex": "",
        "README": "hello\n",
    }
    repo = Repo(tmp_path_factory.mktemp("changes"))
    trees = []
    for files in (before, after):
        for name in repo.git("ls-files", "-z").split("\0")[:-1]:
            repo.git("rm", "-q", name)
        parents = {path[:at] for path in files for at, sign in enumerate(path) if sign == "/"}
        repo.commit({path: text for path, text in files.items() if path not in parents} | rules)
        tree = Commit(repo.path, sizes=Sizes(50))
        trees.append((tree.root_tree_id, {entry.path: entry for entry in tree.entries()}))
    (old_root, old), (_, new) = trees
    changes = Commit(repo.path, sizes=Sizes(50)).changes_since(old_root)
    assert changes
    differing = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    assert set(changes.paths) == differing
    assert changes.entries == [entry for path, entry in new.items() if path in differing]


@pytest.mark.parametrize("rule_file", [".feederignore", "a/.gitattributes", "b/.noindex"])
def test_changes_since_a_tree_with_other_rules_are_unknown(repo: Repo, rule_file: str) -> None:
    """They may be about files that have not changed."""
    repo.commit({"a/b.py": "hello\n"})
    before = Commit(repo.path).root_tree_id
    repo.commit({"a/b.py": "world\n", rule_file: "b.py linguist-generated"})
    assert Commit(repo.path).changes_since(before) is None


def test_changes_since_a_missing_tree_are_unknown(repo: Repo) -> None:
    """As after a history was rewritten."""
    repo.commit({"a.py": "hello\n"})
    assert Commit(repo.path).changes_since("0123456789" * 4) is None


def test_changes_include_ignored_submodules(repo: Repo) -> None:
    """`.gitmodules` may tell git's own commands to leave their changes out."""
    module = '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n\tignore = all\n'
    first = repo.commit({".gitmodules": module, "a.py": "hello\n"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib")
    repo.git("commit", "-qm", "the submodule")
    before = Commit(repo.path).root_tree_id
    second = repo.git("rev-parse", "HEAD").strip()
    repo.git("update-index", "--cacheinfo", f"160000,{second},lib")
    repo.git("commit", "-qm", "the submodule's next commit")
    changes = Commit(repo.path).changes_since(before)
    assert changes
    assert changes.paths == ["lib"]


def test_many_changes_are_unknown(repo: Repo) -> None:
    """All files are listed then."""
    repo.commit({"a.py": "hello\n"})
    before = Commit(repo.path).root_tree_id
    repo.commit({f"{number}.py": "hello\n" for number in range(MAX_CHANGES + 1)})
    assert Commit(repo.path).changes_since(before) is None


def test_limits_of_a_folder_are_no_digest(repo: Repo) -> None:
    """A rule file may be above the folder, which its tree does not show."""
    repo.commit({"a/b.py": "hello\n"})
    whole, large = Commit(repo.path), Commit(repo.path, sizes=Sizes(5))
    assert whole.limits_digest
    assert whole.limits_digest != large.limits_digest
    assert Commit(repo.path, subfolder="a").limits_digest == ""
    assert Commit(repo.path, subfolder="a").changes_since(whole.root_tree_id) is None
