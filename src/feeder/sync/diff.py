"""Compares the files of the index with those of the source tree, and detects an index made by
another parser, model, folder or rules.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from enum import StrEnum
from shlex import quote
from typing import NamedTuple

from feeder.errors import UserError
from feeder.notes import sync_command
from feeder.parse.extract import includes_documents
from feeder.source import Entry, SkipReason, file_types
from feeder.store.index_state import FileRow, IndexState, UnchangedFiles
from feeder.sync.context import SyncContext
from feeder.sync.parser_identity import FileParsers, ParserIdentity, ReadState
from feeder.sync.report import Report


class Diff(NamedTuple):
    """The differences between the index and the source tree.

    `pending` files lack only their vectors. At the paths `without_vectors` no node can be trusted
    to have one, whether or not the file has changed. `without_static_vectors` are those of the
    unchanged and pending files whose static vectors are missing or of another model.
    """

    to_index: list[Entry]
    deleted: list[str]
    pending: list[Entry]
    unchanged: list[Entry]
    without_vectors: set[str]
    without_static_vectors: list[Entry]


class StaleReason(StrEnum):
    """Reasons to index files again although they have not changed."""

    PARSER = (
        "Files were read by another parser: they are parsed again, and nodes whose text differs "
        "are embedded again."
    )
    DOCUMENTS = (
        "The readers of documents (PDF, DOCX, XLSX…) were installed or have changed: documents "
        "are parsed again."
    )
    STATIC_VECTORS = (
        "Static vectors are missing: they are computed, and nothing else about these files changes."
    )
    NO_STATIC_VECTORS = (
        "This run does not use the static model: its vectors are removed from the index."
    )
    RULES = "The rules for excluding files have changed, so excluded files are examined again."
    VECTORS = "The index has no vectors of this embedding model yet, so every node needs one."
    LOST_VECTORS = (
        "The Vectorize index was deleted and created again, without its vectors: the vectors of "
        "all nodes are sent again."
    )


VECTOR_REASONS = frozenset({StaleReason.VECTORS, StaleReason.LOST_VECTORS})
"""The reasons for which no node has its vector."""


PARSER_REASONS = frozenset(
    {
        StaleReason.PARSER,
        StaleReason.DOCUMENTS,
        StaleReason.STATIC_VECTORS,
        StaleReason.NO_STATIC_VECTORS,
    }
)
"""The reasons for which nodes or static vectors differ from those that the run would make."""


def stale_reasons(run: SyncContext, state: IndexState, rules_digest: str) -> set[StaleReason]:
    """Returns why this program would make the index in another way.

    `rules_digest` is that of the tree, or empty for files that are no tree of git.
    """
    meta = state.meta
    stale = _parser_reasons(run, state)
    if rules_digest and meta.get(run.index.meta_key("rules"), rules_digest) != rules_digest:
        stale.add(StaleReason.RULES)
    if run.model_vectors and not run.model_vectors.model_identity().items() <= meta.items():
        stale.add(StaleReason.VECTORS)
    return stale


_REASONS_BY_ROW = {
    ReadState.OTHER_PARSER: StaleReason.PARSER,
    ReadState.OTHER_STATIC_MODEL: StaleReason.STATIC_VECTORS,
}


def _parser_reasons(run: SyncContext, state: IndexState) -> set[StaleReason]:
    """The reasons by the parser in `meta`, and by those of files if it is this run's."""
    own_fingerprint = run.parser.fingerprint
    index_fingerprint = state.meta.get(run.index.meta_key("parser"), own_fingerprint)
    if index_fingerprint == own_fingerprint:
        parsers = FileParsers(run, state)
        states = {parsers.read_state(row) for row in (state.files or {}).values()}
        return {_REASONS_BY_ROW[state] for state in states if state in _REASONS_BY_ROW}
    own, index = map(ParserIdentity.from_fingerprint, (own_fingerprint, index_fingerprint))
    stale = set()
    if index.common != own.common:
        stale.add(StaleReason.PARSER)
    elif index.documents != own.documents:
        stale.add(StaleReason.DOCUMENTS)
    if index.static_model != own.static_model:
        stale.add(StaleReason.STATIC_VECTORS if own.static_model else StaleReason.NO_STATIC_VECTORS)
    return stale


