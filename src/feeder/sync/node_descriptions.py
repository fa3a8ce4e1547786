"""Side table of descriptions: one sentence by a language model for each method and class.

Runs last, when the index already equals the source tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from feeder.descriptions import DESCRIPTION_TOKENS, Describer
from feeder.descriptions.prompt import Subject, prompt, prompt_version, subjects
from feeder.errors import StoppedEarly
from feeder.nodes import node_ids
from feeder.source import Entry
from feeder.store import Statement, stored_descriptions
from feeder.store.index_state import IndexState
from feeder.store.integrity import Damage, ParityReport
from feeder.store.rows import batched
from feeder.store.stored_descriptions import DescriptionSource
from feeder.sync import vector_refresh
from feeder.sync.concurrency import is_in_shard
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.diff import Diff
from feeder.sync.report import Check
from feeder.sync.side_tables import CLEARING, FILLING, OFF, ON, SideTable, table_status
from feeder.sync.write import parsed_files

if TYPE_CHECKING:
    from feeder.sync.description_requests import DescriptionRequests

DESCRIPTIONS_KEY, DESCRIBER_KEY = "describe", "describer"
"""Keys of `meta`: the table's status, and the language model that was requested last."""
SUBJECTS_PER_BATCH = 200
"""Methods and classes whose descriptions are looked up with one query."""
WAITING_NOTE = (
    "Some methods and classes have no description by {} yet. Request them with feeder sync "
    "--describe MODEL, or remove all descriptions with feeder sync --describe off."
)


