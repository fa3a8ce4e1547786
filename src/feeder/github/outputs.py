"""Collects the result of a process and writes it to the workflow as outputs, annotations and
summary.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from feeder.errors import StoppedEarly
from feeder.github.job import Job
from feeder.source.paths import path_in

if TYPE_CHECKING:
    from feeder.github.change_impact import ChangeImpact

REPAIR_ADVICE = (
    "To repair the index, run: feeder validate --repair; "
    'or use the action with command: validate and repair: "true".'
)


class RunReport(Protocol):
    """The report of a run."""

    def as_json(self) -> dict[str, Any]: ...


@dataclass
class WorkflowReport:
    """The result of a process, for the job that it is a step of."""

    job: Job = field(default_factory=Job.from_environ)
    report: dict[str, Any] | None = None
    """The report of the run that wrote, from `Report.as_json`."""
    running: RunReport | None = None
    """The report of a run that has not ended."""
    verdict: dict[str, Any] | None = None
    """The result of the validation, from `ValidationResult.as_json`."""
    matrix: str = ""
    """Output of `plan`."""
    base: Path = Path()
    """The folder that the report's paths are relative to."""
    part: str = ""
    """The part of the commit that the run was about, as a noun; empty for all of it."""
    note: str = ""
    """The reason why nothing was done, or something other than requested."""

    impact: "ChangeImpact | None" = None
    """The effects of a pull request's change."""
    published_digest: str = ""
    """SHA-256 of the manifest of the index that was published."""
    comment: str = ""
    """The comment that the command `comment` makes, as markdown."""

    _publishing: Lock = field(default_factory=Lock, repr=False)
    _is_published: bool = False

    def publish(self, title: str, error: BaseException | None) -> None:
        """Writes outputs, annotations and summary once; `error` is what ends the process, if any.

        Another thread may call it too.
        """
        with self._publishing:
            if self._is_published or not self.job.is_active:
                return
            self._is_published = True
            if self.report is None and self.running:
                # at once: the run goes on counting
                self.report = json.loads(json.dumps(self.running.as_json()))
            self._annotate(error)
            for name, value in self._outputs():
                self.job.output(name, value)
            self._summarize(title, error)

    def cut_short(self, title: str, error: BaseException) -> None:
        """Closes the log's open group and publishes, for a process that is about to be ended."""
        self.job.close_group()
        self.publish(title, error)

    def _summarize(self, title: str, error: BaseException | None) -> None:
        from feeder.github.job_summary import escape_markdown, impact_section, summary

        if self.report or self.verdict or error:
            text = summary(title, self.report, self.verdict, error, part=self.part)
            self.job.add_summary(text)
        elif self.note:
            self.job.add_summary(f"## {escape_markdown(title)}: nothing was done")
        if self.verdict and not self.verdict["passed"]:
            self.job.add_summary(escape_markdown(REPAIR_ADVICE, len(REPAIR_ADVICE)))
        if self.note:
            self.job.add_summary(escape_markdown(self.note, len(self.note)))
        if self.impact and self.impact.facts:
            self.job.add_summary(impact_section(self.impact.facts))
        elif self.impact:
            self.job.add_summary(
                "What this change touches could not be determined: "
                + escape_markdown(self.impact.reason)
            )

    def _annotate(self, error: BaseException | None) -> None:
        if self.note:
            self.job.annotate("notice", self.note)
        for path, reason in (self.report or {}).get("as_plain_text", {}).items():
            file = path_in(self.base, path)
            self.job.annotate("warning", f"Indexed as plain text: {reason}", line=1, file=file)
        for check in (self.verdict or {}).get("checks", ()):
            if not check["passed"]:
                self.job.annotate("error", _failed_check(check))
        if self.verdict and not self.verdict["passed"]:
            self.job.annotate("notice", REPAIR_ADVICE)
        if error:
            self.job.annotate("warning" if isinstance(error, StoppedEarly) else "error", str(error))

    def _outputs(self) -> Iterator[tuple[str, str | int]]:
        if self.matrix:
            yield "matrix", self.matrix
        if report := self.report:
            yield "head-sha", report["head"]
            yield "upserted", report["nodes_new"]
            yield "deleted", report["nodes_deleted"]
            yield "unchanged", report["files_unchanged"]
            yield "skipped", len(report["skipped"])
            yield "embedded", report["texts_embedded"]
            yield "requests", sum(report["requests"].values())
        if self.report or self.verdict:
            whole = {"report": self.report, "validation": self.verdict}
            yield from self._file_output("report", "report.json", json.dumps(whole, indent=2))
        if self.published_digest:
            yield "published-digest", self.published_digest
        if self.impact and self.impact.facts:
            from feeder.github.impact_facts import encode_facts, impact_outputs

            yield from impact_outputs(self.impact.facts)
            text = encode_facts(self.impact.facts)
            yield from self._file_output("impact-file", "impact.json", text)
        if self.comment:
            yield from self._file_output("comment-file", "comment.md", self.comment)

    def _file_output(self, output: str, name: str, text: str) -> Iterator[tuple[str, str]]:
        """The output with the path of a new file; none if it cannot be written."""
        path = self.job.write_file(name, text)
        yield from [(output, str(path))] if path else ()


def _failed_check(check: dict[str, Any]) -> str:
    first, *others = check["differences"]
    more = f", and {len(others):,} more" if others else ""
    return f"Check failed: {check['name']}: {first}{more}"
