"""Side table of stored source: the source lines that a Worker shows for a hit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from feeder.errors import TooLargeError, UserError
from feeder.parse.compressed_source import SourceBlock
from feeder.source import Entry
from feeder.store import Statement, stored_source
from feeder.store.index_state import IndexState
from feeder.store.integrity import Damage, ParityReport
from feeder.store.rows import IndexedFile
from feeder.sync.context import SyncContext
from feeder.sync.diff import Diff
from feeder.sync.report import Check
from feeder.sync.side_tables import CLEARING, FILLING, OFF, ON, table_status
from feeder.sync.write import batch_files, count_stored_source, indexed_files

SOURCE_KEY = "texts"
"""In `meta`, of a repository: `on` says that no text lacks, and nothing that there is none."""
SOURCE_KEPT_NOTE = "The index keeps texts, as it was told; --no-texts takes them out."


class SourceWork(NamedTuple):
    """What has to be done for the texts, beside the files that are written anyway.

    `clears` says that what is there goes first; `lacking` files are read for theirs alone.
    """

    clears_first: bool = False
    missing: Sequence[Entry] = ()


NO_WORK = SourceWork()


def is_wanted(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Whether the index is to have texts."""
    return (
        table_status(run, meta, SOURCE_KEY) in {ON, FILLING}
        if run.store_source is None
        else run.store_source
    )


def is_settled(run: SyncContext, meta: Mapping[str, str], *, whole: bool = True) -> bool:
    """Whether nothing is to be done for them; a run over a part leaves other files to a later one.

    Raises UserError for a shard that would take them out of all files.
    """
    said, wanted = table_status(run, meta, SOURCE_KEY), is_wanted(run, meta)
    if run.shard and not wanted and said != OFF:
        raise UserError(
            "The index keeps texts, and shards cannot take them out. Begin with: "
            "feeder sync --no-texts --max-embeddings 1"
        )
    return said == (ON if wanted else OFF) or (wanted and not whole and said == FILLING)


def start_meta(run: SyncContext, meta: Mapping[str, str]) -> dict[str, str]:
    """What `meta` says while they are not as they shall be."""
    if is_settled(run, meta):
        return {}
    is_clear = table_status(run, meta, SOURCE_KEY) in {OFF, FILLING}
    return {
        run.index.meta_key(SOURCE_KEY): FILLING if is_wanted(run, meta) and is_clear else CLEARING
    }


def shard_identity(run: SyncContext) -> dict[str, str]:
    """What tells the work of shards that make texts from that of others."""
    return {run.index.meta_key(SOURCE_KEY): ON} if run.store_source else {}


def add_notes(run: SyncContext, meta: Mapping[str, str]) -> None:
    """Says that there are texts where nobody has asked for them this time."""
    if (
        run.store_source is None
        and is_wanted(run, meta)
        and SOURCE_KEPT_NOTE not in run.report.notes
    ):
        run.report.notes.append(SOURCE_KEPT_NOTE)


def opening_statements(run: SyncContext, meta: Mapping[str, str]) -> list[Statement]:
    """What a run begins with that is the first to keep them: no other text is there."""
    is_first = is_wanted(run, meta) and table_status(run, meta, SOURCE_KEY) == OFF
    return [stored_source.delete_all_statement(run.index.repo)] if is_first else []


def plan(run: SyncContext, state: IndexState, diff: Diff, *, whole: bool) -> SourceWork:
    """What is to be done, and says what that takes; a request for every 20,000 files with texts."""
    if is_settled(run, state.meta, whole=whole):
        return NO_WORK
    said = table_status(run, state.meta, SOURCE_KEY)
    clears = CLEARING in {said, start_meta(run, state.meta)[run.index.meta_key(SOURCE_KEY)]}
    if not is_wanted(run, state.meta):
        return SourceWork(clears)
    rows = state.files or {}
    known = [*diff.unchanged, *diff.pending]
    known = [entry for entry in known if not entry.skip and rows[entry.path].state != "skipped"]
    is_held = known and said == FILLING
    held = stored_source.stored_paths(run.index.database, run.index.repo) if is_held else set()
    lacking = [entry for entry in known if entry.path not in held]
    if lacking:
        run.progress.message(
            f"Texts: {len(lacking)} files are read for theirs alone, each a row of the database or "
            "more; nothing is embedded for it."
        )
    return SourceWork(clears, lacking)


