"""The heart: make what the index holds equal to what the tree holds.

Words first, then vectors: every file is found by word before the first text is embedded.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from enum import StrEnum

from feeder.errors import Stopped
from feeder.feed import Feed, Work, clear_outbox, foresee, send_vectors, write_words
from feeder.report import Report
from feeder.store.index import FileRow, State
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
    state = feed.index.state(equal if feed.tree.root else {})
    if state.files is None and not (state.outbox and feed.semantics):
        feed.report.notes.append("The index equals the tree: nothing to do.")
        feed.report.finished = True
        return
    first = [state] if state.files is not None else []

    def read() -> State:
        return first.pop() if first else feed.index.state({})

    if dry_run:
        plan(feed, read(), feed.tree.entries())
    else:
        overtake(feed, read, feed.tree.entries(), equal)


def overtake(
    feed: Feed, read: Callable[[], State], wanted: Sequence[Entry], equal: dict[str, str]
) -> None:
    """`bring`, after the end of a run that is still under way.

    What an unfinished run may still write is not foreseen: it is stopped first, then read. A run
    that begins between this one's reading and first write has started later, and wins: Moved.
    """
    state = read()
    if feed.index.is_unfinished(state):
        feed.index.take_over(feed.token, state)
        state = read()
    bring(feed, state, wanted, equal)


def bring(feed: Feed, state: State, wanted: Sequence[Entry], equal: dict[str, str]) -> None:
    """Makes the files of `state` become the `wanted` ones; `equal` is what `meta` then says.

    Without `equal` a part of the index is brought on, and it says nothing of a tree.
    """
    stale = stale_parts(feed, state)
    have = state.files or {}
    work = compare(wanted, have, stale)
    _account(feed.report, work, have, stale)
    sendable = feed.semantics and (work.waiting or state.outbox)
    if not (work.process or work.gone or sendable) and equal.items() <= state.meta.items():
        feed.report.finished = True
        return
    _begin(feed, state, stale)
    # nothing tells which files another parser has read already: they are one piece
    texts, gone = write_words(feed, state, work, whole=Stale.PARSER in stale)
    if feed.budget.stopped:
        equal = {}
    clean = send_vectors(feed, work, texts)
    sent = clear_outbox(feed, state, texts, gone)
    head = {feed.index.key("head"): feed.tree.commit} if feed.tree.root else {}
    feed.index.finish(clean, sent, equal and {**equal, **head})
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
        report.notes.extend(sorted(stale))


def _begin(feed: Feed, state: State, stale: Set[Stale]) -> None:
    """Takes the index over with the run's first write; vectors of another model go at once."""
    meta = feed.semantics.identity() if feed.semantics else {}
    if feed.index.key("parser") not in state.meta:
        meta[feed.index.key("parser")] = feed.parser.fingerprint
    elif Stale.PARSER in stale:  # until a run over the whole tree has ended, by no one parser
        meta[feed.index.key("parser")] = MIXED
    remake = Stale.VECTORS in stale
    if feed.semantics and remake:
        feed.semantics.vectors.check_fits(feed.semantics.embedder.dimensions)
        if "model" in state.meta:
            feed.semantics.vectors.check_clear()
    feed.index.begin(feed.token, state, meta, remake=remake)
    if feed.semantics and remake and "model" in state.meta:
        feed.index.settle([], [])
        feed.semantics.vectors.clear()


def plan(feed: Feed, state: State, wanted: Sequence[Entry]) -> None:
    """Puts into the report what `bring` would do, and writes nothing."""
    have = state.files or {}
    stale = stale_parts(feed, state)
    work = compare(wanted, have, stale)
    _account(feed.report, work, have, stale)
    foresee(feed, state, work)
    feed.report.finished = True
