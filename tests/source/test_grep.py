"""Pattern searches with git grep."""

import os
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.source.grep import Truncation, git_grep
from source.repos import Repo

TREE: dict[str, str | bytes] = {
    "a.py": "def parse(x):\n    return Parse(x)\n",
    "sub/größe und b.py": "x = 1\nPARSE = 2\n",
    "c.bin": b"\0parse\n",
}


def test_lines_of_a_commit_are_found(repo: Repo) -> None:
    """Not those of edited or binary files; names are complete."""
    commit = repo.commit(TREE)
    repo.write({"a.py": "nothing\n"})
    found = git_grep(repo.path, commit, r"\bparse\b", case_sensitive=False)
    assert found == ({"a.py": [1, 2], "sub/größe und b.py": [2]}, Truncation.NONE, False)
    assert git_grep(repo.path, commit, r"\bparse\b", case_sensitive=True).lines == {"a.py": [1]}
    assert git_grep(repo.path, commit, "nowhere", case_sensitive=False).lines == {}


def test_file_names_may_contain_line_ends(repo: Repo) -> None:
    commit = repo.commit({"a.py": "parse\n", "li\nne.py": "x\nparse\nparse\n", "z.py": "parse\n"})
    found = git_grep(repo.path, commit, "parse", case_sensitive=False)
    assert found.lines == {"a.py": [1], "li\nne.py": [2, 3], "z.py": [1]}


def test_files_are_searched_without_a_commit(tmp_path: Path) -> None:
    """In a folder outside of git."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.py").write_text("x\nparse\n")
    assert git_grep(tmp_path, None, "pars.", case_sensitive=False).lines == {"sub/a.py": [2]}


def test_invalid_pattern_is_searched_literally(repo: Repo) -> None:
    """The result says so."""
    commit = repo.commit(TREE)
    assert git_grep(repo.path, commit, "parse(x", case_sensitive=True) == (
        {"a.py": [1]},
        Truncation.NONE,
        True,
    )


@pytest.mark.parametrize("pattern", ["--open-files-in-pager=false", "-e", "--", "-O", "$(false)"])
def test_pattern_is_never_an_option(repo: Repo, pattern: str) -> None:
    commit = repo.commit({"a.txt": f"x\n{pattern}\n"})
    assert git_grep(repo.path, commit, pattern.replace("$(", r"\$\("), case_sensitive=True).lines[
        "a.txt"
    ]


@pytest.mark.parametrize(
    ("ends", "cut"), [("exec sleep 60", Truncation.TIMEOUT), ("kill -9 $$", Truncation.CRASHED)]
)
def test_matches_before_a_stop_are_returned(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, cut: Truncation
) -> None:
    """After a timeout, or if git ends by itself."""
    commit = repo.commit({"a.txt": "a\n"})
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nprintf '{commit}:a.txt\\0001\\000a\\n'\n{ends}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    timeout_s = 2.0 if cut is Truncation.TIMEOUT else 60.0
    found = git_grep(repo.path, commit, "a", case_sensitive=True, timeout_s=timeout_s)
    assert found == ({"a.txt": [1]}, cut, False)


def test_too_large_output_is_cut(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Partial rows are dropped."""
    commit = repo.commit({"a.txt": "a\n" * 100})
    monkeypatch.setattr("feeder.source.grep.MAX_OUTPUT_BYTES", 1000)
    found = git_grep(repo.path, commit, "a", case_sensitive=True)
    assert found.truncation is Truncation.TOO_MANY
    # each row has the commit's 40 digits, a colon, the name, two zeros, the number, a and the end
    assert found.lines["a.txt"] == list(range(1, 1 + (1000 - 9 * 51) // 52 + 9))


def test_git_error_is_raised(repo: Repo) -> None:
    """For an unknown commit."""
    repo.commit(TREE)
    with pytest.raises(UserError, match=r"git cannot search in .*Search without /x/"):
        git_grep(repo.path, "0" * 40, "x", case_sensitive=True)
