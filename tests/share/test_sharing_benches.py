"""Random histories and mutations, a few of those that `python -m bench` makes."""

import sys

import pytest
import sharing_histories
import sharing_mutations

pytestmark = pytest.mark.slow


def test_pulled_indexes_are_right_after_random_publishes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "share-histories", "--count", "3", "--seed", "9"])
    assert sharing_histories.main() == 0
    assert [line.split(" | ")[:2] for line in capsys.readouterr().out.splitlines()[2:]] == [
        ["| memory", "1"],
        ["| folder", "1"],
        ["| release", "1"],
    ]


def test_changed_files_are_refused_or_harmless(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "share-mutations", "--count", "140"])
    assert sharing_mutations.main() == 0
    rows = capsys.readouterr().out.splitlines()[2 : 2 + len(sharing_mutations.KINDS)]
    assert [sum(map(int, row.split(" | ")[1:7])) for row in rows] == [20] * len(rows)
