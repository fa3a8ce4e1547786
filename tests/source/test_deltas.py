"""Deltas: the JSON format, and the changes between two commits."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.errors import UserError
from feeder.source.deltas import Delta, compute_deltas, parse_deltas
from source.repos import Repo, raw_commit

GONE = "Deleted files are not listed; `feeder sync` removes them from the index."


def one(file: object, action: object = "process") -> str:
    return json.dumps([{"file": file, "action": action}])


def test_deltas_are_read_from_json() -> None:
    """An array of objects with file and action; other keys are ignored."""
    text = (
        '[{"file": "a.py", "action": "process", "status": "M"}, {"action": "delete", "file": "b"}]'
    )
    assert parse_deltas(text) == [Delta("a.py", "process"), Delta("b", "delete")]
    assert parse_deltas("[]") == []


def test_last_entry_of_a_file_counts() -> None:
    """Duplicates are accepted."""
    entries = [("a", "process"), ("b", "process"), ("a", "delete"), ("./b", "process")]
    text = json.dumps([{"file": file, "action": action} for file, action in entries])
    assert parse_deltas(text) == [Delta("a", "delete"), Delta("b", "process")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_mark_is_accepted(encoding: str) -> None:
    """As written on other systems."""
    assert parse_deltas(one("größe.md").encode(encoding)) == [Delta("größe.md", "process")]


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("a b.py", "a b.py"),
        ("l\ni\t\"'.py", "l\ni\t\"'.py"),
        ("-n", "-n"),
        ("größe.md", "größe.md"),
        (r"caf\xe9.md", r"caf\xe9.md"),
        ("caf\udce9.md", r"caf\xe9.md"),
        (r"\x5codd", r"\x5codd"),
        ("..a/b..", "..a/b.."),
        (r"..\xe9", r"..\xe9"),
        ("./a//b/./c", "a/b/c"),
        ("C:", "C:"),
    ],
)
def test_any_file_name_is_accepted(file: str, path: str) -> None:
    """In the form that a source tree uses."""
    assert parse_deltas(one(file)) == [Delta(path, "process")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The deltas are not JSON"),
        ("{file: a}", "The deltas are not JSON"),
        (b"\xff\xff[]", "The deltas are not JSON"),
        ("[" * 100_000, "The deltas are not JSON"),
        ('{"file": "a", "action": "process"}', "The deltas are not a JSON array"),
        ("null", "The deltas are not a JSON array"),
    ],
)
def test_invalid_json_is_an_error(text: str | bytes, sentence: str) -> None:
    """The message shows the expected form."""
    with pytest.raises(UserError, match=sentence) as caught:
        parse_deltas(text)
    assert str(caught.value).endswith('Write [{"file": "src/cart.py", "action": "process"}].')


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ('"a.py"', "is not an object"),
        ("null", "is not an object"),
        ('["a.py", "process"]', "is not an object"),
        ('{"file": "a.py"}', "has no valid action"),
        ('{"file": "a.py", "action": "modify"}', "has no valid action"),
        ('{"file": "a.py", "action": ["process"]}', "has no valid action"),
        ('{"file": "a.py", "action": "Process"}', "has no valid action"),
        ('{"action": "process"}', "has no file"),
        ('{"file": 5, "action": "process"}', "has no file"),
        ('{"file": null, "action": "delete"}', "has no file"),
        ('{"file": "", "action": "process"}', "has no file"),
        ('{"file": "/etc/passwd", "action": "process"}', "is absolute"),
        ('{"file": "C:/a.py", "action": "process"}', "is absolute"),
        ('{"file": "C:\\\\a.py", "action": "process"}', "uses a backslash"),
        ('{"file": "src\\\\a.py", "action": "process"}', "uses a backslash"),
        ('{"file": "\\\\\\\\host\\\\a", "action": "process"}', "uses a backslash"),
        ('{"file": "\\\\x2e\\\\x2e/a", "action": "process"}', "uses a backslash"),
        ('{"file": "../a.py", "action": "process"}', "contains .."),
        ('{"file": "a/../../b.py", "action": "delete"}', "contains .."),
        ('{"file": "a/..", "action": "process"}', "contains .."),
        ('{"file": "a\\u0000b", "action": "process"}', "contains a NUL"),
        ('{"file": "\\ud800", "action": "process"}', "contains a lone surrogate"),
        ('{"file": ".", "action": "process"}', "names no file"),
        ('{"file": "./", "action": "process"}', "names no file"),
    ],
)
def test_invalid_entry_is_an_error(entry: str, sentence: str) -> None:
    """Nothing is applied; the message has its number, the reason and the entry."""
    with pytest.raises(UserError) as caught:
        parse_deltas(f'[{{"file": "fine.py", "action": "process"}}, {entry}]')
    assert str(caught.value).startswith(f"Entry 2 of the deltas {sentence}")
    assert json.dumps(json.loads(entry)) in str(caught.value)


def test_path_through_a_link_out_of_the_repository_is_an_error(repo: Repo, tmp_path: Path) -> None:
    """Also if the file itself is the link."""
    tmp_path.joinpath("outside").mkdir()
    tmp_path.joinpath("outside/a.py").write_text("x")
    repo.path.joinpath("folder").symlink_to(tmp_path / "outside")
    repo.path.joinpath("file.py").symlink_to("../outside/a.py")
    for file in ("folder/a.py", "folder/missing.py", "file.py"):
        with pytest.raises(UserError, match="Entry 1 of the deltas leaves the repository"):
            parse_deltas(one(file), repo.path)


def test_path_through_a_link_within_the_repository_is_accepted(repo: Repo) -> None:
    """Also for a deleted file."""
    repo.write({"real/a.py": "x"})
    repo.path.joinpath("link").symlink_to("real")
    assert parse_deltas(one("link/a.py"), repo.path) == [Delta("link/a.py", "process")]
    assert parse_deltas(one("gone/b.py", "delete"), repo.path) == [Delta("gone/b.py", "delete")]


def test_cyclic_link_ends(repo: Repo) -> None:
    repo.path.joinpath("loop").symlink_to("loop")
    assert parse_deltas(one("loop/a.py"), repo.path) == [Delta("loop/a.py", "process")]


def test_edits_between_two_commits(repo: Repo) -> None:
    """Edited and new files are processed, deleted ones deleted, renamed ones both."""
    base = repo.commit({"edit.py": "a", "old name.py": "same", "lost.py": "x", "same.py": "x"})
    repo.git("mv", "old name.py", "new\nname.py")
    repo.commit({"edit.py": "b", "lost.py": None, "new.py": "x"})
    answer = compute_deltas(repo.path, base)
    assert sorted(answer.deltas) == [
        Delta("edit.py", "process"),
        Delta("lost.py", "delete"),
        Delta("new\nname.py", "process"),
        Delta("new.py", "process"),
        Delta("old name.py", "delete"),
    ]
    assert answer.note is None


def test_changes_of_mode(repo: Repo) -> None:
    """An executable bit is a change; a file that becomes a link or submodule is deleted."""
    file, program, link, other = (
        ("100644", b"x"),
        ("100755", b"x"),
        ("120000", b"x"),
        ("120000", b""),
    )
    before = {b"bit": file, b"to-link": file, b"from-link": link, b"link": link, b"gone": link}
    after = {b"bit": program, b"to-link": link, b"from-link": file, b"link": other, b"new": link}
    base = raw_commit(repo.path, before | {b"to-module": file})
    head = raw_commit(repo.path, after)
    repo.git("read-tree", head)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{base},to-module")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{base},new-module")
    with_modules = repo.git("commit-tree", "-m", "modules", repo.git("write-tree"))
    assert sorted(compute_deltas(repo.path, base, with_modules).deltas) == [
        Delta("bit", "process"),
        Delta("from-link", "process"),
        Delta("to-link", "delete"),
        Delta("to-module", "delete"),
    ]


def test_file_that_becomes_a_folder(repo: Repo) -> None:
    """The file is deleted and those in the folder processed, and the reverse."""
    base = repo.commit({"a": "x"})
    repo.commit({"a": None})
    head = repo.commit({"a/b": "x"})
    assert sorted(compute_deltas(repo.path, base).deltas) == [
        Delta("a", "delete"),
        Delta("a/b", "process"),
    ]
    back = compute_deltas(repo.path, head, base).deltas
    assert sorted(back) == [Delta("a", "process"), Delta("a/b", "delete")]


def test_force_push(repo: Repo) -> None:
    """The base need not be an ancestor: trees are compared, not history."""
    first = repo.commit({"a": "1"})
    abandoned = repo.commit({"b": "1"})
    repo.git("reset", "-q", "--hard", first)
    repo.commit({"c": "1"})
    answer = compute_deltas(repo.path, abandoned)
    assert sorted(answer.deltas) == [Delta("b", "delete"), Delta("c", "process")]


def test_merge_base(repo: Repo) -> None:
    """Later changes of the other branch do not count."""
    repo.commit({"a": "1"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({"topic": "1"})
    repo.git("checkout", "-q", "main")
    repo.commit({"main": "1"})
    answer = compute_deltas(repo.path, "main", "topic", from_merge_base=True)
    assert answer.deltas == [Delta("topic", "process")]
    assert sorted(compute_deltas(repo.path, "main", "topic").deltas) == [
        Delta("main", "delete"),
        Delta("topic", "process"),
    ]


EVERY_FILE = [Delta(r"caf\xe9", "process"), Delta("run", "process")]


@pytest.fixture
def tip(repo: Repo) -> str:
    """HEAD with two files, a link and an earlier commit."""
    repo.commit({"run": "x"})
    repo.path.joinpath("link").symlink_to("run")
    return repo.commit({b"caf\xe9": "x"})


@pytest.mark.parametrize("base", ["0" * 40, "0" * 64, ""])
def test_first_push_lists_every_file(repo: Repo, tip: str, base: str) -> None:
    """For a base of zeros or none, with the reason."""
    answer = compute_deltas(repo.path, base)
    assert answer.deltas == EVERY_FILE
    assert (
        answer.note == f"There is no base to compare with, so every file of {tip} is listed. {GONE}"
    )


@pytest.mark.parametrize("base", ["no-branch", "--output=x", 'a";echo pwned;"'])
def test_unknown_name_of_a_base_is_an_error(repo: Repo, tip: str, base: str) -> None:
    """It may be misspelt, and nobody wants every file then."""
    with pytest.raises(UserError, match="There is no commit"):
        compute_deltas(repo.path, base)


@pytest.mark.parametrize("base", ["f" * 40, "abc1234"])
def test_unknown_base_lists_every_file(repo: Repo, tip: str, base: str) -> None:
    """With the reason: the commit of an id may not have been fetched."""
    answer = compute_deltas(repo.path, base)
    assert answer.deltas == EVERY_FILE
    assert (
        answer.note
        == f"The base {base} is not in this repository, so every file of {tip} is listed. {GONE}"
    )


def test_shallow_clone_lists_every_file(repo: Repo, tip: str, tmp_path: Path) -> None:
    """With the reason."""
    base = repo.git("rev-parse", "HEAD~1")
    answer = compute_deltas(repo.clone(tmp_path / "clone", "--depth=1").path, base)
    assert answer.deltas == EVERY_FILE
    assert (
        answer.note
        == f"The base {base} is not in this shallow clone, so every file of {tip} is listed. {GONE}"
    )


def test_without_a_merge_base_every_file_is_listed(repo: Repo, tip: str) -> None:
    """With the reason."""
    other = repo.git("commit-tree", "-m", "other", repo.git("write-tree"))
    answer = compute_deltas(repo.path, other, from_merge_base=True)
    assert answer.deltas == EVERY_FILE
    assert (
        answer.note
        == f"{other} and {tip} have no common commit here, so every file of {tip} is listed. {GONE}"
    )


def test_unknown_head_is_an_error(repo: Repo, tip: str) -> None:
    with pytest.raises(UserError, match="There is no commit 'nope'"):
        compute_deltas(repo.path, tip, "nope")


def test_deltas_outside_git_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not in a git repository"):
        compute_deltas(tmp_path, "main")


MODES = st.sampled_from(["100644", "100755", "120000"])
POOL = [b"a", b"b/c", b"b/d", b" ", b"\n", b"\xff", "ö".encode(), b"\\x", b"-", b"*"]
STATE = st.dictionaries(st.sampled_from(POOL), st.tuples(MODES, st.sampled_from([b"1", b"2"])))


@settings(max_examples=25)
@given(st.lists(STATE, min_size=2, max_size=4))
def test_deltas_applied_to_one_listing_give_the_next(
    tmp_path_factory: pytest.TempPathFactory, history: list[dict[bytes, tuple[str, bytes]]]
) -> None:
    """For any history, the result is the list of the last commit's regular files."""
    repo = Repo(tmp_path_factory.mktemp("history"))
    commits = [raw_commit(repo.path, state) for state in history]
    index = listing(history[0])
    for base, head, state in zip(commits, commits[1:], history[1:], strict=False):
        entries = compute_deltas(repo.path, base, head).deltas
        for file, action in parse_deltas(json.dumps([entry._asdict() for entry in entries])):
            index.pop(file, None)
            if action == "process":
                index[file] = listing(state)[file]
    assert index == listing(history[-1])


def listing(state: dict[bytes, tuple[str, bytes]]) -> dict[str, tuple[str, bytes]]:
    """Returns the regular files by path, independently of the program."""
    paths = {b"\xff": r"\xff", b"\\x": r"\x5cx"}
    return {
        paths.get(name) or name.decode(): (mode, contents)
        for name, (mode, contents) in state.items()
        if mode != "120000"
    }
