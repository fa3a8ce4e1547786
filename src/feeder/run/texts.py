"""Are the lines of files kept beside the words? As the user says, else as the index was told."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from feeder.errors import TooLargeError, UserError
from feeder.parse.kept import SourceBlock
from feeder.run.feed import Feed, Work, batches, count_texts, indexed
from feeder.run.kept import FILLING, LEAVING, OFF, ON, standing
from feeder.run.verdict import Check
from feeder.store import Statement, texts
from feeder.store.forgetting import Damage
from feeder.store.proof import ParityReport
from feeder.store.rows import IndexedFile
from feeder.store.state import IndexState
from feeder.tree import Entry

KEY = "texts"
"""In `meta`, of a repository: `on` says that no text lacks, and nothing that there is none."""
KEPT = "The index keeps texts, as it was told; --no-texts takes them out."


class Due(NamedTuple):
    """What has to be done for the texts, beside the files that are written anyway.

    `clears` says that what is there goes first; `lacking` files are read for theirs alone.
    """

    clears: bool = False
    lacking: Sequence[Entry] = ()


NOTHING = Due()


def are_wanted(feed: Feed, meta: Mapping[str, str]) -> bool:
    """Whether the index is to have texts."""
    return standing(feed, meta, KEY) in {ON, FILLING} if feed.texts is None else feed.texts


def are_settled(feed: Feed, meta: Mapping[str, str], *, whole: bool = True) -> bool:
    """Whether nothing is to be done for them; a run over a part leaves other files to a later one.

    Raises UserError for a shard that would take them out of all files.
    """
    said, wanted = standing(feed, meta, KEY), are_wanted(feed, meta)
    if feed.shard and not wanted and said != OFF:
        raise UserError(
            "The index keeps texts, and shards cannot take them out. Begin with: "
            "feeder sync --no-texts --max-embeddings 1"
        )
    return said == (ON if wanted else OFF) or (wanted and not whole and said == FILLING)


def begun(feed: Feed, meta: Mapping[str, str]) -> dict[str, str]:
    """What `meta` says while they are not as they shall be."""
    if are_settled(feed, meta):
        return {}
    is_clear = standing(feed, meta, KEY) in {OFF, FILLING}
    return {feed.index.meta_key(KEY): FILLING if are_wanted(feed, meta) and is_clear else LEAVING}


def asked(feed: Feed) -> dict[str, str]:
    """What tells the work of shards that make texts from that of others."""
    return {feed.index.meta_key(KEY): ON} if feed.texts else {}


def note(feed: Feed, meta: Mapping[str, str]) -> None:
    """Says that there are texts where nobody has asked for them this time."""
    if feed.texts is None and are_wanted(feed, meta) and KEPT not in feed.report.notes:
        feed.report.notes.append(KEPT)


def opening(feed: Feed, meta: Mapping[str, str]) -> list[Statement]:
    """What a run begins with that is the first to keep them: no other text is there."""
    is_first = are_wanted(feed, meta) and standing(feed, meta, KEY) == OFF
    return [texts.delete_all_statement(feed.index.repo)] if is_first else []


def due(feed: Feed, state: IndexState, work: Work, *, whole: bool) -> Due:
    """What is to be done, and says what that takes; a request for every 20,000 files with texts."""
    if are_settled(feed, state.meta, whole=whole):
        return NOTHING
    said = standing(feed, state.meta, KEY)
    clears = LEAVING in {said, begun(feed, state.meta)[feed.index.meta_key(KEY)]}
    if not are_wanted(feed, state.meta):
        return Due(clears)
    rows = state.files or {}
    known = [*work.unchanged, *work.waiting]
    known = [entry for entry in known if not entry.skip and rows[entry.path].state != "skipped"]
    is_held = known and said == FILLING
    held = texts.stored_paths(feed.index.database, feed.index.repo) if is_held else set()
    lacking = [entry for entry in known if entry.path not in held]
    if lacking:
        feed.talk.say(
            f"Texts: {len(lacking)} files are read for theirs alone, each a row of the database or "
            "more; nothing is embedded for it."
        )
    return Due(clears, lacking)


def clear(feed: Feed, meta: Mapping[str, str], todo: Due) -> None:
    """Takes all texts out where they have to go, as far as the budget goes."""
    then = FILLING if are_wanted(feed, meta) else OFF
    while todo.clears and feed.budget.allows(1):
        rows = feed.index.write_statements(
            texts.delete_batch_statements(feed.index.repo, feed.index.meta_key(KEY), then)
        )
        if rows is not None and not rows[-1]:
            return


def fill(feed: Feed, state: IndexState, todo: Due) -> dict[str, str]:
    """Writes the texts that lack, as far as the budget goes; what `meta` says if none lacks then.

    A file that has changed since it was listed, or whose parser was stopped, is left to the next
    run, which makes its nodes anew.
    """
    if feed.budget.stopped or not are_wanted(feed, state.meta):
        return {}
    doubtful: list[str] = []
    with feed.talk.step("texts", len(todo.lacking)) as step:
        for files in batches(indexed(feed, todo.lacking)):
            if not feed.budget.allows(1):
                return {}
            _write(feed, [file for file in files if not _is_other(file, state)])
            doubtful += [file.path for file in files if _is_other(file, state)]
            step(len(files))
    if doubtful:
        feed.index.invalidate_files(doubtful)
    return {} if doubtful else {feed.index.meta_key(KEY): ON}


def _is_other(file: IndexedFile, state: IndexState) -> bool:
    return file.skipped or file.blob != (state.files or {})[file.path].blob


def _write(feed: Feed, files: Sequence[IndexedFile]) -> None:
    """One transaction, or smaller ones where the database wants that, down to a file's."""
    try:
        feed.index.write_statements(list(texts.change_statements(feed.index.repo, files, [])))
    except TooLargeError:
        if len(files) < 2:
            raise
        half = len(files) // 2
        _write(feed, files[:half])
        _write(feed, files[half:])
    else:
        for file in files:
            count_texts(feed.report, file)