def refuse_unreadable_documents(
    run: SyncContext, state: IndexState, entries: Iterable[Entry]
) -> None:
    """Raises UserError if documents would leave the index because this program cannot read them.

    Otherwise two installations that share an index would add and remove them in turn.
    """
    made_by = state.meta.get(run.index.meta_key("parser"), "")
    if run.force or not includes_documents(made_by) or includes_documents(run.parser.fingerprint):
        return
    indexed = (path for path, row in (state.files or {}).items() if row.state != "skipped")
    paths = (*indexed, *(entry.path for entry in entries if not entry.skip))
    if path := next(filter(file_types.document_extension, paths), None):
        from feeder.installation import install_steps

        raise UserError(
            f"The index has documents, such as {path}, which this installation cannot read.",
            "Remove documents from the index with `feeder sync --force`, or install the readers: "
            f"{install_steps('documents')}",
        )


def announce_stale(
    run: SyncContext, state: IndexState, stale: Set[StaleReason], diff: Diff
) -> None:
    """Prints the reasons and the number of files, unless the index is empty."""
    if not state.files or not stale:
        return
    for reason in sorted(stale):
        run.progress.message(reason)
    run.report.announced.extend(stale)
    static = len(diff.without_static_vectors)
    static_part = f"; static vectors only: {static}" if static else ""
    run.progress.message(
        f"Files to parse: {len(diff.to_index)}; "
        f"to embed without parsing: {len(diff.pending)}{static_part}."
    )


_SKIPS_BY_TREE = frozenset(SkipReason)
"""Reasons that do not depend on a file's contents."""


def compare_files(
    entries: Iterable[Entry],
    stored_files: dict[str, FileRow],
    stale: Set[StaleReason] = frozenset(),
    parsers: FileParsers | None = None,
) -> Diff:
    """Compares the files of the source tree with those of the index.

    Without `parsers` it does not matter by which parser and static model a file was read.
    """
    rest = dict(stored_files)
    diff = Diff([], [], [], [], set(), [])
    for entry in entries:
        row = rest.pop(entry.path, None)
        lacks_vectors = row is not None and _lacks_vectors(row, stale)
        if lacks_vectors:
            diff.without_vectors.add(entry.path)
        if row is None or _differs(entry, row):
            diff.to_index.append(entry)
            continue
        read_state = parsers.read_state(row) if parsers and not entry.skip else ReadState.CURRENT
        # the parser may be stopped elsewhere this time, or come to its end
        has_uncertain_nodes = bool(row.stopped) and read_state is not ReadState.CURRENT
        if read_state is ReadState.OTHER_PARSER or has_uncertain_nodes:
            diff.to_index.append(entry)
            continue
        if read_state is ReadState.OTHER_STATIC_MODEL:
            diff.without_static_vectors.append(entry)
        (diff.pending if lacks_vectors else diff.unchanged).append(entry)
    diff.deleted.extend(sorted(rest))
    return diff


def _lacks_vectors(row: FileRow, stale: Set[StaleReason]) -> bool:
    return row.state == "pending" or (bool(VECTOR_REASONS & stale) and row.state == "clean")


def _differs(entry: Entry, row: FileRow) -> bool:
    if entry.skip:
        return (row.state, row.reason, row.blob) != ("skipped", entry.skip, entry.blob)
    is_readable_now = row.state == "skipped" and row.reason in _SKIPS_BY_TREE
    return entry.blob != row.blob or is_readable_now


STAYS_WORDS_ONLY = (
    "The index has no model vectors, and this run over a part of it adds none. "
    "To add vectors of all files: {} with the same --model"
)


def has_words_only(state: IndexState) -> bool:
    """Returns whether all runs so far, of any repository, were without an embedding model."""
    has_runs = any(key.endswith(":run") for key in state.meta)
    return has_runs and not _has_vectors(state.meta)


def match_index_model(run: SyncContext, state: IndexState) -> SyncContext:
    """Returns the run without its embedding model if the index has another one, or none.

    An index that is empty takes any model.
    """
    if not run.model_vectors or run.model_vectors.model_identity().items() <= state.meta.items():
        return run
    is_empty = not has_words_only(state) and not _has_vectors(state.meta)
    return run if is_empty else replace(run, model_vectors=None)


