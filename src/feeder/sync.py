"""The heart: make what the index holds equal to what the tree holds.

Words first, then vectors: every file is found by word before the first text is embedded.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence, Set
from enum import StrEnum

from feeder.errors import Stopped, UserError
from feeder.feed import Feed, Work, clear_outbox, foresee, send_vectors, write_words
from feeder.precedence import claim, goes_on, is_newest, refuse_outdated
from feeder.report import Report
from feeder.shards import shards
from feeder.store.index import ALONE, FileRow, Share, State
from feeder.store.ownership import Moved
from feeder.tree import Entry, Skip

MIXED = "mixed"
"""Under `parser` in `meta`, when not all nodes are one parser's."""
_OF_THE_TREE = frozenset(Skip)
"""Reasons that are not in a file's contents."""


class Stale(StrEnum):
    """Why an index is made anew, in part or whole, although its files are the tree's."""

    PARSER = "The index was made by another version of the parser: every file is parsed again."
    RULES = "The rules of what is kept out have changed: what was kept out is looked at again."
    VECTORS = "The index has no vectors of this model: every text is embedded."


def sync(feed: Feed, *, dry_run: bool = False) -> None:
    """Makes the index equal to the whole tree, whatever it held before.

    Raises Overtaken when a later run has taken the index over, Stopped when a budget ends it early.
    """
    equal = _equality(feed)
    share = _share(feed, equal)
    expected = {share.own: share.whole[share.own]} if feed.shard else equal
    state = _own_part(feed, feed.index.state(expected if feed.tree.root else {}))
    nothing_to_do = state.files is None and not (state.outbox and feed.semantics)
    if nothing_to_do and (dry_run or _is_remembered(feed, state)):
        whose = f"shard {feed.shard} of the tree" if feed.shard else "the tree"
        feed.report.notes.append(f"The index equals {whose}: nothing to do.")
        feed.report.finished = True
        if feed.event:  # the next steps of a workflow read the counts; others need not wait
            _account_unchanged(feed)
        return
    first = [state] if state.files is not None else []

    def read() -> State:
        return first.pop() if first else _own_part(feed, feed.index.state({}))

    wanted = [entry for entry in feed.tree.entries() if _is_own(feed, entry.path)]
    if dry_run:
        plan(feed, read(), wanted)
    else:
        overtake(feed, read, wanted, equal, share)


def _account_unchanged(feed: Feed) -> None:
    entries = [entry for entry in feed.tree.entries() if _is_own(feed, entry.path)]
    feed.report.skipped = {entry.path: entry.skip for entry in entries if entry.skip}
    feed.report.files_unchanged = len(entries) - len(feed.report.skipped)


def _is_remembered(feed: Feed, state: State) -> bool:
    """Whether no older event can turn the index back after a run that has nothing to do.

    A newer event than the index knows of is noted; False when another run has begun meanwhile.
    """
    if feed.shard or not is_newest(feed, state):
        return True
    try:
        feed.index.pass_by(feed.token, state, claim(feed))
    except Moved:
        return False
    return True


def _is_own(feed: Feed, path: str) -> bool:
    return feed.shard is None or feed.shard.holds(path)


def _own_part(feed: Feed, state: State) -> State:
    files = state.files
    if files is not None:
        files = {path: row for path, row in files.items() if _is_own(feed, path)}
    outbox = {id_: path for id_, path in state.outbox.items() if _is_own(feed, path)}
    return state._replace(files=files, outbox=outbox)


def _share(feed: Feed, equal: dict[str, str]) -> Share:
    """What the shards of this very work write down as they end."""
    if not feed.shard:
        return ALONE
    work = hashlib.sha1(json.dumps(equal, sort_keys=True).encode()).hexdigest()
    keys = [feed.index.key(f"shard:{shard}") for shard in shards(feed.shard.of)]
    return Share(keys[feed.shard.number - 1], dict.fromkeys(keys, work))


