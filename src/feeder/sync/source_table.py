"""Side table of stored source: the source lines that a Worker shows for a hit."""

from collections.abc import Iterator, Mapping, Sequence

from feeder.errors import TooLargeError, UserError
from feeder.source import Entry
from feeder.store import Statement, stored_source
from feeder.store.index_state import IndexState
from feeder.store.integrity import Damage, ParityReport
from feeder.store.rows import IndexedFile
from feeder.sync.context import SyncContext
from feeder.sync.diff import Diff
from feeder.sync.report import Check
from feeder.sync.side_tables import (
    CLEARING,
    FILLING,
    OFF,
    ON,
    SideTable,
    TableWrite,
    table_status,
)
from feeder.sync.write import batch_files, count_stored_source, indexed_files

SOURCE_KEY = "texts"
"""Key of the table's status in `meta`."""
STILL_STORED_NOTE = "The index stores source lines, as an earlier run set; --no-texts removes them."


class StoredSource(SideTable):
    """Stored source of all indexed files, or of none; set by `--texts` and `--no-texts`.

    Files that the run writes anyway bring their source with them (`Index.write`). This class reads
    the other files when the option is new, and removes all source when it is gone.
    """

    def __init__(self, run: SyncContext, meta: Mapping[str, str]) -> None:
        self._run = run
        self._key = run.index.meta_key(SOURCE_KEY)
        self._status = table_status(run, meta, SOURCE_KEY)
        self._clears_first = False
        self._missing: Sequence[Entry] = ()

    def is_wanted(self) -> bool:
        recorded = self._status in {ON, FILLING}
        return recorded if self._run.store_source is None else self._run.store_source

    def is_up_to_date(self, *, whole: bool = True) -> bool:
        """A run over a part leaves the files outside of it to a later run.

        Raises UserError for a shard that would remove the source of all files.
        """
        is_wanted = self.is_wanted()
        if self._run.shard and not is_wanted and self._status != OFF:
            raise UserError(
                "The index stores source lines, and one shard cannot remove those of all shards.",
                "First run: feeder sync --no-texts --max-embeddings 1",
            )
        is_partly_filled = is_wanted and not whole and self._status == FILLING
        return self._status == (ON if is_wanted else OFF) or is_partly_filled

    def is_stored(self) -> bool:
        return self._status == ON

    def configure(self, *, is_stored: bool) -> None:
        self._run.index.stores_source = is_stored

    def add_notes(self) -> None:
        """Notes that source is stored although this run has no option for it."""
        notes = self._run.report.notes
        if self._run.store_source is None and self.is_wanted() and STILL_STORED_NOTE not in notes:
            notes.append(STILL_STORED_NOTE)

    def shard_identity(self) -> dict[str, str]:
        return {self._key: ON} if self._run.store_source else {}

    def start_meta(self) -> dict[str, str]:
        return {} if self.is_up_to_date() else {self._key: self._status_while_changing()}

    def _status_while_changing(self) -> str:
        can_fill = self.is_wanted() and self._status in {OFF, FILLING}
        return FILLING if can_fill else CLEARING

    def opening_statements(self) -> list[Statement]:
        """Removes rows that an older index left, before the first run that stores source."""
        is_first = self.is_wanted() and self._status == OFF
        return [stored_source.delete_all_statement(self._run.index.repo)] if is_first else []

    def plan(self, state: IndexState, diff: Diff, *, whole: bool) -> None:
        """Lists the unchanged files to read for their source; one request per 20,000 files."""
        if self.is_up_to_date(whole=whole):
            return
        self._clears_first = CLEARING in {self._status, self._status_while_changing()}
        if not self.is_wanted():
            return
        self._missing = self._files_without_source(state, diff)
        if self._missing:
            self._run.progress.message(
                f"Stored source: reading {len(self._missing)} unchanged files to store their "
                "lines, at least one row each. Nothing is embedded for it."
            )

    def _files_without_source(self, state: IndexState, diff: Diff) -> list[Entry]:
        rows = state.files or {}
        indexed = [
            entry
            for entry in (*diff.unchanged, *diff.pending)
            if not entry.skip and rows[entry.path].state != "skipped"
        ]
        if not indexed or self._status != FILLING:
            return indexed
        stored = stored_source.stored_paths(self._run.index.database, self._run.index.repo)
        return [entry for entry in indexed if entry.path not in stored]

    def clear(self) -> None:
        index = self._run.index
        status = FILLING if self.is_wanted() else OFF
        while self._clears_first and self._run.budget.allows(1):
            rows = index.write_statements(
                stored_source.delete_batch_statements(index.repo, self._key, status)
            )
            if rows is not None and not rows[-1]:
                return

    def write(self, state: IndexState) -> TableWrite:
        """Files that changed since they were listed are left to the next run, as are those whose
        parser was stopped: it makes their nodes again.
        """
        run = self._run
        if not self.is_wanted():
            return TableWrite()
        incomplete = TableWrite(is_complete=False)
        if run.budget.stop_reason:
            return incomplete
        changed: list[str] = []
        with run.progress.step("stored source", len(self._missing)) as step:
            for files in batch_files(indexed_files(run, self._missing)):
                if not run.budget.allows(1):
                    return incomplete
                self._write_batch([file for file in files if not _has_changed(file, state)])
                changed += [file.path for file in files if _has_changed(file, state)]
                step(len(files))
        if changed:
            run.index.invalidate_files(changed)
            return incomplete
        return TableWrite({self._key: ON})

    def _write_batch(self, files: Sequence[IndexedFile]) -> None:
        """One transaction, or halves of it where the database refuses its size."""
        index = self._run.index
        try:
            index.write_statements(list(stored_source.change_statements(index.repo, files, [])))
        except TooLargeError:
            if len(files) < 2:
                raise
            half = len(files) // 2
            self._write_batch(files[:half])
            self._write_batch(files[half:])
        else:
            for file in files:
                count_stored_source(self._run.report, file)

    def estimate(self, state: IndexState, diff: Diff, *, whole: bool) -> None:
        self.plan(state, diff, whole=whole)
        run = self._run
        for file in indexed_files(run, self._missing):
            count_stored_source(run.report, file)
        if self._clears_first:
            [[(rows, _)]] = run.index.database.run([stored_source.size_statement(run.index.repo)])
            run.report.text_rows_gone = int(str(rows))

    def repair_meta(self, damage: Damage) -> dict[str, str]:
        return {self._key: FILLING} if damage.source_paths and self.is_stored() else {}

    def check(self, state: IndexState, parity: ParityReport, damage: Damage) -> Iterator[Check]:
        missing, left_over = (
            [str(path) for (path,) in rows]
            for rows in (parity.files_without_source, parity.source_without_file)
        )
        if self._status == OFF and not left_over:
            return
        damage.source_paths |= {*missing, *left_over}
        yield Check(
            "every indexed file has its stored source, and no other file has any",
            {"lacking": len(missing), "left over": len(left_over)},
            [
                *(f"{path}: no stored source" for path in missing),
                *(f"{path}: stored source of a file that is not indexed" for path in left_over),
            ],
        )


def _has_changed(file: IndexedFile, state: IndexState) -> bool:
    return file.skipped or file.blob != (state.files or {})[file.path].blob
