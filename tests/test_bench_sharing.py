"""`python -m bench share` on a repository of a few files."""

import re
import sys

import pytest
import sharing

from source.repos import Repo

pytestmark = pytest.mark.slow


def test_table_has_each_start_and_the_sizes(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        repo.commit({f"src/m{number}.py": f"def needle_{number}():\n    return {number}\n"})
    options = ["--commits", "2", "--edits", "1", "--latency", "1"]
    monkeypatch.setattr(
        sys, "argv", ["bench", "share", str(repo.path.resolve()), "needle_2", *options]
    )
    assert sharing.main() == 0
    printed = capsys.readouterr().out
    starts = re.findall(r"^\| (.+) \| \d+\.\d\d \|$", printed, re.MULTILINE)
    assert starts == [
        "the index is made",
        "the index is pulled",
        "it is pulled, with 1 files edited",
    ]
    assert "First line of the answer: src/m2.py:1-2  method  needle_2" in printed
    assert re.search(r"^Publish of a commit, of the index's size: 0\.\d{3} ", printed, re.MULTILINE)
    assert printed.endswith("Validation: The index is correct.\n")
