"""Compares the files of the index with those of the source tree, and detects an index made by
another parser, model, folder or rules.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from feeder.errors import UserError
from feeder.parse.extract import (
    FINGERPRINT_PREFIX,
    fingerprint_without_documents,
    includes_documents,
)
from feeder.source import Entry, SkipReason, file_types
from feeder.store.index_state import FileRow, IndexState
from feeder.sync.context import SyncContext
from feeder.sync.report import Report


class Diff(NamedTuple):
    """What separates the index from the tree.

    `waiting` files are right but for their vectors; at the paths `unvectored` no node can be
    trusted to have one, whether or not it has changed.
    """

    to_index: list[Entry]
    deleted: list[str]
    pending: list[Entry]
    unchanged: list[Entry]
    without_vectors: set[str]


MIXED_PARSER = "mixed"
"""Under `parser` in `meta`, in place of what has read only a part of its files."""


class StaleReason(StrEnum):
    """Why an index is made anew, in part or whole, although its files are the tree's."""

    PARSER = (
        "The index was made by another parser or built-in model: every file is read again, and "
        "texts are embedded where they have changed."
    )
    DOCUMENTS = (
        "What reads documents (PDF, DOCX, XLSX…) was installed or has changed: each document is "
        "read again."
    )
    RULES = "The rules of what is kept out have changed: what was kept out is looked at again."
    VECTORS = "The index has no vectors of this model: every text is embedded."


def stale_reasons(run: SyncContext, state: IndexState) -> set[StaleReason]:
    """What of an index this program would make in another way."""
    meta, key = state.meta, run.index.meta_key
    stale = set()
    ours = run.parser.fingerprint
    theirs = meta.get(key("parser"), ours)
    if fingerprint_without_documents(theirs) != fingerprint_without_documents(ours):
        stale.add(StaleReason.PARSER)
    elif theirs != ours:
        stale.add(StaleReason.DOCUMENTS)
    if (
        run.tree.root_tree_id
        and meta.get(key("rules"), run.tree.rules_digest) != run.tree.rules_digest
    ):
        stale.add(StaleReason.RULES)
    if run.model_vectors and not run.model_vectors.model_identity().items() <= meta.items():
        stale.add(StaleReason.VECTORS)
    return stale


def mixed_parser_value(index_parser: str, own_parser: str, stale: Set[StaleReason]) -> str:
    """What `meta` calls the parser while files are read anew: that of no program.

    So a run that dies leaves them to the next. It says that documents may be there as soon as one
    of both programs can read them.
    """
    parser = (
        MIXED_PARSER if StaleReason.PARSER in stale else fingerprint_without_documents(own_parser)
    )
    reads = includes_documents(index_parser) or includes_documents(own_parser)
    return f"{parser} {FINGERPRINT_PREFIX}{MIXED_PARSER}" if reads else parser


def refuse_unreadable_documents(
    run: SyncContext, state: IndexState, entries: Iterable[Entry]
) -> None:
    """Raises UserError where documents would leave the index because this program cannot read them.

    Two installations that share an index would else put them in and take them out by turns.
    """
    made_by = state.meta.get(run.index.meta_key("parser"), "")
    if run.force or not includes_documents(made_by) or includes_documents(run.parser.fingerprint):
        return
    held = (path for path, row in (state.files or {}).items() if row.state != "skipped")
    paths = (*held, *(entry.path for entry in entries if not entry.skip))
    if found := next(filter(file_types.document_extension, paths), None):
        raise UserError(
            f"The index has documents, such as {found}, which this installation cannot read. "
            'Install what reads them: pip install "headfeed[documents]". '
            "Or take them out of the index with: feeder sync --force"
        )


def announce_stale(
    run: SyncContext, state: IndexState, stale: Set[StaleReason], diff: Diff
) -> None:
    """Says so before the first write, with the files that it is about; an empty index has none."""
    if not state.files or not stale:
        return
    for why in sorted(stale):
        run.progress.message(why)
    run.progress.message(
        f"Files to read: {len(diff.to_index)}; for their vectors alone: {len(diff.pending)}."
    )


_SKIPS_BY_TREE = frozenset(SkipReason)
"""Reasons that are not in a file's contents."""


def compare_files(
    entries: Iterable[Entry], stored_files: dict[str, FileRow], stale: Set[StaleReason]
) -> Diff:
    """What separates the files that the index has from the wanted ones."""
    rest = dict(stored_files)
    work = Diff([], [], [], [], set())
    for entry in entries:
        row = rest.pop(entry.path, None)
        unvectored = row is not None and _lacks_vectors(row, stale)
        if unvectored:
            work.without_vectors.add(entry.path)
        if row is None or _differs(entry, row, stale):
            work.to_index.append(entry)
        elif unvectored:
            work.pending.append(entry)
        else:
            work.unchanged.append(entry)
    work.deleted.extend(sorted(rest))
    return work


