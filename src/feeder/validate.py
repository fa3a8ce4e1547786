"""The proof: do the index's parts agree with each other, and with HEAD?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from feeder.errors import ServiceError
from feeder.feed import Feed
from feeder.store.index import State
from feeder.store.proof import SYMBOLS_ASKED, Parity, parity, stored_nodes
from feeder.sync import Goal, Stale, bring, compare, stale_parts, sync

DIFFERENCES_SHOWN = 20
"""Of each check; --json has all."""


SETTLING_S = 600.0
"""Writes of Vectorize are seen after half a minute, at times after several."""


class Check(NamedTuple):
    """One question: its figures, and what differs, in words."""

    name: str
    figures: dict[str, int]
    differences: list[str]

    @property
    def passed(self) -> bool:
        return not self.differences


@dataclass
class Damage:
    """What has to be made anew for the checks to pass."""

    paths: set[str] = field(default_factory=set)
    """Files whose rows disagree."""
    postings: set[int] = field(default_factory=set)
    """Rows of `docs_fts` that belong to no node."""
    vectors: set[str] = field(default_factory=set)
    """Vectors of no node."""
    waiting: set[str] = field(default_factory=set)
    """Files that lack vectors."""


class Verdict(NamedTuple):
    """All checks of one validation."""

    checks: list[Check]
    damage: Damage

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    def lines(self) -> Iterator[str]:
        """A line a check with its figures, and the first differences."""
        for check in self.checks:
            figures = ", ".join(f"{name} {count}" for name, count in check.figures.items())
            said = f"{check.name}: {figures}" if figures else check.name
            yield f"{'ok  ' if check.passed else 'FAIL'} {said}"
            yield from (f"       {line}" for line in check.differences[:DIFFERENCES_SHOWN])
            if (more := len(check.differences) - DIFFERENCES_SHOWN) > 0:
                yield f"       and {more} more"
        yield (
            "The index is right."
            if self.passed
            else "The index is not right: feeder validate --repair"
        )

    def as_json(self) -> dict[str, Any]:
        """`passed`, and the checks with their figures and differences."""
        return {
            "passed": self.passed,
            "checks": [{**check._asdict(), "passed": check.passed} for check in self.checks],
        }


def validate(feed: Feed, *, wait: bool = False) -> Verdict:
    """Asks everything; reads only. With `wait`, once all vectors written are seen.

    Raises ServiceError when that takes longer than `SETTLING_S`.
    """
    if wait and feed.semantics and not feed.semantics.vectors.settled(SETTLING_S):
        raise ServiceError(
            f"The vectors written last are not seen after {SETTLING_S:.0f} s. Validate again later."
        )
    damage = Damage()
    state = feed.index.state({})
    found = parity(feed.index.database, feed.index.repo)
    vectors = _vector_ids(feed, state)
    checks = [
        *_rows(found, damage),
        *_progress(state, vectors),
        *_vectors(feed, vectors, damage),
        *_makers(feed, state),
        *_head(feed, state),
    ]
    return Verdict(checks, damage)


def repair(feed: Feed, verdict: Verdict) -> None:
    """Takes out what disagrees and feeds those files again; what agrees is not touched."""
    state = feed.index.state({})
    damage = verdict.damage
    feed.index.begin(feed.token, state, {}, remake=False)
    feed.index.forget(damage.paths, damage.postings, damage.vectors, damage.waiting)
    if feed.tree.root:
        return sync(feed)
    known = damage.paths.union(state.files or {})
    wanted = [entry for entry in feed.tree.entries() if entry.path in known]
    made_by = {feed.index.key("parser"): feed.parser.fingerprint}
    return bring(feed, feed.index.state({}), Goal(wanted, made_by))


def _rows(found: Parity, damage: Damage) -> Iterable[Check]:
    damage.paths |= {str(path) for path, _ in found.docs_without_posting}
    damage.paths |= {str(path) for path, *_ in (*found.miscounted, *found.lost_symbols)}
    damage.postings |= {int(str(rowid)) for rowid, _ in found.postings_without_doc}
    counts = found.counts
    yield Check(
        "every node has its posting, and every posting its node",
        {"docs": counts.all_docs, "docs_fts": counts.postings},
        [
            *(f"{id_} of {path} has no posting" for path, id_ in found.docs_without_posting),
            *(f"posting {row} ({id_}) has no node" for row, id_ in found.postings_without_doc),
        ],
    )
    yield Check(
        "every file has as many nodes as the manifest says",
        {"files": counts.files, "files.nodes": counts.nodes_of_files, "docs": counts.docs},
        [f"{path}: {said} in files, {rows} in docs" for path, said, rows in found.miscounted],
    )
    yield Check(
        "symbols that occur once are found by word",
        {"symbols": counts.symbols, "asked at most": SYMBOLS_ASKED},
        [f"{id_} of {path}: {symbol}" for path, id_, symbol in found.lost_symbols],
    )


def _vector_ids(feed: Feed, state: State) -> set[str] | None:
    """None where there is no model, or nothing to ask them with."""
    if not feed.semantics or "model" not in state.meta:
        return None
    return set(feed.semantics.vectors.ids())


def _progress(state: State, vectors: set[str] | None) -> Iterable[Check]:
    """What a run leaves to the next; a vector that is gone may be removed once more."""
    pending = [row.path for row in (state.files or {}).values() if row.state == "pending"]
    yield Check(
        "no file waits for its vectors",
        {"pending": len(pending)},
        pending,
    )
    yield Check(
        "no vector waits to be removed",
        {"outbox": len(state.outbox)},
        [id_ for id_ in state.outbox if vectors is None or id_ in vectors],
    )


def _vectors(feed: Feed, vectors: set[str] | None, damage: Damage) -> Iterable[Check]:
    """Every node of a file that is not pending has a vector, and every vector a node."""
    if vectors is None:
        return
    without_node = set(vectors)
    expected = 0
    missing: list[str] = []
    for node in stored_nodes(feed.index.database, feed.index.repo):
        without_node.discard(node.id)
        if node.path is None or node.pending:
            continue
        expected += 1
        if node.id not in vectors:
            missing.append(f"{node.id} of {node.path} has no vector")
            damage.waiting.add(node.path)
    damage.vectors |= without_node
    yield Check(
        "every node has its vector, and every vector its node",
        {"docs not pending": expected, "vectors": len(vectors)},
        [*missing, *(f"vector {id_} has no node" for id_ in sorted(without_node))],
    )


def _makers(feed: Feed, state: State) -> Iterable[Check]:
    stale = stale_parts(feed, state)
    if "model" not in state.meta:  # an index of words alone is one too
        stale.discard(Stale.VECTORS)
    yield Check("parser, rules and model are the index's", {}, [str(why) for why in sorted(stale)])


def _head(feed: Feed, state: State) -> Iterable[Check]:
    if not feed.tree.root:
        return
    entries = feed.tree.entries()
    work = compare(entries, state.files or {}, set())
    yield Check(
        "the index holds the files of HEAD",
        {"files of HEAD": len(entries), "files": len(state.files or {})},
        [
            *(f"{entry.path} is not indexed as HEAD has it" for entry in work.process),
            *(f"{path} is not in HEAD" for path in work.gone),
        ],
    )
