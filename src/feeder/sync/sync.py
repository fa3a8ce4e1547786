"""Makes the index equal to the source tree.

Compares both, then writes in this order: nodes and postings, stored source,
model vectors, descriptions. Every file is searchable by word before the first model vector is made.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from feeder.errors import StoppedEarly
from feeder.source import Entry, SkipReason
from feeder.store.index_state import (
    MODEL_VECTORS_KEY,
    UNSHARDED,
    IndexState,
    Sharding,
    UnchangedFiles,
    VectorProgress,
)
from feeder.store.ownership import SupersededAtStart
from feeder.sync.concurrency import (
    event_meta,
    is_in_shard,
    is_newest_event,
    may_continue,
    refuse_shard_for_lost_vectors,
    refuse_shard_for_new_model,
    refuse_superseded,
    refuse_superseded_since,
    shard_share,
    shard_state,
    take_ownership,
)
from feeder.sync.context import SyncContext
from feeder.sync.diff import (
    VECTOR_REASONS,
    Diff,
    StaleReason,
    announce_stale,
    check_model_compatible,
    compare_files,
    folder_label,
    match_index_model,
    refuse_other_folder,
    refuse_unreadable_documents,
    report_diff,
    report_reasons,
    stale_reasons,
)
from feeder.sync.dry_run import estimate_run, run_cost_meta
from feeder.sync.expected_meta import expected_meta, target_meta, without_model, without_tree
from feeder.sync.node_descriptions import Descriptions
from feeder.sync.parser_identity import FileParsers, fingerprint_while_reading
from feeder.sync.side_tables import SideTable, SideTableFactory, TableWrite, merged
from feeder.sync.source_table import StoredSource
from feeder.sync.vector_index import identity_meta, read_is_replaced
from feeder.sync.vectors import clear_outbox, embed_and_upload
from feeder.sync.write import write_nodes

SIDE_TABLES: Sequence[SideTableFactory] = (StoredSource, Descriptions)
"""In the order in which they are written."""


def side_tables(run: SyncContext, meta: Mapping[str, str]) -> list[SideTable]:
    """Returns all side tables for a run over an index with this `meta`."""
    return [make(run, meta) for make in SIDE_TABLES]


class Target(NamedTuple):
    """The files that the index shall hold, and what `meta` says once it does.

    `meta` is empty for a part of the tree. Of several shards the last to end writes it.
    """

    entries: Sequence[Entry]
    meta: dict[str, str]
    share: Sharding = UNSHARDED


def sync(run: SyncContext, *, dry_run: bool = False) -> None:
    """Makes the index equal to the whole source tree, from whatever state it is in.

    Raises Superseded when a later run has taken the index over, StoppedEarly at a budget.
    """
    expected, share = _expectations(run)
    state = _read_state(run, expected)
    if run.follow_index_model(state.meta):
        expected, share = _expectations(run)
        if run.shard:  # the keys of its shards name the model
            state = _read_state(run, expected)
    is_up_to_date = expected.items() <= state.meta.items() and _has_nothing_to_do(run, state)
    if is_up_to_date and dry_run:  # a request that a run without changes does not make
        is_up_to_date = not read_is_replaced(run, state)
    if is_up_to_date and (dry_run or _record_newer_event(run, state)):
        _report_unchanged(run, state)
        return
    if not dry_run and _compares_trees(run) and _sync_tree_changes(run, state, expected):
        return

    def read() -> IndexState:
        return shard_state(run, run.index.read_state({}))

    last_read = state if state.files is not None else read()
    if not dry_run:
        refuse_superseded_since(run, state, last_read)
        run.parser.start(1 if last_read.files else None)
    target = Target(_shard_entries(run), target_meta(run), share)
    if dry_run:
        plan_target(run, last_read, target)
    else:
        sync_as_owner(run, read, target, last_read)


def _read_state(run: SyncContext, expected: Mapping[str, str]) -> IndexState:
    """The state of the index; without its files' rows if `meta` says what is expected."""
    required = (without_tree if _compares_trees(run) else without_model)(run, expected)
    return shard_state(run, run.index.read_state(required if run.tree.root_tree_id else {}))


