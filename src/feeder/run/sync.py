"""The heart: make what the index holds equal to what the tree holds.

Words first, then vectors: every file is found by word before the first text is embedded.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from feeder.errors import StoppedEarly, UserError
from feeder.run import descriptions, texts
from feeder.run.compared import compare
from feeder.run.cost import cost
from feeder.run.feed import Feed, Work, write_words
from feeder.run.foreseen import foresee
from feeder.run.lookup_table import lacking, made_once, superfluous, write_lookup
from feeder.run.mode import check_mode, in_its_mode
from feeder.run.precedence import claim, goes_on, is_newest, refuse_outdated
from feeder.run.report import Report
from feeder.run.sharing import is_own, own_part, refuse_shard, share_of
from feeder.run.stale import Stale, announce, mixed_parser, refuse_unread, stale_parts
from feeder.run.vectors import clear_outbox, send_vectors
from feeder.store.ownership import SupersededAtStart
from feeder.store.settling import MODEL_VECTORS_KEY, VectorProgress
from feeder.store.state import UNSHARDED, FileRow, IndexState, Sharding
from feeder.tree import Entry


class Goal(NamedTuple):
    """The files that the index shall hold, and what `meta` then says.

    Without `equal` they are a part of the index, and nothing is said of a tree. Of runs that share
    the work, the last to end says it for all.
    """

    wanted: Sequence[Entry]
    equal: dict[str, str]
    share: Sharding = UNSHARDED


def sync(feed: Feed, *, dry_run: bool = False) -> None:
    """Makes the index equal to the whole tree, whatever has run or died before.

    Raises Overtaken when a later run has taken the index over, Stopped when a budget ends it early.
    """
    equal = _equality(feed)
    share = share_of(feed, equal | texts.asked(feed))
    expected = (
        {share.own_key: share.all_keys[share.own_key]} if feed.shard else equal | made_once(feed)
    )
    state = own_part(feed, feed.index.read_state(expected if feed.tree.root_tree_id else {}))
    is_equal = state.files is None and _is_named(feed, state) and _is_settled(feed, state)
    nothing_to_do = is_equal and not (state.outbox and feed.semantics)
    if nothing_to_do and (dry_run or _is_remembered(feed, state)):
        tree = part(feed.tree.subfolder) if feed.tree.subfolder else "the tree"
        whose = f"shard {feed.shard} of {tree}" if feed.shard else tree
        _note(feed, state)
        feed.report.notes.append(f"The index equals {whose}: nothing to do.")
        feed.report.finished = True
        _account_unchanged(feed, state)
        return

    def read() -> IndexState:
        return own_part(feed, feed.index.read_state({}))

    seen = state if state.files is not None else read()
    goal = Goal(_own_entries(feed), equal, share)
    if dry_run:
        plan(feed, seen, goal)
    else:
        overtake(feed, read, goal, seen)


def _own_entries(feed: Feed) -> list[Entry]:
    return [entry for entry in feed.tree.entries() if is_own(feed, entry.path)]


def _account_unchanged(feed: Feed, state: IndexState) -> None:
    """The files as the index tells them; those of a shard are only listed here."""
    _give_reasons(feed.report, state.unchanged.reasons.values())
    shard = len(_own_entries(feed)) - len(feed.report.skipped) if feed.shard else None
    feed.report.files_unchanged = state.unchanged.indexed if shard is None else shard


def _is_remembered(feed: Feed, state: IndexState) -> bool:
    """Whether no older event can turn the index back after a run that has nothing to do.

    A newer event than the index knows of is noted; False when another run has begun meanwhile.
    """
    if feed.shard or not is_newest(feed, state):
        return True
    try:
        feed.index.record_noop(feed.token, state, claim(feed))
    except SupersededAtStart:
        return False
    return True


def overtake(
    feed: Feed, read: Callable[[], IndexState], goal: Goal, seen: IndexState | None = None
) -> None:
    """`bring`, after the end of a run that is still under way; `seen` has just been read.

    What an unfinished run may still write is not foreseen: it is stopped first, then read. A run
    that begins between this one's reading and first write wins: Moved. Not so one that shares the
    work, started earlier by hand, or follows an older event: then this one reads again.
    """
    while True:
        seen = seen or read()
        refuse_unread(feed, seen, goal.wanted)  # before the other run is stopped for nothing
        try:
            return bring(feed, claimed(feed, read, seen), goal)
        except SupersededAtStart:
            if not goes_on(feed, feed.index.read_state_of([])):
                raise
            seen = None


def claimed(feed: Feed, read: Callable[[], IndexState], seen: IndexState) -> IndexState:
    """What the index holds once no other run writes any more; raises where this one must not."""
    refuse_outdated(feed, seen)
    _refuse_other_folder(feed, seen)
    if feed.index.has_unfinished_run(seen, feed.token):
        feed.index.take_over(feed.token, seen, claim(feed))
        return read()
    return seen


def _refuse_other_folder(feed: Feed, state: IndexState) -> None:
    """Raises UserError when the index is of another part of the tree, which would leave it."""
    held = state.meta.get(feed.index.meta_key("below"), feed.tree.subfolder)
    if feed.force or not feed.tree.root_tree_id or held == feed.tree.subfolder:
        return
    raise UserError(
        f"The index of {feed.index.repo} is of {part(held)}, which would leave it for "
        f"{part(feed.tree.subfolder)}. {way_to(held)}, name the part by a --repo of its own, or have "
        "feeder sync go on with --force."
    )


def way_to(below: str) -> str:
    """How a command is told of a part of the tree."""
    return f"Say --path {below}" if below else "Leave --path out"


def part(below: str) -> str:
    """What a part of the tree is called."""
    return f"the folder {below}" if below else "the whole tree"


def bring(feed: Feed, state: IndexState, goal: Goal) -> None:
    """Makes the files of `state` become those of the goal."""
    feed, stale, work = _begun(feed, state, goal)
    sendable = feed.semantics and (work.waiting or state.outbox or lacking(feed, state.meta))
    if _is_told(feed, state, goal) and not (work.process or work.gone or sendable):
        if feed.index.has_superseded(state, feed.token):  # one that ended in that moment
            feed.index.finish(VectorProgress(), {}, goal.share)
        feed.report.finished = True
        return
    announce(feed, state, stale, work)
    todo = texts.due(feed, state, work, whole=bool(goal.equal))
    _begin(feed, state, stale, goal.share)
    texts.clear(feed, state.meta, todo)
    # nothing tells which files another parser has read already: they are one piece
    is_anew = not stale.isdisjoint({Stale.PARSER, Stale.DOCUMENTS})
    wanted, gone = write_words(feed, state, work, whole=is_anew)
    if feed.budget.stopped:
        goal = goal._replace(equal={})
    filled = texts.fill(feed, state, todo)
    write_lookup(feed, state.meta)
    settled = send_vectors(feed, work, wanted)
    settled.deleted_ids += clear_outbox(feed, state, wanted, gone)
    _end(feed, settled, goal, filled)
    descriptions.bring_on(
        feed, state.meta, completes=feed.index.meta_key(MODEL_VECTORS_KEY) in goal.equal
    )


def _is_told(feed: Feed, state: IndexState, goal: Goal) -> bool:
    """Whether `meta` says what the goal does, and texts and lines are as they shall be."""
    said = goal.equal.items() <= state.meta.items() and (not goal.equal or _is_named(feed, state))
    return said and _is_settled(feed, state, whole=bool(goal.equal))


def _is_settled(feed: Feed, state: IndexState, *, whole: bool = True) -> bool:
    """Whether nothing is to be done for texts and lines; raises what `texts.are_settled` does."""
    settled = texts.are_settled(feed, state.meta, whole=whole)
    return settled and descriptions.are_settled(feed, state.meta)


def _begun(feed: Feed, state: IndexState, goal: Goal) -> tuple[Feed, set[Stale], Work]:
    """The run as the index takes it, what is stale of that, and the work; accounted for."""
    run = feed if goal.equal else in_its_mode(feed, state)
    refuse_unread(feed, state, goal.wanted)
    stale = stale_parts(run, state)
    have = state.files or {}
    work = compare(goal.wanted, have, stale)
    if run is not feed:
        check_mode(feed, state, work)
    _account(feed.report, work, have, stale)
    _note(feed, state)
    run.index.stores_source = texts.are_wanted(feed, state.meta)
    run.index.stores_descriptions = descriptions.are_wanted(feed, state.meta)
    run.index.has_descriptions = descriptions.may_be(feed, state.meta)
    return run, stale, work


def _note(feed: Feed, state: IndexState) -> None:
    texts.note(feed, state.meta)
    descriptions.note(feed, state.meta)


def _end(feed: Feed, settled: VectorProgress, goal: Goal, filled: Mapping[str, str]) -> None:
    """The run's last write but for lines; raises Stopped where a budget has ended it early."""
    head = {feed.index.meta_key("head"): feed.tree.commit} if feed.tree.root_tree_id else {}
    lacks_texts = feed.index.stores_source and not filled
    waits = lacks_texts or (feed.semantics and feed.report.texts_waiting)
    if goal.share.own_key and (feed.budget.stopped or waits):
        feed.index.finish_incomplete_shard(settled)
    else:
        meta = goal.equal and {**goal.equal, **head, **filled}
        if feed.index.has_descriptions:  # which may change yet, and vectors with them
            meta.pop(feed.index.meta_key(MODEL_VECTORS_KEY), None)
        feed.index.finish(settled, {**meta, **cost(feed)}, goal.share)
    if feed.budget.stopped:
        raise StoppedEarly(feed.budget.stopped)
    feed.report.finished = True


