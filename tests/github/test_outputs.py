"""What a step writes for the workflow: annotations, outputs, summary and report."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from feeder.errors import (
    FeederError,
    Interrupted,
    ServiceError,
    StoppedEarly,
    Superseded,
    UserError,
)
from feeder.github.job import Job
from feeder.github.outputs import REPAIR_ADVICE, WorkflowReport
from feeder.store.integrity import Damage
from feeder.sync.report import Check, Report, ValidationResult
from github.test_job import Command, Runner, read_outputs

HEAD = "abc1234def5678900000000000000000000000ff"
GOOD = Check("every node is in the word index", {"docs": 12}, [])
BAD = Check(
    "the index has the same files as HEAD", {"files": 3}, ["a.py is missing", "b.py is old"]
)


class StepFiles:
    """A step of a job, with the files that the runner reads afterwards."""

    def __init__(self, folder: Path, *, is_there: bool = True) -> None:
        self._stderr = io.StringIO()
        self._output, self._summary = folder / "output", folder / "summary"
        environ = {
            "GITHUB_ACTIONS": "true" if is_there else "",
            "GITHUB_OUTPUT": str(self._output),
            "GITHUB_STEP_SUMMARY": str(self._summary),
            "GITHUB_WORKSPACE": str(folder),
            "RUNNER_TEMP": str(folder),
        }
        self.job = Job(environ, self._stderr)

    def account(self, **facts: Any) -> WorkflowReport:
        return WorkflowReport(self.job, **facts)

    @property
    def annotations(self) -> list[Command]:
        return Runner().read(self._stderr.getvalue())

    @property
    def outputs(self) -> dict[str, str]:
        return read_outputs(self._output.read_text()) if self._output.exists() else {}

    @property
    def summary(self) -> str:
        return self._summary.read_text() if self._summary.exists() else ""


@pytest.fixture
def place(tmp_path: Path) -> StepFiles:
    return StepFiles(tmp_path)


def report(**facts: Any) -> dict[str, Any]:
    """A completed run's report, as in the JSON output."""
    return Report("acme/shop", "main", **{"head": HEAD, "finished": True, **facts}).as_json()


def verdict(*checks: Check) -> dict[str, Any]:
    return ValidationResult(list(checks), Damage()).as_json()


def test_outputs_are_the_counts_of_the_report(place: StepFiles) -> None:
    """As action.yml names them; requests of all services are summed."""
    whole = report(
        nodes_new=7,
        nodes_deleted=2,
        files_unchanged=40,
        files_processed=3,
        skipped={"a.bin": "binary", "yarn.lock": "a lock file"},
        texts_embedded=5,
        texts_cached=11,
    )
    whole["requests"].update(d1=3, vectorize=2, ai=1)
    place.account(report=whole).publish("feeder sync", None)
    outputs = place.outputs
    assert json.loads(Path(outputs.pop("report")).read_text())["report"]["texts_cached"] == 11
    assert outputs == {
        "head-sha": HEAD,
        "upserted": "7",
        "deleted": "2",
        "unchanged": "40",
        "skipped": "2",
        "embedded": "5",
        "requests": "6",
    }


def test_zero_is_written_as_an_output(place: StepFiles) -> None:
    """So that later steps can compare with 0."""
    place.account(report=report()).publish("feeder sync", None)
    counts = {"upserted", "deleted", "unchanged", "skipped", "embedded", "requests"}
    assert {place.outputs[name] for name in counts} == {"0"}


def test_report_file_has_run_and_validation(place: StepFiles) -> None:
    """A part that did not run is null."""
    place.account(report=report(nodes_new=7), verdict=verdict(GOOD)).publish("feeder action", None)
    stored = json.loads(Path(place.outputs["report"]).read_text())
    assert (stored["report"]["nodes_new"], stored["validation"]["passed"]) == (7, True)

    place.account(verdict=verdict(BAD)).publish("feeder validate", None)
    stored = json.loads(Path(place.outputs["report"]).read_text())
    assert (stored["report"], stored["validation"]["passed"]) == (None, False)


def test_plan_writes_only_its_output(place: StepFiles) -> None:
    """Neither a report nor a summary."""
    place.account(matrix='{"shard": ["1/2", "2/2"]}').publish("feeder plan", None)
    assert place.outputs == {"matrix": '{"shard": ["1/2", "2/2"]}'}
    assert (place.summary, place.annotations) == ("", [])