def _expectations(run: SyncContext) -> tuple[dict[str, str], Sharding]:
    """Returns what `meta` says once the index is as the run wants it, and the share of a shard."""
    tables = side_tables(run, {})
    if not run.shard:
        return expected_meta(run) | merged(table.expected_meta() for table in tables), UNSHARDED
    identity = target_meta(run) | merged(table.shard_identity() for table in tables)
    identity.pop(run.index.meta_key("limits"), None)  # `rules` covers the limits too
    share = shard_share(run, identity)
    return {share.own_key: share.all_keys[share.own_key]}, share


def _has_nothing_to_do(run: SyncContext, state: IndexState) -> bool:
    equals_tree = _equals_recorded_tree(run, state) and _has_same_working_tree(run, state)
    return equals_tree and not _can_read_more(run, state)


def _can_read_more(run: SyncContext, state: IndexState) -> bool:
    """True if git has fetched a file of a partial clone since it was skipped.

    The tree is the same then. It is listed only if there are such files.
    """
    reasons = state.unchanged.reasons
    absent = {path for path, row in reasons.items() if row.reason == SkipReason.NOT_FETCHED}
    return bool(absent) and any(
        entry.path in absent and entry.skip != SkipReason.NOT_FETCHED
        for entry in run.tree.entries()
    )


def _equals_recorded_tree(run: SyncContext, state: IndexState) -> bool:
    """True if the index equals the tree that its `meta` names, as this run would make it."""
    is_equal = state.files is None and all(
        table.is_up_to_date() for table in side_tables(run, state.meta)
    )
    return is_equal and not (state.outbox and run.model_vectors)


def _compares_trees(run: SyncContext) -> bool:
    """True if the run looks for the changes since the tree that the index equals.

    That takes one more request than reading the rows of all files.
    """
    is_quick = not run.index.database.access.round_trips
    return is_quick and not run.shard and bool(run.tree.limits_digest)


def _sync_tree_changes(run: SyncContext, state: IndexState, expected: Mapping[str, str]) -> bool:
    """Applies the paths in which the tree differs from the one that the index equals.

    All other files are neither listed nor compared. Returns False, and has written nothing, if
    these paths are not known, or if another run has begun meanwhile.
    """
    key = run.index.meta_key
    tree, rules = (state.meta.get(key(name), "") for name in ("tree", "rules"))
    is_known = tree and rules and _equals_recorded_tree(run, state)
    # such a file may have been fetched since, without a change of the tree
    reasons = {row.reason for row in state.unchanged.reasons.values()}
    if not is_known or SkipReason.NOT_FETCHED in reasons:
        return False
    if run.index.has_unfinished_run(state, run.token):
        return False
    run.parser.start(1)
    changes = run.tree.changes_since(tree)
    if changes is None:
        return False
    at_paths = run.index.read_state_of(changes.paths)
    if at_paths.meta != state.meta:
        return False
    refuse_superseded(run, state)
    target = Target(changes.entries, {**expected, key("rules"): rules})
    try:
        apply_target(run, at_paths._replace(unchanged=_others(state, at_paths)), target)
    except SupersededAtStart:
        return False
    return True


def _others(state: IndexState, at_paths: IndexState) -> UnchangedFiles:
    """Returns the unchanged files of `state` without those that `at_paths` has."""
    files = at_paths.files or {}
    indexed = sum(row.state != "skipped" for row in files.values())
    reasons = {path: row for path, row in state.unchanged.reasons.items() if path not in files}
    return UnchangedFiles(state.unchanged.indexed - indexed, reasons)


def _record_newer_event(run: SyncContext, state: IndexState) -> bool:
    """Records the event of a run that has nothing to do, so that no older event comes after it.

    Returns False when another run has begun meanwhile.
    """
    if run.shard or not is_newest_event(run, state):
        return True
    try:
        run.index.record_noop(run.token, state, event_meta(run))
    except SupersededAtStart:
        return False
    return True


def _report_unchanged(run: SyncContext, state: IndexState) -> None:
    """Fills the report of a run that has nothing to do."""
    report = run.report
    for table in side_tables(run, state.meta):
        table.add_notes()
    tree = folder_label(run.tree.subfolder) if run.tree.subfolder else "the source tree"
    part = f"shard {run.shard} of {tree}" if run.shard else tree
    report.notes.append(
        f"The words are up to date with {part}; the model's vectors could not be made."
        if run.model_failed
        else f"The index is up to date with {part}: nothing to do."
    )
    report_reasons(report, state.unchanged.reasons.values())
    # the index counts the files of all shards
    shard_files = len(_shard_entries(run)) - len(report.skipped) if run.shard else None
    report.files_unchanged = state.unchanged.indexed if shard_files is None else shard_files
    report.finished = True


