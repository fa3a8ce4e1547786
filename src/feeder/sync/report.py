"""Results of a run and of a validation, as lines for people and as JSON."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from feeder.line_ranges import count_lines, decode_ranges
from feeder.notes import unparsed_text
from feeder.source import SkipReason
from feeder.store.integrity import Damage

MAX_SHOWN_REASONS = 20
"""Files that a report names; it only counts the rest."""


class Usage(Protocol):
    """The usage of services by a run."""

    @property
    def requests(self) -> Mapping[str, int]:
        """Number of requests by service."""
        ...

    def as_json(self) -> dict[str, Any]: ...

    def lines(self) -> Iterable[str]:
        """Yields lines for people."""
        ...


@dataclass
class Report:
    """The result of one run. The fields are the keys of its JSON."""

    repo: str
    branch: str
    head: str
    dry_run: bool = False
    finished: bool = False
    files_processed: int = 0
    files_deleted: int = 0
    files_unchanged: int = 0
    files_vectors_only: int = 0
    nodes_new: int = 0
    nodes_deleted: int = 0
    nodes_by_type: Counter[str] = field(default_factory=Counter)
    texts_embedded: int = 0
    texts_cached: int = 0
    texts_waiting: int = 0
    text_rows: int = 0
    text_rows_gone: int = 0
    text_bytes: int = 0
    descriptions_made: int = 0
    descriptions_waiting: int = 0
    descriptions_gone: int = 0
    descriptions_refused: Counter[str] = field(default_factory=Counter)
    descriptions_failed: Counter[str] = field(default_factory=Counter)
    descriptions_price: str = ""
    skipped: dict[str, str] = field(default_factory=dict)
    as_plain_text: dict[str, str] = field(default_factory=dict)
    unparsed: dict[str, str] = field(default_factory=dict)
    secrets_masked: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    usage: Usage | None = None
    seconds: float = 0.0
    announced: list[str] = field(default_factory=list, repr=False, compare=False)
    """Notes that were printed at the start; `lines` does not repeat them."""
    _began_s: float = field(default_factory=time.monotonic, init=False, repr=False, compare=False)

    @property
    def elapsed_s(self) -> float:
        """Seconds since it began."""
        return round(time.monotonic() - self._began_s, 2)

    def as_json(self) -> dict[str, Any]:
        """Returns all fields; `skipped`, `as_plain_text`, `unparsed` and `secrets_masked` are by
        path.

        `unparsed` has the lines that the file's grammar does not know, as 12-40,55; its numbers of
        files and lines are `unparsed_files` and `unparsed_lines`. Secrets in unchanged files are
        not counted.
        """
        # asdict would take a Counter for a list of pairs
        hidden = "announced", "_began_s"
        fields = {name: value for name, value in vars(self).items() if name not in hidden}
        counts = {"unparsed_files": len(self.unparsed), "unparsed_lines": self.unparsed_lines}
        return {**fields, **counts, "usage": self.usage.as_json() if self.usage else None}

    @property
    def unparsed_lines(self) -> int:
        """The number of lines that the files' grammars do not know."""
        return sum(count_lines(decode_ranges(text)) for text in self.unparsed.values())

    def lines(self) -> list[str]:
        """Returns a summary of a few lines for people."""
        usage = self.usage.lines() if self.usage else ()
        return [
            *(note for note in self.notes if note not in self.announced),
            self._files_line(),
            self._nodes_line(),
            *self._stored_source_lines(),
            *self._description_lines(),
            *self._reason_lines(),
            *usage,
        ]

    def _files_line(self) -> str:
        verb = "would be " if self.dry_run else ""
        counts = (
            f"{self.files_processed} {verb}processed, {self.files_deleted} {verb}deleted, "
            f"{self.files_unchanged} unchanged, {len(self.skipped)} skipped"
        )
        added = (
            f"; static vectors {verb}added to {self.files_vectors_only}"
            if self.files_vectors_only
            else ""
        )
        return f"Files: {counts}{added}."

    def _nodes_line(self) -> str:
        verb = "would be " if self.dry_run else ""
        nodes = f"{self.nodes_new} {verb}added, {self.nodes_deleted} {verb}deleted"
        # zeros would read as a fault where the index has no vectors of a model beside it
        if not (self.texts_embedded or self.texts_cached or self.texts_waiting):
            return f"Nodes: {nodes}."
        vectors = f"{self.texts_embedded} {verb}computed, {self.texts_cached} from the cache"
        waiting = f", {self.texts_waiting} waiting for a later run" if self.texts_waiting else ""
        return f"Nodes: {nodes}; model vectors: {vectors}{waiting}."

    def _stored_source_lines(self) -> Iterator[str]:
        verb = "would be " if self.dry_run else ""
        if self.text_rows:
            size = f"{self.text_bytes / 1e6:,.1f} MB compressed"
            yield f"Source {verb}stored: {self.text_rows:,} rows of at most 16 kB, {size}."
        if self.text_rows_gone:
            yield f"Stored source {verb}removed: {self.text_rows_gone:,} rows."

    def _description_lines(self) -> Iterator[str]:
        if gone := self.descriptions_gone:
            yield f"Descriptions {'would be ' if self.dry_run else ''}removed: {gone:,}."
        made, none = self.descriptions_made, self.descriptions_refused.total()
        failed, waiting = self.descriptions_failed.total(), self.descriptions_waiting
        if not (made or none or failed or waiting):
            return
        if self.dry_run:
            yield f"Descriptions: {made:,} would be requested; {self.descriptions_price}."
            return
        parts = [f"{made:,} made", *([f"{none:,} rejected"] if none else [])]
        parts += [f"{failed:,} failed"] if failed else []
        parts += [f"{waiting:,} waiting for a later run with --describe"] if waiting else []
        yield f"Descriptions: {', '.join(parts)}."
        for reason, count in (self.descriptions_refused + self.descriptions_failed).most_common():
            yield f"  no description {count}: {reason}"

    def _reason_lines(self) -> Iterator[str]:
        for reason, count in Counter(self.skipped.values()).most_common():
            yield f"  skipped {count}: {reason}{self._submodule_names(reason)}"
        for path, reason in list(self.as_plain_text.items())[:MAX_SHOWN_REASONS]:
            yield f"  as plain text: {path}: {reason}"
        if (more := len(self.as_plain_text) - MAX_SHOWN_REASONS) > 0:
            yield f"  as plain text: {more} more files"
        if self.unparsed:
            yield f"  {unparsed_text(len(self.unparsed), self.unparsed_lines)}"
        if self.secrets_masked:
            count, files = sum(self.secrets_masked.values()), len(self.secrets_masked)
            yield f"  secrets masked {count}, in {files} {'file' if files == 1 else 'files'}"

    def _submodule_names(self, reason: str) -> str:
        """Names the submodules, since each may hold more files than the repository."""
        if reason != SkipReason.SUBMODULE.value:
            return ""
        paths = [path for path, why in self.skipped.items() if why == reason]
        more = f" and {len(paths) - MAX_SHOWN_REASONS} more" * (len(paths) > MAX_SHOWN_REASONS)
        names = ", ".join(paths[:MAX_SHOWN_REASONS]) + more
        return f" ({names}). To search one, run feeder sync in its folder"