class Descriptions(SideTable):
    """Descriptions of all methods and classes, or none; set by `--describe`.

    They change the vectors of their nodes, so `finish` and `check` cover those vectors as well.
    """

    def __init__(self, run: SyncContext, meta: Mapping[str, str]) -> None:
        self._run = run
        self._meta = meta
        self._key = run.index.meta_key
        self._status = table_status(run, meta, DESCRIPTIONS_KEY)
        self._options = run.description_options
        self._describer = self._options.describer if self._options else None

    def is_wanted(self) -> bool:
        return self._describer is not None if self._options else self.is_stored()

    def is_up_to_date(self, *, whole: bool = True) -> bool:
        """Without a model to request descriptions from, missing ones are left as they are."""
        if not self.is_wanted():
            return self._status == OFF
        if not vector_refresh.are_static_vectors_current(self._run, self._meta):
            return False
        return self._options is None or (self._status == ON and not self._options.redescribe)

    def is_stored(self) -> bool:
        return self._status in {ON, FILLING}

    def _may_exist(self) -> bool:
        """Also true while they are being removed."""
        return self.is_wanted() or self._status != OFF

    def configure(self, *, is_stored: bool) -> None:
        self._run.index.stores_descriptions = is_stored
        self._run.index.has_descriptions = self._may_exist()

    def add_notes(self) -> None:
        """Says that descriptions are missing and this run has no model to request them from."""
        if self._options is None and self._status == FILLING:
            model = self._meta.get(self._key(DESCRIBER_KEY), "a model")
            self._run.report.notes.append(WAITING_NOTE.format(model))

    def start_meta(self) -> dict[str, str]:
        """From the first write on, a new node may have no description."""
        if not self.is_wanted():
            return {self._key(DESCRIPTIONS_KEY): CLEARING} if self._status != OFF else {}
        describer = {self._key(DESCRIBER_KEY): self._describer.model} if self._describer else {}
        return {self._key(DESCRIPTIONS_KEY): FILLING, **describer}

    def finish(self, *, completes_vectors: bool) -> None:
        """Requests missing descriptions, then recomputes the vectors of described nodes.

        Raises the error that ended the requests, StoppedEarly at a budget, and Superseded when a
        later run has begun.
        """
        if not self._may_exist():
            return
        run = self._run
        run.report.finished = False
        requests = None
        if not self.is_wanted():
            self._delete_all()
        elif self._options and self._describer:
            requests = self._request_missing(self._options, self._describer)
        progress = vector_refresh.refresh_all(run)
        statements = vector_refresh.record_current_statements(
            run, completes_vectors=completes_vectors
        )
        self._last_write([*progress, *statements])
        if requests and requests.error:
            raise requests.error
        if requests and requests.limit:
            run.budget.stop(requests.limit)
        if run.budget.stop_reason:
            raise StoppedEarly(run.budget.stop_reason)
        run.report.finished = True

    def _last_write(self, statements: Sequence[Statement]) -> None:
        index = self._run.index
        if not self.is_wanted():
            index.write_statements([*statements], is_last=True)
            return
        status = stored_descriptions.finish_statements(
            index.repo, self._key(DESCRIPTIONS_KEY), ON, FILLING
        )
        count = stored_descriptions.undescribed_count_statement(index.repo, None)
        if rows := index.write_statements([*status, *statements, count], is_last=True):
            self._run.report.descriptions_waiting = int(str(rows[-1][0][0]))

    def _delete_all(self) -> None:
        """Removes all descriptions; raises StoppedEarly at a budget."""
        run = self._run
        keys = [self._key(name) for name in (DESCRIPTIONS_KEY, DESCRIBER_KEY)]
        before = self._described_count()
        while run.budget.allows(1):
            rows = run.index.write_statements(
                stored_descriptions.unlink_statements(run.index.repo, keys), is_last=True
            )
            if rows is not None and not rows[-1]:
                run.report.descriptions_gone = before
                return
        run.report.descriptions_gone = before - self._described_count()
        raise StoppedEarly(run.budget.stop_reason)

    def _request_missing(
        self, options: DescriptionOptions, describer: Describer
    ) -> DescriptionRequests:
        from feeder.sync.description_requests import DescriptionRequests

        run = self._run
        redescribed = _redescribed_source(options, describer)
        blobs = self._undescribed_paths(redescribed)
        entries = [entry for entry in run.tree.entries() if _is_as_indexed(run, entry, blobs)]
        requests = DescriptionRequests(run, options, describer)
        with run.progress.step("descriptions", len(entries)) as step:
            done: set[str] = set()
            for batch in batched(self._parsed_subjects(entries, done), SUBJECTS_PER_BATCH):
                requests.request(batch, self._undescribed_keys(batch, redescribed))
                step(len(done))
                done.clear()
                if requests.is_stopped:
                    break
        return requests

    def _undescribed_paths(self, redescribed: DescriptionSource | None) -> Mapping[str, str]:
        """Files with nodes to describe, each with its blob id."""
        index = self._run.index
        return stored_descriptions.undescribed_paths(index.database, index.repo, redescribed)

    def _undescribed_keys(
        self, batch: Iterable[Subject], redescribed: DescriptionSource | None
    ) -> set[str]:
        keys = (subject.sha for subject in batch)
        return stored_descriptions.missing_keys(self._run.index.database, keys, redescribed)

    def _parsed_subjects(
        self, entries: Sequence[Entry], finished_paths: set[str]
    ) -> Iterator[Subject]:
        """Yields methods and classes; adds each file to `finished_paths` after its last one."""
        for entry, parsed in parsed_files(self._run, entries):
            ids = node_ids(self._run.index.repo, entry.path, parsed.nodes)
            yield from subjects(parsed.nodes, ids)
            finished_paths.add(entry.path)

    def _described_count(self) -> int:
        index = self._run.index
        return stored_descriptions.described_count(index.database, index.repo)

    def estimate(self, state: IndexState, diff: Diff, *, whole: bool) -> None:
        report, options, describer = self._run.report, self._options, self._describer
        if options and not describer:
            report.descriptions_gone = self._described_count()
        if not options or not describer:
            return
        tokens = self._estimated_tokens(diff, _redescribed_source(options, describer))
        tokens = tokens[: options.max_descriptions]
        report.descriptions_made = len(tokens)
        report.descriptions_price = _price_text(
            describer, sum(tokens), DESCRIPTION_TOKENS * len(tokens)
        )

    def _estimated_tokens(self, diff: Diff, redescribed: DescriptionSource | None) -> list[int]:
        """Tokens of each request, one per distinct text."""
        from feeder.embedding.batching import estimate_tokens

        due = self._undescribed_paths(redescribed)
        entries = [entry for entry in diff.to_index if not entry.skip]
        as_indexed = (*diff.unchanged, *diff.pending)
        entries += [entry for entry in as_indexed if not entry.skip and entry.path in due]
        tokens: dict[str, int] = {}
        for batch in batched(self._parsed_subjects(entries, set()), SUBJECTS_PER_BATCH):
            missing = self._undescribed_keys(batch, redescribed)
            tokens |= {
                subject.sha: estimate_tokens(prompt() + subject.text)
                for subject in batch
                if subject.sha in missing
            }
        return list(tokens.values())

    def repair_meta(self, damage: Damage) -> dict[str, str]:
        return {self._key(DESCRIPTIONS_KEY): FILLING} if damage.lacks_descriptions else {}

    def check(self, state: IndexState, parity: ParityReport, damage: Damage) -> Iterator[Check]:
        yield from self._check_descriptions(parity, damage)
        yield from vector_refresh.check_vectors(self._run, state, parity, damage)

    def _check_descriptions(self, parity: ParityReport, damage: Damage) -> Iterator[Check]:
        """Descriptions that are still to be requested are no difference."""
        mismatches, orphans = (
            parity.description_posting_mismatches,
            parity.orphan_description_postings,
        )
        counts = parity.description_counts
        if self._status == OFF and not (counts.described or mismatches or orphans):
            return
        damage.has_wrong_description_postings |= bool(mismatches or orphans)
        yield Check(
            "every description is found by its words, and nothing else is",
            {},
            [
                *(f"not found by its words: {text!r}" for (text,) in mismatches),
                *(f"posting {row} has no description" for (row,) in orphans),
            ],
        )
        missing = parity.undescribed_files if self._status == ON else []
        damage.lacks_descriptions |= bool(missing)
        yield Check(
            "every method and class has a description, if meta says so",
            {
                "methods and classes": counts.nodes,
                "waiting": counts.waiting,
                "without": counts.without,
            },
            [f"{path}: {count} without a description" for path, count in missing],
        )

    def remaining_notes(self, state: IndexState, parity: ParityReport) -> Iterator[str]:
        counts = parity.description_counts
        if self._status == FILLING and counts.waiting:
            waiting = f"{counts.waiting:,} of {counts.nodes:,} methods and classes"
            yield f"{waiting} wait for a description."
        yield from vector_refresh.stale_notes(self._run, state, parity)


def _redescribed_source(
    options: DescriptionOptions, describer: Describer
) -> DescriptionSource | None:
    """The model and prompt whose descriptions are up to date, where others are to be replaced."""
    return DescriptionSource(describer.model, prompt_version()) if options.redescribe else None


def _is_as_indexed(run: SyncContext, entry: Entry, blobs: Mapping[str, str]) -> bool:
    """A file that changed since it was indexed is left to the next run."""
    return not entry.skip and blobs.get(entry.path) == entry.blob and is_in_shard(run, entry.path)


def _price_text(describer: Describer, tokens_in: int, tokens_out: int) -> str:
    neurons = describer.neurons(tokens_in, tokens_out)
    price = "the price is unknown" if neurons is None else f"{neurons:,.0f} neurons of Workers AI"
    return f"about {tokens_in + tokens_out:,} tokens by {describer.model}, {price}"
