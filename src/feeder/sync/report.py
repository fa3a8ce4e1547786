"""What did a run do? The same account for people, for machines and for a dry run."""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from feeder import escaping

MAX_SHOWN_REASONS = 20
"""Files that are named one by one before the rest is only counted."""


class Usage(Protocol):
    """What a run has taken of services, `requests` by service."""

    @property
    def requests(self) -> Mapping[str, int]: ...

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        ...

    def lines(self) -> Iterable[str]:
        """It, for a person."""
        ...


@dataclass
class Report:
    """The account of one run; all counts are of files, nodes and texts as the names say."""

    repo: str
    branch: str
    head: str
    dry_run: bool = False
    finished: bool = False
    files_processed: int = 0
    files_deleted: int = 0
    files_unchanged: int = 0
    nodes_new: int = 0
    nodes_deleted: int = 0
    nodes_by_type: Counter[str] = field(default_factory=Counter)
    texts_embedded: int = 0
    texts_cached: int = 0
    texts_waiting: int = 0
    lookup_rows: int = 0
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
    secrets_masked: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    usage: Usage | None = None
    seconds: float = 0.0
    _began_s: float = field(default_factory=time.monotonic, init=False, repr=False, compare=False)

    @property
    def elapsed_s(self) -> float:
        """Seconds since it began."""
        return round(time.monotonic() - self._began_s, 2)

    def as_json(self) -> dict[str, Any]:
        """All of it; by path, `skipped` and `as_plain_text` hold reasons, `secrets_masked` counts.

        The secrets of files that are unchanged are not counted.
        """
        # asdict would take a Counter for a list of pairs
        facts = {name: value for name, value in vars(self).items() if name != "_began_s"}
        return {**facts, "usage": self.usage.as_json() if self.usage else None}

    def lines(self) -> list[str]:
        """The account in a few lines for a person."""
        usage = self.usage.lines() if self.usage else ()
        kept = [*self._stored_source_lines(), *self._description_lines()]
        return [
            *self.notes,
            self._files_line(),
            self._nodes_line(),
            *kept,
            *self._reason_lines(),
            *usage,
        ]

    def _files_line(self) -> str:
        verb = "would be " if self.dry_run else ""
        counts = (
            f"{self.files_processed} {verb}processed, {self.files_deleted} {verb}deleted, "
            f"{self.files_unchanged} unchanged, {len(self.skipped)} skipped"
        )
        return f"Files: {counts}."

    def _nodes_line(self) -> str:
        verb = "would be " if self.dry_run else ""
        texts = f"{self.texts_embedded} {verb}embedded, {self.texts_cached} from the cache"
        waiting = f", {self.texts_waiting} waiting for a later run" if self.texts_waiting else ""
        return f"Nodes: {self.nodes_new} new, {self.nodes_deleted} gone; texts: {texts}{waiting}."

    def _stored_source_lines(self) -> Iterator[str]:
        verb = "would be " if self.dry_run else ""
        if self.text_rows:
            size = f"{self.text_bytes / 1e6:,.1f} MB compressed"
            yield f"Texts {verb}kept: {self.text_rows:,} rows of at most 16 kB, {size}."
        if self.text_rows_gone:
            yield f"Texts {verb}taken out: {self.text_rows_gone:,} rows."

    def _description_lines(self) -> Iterator[str]:
        if gone := self.descriptions_gone:
            yield f"Descriptions {'would be ' if self.dry_run else ''}taken out: {gone:,}."
        made, none = self.descriptions_made, self.descriptions_refused.total()
        failed, waiting = self.descriptions_failed.total(), self.descriptions_waiting
        if not (made or none or failed or waiting):
            return
        if self.dry_run:
            yield f"Descriptions: {made:,} would be asked for; {self.descriptions_price}."
            return
        parts = [f"{made:,} made", *([f"{none:,} without a line"] if none else [])]
        parts += [f"{failed:,} failed"] if failed else []
        parts += [f"{waiting:,} waiting for a later run with --describe"] if waiting else []
        yield f"Descriptions: {', '.join(parts)}."
        for reason, count in (self.descriptions_refused + self.descriptions_failed).most_common():
            yield f"  no description {count}: {reason}"

    def _reason_lines(self) -> Iterator[str]:
        for reason, count in Counter(self.skipped.values()).most_common():
            yield f"  skipped {count}: {reason}"
        for path, reason in list(self.as_plain_text.items())[:MAX_SHOWN_REASONS]:
            yield f"  as plain text: {path}: {reason}"
        if (more := len(self.as_plain_text) - MAX_SHOWN_REASONS) > 0:
            yield f"  as plain text: {more} more files"
        if self.secrets_masked:
            count, files = sum(self.secrets_masked.values()), len(self.secrets_masked)
            yield f"  secrets masked {count}, in {files} {'file' if files == 1 else 'files'}"


class ProgressStep(Protocol):
    """A stretch of work that shows how far it is."""

    def __call__(self, done: int) -> None:
        """`done` more of it are done."""


LINE_INTERVAL_S = 30.0
"""Between two lines that say how far a run is, where there is no terminal."""


class ProgressReporter:
    """What a run says on stderr; bars only on a terminal, elsewhere a line now and then."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._has_bars = sys.stderr.isatty() and "GITHUB_ACTIONS" not in os.environ
        self._on_position: Callable[[str], object] | None = None

    def message(self, text: str) -> None:
        """A line for a person."""
        if not self._quiet:
            print(escaping.escape_line(text), file=sys.stderr, flush=True)

    @contextmanager
    def step(self, label: str, total: int) -> Iterator[ProgressStep]:
        """A bar with rate and time left while the block runs, or lines with what is done."""
        if self._quiet or not total:
            yield lambda done: None
            return
        try:
            if not self._has_bars:
                lines = _ProgressLines(self.message, label, total)
                self._on_position = lines.set_position
                yield lines.step
                return
            with _progress_bar() as bar:
                task = bar.add_task(label, total=total, at="")
                self._on_position = lambda where: bar.update(task, at=escaping.escape_line(where))
                yield lambda done: bar.advance(task, done)
        finally:
            self._on_position = None

    def set_position(self, position: str) -> None:
        """Where in a long file the step is that is under way; empty when it is through that.

        From any thread, also when no step is under way: then it is not shown.
        """
        if show := self._on_position:
            show(position)


class RecordingReporter(ProgressReporter):
    """Keeps what would be said on stderr, in `lines`, for an answer."""

    def __init__(self) -> None:
        super().__init__(quiet=True)
        self.lines: list[str] = []

    def message(self, text: str) -> None:
        """Notes it."""
        self.lines.append(text)


class _ProgressLines:
    """A line now and then with what is done."""

    def __init__(self, print_line: Callable[[str], None], label: str, total: int) -> None:
        self._print, self._label, self._total = print_line, label, total
        self._done, self._printed_s = 0, time.monotonic()

    def step(self, done: int) -> None:
        self._done += done
        self._print_if_due("")

    def set_position(self, position: str) -> None:
        if position:
            self._print_if_due(f"; {position}")

    def _print_if_due(self, suffix: str) -> None:
        if time.monotonic() - self._printed_s >= LINE_INTERVAL_S:
            self._printed_s = time.monotonic()
            self._print(f"{self._label}: {self._done:,} of {self._total:,}{suffix}")


def _progress_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many a second, as measured lately."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f}/s" if task.speed else "")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[at]}", markup=False),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
