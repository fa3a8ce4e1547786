"""Brings the index to the state of the source tree: compares both, writes nodes and postings,
then vectors, then side tables. Every file is searchable by word before the first vector is
made.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from feeder.errors import StoppedEarly
from feeder.source import Entry
from feeder.store.index_state import (
    MODEL_VECTORS_KEY,
    UNSHARDED,
    IndexState,
    Sharding,
    VectorProgress,
)
from feeder.store.ownership import SupersededAtStart
from feeder.sync import node_descriptions, source_table
from feeder.sync.concurrency import (
    event_meta,
    is_in_shard,
    is_newest_event,
    may_continue,
    refuse_shard_for_new_model,
    shard_share,
    shard_state,
    take_ownership,
)
from feeder.sync.context import SyncContext
from feeder.sync.diff import (
    Diff,
    StaleReason,
    announce_stale,
    check_model_compatible,
    compare_files,
    folder_label,
    match_index_model,
    mixed_parser_value,
    refuse_other_folder,
    refuse_unreadable_documents,
    report_diff,
    report_reasons,
    stale_reasons,
)
from feeder.sync.dry_run import estimate_run, run_cost_meta
from feeder.sync.vectors import clear_outbox, embed_and_upload
from feeder.sync.worker_lookup import (
    expected_meta,
    missing_table,
    opening_statements,
    write_missing,
)
from feeder.sync.write import write_nodes


class Target(NamedTuple):
    """The files that the index shall hold, and what `meta` then says.

    Without `equal` they are a part of the index, and nothing is said of a tree. Of runs that share
    the work, the last to end says it for all.
    """

    entries: Sequence[Entry]
    meta: dict[str, str]
    share: Sharding = UNSHARDED


def sync(run: SyncContext, *, dry_run: bool = False) -> None:
    """Makes the index equal to the whole tree, whatever has run or died before.

    Raises Overtaken when a later run has taken the index over, Stopped when a budget ends it early.
    """
    equal = _target_meta(run)
    share = shard_share(run, equal | source_table.shard_identity(run))
    expected = (
        {share.own_key: share.all_keys[share.own_key]} if run.shard else equal | expected_meta(run)
    )
    state = shard_state(run, run.index.read_state(expected if run.tree.root_tree_id else {}))
    is_equal = (
        state.files is None
        and _has_same_working_tree(run, state)
        and _side_tables_settled(run, state)
    )
    nothing_to_do = is_equal and not (state.outbox and run.model_vectors)
    if nothing_to_do and (dry_run or _record_newer_event(run, state)):
        tree = folder_label(run.tree.subfolder) if run.tree.subfolder else "the tree"
        whose = f"shard {run.shard} of {tree}" if run.shard else tree
        _add_side_table_notes(run, state)
        run.report.notes.append(f"The index equals {whose}: nothing to do.")
        run.report.finished = True
        _report_unchanged(run, state)
        return

    def read() -> IndexState:
        return shard_state(run, run.index.read_state({}))

    seen = state if state.files is not None else read()
    goal = Target(_shard_entries(run), equal, share)
    if dry_run:
        plan_target(run, seen, goal)
    else:
        sync_as_owner(run, read, goal, seen)


def _shard_entries(run: SyncContext) -> list[Entry]:
    return [entry for entry in run.tree.entries() if is_in_shard(run, entry.path)]


def _report_unchanged(run: SyncContext, state: IndexState) -> None:
    """The files as the index tells them; those of a shard are only listed here."""
    report_reasons(run.report, state.unchanged.reasons.values())
    shard = len(_shard_entries(run)) - len(run.report.skipped) if run.shard else None
    run.report.files_unchanged = state.unchanged.indexed if shard is None else shard


def _record_newer_event(run: SyncContext, state: IndexState) -> bool:
    """Whether no older event can turn the index back after a run that has nothing to do.

    A newer event than the index knows of is noted; False when another run has begun meanwhile.
    """
    if run.shard or not is_newest_event(run, state):
        return True
    try:
        run.index.record_noop(run.token, state, event_meta(run))
    except SupersededAtStart:
        return False
    return True


def sync_as_owner(
    run: SyncContext,
    read_state: Callable[[], IndexState],
    target: Target,
    last_read: IndexState | None = None,
) -> None:
    """`bring`, after the end of a run that is still under way; `seen` has just been read.

    What an unfinished run may still write is not foreseen: it is stopped first, then read. A run
    that begins between this one's reading and first write wins: Moved. Not so one that shares the
    work, started earlier by hand, or follows an older event: then this one reads again.
    """
    while True:
        last_read = last_read or read_state()
        refuse_unreadable_documents(
            run, last_read, target.entries
        )  # before the other run is stopped for nothing
        try:
            return apply_target(run, take_ownership(run, read_state, last_read), target)
        except SupersededAtStart:
            if not may_continue(run, run.index.read_state_of([])):
                raise
            last_read = None


def apply_target(run: SyncContext, state: IndexState, target: Target) -> None:
    """Makes the files of `state` become those of the goal."""
    run, stale, work = _prepare(run, state, target)
    sendable = run.model_vectors and (
        work.pending or state.outbox or missing_table(run, state.meta)
    )
    if _is_up_to_date(run, state, target) and not (work.to_index or work.deleted or sendable):
        if run.index.has_superseded(state, run.token):  # one that ended in that moment
            run.index.finish(VectorProgress(), {}, target.share)
        run.report.finished = True
        return
    announce_stale(run, state, stale, work)
    todo = source_table.plan(run, state, work, whole=bool(target.meta))
    _begin_write(run, state, stale, target.share)
    source_table.clear(run, state.meta, todo)
    # nothing tells which files another parser has read already: they are one piece
    is_anew = not stale.isdisjoint({StaleReason.PARSER, StaleReason.DOCUMENTS})
    wanted, gone = write_nodes(run, state, work, ignore_budget=is_anew)
    if run.budget.stop_reason:
        target = target._replace(meta={})
    filled = source_table.write_missing(run, state, todo)
    write_missing(run, state.meta)
    settled = embed_and_upload(run, work, wanted)
    settled.deleted_ids += clear_outbox(run, state, wanted, gone)
    _finish(run, settled, target, filled)
    node_descriptions.finish(
        run, state.meta, completes_vectors=run.index.meta_key(MODEL_VECTORS_KEY) in target.meta
    )


def _is_up_to_date(run: SyncContext, state: IndexState, target: Target) -> bool:
    """Whether `meta` says what the goal does, and texts and lines are as they shall be."""
    said = target.meta.items() <= state.meta.items() and (
        not target.meta or _has_same_working_tree(run, state)
    )
    return said and _side_tables_settled(run, state, whole=bool(target.meta))


def _side_tables_settled(run: SyncContext, state: IndexState, *, whole: bool = True) -> bool:
    """Whether nothing is to be done for texts and lines; raises what `texts.are_settled` does."""
    settled = source_table.is_settled(run, state.meta, whole=whole)
    return settled and node_descriptions.is_settled(run, state.meta)


def _prepare(
    requested_run: SyncContext, state: IndexState, target: Target
) -> tuple[SyncContext, set[StaleReason], Diff]:
    """The run as the index takes it, what is stale of that, and the work; accounted for."""
    run = requested_run if target.meta else match_index_model(requested_run, state)
    refuse_unreadable_documents(requested_run, state, target.entries)
    stale = stale_reasons(run, state)
    have = state.files or {}
    work = compare_files(target.entries, have, stale)
    if run is not requested_run:
        check_model_compatible(requested_run, state, work)
    report_diff(requested_run.report, work, have, stale)
    _add_side_table_notes(requested_run, state)
    run.index.stores_source = source_table.is_wanted(requested_run, state.meta)
    run.index.stores_descriptions = node_descriptions.is_wanted(requested_run, state.meta)
    run.index.has_descriptions = node_descriptions.may_exist(requested_run, state.meta)
    return run, stale, work


def _add_side_table_notes(run: SyncContext, state: IndexState) -> None:
    source_table.add_notes(run, state.meta)
    node_descriptions.add_notes(run, state.meta)


def _finish(
    run: SyncContext, settled: VectorProgress, target: Target, table_meta: Mapping[str, str]
) -> None:
    """The run's last write but for lines; raises Stopped where a budget has ended it early."""
    head = {run.index.meta_key("head"): run.tree.commit} if run.tree.root_tree_id else {}
    lacks_texts = run.index.stores_source and not table_meta
    waits = lacks_texts or (run.model_vectors and run.report.texts_waiting)
    if target.share.own_key and (run.budget.stop_reason or waits):
        run.index.finish_incomplete_shard(settled)
    else:
        meta = target.meta and {**target.meta, **head, **table_meta}
        if run.index.has_descriptions:  # which may change yet, and vectors with them
            meta.pop(run.index.meta_key(MODEL_VECTORS_KEY), None)
        run.index.finish(settled, {**meta, **run_cost_meta(run)}, target.share)
    if run.budget.stop_reason:
        raise StoppedEarly(run.budget.stop_reason)
    run.report.finished = True