def clear(run: SyncContext, meta: Mapping[str, str], source_work: SourceWork) -> None:
    """Takes all texts out where they have to go, as far as the budget goes."""
    then = FILLING if is_wanted(run, meta) else OFF
    while source_work.clears_first and run.budget.allows(1):
        rows = run.index.write_statements(
            stored_source.delete_batch_statements(
                run.index.repo, run.index.meta_key(SOURCE_KEY), then
            )
        )
        if rows is not None and not rows[-1]:
            return


def write_missing(run: SyncContext, state: IndexState, source_work: SourceWork) -> dict[str, str]:
    """Writes the texts that lack, as far as the budget goes; what `meta` says if none lacks then.

    A file that has changed since it was listed, or whose parser was stopped, is left to the next
    run, which makes its nodes anew.
    """
    if run.budget.stop_reason or not is_wanted(run, state.meta):
        return {}
    doubtful: list[str] = []
    with run.progress.step("texts", len(source_work.missing)) as step:
        for files in batch_files(indexed_files(run, source_work.missing)):
            if not run.budget.allows(1):
                return {}
            _write_batch(run, [file for file in files if not _has_changed(file, state)])
            doubtful += [file.path for file in files if _has_changed(file, state)]
            step(len(files))
    if doubtful:
        run.index.invalidate_files(doubtful)
    return {} if doubtful else {run.index.meta_key(SOURCE_KEY): ON}


def _has_changed(file: IndexedFile, state: IndexState) -> bool:
    return file.skipped or file.blob != (state.files or {})[file.path].blob


def _write_batch(run: SyncContext, files: Sequence[IndexedFile]) -> None:
    """One transaction, or smaller ones where the database wants that, down to a file's."""
    try:
        run.index.write_statements(list(stored_source.change_statements(run.index.repo, files, [])))
    except TooLargeError:
        if len(files) < 2:
            raise
        half = len(files) // 2
        _write_batch(run, files[:half])
        _write_batch(run, files[half:])
    else:
        for file in files:
            count_stored_source(run.report, file)


def estimate(run: SyncContext, source_work: SourceWork) -> None:
    """Counts what `clear` and `fill` would do; only reads."""
    for file in indexed_files(run, source_work.missing):
        count_stored_source(run.report, file)
    if source_work.clears_first:
        [[(rows, _)]] = run.index.database.run([stored_source.size_statement(run.index.repo)])
        run.report.text_rows_gone = int(str(rows))


def is_complete(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Whether the index says that it has them all."""
    return table_status(run, meta, SOURCE_KEY) == ON


def repair_meta(run: SyncContext, meta: Mapping[str, str], damage: Damage) -> dict[str, str]:
    """What `meta` says while a repair has taken out what was wrong."""
    return (
        {run.index.meta_key(SOURCE_KEY): FILLING}
        if damage.source_paths and is_complete(run, meta)
        else {}
    )


def check(
    run: SyncContext, state: IndexState, parity: ParityReport, damage: Damage
) -> Iterator[Check]:
    """Whether each file with nodes has its text, and no other one is there."""
    lacking, odd = (
        [str(path) for (path,) in rows]
        for rows in (parity.files_without_source, parity.source_without_file)
    )
    if table_status(run, state.meta, SOURCE_KEY) == OFF and not odd:
        return
    damage.source_paths |= {*lacking, *odd}
    yield Check(
        "every file with nodes has its text, where they are kept, and every text its file",
        {"lacking": len(lacking), "left over": len(odd)},
        [*(f"{path} has no text" for path in lacking), *(f"a text of {path}" for path in odd)],
    )


class StoredSourceReader:
    """The texts that the database has, for files that are asked for in the order of their paths."""

    def __init__(self, run: SyncContext) -> None:
        index = run.index
        self._remaining = (
            stored_source.stored_files(index.database, index.repo)
            if index.stores_source
            else iter(())
        )
        self._current: tuple[str, list[SourceBlock]] = ("", [])

    def matches(self, file: IndexedFile) -> bool:
        """Whether they are the file's, line by line; that all are missing is told elsewhere."""
        while self._current[0] < file.path and (following := next(self._remaining, None)):
            self._current = following
        path, parts = self._current
        return (
            path != file.path
            or parts == list(file.source_parts)
            or _numbered_lines(parts) == _numbered_lines(file.source_parts)
        )


def _numbered_lines(parts: Iterable[SourceBlock]) -> list[tuple[int, str]] | None:
    """None where they are damaged."""
    try:
        return [line for part in parts for line in part.lines()]
    except ValueError:
        return None