def check_model_compatible(run: SyncContext, state: IndexState, diff: Diff) -> None:
    """Notes that an index without model vectors stays one; for a run that lost its model so.

    Raises UserError if nodes would be embedded beside those of another model.
    """
    if not (diff.pending or any(entry.skip is None for entry in diff.to_index)):
        return
    if not has_words_only(state):
        raise _model_mismatch_error(run, state.meta)
    run.report.notes[:] = {
        *run.report.notes,
        STAYS_WORDS_ONLY.format(full_sync_command(run, state.meta)),
    }


def full_sync_command(run: SyncContext, meta: Mapping[str, str]) -> str:
    """Returns the command that syncs everything that the index of this `meta` covers."""
    folder = meta.get(run.index.meta_key("below"), run.tree.subfolder)
    return _sync_command(run, folder)


def _sync_command(run: SyncContext, folder: str) -> str:
    is_of_git = run.tree.working_tree_id or run.tree.commit
    if not is_of_git:
        return "feeder process --path ."
    return sync_command(folder, working_tree=bool(run.tree.working_tree_id))


def _has_vectors(meta: Mapping[str, str]) -> bool:
    return "model" in meta or any(key.endswith(":vectors") for key in meta)


def _model_mismatch_error(run: SyncContext, meta: Mapping[str, str]) -> UserError:
    identity = run.model_vectors.model_identity() if run.model_vectors else {}
    differences = [
        f"{key} {meta.get(key, 'unknown')}, not {value}"
        for key, value in identity.items()
        if meta.get(key) != value
    ]
    return UserError(
        f"The index has vectors of another model ({', '.join(differences)}), and a run over a part "
        "of the index cannot mix models.",
        "Name its model with --model, --dimensions and --index-name; or leave vectors to a later "
        f"run with --no-vectors; or replace all vectors with: {full_sync_command(run, meta)}",
    )


def refuse_other_folder(run: SyncContext, state: IndexState) -> None:
    """Raises UserError if the index was made from another folder, whose files it would lose."""
    indexed = state.meta.get(run.index.meta_key("below"), run.tree.subfolder)
    if run.force or not run.tree.root_tree_id or indexed == run.tree.subfolder:
        return
    command = f"{_sync_command(run, run.tree.subfolder)} --force"
    raise UserError(
        f"The index of {run.index.repo} covers {folder_label(indexed)}; this run would replace it "
        f"with {folder_label(run.tree.subfolder)}.",
        f"{path_option_hint(indexed)}, use a separate index with --repo NAME, or go ahead with: "
        f"{command}",
    )


def path_option_hint(folder: str) -> str:
    """Returns how to select a part of the source tree."""
    return f"Use --path {quote(folder)}" if folder else "Leave out --path"


def folder_label(folder: str) -> str:
    """Returns the name of a part of the source tree, for messages."""
    return f"the folder {folder}" if folder else "the whole tree"


def report_diff(
    report: Report,
    diff: Diff,
    stored_files: dict[str, FileRow],
    stale: Set[StaleReason],
    others: UnchangedFiles,
) -> None:
    """Fills the report's counts of files from the diff; parsing adds to them later.

    `others` are files that were not compared, as they have not changed.
    """
    rows = [stored_files[entry.path] for entry in (*diff.unchanged, *diff.pending)]
    report.files_deleted = len(diff.deleted)
    report.files_unchanged = others.indexed + sum(row.state != "skipped" for row in rows)
    report.skipped = {entry.path: entry.skip for entry in diff.to_index if entry.skip}
    report_reasons(report, [*rows, *others.reasons.values()])
    if stored_files:
        report.notes[:] = sorted({*report.notes, *stale})


def report_reasons(report: Report, rows: Iterable[FileRow]) -> None:
    """Adds to the report why files are skipped or indexed as plain text, and unparsed lines."""
    for row in rows:
        if row.reason:
            reasons = report.skipped if row.state == "skipped" else report.as_plain_text
            reasons[row.path] = row.reason
        if row.unparsed:
            report.unparsed[row.path] = row.unparsed