def _lacks_vectors(row: FileRow, stale: Set[StaleReason]) -> bool:
    return row.state == "pending" or (StaleReason.VECTORS in stale and row.state == "clean")


def _differs(entry: Entry, row: FileRow, stale: Set[StaleReason]) -> bool:
    if entry.skip:
        return (row.state, row.reason, row.blob) != ("skipped", entry.skip, entry.blob)
    if entry.blob != row.blob:
        return True
    if row.state == "skipped" and row.reason in _SKIPS_BY_TREE:
        return True
    return StaleReason.PARSER in stale or (
        StaleReason.DOCUMENTS in stale and bool(file_types.document_extension(entry.path))
    )


STAYS_WORDS_ONLY = (
    "The index stays one of words alone, as it was made. "
    "Vectors of all come with: {}, with --model as here"
)


def has_words_only(state: IndexState) -> bool:
    """Whether what has been fed so far, of any repository, was fed without a model."""
    is_fed = any(key.endswith(":run") for key in state.meta)
    return is_fed and not _has_vectors(state.meta)


def match_index_model(run: SyncContext, state: IndexState) -> SyncContext:
    """The run without its model where the index has another one, or none; an empty one has all."""
    if not run.model_vectors or run.model_vectors.model_identity().items() <= state.meta.items():
        return run
    is_open = not has_words_only(state) and not _has_vectors(state.meta)
    return run if is_open else replace(run, model_vectors=None)


def check_model_compatible(run: SyncContext, state: IndexState, diff: Diff) -> None:
    """Notes that an index of words stays one; for a run whose model was taken from it.

    Raises UserError where texts would be embedded beside those of another model.
    """
    if not (diff.pending or any(entry.skip is None for entry in diff.to_index)):
        return
    if not has_words_only(state):
        raise _model_mismatch_error(run, state.meta)
    run.report.notes[:] = {*run.report.notes, STAYS_WORDS_ONLY.format(full_sync_command(run))}


def full_sync_command(run: SyncContext) -> str:
    """The command whose run is over the whole tree."""
    if run.tree.working_tree_id:
        return "feeder sync --working-tree"
    return "feeder sync" if run.tree.commit else "feeder process --path ."


def _has_vectors(meta: Mapping[str, str]) -> bool:
    return "model" in meta or any(key.endswith(":vectors") for key in meta)


def _model_mismatch_error(run: SyncContext, meta: Mapping[str, str]) -> UserError:
    wanted = run.model_vectors.model_identity() if run.model_vectors else {}
    unlike = [
        f"{key} {meta.get(key, 'unknown')} and not {value}"
        for key, value in wanted.items()
        if meta.get(key) != value
    ]
    return UserError(
        f"The index has vectors of another kind ({', '.join(unlike)}), and a run over a part of it "
        "does not mix them. Name its own by --model, --dimensions and --index-name, leave the "
        f"vectors to a later run with --no-vectors, or make all anew with: {full_sync_command(run)}"
    )


def refuse_other_folder(run: SyncContext, state: IndexState) -> None:
    """Raises UserError when the index is of another part of the tree, which would leave it."""
    held = state.meta.get(run.index.meta_key("below"), run.tree.subfolder)
    if run.force or not run.tree.root_tree_id or held == run.tree.subfolder:
        return
    raise UserError(
        f"The index of {run.index.repo} is of {folder_label(held)}, which would leave it for "
        f"{folder_label(run.tree.subfolder)}. {path_option_hint(held)}, name the part by a "
        "--repo of its own, or have "
        "feeder sync go on with --force."
    )


def path_option_hint(folder: str) -> str:
    """How a command is told of a part of the tree."""
    return f"Say --path {folder}" if folder else "Leave --path out"


def folder_label(folder: str) -> str:
    """What a part of the tree is called."""
    return f"the folder {folder}" if folder else "the whole tree"


def report_diff(
    report: Report, diff: Diff, stored_files: dict[str, FileRow], stale: Set[StaleReason]
) -> None:
    """The files of the report as they stand before the work; what parsing finds comes to it."""
    kept = [stored_files[entry.path] for entry in (*diff.unchanged, *diff.pending)]
    report.files_deleted = len(diff.deleted)
    report.files_unchanged = sum(row.state != "skipped" for row in kept)
    report.skipped = {entry.path: entry.skip for entry in diff.to_index if entry.skip}
    report_reasons(report, kept)
    if stored_files:
        report.notes[:] = sorted({*report.notes, *stale})


def report_reasons(report: Report, rows: Iterable[FileRow]) -> None:
    for row in rows:
        if row.reason:
            reasons = report.skipped if row.state == "skipped" else report.as_plain_text
            reasons[row.path] = row.reason
