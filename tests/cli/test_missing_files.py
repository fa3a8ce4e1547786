"""Files that are not checked out: in a bare repository, in a sparse checkout, or deleted."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command_runner import RunFeeder
from index_helpers import CART, GUIDE
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "src/cart.py": CART,
    "src/tax.py": "def vat():\n    return 19\n",
    "docs/guide.md": GUIDE,
}
VAT = ["     1  def vat():", "     2      return 19"]


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(FILES)
    return repo


@pytest.fixture
def bare(shop: Repo, tmp_path: Path) -> Path:
    """A repository without a working tree."""
    bare = tmp_path / "shop.git"
    shop.git("clone", "-q", "--bare", os.fspath(shop.path), os.fspath(bare))
    return bare


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Counts the git processes with a given argument."""
    folder, log = tmp_path / "bin", tmp_path / "git.log"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {real} "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return lambda word: sum(word in line.split() for line in log.read_text().splitlines())


def test_bare_repository_is_indexed_validated_and_searched(feeder: RunFeeder, bare: Path) -> None:
    """Its lines are read from HEAD."""
    report = feeder(bare, "sync", "--json").json
    assert (report["files_processed"], report["head"]) == (3, _head(bare))
    assert feeder(bare, "validate").code == 0
    assert feeder(bare, "stats", "--json").json["files"] == {"clean": 3}
    lines = feeder(bare, "search", "vat").out.splitlines()
    assert lines == [
        f"src/tax.py:1-2  method  vat  (as committed in {_head(bare)[:10]})",
        *VAT,
        f"The index matches HEAD {_head(bare)[:7]}.",
    ]
    [one] = feeder(bare, "search", "vat", "--json").json["hits"]
    assert (one["text"], one["text_of"]) == ("def vat():\n    return 19", _head(bare))
    assert "nothing to do" in feeder(bare, "sync").out


@pytest.mark.parametrize("path", [".", "src"])
def test_process_in_a_bare_repository_is_refused(feeder: RunFeeder, bare: Path, path: str) -> None:
    """Files do not count as deleted; the error names the alternative."""
    feeder(bare, "sync")
    answer = feeder(bare, "process", "--path", path)
    assert (answer.code, answer.err.splitlines()[-1]) == (
        2,
        f"feeder: {bare} has no working tree. Index its HEAD with: feeder sync",
    )
    assert feeder(bare, "stats", "--json").json["files"] == {"clean": 3}


def test_files_outside_a_sparse_checkout_are_shown(
    feeder: RunFeeder, shop: Repo, calls: Callable[[str], int]
) -> None:
    """One git process reads all of them; checked-out files are read from disk."""
    shop.git("sparse-checkout", "set", "--no-cone", "/docs/")
    feeder(shop, "sync")
    found = feeder(shop, "search", "cart vat total", "--json").json["hits"]
    texts = {node["symbol"]: node["text"] for node in found}
    assert not (shop.path / "src").exists()
    assert texts["vat"] == "def vat():\n    return 19"
    assert texts["Cart.total"] is not None
    before = calls("cat-file")
    feeder(shop, "search", "cart vat total")
    assert calls("cat-file") == before + 1
    [guide] = feeder(shop, "search", "install", "--json", "-n", "1").json["hits"]
    assert (guide["path"], guide["text_of"]) == ("docs/guide.md", None)
    assert calls("cat-file") == before + 1


def test_lines_of_a_missing_file_are_those_of_head(feeder: RunFeeder, shop: Repo) -> None:
    """HEAD is newer than the index, so the node is relocated."""
    feeder(shop, "sync")
    shop.commit({"src/tax.py": "# The rate.\n\n\ndef vat():\n    return 20\n"})
    (shop.path / "src/tax.py").unlink()
    [one] = feeder(shop, "search", "vat", "--json").json["hits"]
    assert (one["text"], one["text_of"]) == ("def vat():\n    return 20", _head(shop.path))
    assert (one["state"], one["start_line"], one["indexed_lines"]) == ("edited", 4, [1, 2])


def test_lines_are_those_of_head_without_the_indexed_commit(feeder: RunFeeder, shop: Repo) -> None:
    """As in a shallow clone."""
    feeder(shop, "sync")
    shop.commit({"src/tax.py": "def vat():\n    return 20\n"})
    shop.git("checkout", "-q", "--orphan", "again")
    shop.git("commit", "-qm", "all anew")
    shop.git("branch", "-q", "-D", "main")
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")
    (shop.path / "src/tax.py").unlink()
    [one] = feeder(shop, "search", "vat", "--json").json["hits"]
    assert (one["text"], one["text_of"]) == ("def vat():\n    return 20", _head(shop.path))


def test_file_in_no_commit_is_reported_as_deleted(feeder: RunFeeder, shop: Repo) -> None:
    """It was processed uncommitted and then deleted."""
    feeder(shop, "sync")
    shop.write({"new.py": "def unheard():\n    pass\n"})
    feeder(shop, "process", "--path", "new.py")
    (shop.path / "new.py").unlink()
    assert feeder(shop, "search", "unheard").out.splitlines()[:2] == [
        "new.py:1-2  method  unheard",
        "        (not in the working tree any more)",
    ]


def test_any_file_name_is_read_from_a_commit(feeder: RunFeeder, repo: Repo) -> None:
    """Spaces, line ends, glob characters and bytes that are not UTF-8."""
    names = [b"a b.py", b"l\ni.py", b"*[x].py", b"-n.py", b"caf\xe9.py", b":(top)x.py"]
    repo.commit({name: b"def f%d():\n    pass\n" % at for at, name in enumerate(names)})
    feeder(repo, "sync")
    for name in names:
        (repo.path / os.fsdecode(name)).unlink()
    found = feeder(repo, "search", "f0 f1 f2 f3 f4 f5", "--json").json["hits"]
    assert {node["symbol"]: node["text"] for node in found} == {
        f"f{at}": f"def f{at}():\n    pass" for at in range(len(names))
    }


def _head(repository: Path) -> str:
    command = ["git", "-C", str(repository), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()


def test_index_of_a_commit_is_not_validated_without_git(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync")
    head = shop.path / ".git" / "HEAD"
    before = head.read_text()
    head.write_text("ref: refs/heads/none\n")
    answer = feeder(shop, "validate")
    assert answer.code == 2
    assert "git finds no commit at HEAD" in answer.err
    head.write_text(before)
    assert feeder(shop, "validate").code == 0
    shutil.rmtree(shop.path / ".git")
    assert feeder(shop, "validate").code == 0, "the same files, as they lie there"
