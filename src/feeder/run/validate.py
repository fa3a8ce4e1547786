"""The proof: do the index's parts agree with each other, and with HEAD?"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from feeder.errors import ServiceError
from feeder.run import descriptions, lined, lookup_table, texts
from feeder.run.compared import compare
from feeder.run.content import Comparison, compare_content
from feeder.run.feed import Feed, Work
from feeder.run.mode import has_words_only, over_all
from feeder.run.stale import Stale, refuse_unread, stale_parts
from feeder.run.sync import Goal, bring, claimed, part, sync, way_to
from feeder.run.verdict import REPAIR, Check, Verdict
from feeder.store.forgetting import Damage
from feeder.store.proof import CHECKED_SYMBOLS, ParityReport, check_parity, node_states
from feeder.store.settling import VectorProgress
from feeder.store.state import FileRow, IndexState
from feeder.tree import Entry

WRITTEN_TO = (
    "Rows and words were not compared: another run was writing. Validate again when it has ended."
)
PENDING = "no file waits for its vectors"
OUTBOX = "no vector waits to be removed"
NO_COMMIT = "There is no commit to compare the files with."
NO_MODEL = "Vectors were not compared with the nodes: there is no model to ask for them."
SETTLING_S = 600.0
"""Writes of Vectorize are seen after half a minute, at times after several."""


def validate(feed: Feed, *, wait: bool = False, content: bool = True) -> Verdict:
    """Asks everything; reads only. With `wait`, once all vectors written are seen.

    Without `content` no file is parsed, and rows and words are counted but not read. Raises
    ServiceError when that which was written is not seen within `SETTLING_S`.
    """
    if wait and feed.semantics and not feed.semantics.vectors.wait_until_visible(SETTLING_S):
        raise ServiceError(
            f"The vectors written last are not seen after {SETTLING_S:.0f} s. Validate again later."
        )
    damage = Damage()
    state = feed.index.read_state({})
    found = check_parity(feed.index.database, feed.index.repo)
    vectors = _vector_ids(feed, state)
    checks = [
        *_rows(found, damage),
        *_progress(state, vectors),
        *_vectors(feed, vectors, damage),
        *lookup_table.checked(feed, state, damage),
        *texts.checked(feed, state, found, damage),
        *descriptions.checked(feed, state, found, damage),
        *lined.checked(feed, state, found, damage),
        *_makers(feed, state),
    ]
    notes = [NO_MODEL] if vectors is None and "model" in state.meta else []
    notes += [*descriptions.noted(state, feed, found), *lined.noted(feed, state, found)]
    verdict = Verdict(checks, damage, notes)
    if feed.tree.root_tree_id:
        verdict = _beside_head(feed, state, verdict, content=content)
    else:
        verdict = verdict._replace(notes=[*notes, NO_COMMIT])
    return verdict._replace(advice=_advice(feed, state, verdict))


def _advice(feed: Feed, state: IndexState, verdict: Verdict) -> str:
    """What mends the differences, so that it can be done to the letter."""
    failed = {check.name for check in verdict.checks if not check.passed}
    if _below(feed, state) != feed.tree.subfolder:
        return f"ask about all that it is of. {way_to(_below(feed, state))}"
    if failed <= {PENDING, OUTBOX} and (not feed.semantics or has_words_only(state)):
        by = state.meta.get("model", "the model")
        way = f"{over_all(feed)} with --model for it, without --no-vectors"
        return f"vectors by {by} wait for a run with it: {way}"
    if state.meta.get(feed.index.meta_key("working")):
        return f"{REPAIR}, or feeder sync --working-tree where files are only edited since"
    return (
        f"{REPAIR}, or feeder sync where HEAD is only newer" if feed.tree.root_tree_id else REPAIR
    )


def _beside_head(feed: Feed, state: IndexState, verdict: Verdict, *, content: bool) -> Verdict:
    """What the index's parts say of each other, and what HEAD says of them."""
    refuse_unread(feed, state, feed.tree.entries())
    work = compare(feed.tree.entries(), state.files or {}, set())
    verdict.checks.append(_head(feed, state, work))
    if why := _why_no_content(feed, state, content=content):
        return verdict._replace(notes=[*verdict.notes, why])
    feed.index.stores_source = texts.are_kept(feed, state.meta)
    feed.index.stores_descriptions = descriptions.are_kept(feed, state.meta)
    compared = compare_content(feed, [*work.unchanged, *work.waiting], state.files or {})
    if feed.index.read_state_of([]).meta != state.meta:  # each write leaves its number there
        return verdict._replace(notes=[*verdict.notes, WRITTEN_TO])
    verdict.checks.extend(_content(compared, verdict.damage))
    return verdict._replace(notes=[*verdict.notes, *_left_out(compared)])