def overtake(
    feed: Feed,
    read: Callable[[], State],
    wanted: Sequence[Entry],
    equal: dict[str, str],
    share: Share = ALONE,
) -> None:
    """`bring`, after the end of a run that is still under way.

    What an unfinished run may still write is not foreseen: it is stopped first, then read. A run
    that begins between this one's reading and first write has started later, and wins: Moved. Not
    so one that shares the work, or follows an older event: then this one reads again.
    """
    while True:
        try:
            return bring(feed, _claimed(feed, read), wanted, equal, share)
        except Moved:
            if not goes_on(feed, feed.index.state_of([])):
                raise


def _claimed(feed: Feed, read: Callable[[], State]) -> State:
    state = read()
    refuse_outdated(feed, state)
    _refuse_other_folder(feed, state)
    if feed.index.is_unfinished(state, feed.token):
        feed.index.take_over(feed.token, state, claim(feed))
        state = read()
    return state


def _refuse_other_folder(feed: Feed, state: State) -> None:
    """Raises UserError when the index is of another part of the tree, which would leave it."""
    held = state.meta.get(feed.index.key("below"), feed.tree.below)
    if feed.force or not feed.tree.root or held == feed.tree.below:
        return
    raise UserError(
        f"The index of {feed.index.repo} is of {_part(held)}, which would leave it for "
        f"{_part(feed.tree.below)}. Name the part by a --repo of its own, or say --force."
    )


def _part(below: str) -> str:
    return f"the folder {below}" if below else "the whole tree"


def bring(
    feed: Feed,
    state: State,
    wanted: Sequence[Entry],
    equal: dict[str, str],
    share: Share = ALONE,
) -> None:
    """Makes the files of `state` become the `wanted` ones; `equal` is what `meta` then says.

    Without `equal` a part of the index is brought on, and it says nothing of a tree. Of runs that
    share the work, the last to end says it for all.
    """
    stale = stale_parts(feed, state)
    have = state.files or {}
    work = compare(wanted, have, stale)
    _account(feed.report, work, have, stale)
    sendable = feed.semantics and (work.waiting or state.outbox)
    if not (work.process or work.gone or sendable) and equal.items() <= state.meta.items():
        if feed.index.has_overtaken(state, feed.token):  # one that ended in that moment
            feed.index.finish([], [], {}, share)
        feed.report.finished = True
        return
    _begin(feed, state, stale, share)
    # nothing tells which files another parser has read already: they are one piece
    texts, gone = write_words(feed, state, work, whole=Stale.PARSER in stale)
    if feed.budget.stopped:
        equal = {}
    clean = send_vectors(feed, work, texts)
    sent = clear_outbox(feed, state, texts, gone)
    _end(feed, clean, sent, equal, share)


def _end(
    feed: Feed, clean: Sequence[str], sent: Sequence[str], equal: dict[str, str], share: Share
) -> None:
    """The run's last write; raises Stopped where a budget has ended it early."""
    head = {feed.index.key("head"): feed.tree.commit} if feed.tree.root else {}
    if share.own and (feed.budget.stopped or (feed.semantics and feed.report.texts_waiting)):
        feed.index.leave(clean, sent)
    else:
        feed.index.finish(clean, sent, equal and {**equal, **head}, share)
    if feed.budget.stopped:
        raise Stopped(feed.budget.stopped)
    feed.report.finished = True


def compare(wanted: Iterable[Entry], have: dict[str, FileRow], stale: Set[Stale]) -> Work:
    """What separates the files that the index has from the wanted ones."""
    rest = dict(have)
    work = Work([], [], [], [], set())
    for entry in wanted:
        row = rest.pop(entry.path, None)
        unvectored = row is not None and _lacks_vectors(row, stale)
        if unvectored:
            work.unvectored.add(entry.path)
        if row is None or _differs(entry, row, stale):
            work.process.append(entry)
        elif unvectored:
            work.waiting.append(entry)
        else:
            work.unchanged.append(entry)
    work.gone.extend(sorted(rest))
    return work


