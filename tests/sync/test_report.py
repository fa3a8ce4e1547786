"""The report of a run, as text and as JSON, and the progress output."""

import io
import json
import sys
from collections import Counter

import pytest

from feeder.progress import ProgressReporter
from feeder.sync.report import Report


def test_report_is_a_few_lines() -> None:
    """Files, nodes and texts; skip reasons by frequency; files indexed as plain text by name."""
    report = Report(
        "acme/shop",
        "main",
        "c1",
        files_processed=3,
        files_deleted=1,
        files_unchanged=7,
        nodes_new=20,
        nodes_deleted=4,
        texts_embedded=12,
        texts_cached=8,
        skipped={"a.lock": "a lock file", "b.bin": "binary", "c.bin": "binary"},
        as_plain_text={"d.yaml": "the parser crashed (SIGSEGV)"},
        notes=["A note."],
    )
    assert report.lines() == [
        "A note.",
        "Files: 3 processed, 1 deleted, 7 unchanged, 3 skipped.",
        "Nodes: 20 added, 4 deleted; model vectors: 12 computed, 8 from the cache.",
        "  skipped 2: binary",
        "  skipped 1: a lock file",
        "  as plain text: d.yaml: the parser crashed (SIGSEGV)",
    ]


def test_masked_secrets_are_counted() -> None:
    """The text has the total, the JSON the number per file."""
    report = Report("acme/shop", "main", "c1", secrets_masked={"a.py": 2, "b.py": 1})
    assert report.lines()[-1] == "  secrets masked 3, in 2 files"
    assert report.as_json()["secrets_masked"] == {"a.py": 2, "b.py": 1}


def test_dry_run_report_is_in_the_conditional() -> None:
    report = Report("acme/shop", "main", "c1", dry_run=True, files_processed=3, texts_embedded=5)
    assert report.lines() == [
        "Files: 3 would be processed, 0 would be deleted, 0 unchanged, 0 skipped.",
        "Nodes: 0 would be added, 0 would be deleted; model vectors: 5 would be computed, "
        "0 from the cache.",
    ]


def test_without_model_vectors_nothing_is_said_of_them() -> None:
    """Zeros would read as a fault where the index has static vectors only."""
    assert Report("acme/shop", "main", "c1", nodes_new=2).lines()[1] == "Nodes: 2 added, 0 deleted."


def test_pending_texts_are_reported() -> None:
    """Only if there are any."""
    report = Report("acme/shop", "main", "c1", texts_waiting=5)
    assert report.lines()[1].endswith(
        "model vectors: 0 computed, 0 from the cache, 5 waiting for a later run."
    )


def test_plain_text_files_beyond_20_are_counted() -> None:
    reasons = {f"{number:02}.yaml": "why" for number in range(25)}
    lines = Report("acme/shop", "main", "c1", as_plain_text=reasons).lines()
    assert lines[2] == "  as plain text: 00.yaml: why"
    assert lines[21:] == ["  as plain text: 19.yaml: why", "  as plain text: 5 more files"]


def test_json_report_has_all_fields() -> None:
    """Counts are numbers, and reasons are by path."""
    report = Report("acme/shop", "main", "c1", nodes_new=2, nodes_by_type=Counter(method=2))
    report.skipped["größe.bin"] = "binary"
    facts = json.loads(json.dumps(report.as_json()))
    assert facts["nodes_by_type"] == {"method": 2}
    assert facts["skipped"] == {"größe.bin": "binary"}
    assert (facts["repo"], facts["nodes_new"], facts["dry_run"]) == ("acme/shop", 2, False)


def test_notes_go_to_stderr_unless_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """stdout is for results."""
    ProgressReporter().message("a line")
    ProgressReporter(quiet=True).message("another line")
    assert capsys.readouterr() == ("", "a line\n")


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_log_gets_a_progress_line_every_30_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shorter run prints none, and neither does a quiet one."""
    with ProgressReporter().step("words", 10) as step:
        step(4)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("feeder.progress.LINE_INTERVAL_S", 0)
    for quiet in (False, True):
        with ProgressReporter(quiet=quiet).step("words", 2000) as step:
            step(4)
            step(1000)
    assert capsys.readouterr() == ("", "words: 4 of 2,000\nwords: 1,004 of 2,000\n")


def test_log_shows_the_step_within_a_long_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the same interval, only during a step."""
    monkeypatch.setattr("feeder.progress.LINE_INTERVAL_S", 0)
    for quiet in (False, True):
        talk = ProgressReporter(quiet=quiet)
        talk.set_position("a.pdf: page 1 of 9")
        with talk.step("words", 10) as step:
            step(4)
            talk.set_position("a.pdf: page 2 of 9")
            talk.set_position("")
        talk.set_position("a.pdf: page 3 of 9")
    assert capsys.readouterr() == (
        "",
        "words: 4 of 10\nwords: 4 of 10; a.pdf: page 2 of 9\n",
    )


def test_bar_shows_the_step_within_a_long_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are printed literally, also with brackets."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    talk = ProgressReporter()
    with talk.step("words", 10):
        talk.set_position("[red]a.pdf: page 1,200 of 1,213")
    assert "[red]a.pdf: page 1,200 of 1,213" in terminal.getvalue()


def test_progress_bar_is_shown_on_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with `--quiet`."""
    monkeypatch.setenv("TERM", "xterm")
    for quiet in (False, True):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        with ProgressReporter(quiet=quiet).step("words", 10) as step:
            step(4)
        assert ("4/10" in terminal.getvalue()) is not quiet