def foresee(feed: Feed, todo: Due) -> None:
    """Counts what `clear` and `fill` would do; only reads."""
    for file in indexed(feed, todo.lacking):
        count_texts(feed.report, file)
    if todo.clears:
        [[(rows, _)]] = feed.index.database.run([texts.size_statement(feed.index.repo)])
        feed.report.text_rows_gone = int(str(rows))


def are_kept(feed: Feed, meta: Mapping[str, str]) -> bool:
    """Whether the index says that it has them all."""
    return standing(feed, meta, KEY) == ON


def mended(feed: Feed, meta: Mapping[str, str], damage: Damage) -> dict[str, str]:
    """What `meta` says while a repair has taken out what was wrong."""
    return (
        {feed.index.meta_key(KEY): FILLING} if damage.source_paths and are_kept(feed, meta) else {}
    )


def checked(feed: Feed, state: IndexState, found: ParityReport, damage: Damage) -> Iterator[Check]:
    """Whether each file with nodes has its text, and no other one is there."""
    lacking, odd = (
        [str(path) for (path,) in rows]
        for rows in (found.files_without_source, found.source_without_file)
    )
    if standing(feed, state.meta, KEY) == OFF and not odd:
        return
    damage.source_paths |= {*lacking, *odd}
    yield Check(
        "every file with nodes has its text, where they are kept, and every text its file",
        {"lacking": len(lacking), "left over": len(odd)},
        [*(f"{path} has no text" for path in lacking), *(f"a text of {path}" for path in odd)],
    )


class Held:
    """The texts that the database has, for files that are asked for in the order of their paths."""

    def __init__(self, feed: Feed) -> None:
        index = feed.index
        self._rest = (
            texts.stored_files(index.database, index.repo) if index.stores_source else iter(())
        )
        self._at: tuple[str, list[SourceBlock]] = ("", [])

    def are_of(self, file: IndexedFile) -> bool:
        """Whether they are the file's, line by line; that all are missing is told elsewhere."""
        while self._at[0] < file.path and (following := next(self._rest, None)):
            self._at = following
        path, parts = self._at
        return (
            path != file.path
            or parts == list(file.source_parts)
            or _lines(parts) == _lines(file.source_parts)
        )


def _lines(parts: Iterable[SourceBlock]) -> list[tuple[int, str]] | None:
    """None where they are damaged."""
    try:
        return [line for part in parts for line in part.lines()]
    except ValueError:
        return None