def _target_meta(run: SyncContext) -> dict[str, str]:
    """What `meta` says of an index that equals the tree, made as this run would make it."""
    key = run.index.meta_key
    equal = {
        key("tree"): run.tree.root_tree_id,
        key("rules"): run.tree.rules_digest,
        key("parser"): run.parser.fingerprint,
        key("branch"): run.index.branch,
        key("below"): run.tree.subfolder,
    }
    if run.tree.working_tree_id:  # and what it lies on, which may have moved
        equal |= {key("working"): run.tree.working_tree_id, key("head"): run.tree.commit}
    if run.model_vectors:
        equal |= {**run.model_vectors.model_identity(), key(MODEL_VECTORS_KEY): "complete"}
    return equal


def _has_same_working_tree(run: SyncContext, state: IndexState) -> bool:
    """Whether the index is called a working tree's if the tree is; it may be committed since."""
    return state.meta.get(run.index.meta_key("working"), "") == run.tree.working_tree_id


def _begin_write(
    run: SyncContext, state: IndexState, stale: Set[StaleReason], share: Sharding
) -> None:
    """Takes the index over with the run's first write; vectors of another model go at once.

    Shards do so before anything else: what the first has made of the index, the others find.
    """
    meta = event_meta(run) | (run.model_vectors.model_identity() if run.model_vectors else {})
    meta |= source_table.start_meta(run, state.meta) | node_descriptions.start_meta(run, state.meta)
    theirs, ours = state.meta.get(run.index.meta_key("parser")), run.parser.fingerprint
    if theirs is None:
        meta[run.index.meta_key("parser")] = ours
    elif theirs != ours:
        meta[run.index.meta_key("parser")] = mixed_parser_value(theirs, ours, stale)
    remake = StaleReason.VECTORS in stale
    replaces = remake and "model" in state.meta
    if run.model_vectors and remake:
        run.model_vectors.vectors.check_dimensions(run.model_vectors.embedder.dimensions)
    if run.model_vectors and replaces:
        refuse_shard_for_new_model(run)
        run.model_vectors.vectors.check_can_clear()
    first = [
        *opening_statements(run, state.meta),
        *source_table.opening_statements(run, state.meta),
    ]
    run.index.start_statements = [*run.index.start_statements, *first]
    run.index.begin(run.token, state, meta, recompute_vectors=remake, sharding=share)
    if run.shard or replaces:
        run.index.take_ownership()
    if run.model_vectors and replaces:
        run.model_vectors.vectors.clear(run.index.fencing_token.guard)


def plan_target(run: SyncContext, state: IndexState, target: Target) -> None:
    """Puts into the report what `bring` would do, and writes nothing."""
    refuse_other_folder(run, state)
    run, _, work = _prepare(run, state, target)
    estimate_run(run, state, work)
    source_table.estimate(run, source_table.plan(run, state, work, whole=bool(target.meta)))
    node_descriptions.estimate(run, work)
    if table := missing_table(run, state.meta):
        run.report.lookup_rows = table.row_count
    run.report.finished = True