def _equality(feed: Feed) -> dict[str, str]:
    """What `meta` says of an index that equals the tree, made as this run would make it."""
    key = feed.index.meta_key
    equal = {
        key("tree"): feed.tree.root_tree_id,
        key("rules"): feed.tree.rules_digest,
        key("parser"): feed.parser.fingerprint,
        key("branch"): feed.index.branch,
        key("below"): feed.tree.subfolder,
    }
    if feed.tree.working_tree_id:  # and what it lies on, which may have moved
        equal |= {key("working"): feed.tree.working_tree_id, key("head"): feed.tree.commit}
    if feed.semantics:
        equal |= {**feed.semantics.identity(), key(MODEL_VECTORS_KEY): "complete"}
    return equal


def _is_named(feed: Feed, state: IndexState) -> bool:
    """Whether the index is called a working tree's if the tree is; it may be committed since."""
    return state.meta.get(feed.index.meta_key("working"), "") == feed.tree.working_tree_id


def _account(report: Report, work: Work, have: dict[str, FileRow], stale: Set[Stale]) -> None:
    """The files of the report as they stand before the work; what parsing finds comes to it."""
    kept = [have[entry.path] for entry in (*work.unchanged, *work.waiting)]
    report.files_deleted = len(work.gone)
    report.files_unchanged = sum(row.state != "skipped" for row in kept)
    report.skipped = {entry.path: entry.skip for entry in work.process if entry.skip}
    _give_reasons(report, kept)
    if have:
        report.notes[:] = sorted({*report.notes, *stale})