def repair(feed: Feed, verdict: Verdict) -> None:
    """Takes out what disagrees and feeds those files again; what agrees is not touched.

    An index of words stays one. Raises Overtaken, and has changed nothing, when a later run of a
    workflow has begun.
    """

    def read() -> IndexState:
        return feed.index.read_state({})

    damage = verdict.damage
    state = claimed(feed, read, read())
    if has_words_only(state):
        feed = replace(feed, semantics=None)
    mended = texts.mended(feed, state.meta, damage) | descriptions.mended(feed, state.meta, damage)
    feed.index.begin(feed.token, state, mended, recompute_vectors=False)
    feed.index.remove_damage(damage)
    if feed.tree.root_tree_id:
        return sync(feed)
    known = damage.paths.union(state.files or {})
    wanted = [entry for entry in feed.tree.entries() if entry.path in known]
    made_by = {feed.index.meta_key("parser"): feed.parser.fingerprint}
    bring(feed, read(), Goal(wanted, made_by))
    return feed.index.finish(VectorProgress(), {})


def _rows(found: ParityReport, damage: Damage) -> Iterable[Check]:
    damage.paths |= {str(path) for path, _ in found.docs_without_posting}
    damage.paths |= {
        str(path) for path, *_ in (*found.wrong_node_counts, *found.unfindable_symbols)
    }
    damage.orphan_postings |= {int(str(rowid)) for rowid, _ in found.postings_without_doc}
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
        {"files": counts.files, "files.nodes": counts.nodes_in_files, "docs": counts.docs},
        [
            f"{path}: {said} in files, {rows} in docs"
            for path, said, rows in found.wrong_node_counts
        ],
    )
    yield Check(
        "every node is of the index's branch",
        {"docs": counts.docs},
        [f"{id_} of {path} is of {branch}" for path, id_, branch in found.on_other_branches],
    )
    yield Check(
        "symbols that occur once are found by word",
        {"symbols": counts.symbols, "asked at most": CHECKED_SYMBOLS},
        [f"{id_} of {path}: {symbol}" for path, id_, symbol in found.unfindable_symbols],
    )


def _vector_ids(feed: Feed, state: IndexState) -> set[str] | None:
    """None where there is no model, or nothing to ask them with."""
    if not feed.semantics or "model" not in state.meta:
        return None
    return set(feed.semantics.vectors.ids())