MAX_SHOWN_DIFFERENCES = 20
"""Differences shown of each check; --json has all."""

REPAIR_COMMAND = "feeder validate --repair"


class Check(NamedTuple):
    """The result of one check: its figures, and the differences in words."""

    name: str
    figures: dict[str, int]
    differences: list[str]

    @property
    def passed(self) -> bool:
        return not self.differences


class ValidationResult(NamedTuple):
    """The checks of one validation; `notes` say what the index lacks, `not_compared` what was not
    compared.

    `advice` says how to repair the differences; `repaired` is set after a repair.
    """

    checks: list[Check]
    damage: Damage
    notes: Sequence[str] = ()
    advice: str = ""
    repaired: bool = False
    not_compared: Sequence[str] = ()

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def _remedy(self) -> str:
        if self.repaired and REPAIR_COMMAND in self.advice:
            return "The repair did not help: delete the index, then run: feeder sync"
        return self.advice

    def lines(self) -> Iterator[str]:
        """Yields each check with its first differences, then the notes and the verdict."""
        for check in self.checks:
            figures = ", ".join(f"{name} {count}" for name, count in check.figures.items())
            summary = f"{check.name}: {figures}" if figures else check.name
            yield f"{'ok  ' if check.passed else 'FAIL'} {summary}"
            yield from (f"       {line}" for line in check.differences[:MAX_SHOWN_DIFFERENCES])
            if (more := len(check.differences) - MAX_SHOWN_DIFFERENCES) > 0:
                yield f"       and {more} more"
        yield from (*self.notes, *self.not_compared)
        if not self.passed:
            yield f"The index is not correct. {self._remedy}"
        elif self.not_compared:
            yield "The index is correct in everything that was compared."
        else:
            yield "The index is correct."

    def as_json(self) -> dict[str, Any]:
        """Returns `passed`, the checks with their figures and differences, and the notes."""
        return {
            "passed": self.passed,
            "checks": [{**check._asdict(), "passed": check.passed} for check in self.checks],
            "notes": [*self.notes, *self.not_compared],
        }