def _lacks_vectors(row: FileRow, stale: Set[Stale]) -> bool:
    return row.state == "pending" or (Stale.VECTORS in stale and row.state == "clean")


def _differs(entry: Entry, row: FileRow, stale: Set[Stale]) -> bool:
    if entry.skip:
        return (row.state, row.reason, row.blob) != ("skipped", entry.skip, entry.blob)
    if entry.blob != row.blob:
        return True
    if row.state == "skipped" and row.reason in _OF_THE_TREE:
        return True
    return Stale.PARSER in stale


def _equality(feed: Feed) -> dict[str, str]:
    """What `meta` says of an index that equals the tree, made as this run would make it."""
    key = feed.index.key
    equal = {
        key("tree"): feed.tree.root,
        key("rules"): feed.tree.rules,
        key("parser"): feed.parser.fingerprint,
        key("branch"): feed.index.branch,
        key("below"): feed.tree.below,
    }
    if feed.semantics:
        equal |= {**feed.semantics.identity(), key("vectors"): "complete"}
    return equal


def stale_parts(feed: Feed, state: State) -> set[Stale]:
    """What of an index this program would make in another way."""
    meta, key = state.meta, feed.index.key
    stale = set()
    if meta.get(key("parser"), feed.parser.fingerprint) != feed.parser.fingerprint:
        stale.add(Stale.PARSER)
    if feed.tree.root and meta.get(key("rules"), feed.tree.rules) != feed.tree.rules:
        stale.add(Stale.RULES)
    if feed.semantics and not feed.semantics.identity().items() <= meta.items():
        stale.add(Stale.VECTORS)
    return stale


def _account(report: Report, work: Work, have: dict[str, FileRow], stale: Set[Stale]) -> None:
    """The files of the report as they stand before the work; what parsing finds comes to it."""
    kept = [have[entry.path] for entry in (*work.unchanged, *work.waiting)]
    report.files_deleted = len(work.gone)
    report.files_unchanged = sum(row.state != "skipped" for row in kept)
    report.skipped = {entry.path: entry.skip for entry in work.process if entry.skip}
    for row in kept:
        if row.reason:
            reasons = report.skipped if row.state == "skipped" else report.as_plain_text
            reasons[row.path] = row.reason
    if have:
        report.notes[:] = sorted({*report.notes, *stale})


def _begin(feed: Feed, state: State, stale: Set[Stale], share: Share) -> None:
    """Takes the index over with the run's first write; vectors of another model go at once.

    Shards do so before anything else: what the first has made of the index, the others find.
    """
    meta = claim(feed) | (feed.semantics.identity() if feed.semantics else {})
    if feed.index.key("parser") not in state.meta:
        meta[feed.index.key("parser")] = feed.parser.fingerprint
    elif Stale.PARSER in stale:  # until a run over the whole tree has ended, by no one parser
        meta[feed.index.key("parser")] = MIXED
    remake = Stale.VECTORS in stale
    if feed.semantics and remake:
        feed.semantics.vectors.check_fits(feed.semantics.embedder.dimensions)
        if "model" in state.meta:
            _refuse_shard(feed)
            feed.semantics.vectors.check_clear()
    feed.index.begin(feed.token, state, meta, remake=remake, share=share)
    if feed.shard:
        feed.index.settle([], [])
    if feed.semantics and remake and "model" in state.meta:
        feed.index.settle([], [])
        feed.semantics.vectors.clear(feed.index.permit.guard)


def _refuse_shard(feed: Feed) -> None:
    if feed.shard:
        raise UserError(
            "The index has vectors of another model, and shards cannot replace them: others would "
            "lose theirs. Begin with: feeder sync --max-embeddings 1"
        )


def plan(feed: Feed, state: State, wanted: Sequence[Entry]) -> None:
    """Puts into the report what `bring` would do, and writes nothing."""
    _refuse_other_folder(feed, state)
    have = state.files or {}
    stale = stale_parts(feed, state)
    work = compare(wanted, have, stale)
    _account(feed.report, work, have, stale)
    foresee(feed, state, work)
    feed.report.finished = True