def test_successful_run_has_no_annotation(place: StepFiles) -> None:
    place.account(report=report(nodes_new=7), verdict=verdict(GOOD)).publish("feeder action", None)
    assert place.annotations == []
    assert place.summary.startswith("## feeder action: the index equals `abc1234`, 1 check passed")


@pytest.mark.parametrize(
    ("error", "level"),
    [
        (UserError("The input is wrong. Mend it."), "error"),
        (ServiceError("D1 said no."), "error"),
        (FeederError("No space left on device"), "error"),
        (Interrupted("interrupted; run it again to go on."), "error"),
        (StoppedEarly("Stopped by --max-requests 10."), "warning"),
        (Superseded("Run 8 has synced commit abc."), "warning"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_failure_has_one_annotation(place: StepFiles, error: FeederError, level: str) -> None:
    """An error if somebody must act, a warning if the next run continues."""
    place.account().publish("feeder sync", error)
    assert place.annotations == [Command(level, {}, str(error))]
    assert place.summary.count(str(error)) == 1


def test_run_that_ended_early_writes_its_counts(place: StepFiles) -> None:
    """As outputs and in the summary."""
    early = report(nodes_new=7, finished=False)
    place.account(report=early).publish(
        "feeder sync", StoppedEarly("Stopped by --max-embeddings 5.")
    )
    assert place.outputs["upserted"] == "7"
    assert place.summary.startswith("## feeder sync: stopped early, the next run continues")
    assert "7 added" in place.summary


def test_files_indexed_as_plain_text_have_a_warning(
    place: StepFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the file: it is not found by symbol."""
    monkeypatch.chdir(tmp_path)
    crashed = report(as_plain_text={"deep.yaml": "the parser crashed (SIGSEGV)"})
    place.account(report=crashed).publish("feeder sync", None)
    said = "Indexed as plain text: the parser crashed (SIGSEGV)"
    assert place.annotations == [Command("warning", {"file": "deep.yaml", "line": "1"}, said)]


def test_failed_check_is_an_error_and_its_remedy_a_notice(place: StepFiles) -> None:
    """With its first difference; passed checks have none."""
    place.account(verdict=verdict(GOOD, BAD)).publish("feeder validate", None)
    assert place.annotations == [
        Command(
            "error",
            {},
            "Check failed: the index has the same files as HEAD: a.py is missing, and 1 more",
        ),
        Command("notice", {}, REPAIR_ADVICE),
    ]
    assert "feeder validate --repair" in REPAIR_ADVICE
    assert 'repair&#58; "true"' in place.summary or 'repair: "true"' in place.summary
    assert place.summary.startswith("## feeder validate: the index is not correct, 1 of 2 checks")


def test_reason_for_no_work_is_a_notice(place: StepFiles) -> None:
    """Also in the summary, escaped, since branch names come from others."""
    note = "Nothing to do: <b>wip is checked out, and the index follows main."
    place.account(note=note).publish("feeder action", None)
    assert place.annotations == [Command("notice", {}, note)]
    assert place.summary.startswith("## feeder action: nothing was done\n")
    assert "&#60;b&#62;wip is checked out" in place.summary
    assert place.outputs == {}


def test_note_follows_the_counts(place: StepFiles) -> None:
    """As for a pull request."""
    plan = report(dry_run=True, nodes_new=7)
    note = "Dry run: what merging this change would do to the index."
    place.account(report=plan, note=note).publish("feeder action", None)
    assert place.summary.startswith("## feeder action: dry run for `abc1234`, nothing was written")
    assert place.summary.endswith(f"{note}\n")
    assert "nothing was done" not in place.summary


def test_partial_run_is_not_reported_as_the_whole(place: StepFiles) -> None:
    """For a shard, a folder or given files."""
    place.account(report=report(), part="shard 3/16").publish("feeder sync", None)
    assert place.summary.startswith("## feeder sync: the index has shard 3/16 of `abc1234`")


def test_nothing_is_written_outside_of_actions(tmp_path: Path) -> None:
    """Even if the variables name files."""
    place = StepFiles(tmp_path, is_there=False)
    account = place.account(report=report(), verdict=verdict(BAD), note="a note", matrix="{}")
    account.publish("feeder action", UserError("wrong"))
    assert place.annotations == []
    assert list(tmp_path.iterdir()) == []