def _progress(state: IndexState, vectors: set[str] | None) -> Iterable[Check]:
    """What a run leaves to the next; a vector that is gone may be removed once more."""
    pending = [row.path for row in (state.files or {}).values() if row.state == "pending"]
    yield Check(
        PENDING,
        {"pending": len(pending)},
        pending,
    )
    yield Check(
        OUTBOX,
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
    for node in node_states(feed.index.database, feed.index.repo):
        without_node.discard(node.id)
        if node.path is None or node.is_pending:
            continue
        expected += 1
        if node.id not in vectors:
            missing.append(f"{node.id} of {node.path} has no vector")
            damage.paths_without_vectors.add(node.path)
    damage.orphan_vectors |= without_node
    yield Check(
        "every node has its vector, and every vector its node",
        {"docs not pending": expected, "vectors": len(vectors)},
        [*missing, *(f"vector {id_} has no node" for id_ in sorted(without_node))],
    )


def _makers(feed: Feed, state: IndexState) -> Iterable[Check]:
    stale = stale_parts(feed, state)
    if "model" not in state.meta:  # an index of words alone is one too
        stale.discard(Stale.VECTORS)
    said = [str(why) for why in sorted(stale)]
    if state.files and feed.index.meta_key("parser") not in state.meta:
        said.append("The index does not say what has made it.")
    if feed.index.meta_key("vectors") in state.meta and "model" not in state.meta:
        said.append("The index says that its vectors are complete, and names no model.")
    yield Check("parser, rules and model are the index's", {}, said)


def _head(feed: Feed, state: IndexState, work: Work) -> Check:
    """Files that were fed from a folder and kept out were not read: they have no blob."""
    files = state.files or {}
    at_head = len(work.process) + len(work.waiting) + len(work.unchanged)
    unlike = [entry for entry in work.process if not _is_unread(entry, files.get(entry.path))]
    name = "the working tree" if state.meta.get(feed.index.meta_key("working")) else "HEAD"
    said = [
        *(f"{entry.path} is not indexed as {name} has it" for entry in unlike),
        *(f"{path} is not in {name}" for path in work.gone),
    ]
    figures = {f"files of {name}": at_head, "files": len(files)}
    if (below := _below(feed, state)) != feed.tree.subfolder:
        said.append(f"it is of {part(below)}, not of {part(feed.tree.subfolder)}. {way_to(below)}")
    if feed.index.meta_key("tree") in state.meta and feed.index.meta_key("head") not in state.meta:
        said.append("it names no commit")
    where = f" in {part(feed.tree.subfolder)}" if feed.tree.subfolder else ""
    return Check(f"the index holds the files of {name}{where}", figures, said)


def _below(feed: Feed, state: IndexState) -> str:
    """The folder that the index is of; empty for the whole tree."""
    return state.meta.get(feed.index.meta_key("below"), feed.tree.subfolder)


def _is_unread(entry: Entry, row: FileRow | None) -> bool:
    skipped = FileRow(entry.path, "", "skipped", entry.skip)
    return entry.skip is not None and row == skipped


def _why_no_content(feed: Feed, state: IndexState, *, content: bool) -> str | None:
    if not content:
        return "Rows and words were not compared with the files: --no-content."
    if stale_parts(feed, state) & {Stale.PARSER, Stale.DOCUMENTS}:
        return "Rows and words were not compared with the files: another parser made them."
    return None


def _content(found: Comparison, damage: Damage) -> Iterable[Check]:
    damage.paths |= found.paths | found.again
    damage.misplaced_ids |= found.lost
    compared = {"files": found.files, "nodes": found.nodes}
    rows = [f"{path}: {', '.join(said)}" for path, said in found.rows.items()]
    yield Check("every node's row says what its file does", compared, rows)
    if found.has_words:
        words = [f"{path}: nodes with other words {count}" for path, count in found.words.items()]
        yield Check("every node is found by the words of its text", compared, words)
    if found.texts is not None:
        damage.source_paths |= set(found.texts)
        said = [f"{path}: another text" for path in found.texts]
        yield Check("every text that is kept is its file's", {"files": found.files}, said)
    if found.described is not None:
        damage.description_paths |= set(found.described)
        said = [f"{path}: of another text" for path in found.described]
        yield Check("every description is of its node's text", {"files": found.files}, said)


def _left_out(found: Comparison) -> Iterator[str]:
    if not found.has_words:
        yield "Words are compared with the files only where the database is on this machine."
    if found.stopped:
        first, *others = found.stopped
        more = f", and {len(others)} more" if others else ""
        yield f"Not compared, since their parser was stopped, now or then: {first}{more}."
    if found.again:
        yield f"It gets through {len(found.again)} of them now, which have their nodes by: {REPAIR}"