def _give_reasons(report: Report, kept: Iterable[FileRow]) -> None:
    for row in kept:
        if row.reason:
            reasons = report.skipped if row.state == "skipped" else report.as_plain_text
            reasons[row.path] = row.reason


def _begin(feed: Feed, state: IndexState, stale: Set[Stale], share: Sharding) -> None:
    """Takes the index over with the run's first write; vectors of another model go at once.

    Shards do so before anything else: what the first has made of the index, the others find.
    """
    meta = claim(feed) | (feed.semantics.identity() if feed.semantics else {})
    meta |= texts.begun(feed, state.meta) | descriptions.begun(feed, state.meta)
    theirs, ours = state.meta.get(feed.index.meta_key("parser")), feed.parser.fingerprint
    if theirs is None:
        meta[feed.index.meta_key("parser")] = ours
    elif theirs != ours:
        meta[feed.index.meta_key("parser")] = mixed_parser(theirs, ours, stale)
    remake = Stale.VECTORS in stale
    replaces = remake and "model" in state.meta
    if feed.semantics and remake:
        feed.semantics.vectors.check_dimensions(feed.semantics.embedder.dimensions)
    if feed.semantics and replaces:
        refuse_shard(feed)
        feed.semantics.vectors.check_can_clear()
    first = [*superfluous(feed, state.meta), *texts.opening(feed, state.meta)]
    feed.index.start_statements = [*feed.index.start_statements, *first]
    feed.index.begin(feed.token, state, meta, recompute_vectors=remake, sharding=share)
    if feed.shard or replaces:
        feed.index.take_ownership()
    if feed.semantics and replaces:
        feed.semantics.vectors.clear(feed.index.fencing_token.guard)


def plan(feed: Feed, state: IndexState, goal: Goal) -> None:
    """Puts into the report what `bring` would do, and writes nothing."""
    _refuse_other_folder(feed, state)
    feed, _, work = _begun(feed, state, goal)
    foresee(feed, state, work)
    texts.foresee(feed, texts.due(feed, state, work, whole=bool(goal.equal)))
    descriptions.foresee(feed, work)
    if table := lacking(feed, state.meta):
        feed.report.lookup_rows = table.row_count
    feed.report.finished = True