def _shard_entries(run: SyncContext) -> list[Entry]:
    return [entry for entry in run.tree.entries() if is_in_shard(run, entry.path)]


def sync_as_owner(
    run: SyncContext,
    read_state: Callable[[], IndexState],
    target: Target,
    last_read: IndexState | None = None,
) -> None:
    """Applies a target after taking the index over from an unfinished run, if there is one.

    Raises SupersededAtStart when another run begins between this one's reading and first write;
    but reads again where that one is a shard of the same sync, was started earlier by hand, or
    answers to an older event.
    """
    while True:
        last_read = last_read or read_state()
        # before the other run is stopped for nothing
        refuse_unreadable_documents(run, last_read, target.entries)
        try:
            return apply_target(run, take_ownership(run, read_state, last_read), target)
        except SupersededAtStart:
            if not may_continue(run, run.index.read_state_of([])):
                raise
            last_read = None


def apply_target(run: SyncContext, state: IndexState, target: Target) -> None:
    """Makes the files of `state` equal to those of the target.

    Raises StoppedEarly at a budget, Superseded when a later run has begun.
    """
    run, tables, stale, diff = _prepare(run, state, target)
    sendable = run.model_vectors and (diff.pending or state.outbox)
    to_write = diff.to_index or diff.deleted or diff.without_static_vectors
    if _is_up_to_date(run, state, target, tables) and not (to_write or sendable):
        if run.index.has_superseded(state, run.token):  # a run that ended in that moment
            run.index.finish(VectorProgress(), {}, target.share)
        run.report.finished = True
        return
    announce_stale(run, state, stale, diff)
    for table in tables:
        table.plan(state, diff, whole=bool(target.meta))
    _begin_write(run, state, stale, target.share, tables)
    for table in tables:
        table.clear()
    pending_nodes, deleted_ids = write_nodes(run, state, diff)
    if run.budget.stop_reason:
        target = target._replace(meta={})
    written = [table.write(state) for table in tables]
    progress = embed_and_upload(run, diff, pending_nodes)
    progress.deleted_ids += clear_outbox(run, state, pending_nodes, deleted_ids)
    _finish(run, progress, target, written)
    for table in tables:
        table.finish(completes_vectors=run.index.meta_key(MODEL_VECTORS_KEY) in target.meta)


def plan_target(run: SyncContext, state: IndexState, target: Target) -> None:
    """Fills the report with what `apply_target` would do; writes nothing."""
    refuse_other_folder(run, state)
    run, tables, _, diff = _prepare(run, state, target)
    estimate_run(run, state, diff)
    for table in tables:
        table.estimate(state, diff, whole=bool(target.meta))
    run.report.finished = True


def _prepare(
    requested_run: SyncContext, state: IndexState, target: Target
) -> tuple[SyncContext, list[SideTable], set[StaleReason], Diff]:
    """Returns the run with the model that the index allows, its tables, and what has to change."""
    requested_run.follow_index_model(state.meta)
    run = requested_run if target.meta else match_index_model(requested_run, state)
    refuse_unreadable_documents(run, state, target.entries)
    rules = target.meta.get(run.index.meta_key("rules"), "") if run.tree.root_tree_id else ""
    stale = stale_reasons(run, state, rules)
    files = state.files or {}
    diff = compare_files(target.entries, files, stale, FileParsers(run, state))
    if _may_send_vectors(run, state, diff, stale) and read_is_replaced(run, state):
        stale.add(StaleReason.LOST_VECTORS)
        diff = compare_files(target.entries, files, stale, FileParsers(run, state))
    if run is not requested_run:
        check_model_compatible(requested_run, state, diff)
    report_diff(run.report, diff, files, stale, state.unchanged)
    tables = side_tables(run, state.meta)
    for table in tables:
        table.add_notes()
        table.configure(is_stored=table.is_wanted())
    return run, tables, stale, diff


