"""Validates that rows, postings, vectors and side tables of an index agree with each other and
with HEAD, and repairs what does not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from feeder.errors import ServiceError, UserError
from feeder.line_ranges import count_lines, decode_ranges
from feeder.notes import path_option, sync_command, unparsed_text
from feeder.source import Entry
from feeder.store.index_counts import IndexCounts, counts_from_json, known_counts
from feeder.store.index_state import FileRow, IndexState, VectorProgress
from feeder.store.integrity import CHECKED_SYMBOLS, Damage, ParityReport, check_parity, node_states
from feeder.sync.concurrency import take_ownership
from feeder.sync.content_check import Comparison, compare_content
from feeder.sync.context import SyncContext
from feeder.sync.diff import (
    PARSER_REASONS,
    Diff,
    StaleReason,
    compare_files,
    folder_label,
    full_sync_command,
    has_words_only,
    path_option_hint,
    refuse_unreadable_documents,
    stale_reasons,
)
from feeder.sync.report import MAX_SHOWN_REASONS, REPAIR_COMMAND, Check, ValidationResult
from feeder.sync.side_tables import SideTable, merged
from feeder.sync.sync import Target, apply_target, side_tables, sync
from feeder.sync.vector_index import IDENTITY_KEY

CHANGED_DURING_VALIDATION = (
    "Rows and words were not compared: another run was writing. Validate again when it has ended."
)
PENDING_CHECK = "no file waits for its vectors"
OUTBOX_CHECK = "no vector waits to be deleted"
NO_COMMIT = "Files were not compared: there is no commit to compare them with."
NO_MODEL = "Vectors were not compared with the nodes: no embedding model is configured."
VECTOR_WAIT_S = 600.0
"""Vectorize shows what was written after half a minute as a rule, at times after several."""


def validate(run: SyncContext, *, wait: bool = False, content: bool = True) -> ValidationResult:
    """Runs all checks; reads only. With `wait`, waits until all vectors written are visible.

    Without `content` no file is parsed, and rows and words are counted but not compared. Raises
    UserError for the index of another folder, and ServiceError when the vectors are not visible
    after `VECTOR_WAIT_S`.
    """
    if (
        wait
        and run.model_vectors
        and not run.model_vectors.vectors.wait_until_visible(VECTOR_WAIT_S)
    ):
        raise ServiceError(
            f"Vectorize does not show the newest vectors yet, after {VECTOR_WAIT_S:.0f} s.",
            "Run feeder validate again later.",
        )
    damage = Damage()
    state = run.index.read_state({})
    _refuse_other_folder(run, state)
    parity = check_parity(run.index.database, run.index.repo)
    vector_ids = _vector_ids(run, state)
    tables = side_tables(run, state.meta)
    checks = [
        *_check_rows(parity, damage),
        *_check_counts(run, state, parity),
        *_check_progress(state, vector_ids),
        *_check_vectors(run, vector_ids, damage),
        *_check_vector_index(run, state),
        *(check for table in tables for check in table.check(state, parity, damage)),
        *_check_versions(run, state),
    ]
    not_compared = [NO_MODEL] if vector_ids is None and "model" in state.meta else []
    notes = [note for table in tables for note in table.remaining_notes(state, parity)]
    notes += _unparsed_notes(state)
    result = ValidationResult(checks, damage, notes, not_compared=not_compared)
    if run.tree.root_tree_id:
        result = _compare_with_head(run, state, result, tables, content=content)
    else:
        result = result._replace(not_compared=[*not_compared, NO_COMMIT])
    return result._replace(advice=_repair_advice(run, state, result))


def _refuse_other_folder(run: SyncContext, state: IndexState) -> None:
    """Raises UserError if the index was made from another folder than the one to compare with."""
    folder = run.tree.subfolder
    indexed = state.meta.get(run.index.meta_key("below"), folder)
    if indexed != folder:
        other = folder_label(folder) if indexed else f"only {folder}"
        raise UserError(
            f"The index covers {folder_label(indexed)}, not {other}.",
            f"{path_option_hint(indexed)}: feeder validate{path_option(indexed)}",
        )


def _repair_advice(run: SyncContext, state: IndexState, result: ValidationResult) -> str:
    """The command that repairs the differences."""
    failed = {check.name for check in result.checks if not check.passed}
    if failed <= {PENDING_CHECK, OUTBOX_CHECK} and (not run.model_vectors or has_words_only(state)):
        model = state.meta.get("model", "the model")
        command = full_sync_command(run, state.meta)
        return (
            f"Vectors by {model} are missing. Run {command} with --model and without --no-vectors"
        )
    folder = run.tree.subfolder
    repair = f"Repair it: {REPAIR_COMMAND}{path_option(folder)}"
    if state.meta.get(run.index.meta_key("working")):
        command = sync_command(folder, working_tree=True)
        return f"{repair}; or, if you edited files after the last sync, run: {command}"
    if run.tree.root_tree_id:
        return f"{repair}; or, if only newer commits are missing, run: {sync_command(folder)}"
    return repair


def _compare_with_head(
    run: SyncContext,
    state: IndexState,
    result: ValidationResult,
    tables: Sequence[SideTable],
    *,
    content: bool,
) -> ValidationResult:
    """Adds the checks that compare the index with the files of HEAD."""
    refuse_unreadable_documents(run, state, run.tree.entries())
    diff = compare_files(run.tree.entries(), state.files or {})
    result.checks.append(_check_files(run, state, diff))
    if reason := _no_content_reason(run, state, content=content):
        return result._replace(not_compared=[*result.not_compared, reason])
    for table in tables:
        table.configure(is_stored=table.is_stored())
    comparison = compare_content(run, [*diff.unchanged, *diff.pending], state.files or {})
    if run.index.read_state_of([]).meta != state.meta:  # each write leaves its number there
        return result._replace(not_compared=[*result.not_compared, CHANGED_DURING_VALIDATION])
    result.checks.extend(_check_content(comparison, result.damage))
    not_compared = [*result.not_compared, *_not_compared_notes(comparison)]
    return result._replace(not_compared=not_compared)


def repair(run: SyncContext, result: ValidationResult) -> None:
    """Removes what is wrong and indexes those files again; leaves the rest as it is.

    An index without model vectors stays one. Raises Superseded, and has changed nothing, when a
    later run of a workflow has begun.
    """

    def read() -> IndexState:
        return run.index.read_state({})

    damage = result.damage
    state = take_ownership(run, read, read())
    if has_words_only(state):
        run = replace(run, model_vectors=None)
    meta = merged(table.repair_meta(damage) for table in side_tables(run, state.meta))
    run.index.begin(run.token, state, meta, recompute_vectors=False)
    run.index.remove_damage(damage)
    if run.tree.root_tree_id:
        return sync(run)
    paths = damage.paths.union(state.files or {})
    entries = [entry for entry in run.tree.entries() if entry.path in paths]
    parser = {run.index.meta_key("parser"): run.parser.fingerprint}
    apply_target(run, read(), Target(entries, parser))
    return run.index.finish(VectorProgress(), {})


def _check_rows(parity: ParityReport, damage: Damage) -> Iterable[Check]:
    damage.paths |= {str(path) for path, _ in parity.docs_without_posting}
    damage.paths |= {
        str(path)
        for path, *_ in (
            *parity.wrong_node_counts,
            *parity.wrong_file_lines,
            *parity.unfindable_symbols,
        )
    }
    damage.orphan_postings |= {int(str(rowid)) for rowid, _ in parity.postings_without_doc}
    counts = parity.counts
    yield Check(
        "every node is in the word index, with no leftovers",
        {"docs": counts.all_docs, "docs_fts": counts.postings},
        [
            *(f"{path}: node {id_} has no posting" for path, id_ in parity.docs_without_posting),
            *(f"posting {row} ({id_}) has no node" for row, id_ in parity.postings_without_doc),
        ],
    )
    yield Check(
        "every file has the number of nodes recorded for it",
        {"files": counts.files, "files.nodes": counts.nodes_in_files, "docs": counts.docs},
        [
            f"{path}: {recorded} in files, {rows} in docs"
            for path, recorded, rows in parity.wrong_node_counts
        ],
    )
    yield Check(
        "every file's language and last line match its nodes",
        {"files": counts.files},
        [str(path) for (path,) in parity.wrong_file_lines],
    )
    yield Check(
        "every node has the index's branch",
        {"docs": counts.docs},
        [f"{path}: node {id_} has {branch}" for path, id_, branch in parity.on_other_branches],
    )
    yield Check(
        "symbols that occur once are found by word",
        {"symbols": counts.symbols, "checked": min(counts.symbols, CHECKED_SYMBOLS)},
        [f"{path}: node {id_}: {symbol}" for path, id_, symbol in parity.unfindable_symbols],
    )


def _check_counts(run: SyncContext, state: IndexState, parity: ParityReport) -> Iterable[Check]:
    """Checks the counts that the last run has stored; an unfinished one has none."""
    stored = known_counts(state.meta, run.index.repo)
    if stored is None:
        return
    pairs = zip(IndexCounts._fields, counts_from_json(stored), parity.contents, strict=True)
    differences = [
        f"{name.replace('_', ' ')}: {recorded} in meta, {counted} counted"
        for name, recorded, counted in pairs
        if recorded != counted
    ]
    figures = {"files": parity.counts.files, "docs": parity.counts.docs}
    yield Check("the counts in meta match the files and nodes", figures, differences)


def _vector_ids(run: SyncContext, state: IndexState) -> set[str] | None:
    """None without an embedding model, or in an index without model vectors."""
    if not run.model_vectors or "model" not in state.meta:
        return None
    return set(run.model_vectors.vectors.ids())


def _check_progress(state: IndexState, vector_ids: set[str] | None) -> Iterable[Check]:
    """Checks that no work is left to the next run; deleting a vector twice does no harm."""
    pending = [row.path for row in (state.files or {}).values() if row.state == "pending"]
    yield Check(
        PENDING_CHECK,
        {"pending": len(pending)},
        pending,
    )
    yield Check(
        OUTBOX_CHECK,
        {"outbox": len(state.outbox)},
        [id_ for id_ in state.outbox if vector_ids is None or id_ in vector_ids],
    )


def _check_vectors(
    run: SyncContext, vector_ids: set[str] | None, damage: Damage
) -> Iterable[Check]:
    """Checks that every node of a file that is not pending has a vector, and the reverse."""
    if vector_ids is None:
        return
    without_node = set(vector_ids)
    expected = 0
    missing: list[str] = []
    for node in node_states(run.index.database, run.index.repo):
        without_node.discard(node.id)
        if node.path is None or node.is_pending:
            continue
        expected += 1
        if node.id not in vector_ids:
            missing.append(f"{node.path}: node {node.id} has no vector")
            damage.paths_without_vectors.add(node.path)
    damage.orphan_vectors |= without_node
    yield Check(
        "every node has a vector, with no leftovers",
        {"docs not pending": expected, "vectors": len(vector_ids)},
        [*missing, *(f"vector {id_} has no node" for id_ in sorted(without_node))],
    )


def _check_vector_index(run: SyncContext, state: IndexState) -> Iterable[Check]:
    """Checks that the vector index is the one that got the vectors; earlier versions do not say."""
    recorded = state.meta.get(IDENTITY_KEY)
    if not run.model_vectors or not recorded:
        return
    now = run.model_vectors.vectors.identity()
    lost = f"recorded: created {recorded}; now: created {now}"
    name = "the vector index is the one that the vectors were sent to"
    yield Check(name, {}, [lost] if now != recorded else [])


def _check_versions(run: SyncContext, state: IndexState) -> Iterable[Check]:
    stale = stale_reasons(run, state, run.tree.rules_digest if run.tree.root_tree_id else "")
    if "model" not in state.meta:  # an index without model vectors is complete too
        stale.discard(StaleReason.VECTORS)
    differences = [str(reason) for reason in sorted(stale)]
    if state.files and run.index.meta_key("parser") not in state.meta:
        differences.append("The index does not name the parser that made it.")
    if run.index.meta_key("vectors") in state.meta and "model" not in state.meta:
        differences.append("The index says that its vectors are complete, but names no model.")
    yield Check("the index was made by this parser, these rules and this model", {}, differences)


def _check_files(run: SyncContext, state: IndexState, diff: Diff) -> Check:
    """Files skipped in a folder outside of git were not read and have no blob id."""
    files = state.files or {}
    at_head = len(diff.to_index) + len(diff.pending) + len(diff.unchanged)
    different = [
        entry for entry in diff.to_index if not _is_skipped_unread(entry, files.get(entry.path))
    ]
    name = "the working tree" if state.meta.get(run.index.meta_key("working")) else "HEAD"
    figures = {f"files in {name}": at_head, "files in the index": len(files)}
    differences = [
        *(f"{entry.path}: the index differs from {name}" for entry in different),
        *(f"{path}: indexed, but not in {name}" for path in diff.deleted),
    ]
    if run.index.meta_key("tree") in state.meta and run.index.meta_key("head") not in state.meta:
        differences.append("the index names no commit")
    folder_suffix = f" in {folder_label(run.tree.subfolder)}" if run.tree.subfolder else ""
    return Check(f"the index has the same files as {name}{folder_suffix}", figures, differences)


def _is_skipped_unread(entry: Entry, row: FileRow | None) -> bool:
    skipped = FileRow(entry.path, "", "skipped", entry.skip)
    return entry.skip is not None and row == skipped


def _no_content_reason(run: SyncContext, state: IndexState, *, content: bool) -> str | None:
    if not content:
        return "Rows and words were not compared with the files: --no-content."
    if stale_reasons(run, state, "") & PARSER_REASONS:
        return "Rows and words were not compared with the files: another parser made them."
    return None


def _check_content(comparison: Comparison, damage: Damage) -> Iterable[Check]:
    damage.paths |= comparison.paths | comparison.now_parsed
    damage.misplaced_ids |= comparison.missing_ids
    compared = {"files": comparison.files, "nodes": comparison.nodes}
    rows = [f"{path}: {', '.join(columns)}" for path, columns in comparison.rows.items()]
    yield Check("every node matches its parsed file", compared, rows)
    if comparison.has_words:
        words = [
            f"{path}: nodes with other words: {count}" for path, count in comparison.words.items()
        ]
        yield Check("every node is found by its words", compared, words)
    if comparison.wrong_source is not None:
        damage.source_paths |= set(comparison.wrong_source)
        wrong = [f"{path}: other source lines" for path in comparison.wrong_source]
        yield Check("stored source matches its file", {"files": comparison.files}, wrong)
    if comparison.wrong_descriptions is not None:
        damage.description_paths |= set(comparison.wrong_descriptions)
        wrong = [f"{path}: made from another text" for path in comparison.wrong_descriptions]
        yield Check(
            "every description was made from its node's text", {"files": comparison.files}, wrong
        )


def _unparsed_notes(state: IndexState) -> Iterator[str]:
    """Names the files with lines that their grammar does not know: the index equals them, and may
    lack their functions.
    """
    unparsed = {path: row.unparsed for path, row in (state.files or {}).items() if row.unparsed}
    if not unparsed:
        return
    lines = sum(count_lines(decode_ranges(text)) for text in unparsed.values())
    named = [f"{path}:{text}" for path, text in islice(unparsed.items(), MAX_SHOWN_REASONS)]
    more = f" and {len(unparsed) - len(named)} more" if len(unparsed) > len(named) else ""
    yield f"{unparsed_text(len(unparsed), lines)}: {' '.join(named)}{more}"


def _not_compared_notes(comparison: Comparison) -> Iterator[str]:
    if not comparison.has_words:
        yield "Words were not compared: that needs a database on this machine."
    if comparison.not_compared:
        first, *others = comparison.not_compared
        more = f", and {len(others)} more" if others else ""
        yield f"Not compared because the parser was stopped, now or at the sync: {first}{more}."
    if comparison.now_parsed:
        now = len(comparison.now_parsed)
        yield f"{now} of them can be parsed now; index their nodes with: {REPAIR_COMMAND}"