def _may_send_vectors(
    run: SyncContext, state: IndexState, diff: Diff, stale: Set[StaleReason]
) -> bool:
    """True if the run changes vectors of an index that has some by its model.

    Others do not read the vector index's identity: that is a request.
    """
    if not run.model_vectors or StaleReason.VECTORS in stale:
        return False
    is_complete = run.index.meta_key(MODEL_VECTORS_KEY) in state.meta
    changes = diff.to_index or diff.deleted or diff.pending or state.outbox
    # a dry run has read it already
    return bool(changes) or not is_complete or bool(run.vector_index)


def _is_up_to_date(
    run: SyncContext, state: IndexState, target: Target, tables: Sequence[SideTable]
) -> bool:
    """True if `meta` and the side tables are as the target wants them; raises what they raise."""
    is_recorded = target.meta.items() <= state.meta.items() and (
        not target.meta or _has_same_working_tree(run, state)
    )
    return is_recorded and all(table.is_up_to_date(whole=bool(target.meta)) for table in tables)


def _begin_write(
    run: SyncContext,
    state: IndexState,
    stale: Set[StaleReason],
    share: Sharding,
    tables: Sequence[SideTable],
) -> None:
    """Prepares the run's first write, which takes the index over.

    Shards, and runs that replace the vectors of another model, make that write at once: the other
    shards find the index as the first one has changed it.
    """
    meta = event_meta(run) | (run.model_vectors.model_identity() if run.model_vectors else {})
    meta |= merged(table.start_meta() for table in tables)
    index_parser = state.meta.get(run.index.meta_key("parser"))
    if index_parser != run.parser.fingerprint:
        meta[run.index.meta_key("parser")] = (
            run.parser.fingerprint
            if index_parser is None
            else fingerprint_while_reading(index_parser, run.parser.fingerprint)
        )
    is_other_model = StaleReason.VECTORS in stale
    recompute = bool(VECTOR_REASONS & stale)
    replaces = is_other_model and "model" in state.meta
    if run.model_vectors and is_other_model:
        dimensions = run.model_vectors.embedder.dimensions
        run.vector_index = run.model_vectors.vectors.check_dimensions(dimensions)
    if StaleReason.LOST_VECTORS in stale:
        refuse_shard_for_lost_vectors(run)
    if run.model_vectors and replaces:
        refuse_shard_for_new_model(run)
        run.model_vectors.vectors.check_can_clear()
    meta |= identity_meta(run, state)
    opening = [statement for table in tables for statement in table.opening_statements()]
    run.index.start_statements = [*run.index.start_statements, *opening]
    run.index.begin(run.token, state, meta, recompute_vectors=recompute, sharding=share)
    if run.shard or replaces:
        run.index.take_ownership()
    if run.model_vectors and replaces:
        run.model_vectors.vectors.clear(run.index.fencing_token.guard)


def _finish(
    run: SyncContext, progress: VectorProgress, target: Target, written: Sequence[TableWrite]
) -> None:
    """The run's last write, descriptions apart; raises StoppedEarly at a budget."""
    has_waiting = not all(table.is_complete for table in written) or (
        run.model_vectors and run.report.texts_waiting
    )
    if target.share.own_key and (run.budget.stop_reason or has_waiting):
        run.index.finish_incomplete_shard(progress)
    else:
        head = {run.index.meta_key("head"): run.tree.commit} if run.tree.root_tree_id else {}
        table_meta = merged(table.meta for table in written)
        meta = target.meta and {**target.meta, **head, **table_meta}
        if run.index.has_descriptions:  # which may change yet, and vectors with them
            meta.pop(run.index.meta_key(MODEL_VECTORS_KEY), None)
        final_meta = {**meta, **run_cost_meta(run)}
        is_last = not run.index.has_descriptions or bool(run.budget.stop_reason)
        run.index.finish(progress, final_meta, target.share, is_last=is_last)
    if run.budget.stop_reason:
        raise StoppedEarly(run.budget.stop_reason)
    run.report.finished = True


def _has_same_working_tree(run: SyncContext, state: IndexState) -> bool:
    """True if both are the same working tree, or neither is one.

    The same files may have been committed since.
    """
    return state.meta.get(run.index.meta_key("working"), "") == run.tree.working_tree_id
