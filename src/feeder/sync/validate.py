"""Validates that rows, postings, vectors and side tables of an index agree with each other and
with HEAD, and repairs what does not.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from feeder.errors import ServiceError
from feeder.source import Entry
from feeder.store.index_state import FileRow, IndexState, VectorProgress
from feeder.store.integrity import CHECKED_SYMBOLS, Damage, ParityReport, check_parity, node_states
from feeder.sync import node_descriptions, source_table, vector_refresh, worker_lookup
from feeder.sync.concurrency import take_ownership
from feeder.sync.content_check import Comparison, compare_content
from feeder.sync.context import SyncContext
from feeder.sync.diff import (
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
from feeder.sync.report import REPAIR_COMMAND, Check, ValidationResult
from feeder.sync.sync import Target, apply_target, sync

CHANGED_DURING_VALIDATION = (
    "Rows and words were not compared: another run was writing. Validate again when it has ended."
)
PENDING_CHECK = "no file waits for its vectors"
OUTBOX_CHECK = "no vector waits to be removed"
NO_COMMIT = "There is no commit to compare the files with."
NO_MODEL = "Vectors were not compared with the nodes: there is no model to ask for them."
VECTOR_WAIT_S = 600.0
"""Writes of Vectorize are seen after half a minute, at times after several."""


def validate(run: SyncContext, *, wait: bool = False, content: bool = True) -> ValidationResult:
    """Asks everything; reads only. With `wait`, once all vectors written are seen.

    Without `content` no file is parsed, and rows and words are counted but not read. Raises
    ServiceError when that which was written is not seen within `SETTLING_S`.
    """
    if (
        wait
        and run.model_vectors
        and not run.model_vectors.vectors.wait_until_visible(VECTOR_WAIT_S)
    ):
        raise ServiceError(
            f"The vectors written last are not seen after {VECTOR_WAIT_S:.0f} s. Validate again "
            "later."
        )
    damage = Damage()
    state = run.index.read_state({})
    found = check_parity(run.index.database, run.index.repo)
    vectors = _vector_ids(run, state)
    checks = [
        *_check_rows(found, damage),
        *_check_progress(state, vectors),
        *_check_vectors(run, vectors, damage),
        *worker_lookup.check(run, state, damage),
        *source_table.check(run, state, found, damage),
        *node_descriptions.check(run, state, found, damage),
        *vector_refresh.check_vectors(run, state, found, damage),
        *_check_versions(run, state),
    ]
    notes = [NO_MODEL] if vectors is None and "model" in state.meta else []
    notes += [
        *node_descriptions.remaining_notes(state, run, found),
        *vector_refresh.stale_notes(run, state, found),
    ]
    verdict = ValidationResult(checks, damage, notes)
    if run.tree.root_tree_id:
        verdict = _compare_with_head(run, state, verdict, content=content)
    else:
        verdict = verdict._replace(notes=[*notes, NO_COMMIT])
    return verdict._replace(advice=_repair_advice(run, state, verdict))


def _repair_advice(run: SyncContext, state: IndexState, verdict: ValidationResult) -> str:
    """What mends the differences, so that it can be done to the letter."""
    failed = {check.name for check in verdict.checks if not check.passed}
    if _index_folder(run, state) != run.tree.subfolder:
        return f"ask about all that it is of. {path_option_hint(_index_folder(run, state))}"
    if failed <= {PENDING_CHECK, OUTBOX_CHECK} and (not run.model_vectors or has_words_only(state)):
        by = state.meta.get("model", "the model")
        way = f"{full_sync_command(run)} with --model for it, without --no-vectors"
        return f"vectors by {by} wait for a run with it: {way}"
    if state.meta.get(run.index.meta_key("working")):
        return f"{REPAIR_COMMAND}, or feeder sync --working-tree where files are only edited since"
    return (
        f"{REPAIR_COMMAND}, or feeder sync where HEAD is only newer"
        if run.tree.root_tree_id
        else REPAIR_COMMAND
    )


def _compare_with_head(
    run: SyncContext, state: IndexState, verdict: ValidationResult, *, content: bool
) -> ValidationResult:
    """What the index's parts say of each other, and what HEAD says of them."""
    refuse_unreadable_documents(run, state, run.tree.entries())
    work = compare_files(run.tree.entries(), state.files or {}, set())
    verdict.checks.append(_check_files(run, state, work))
    if why := _no_content_reason(run, state, content=content):
        return verdict._replace(notes=[*verdict.notes, why])
    run.index.stores_source = source_table.is_complete(run, state.meta)
    run.index.stores_descriptions = node_descriptions.is_stored(run, state.meta)
    compared = compare_content(run, [*work.unchanged, *work.pending], state.files or {})
    if run.index.read_state_of([]).meta != state.meta:  # each write leaves its number there
        return verdict._replace(notes=[*verdict.notes, CHANGED_DURING_VALIDATION])
    verdict.checks.extend(_check_content(compared, verdict.damage))
    return verdict._replace(notes=[*verdict.notes, *_not_compared_notes(compared)])


def repair(run: SyncContext, verdict: ValidationResult) -> None:
    """Takes out what disagrees and feeds those files again; what agrees is not touched.

    An index of words stays one. Raises Overtaken, and has changed nothing, when a later run of a
    workflow has begun.
    """

    def read() -> IndexState:
        return run.index.read_state({})

    damage = verdict.damage
    state = take_ownership(run, read, read())
    if has_words_only(state):
        run = replace(run, model_vectors=None)
    mended = source_table.repair_meta(run, state.meta, damage) | node_descriptions.repair_meta(
        run, state.meta, damage
    )
    run.index.begin(run.token, state, mended, recompute_vectors=False)
    run.index.remove_damage(damage)
    if run.tree.root_tree_id:
        return sync(run)
    known = damage.paths.union(state.files or {})
    wanted = [entry for entry in run.tree.entries() if entry.path in known]
    made_by = {run.index.meta_key("parser"): run.parser.fingerprint}
    apply_target(run, read(), Target(wanted, made_by))
    return run.index.finish(VectorProgress(), {})


def _check_rows(parity: ParityReport, damage: Damage) -> Iterable[Check]:
    damage.paths |= {str(path) for path, _ in parity.docs_without_posting}
    damage.paths |= {
        str(path) for path, *_ in (*parity.wrong_node_counts, *parity.unfindable_symbols)
    }
    damage.orphan_postings |= {int(str(rowid)) for rowid, _ in parity.postings_without_doc}
    counts = parity.counts
    yield Check(
        "every node has its posting, and every posting its node",
        {"docs": counts.all_docs, "docs_fts": counts.postings},
        [
            *(f"{id_} of {path} has no posting" for path, id_ in parity.docs_without_posting),
            *(f"posting {row} ({id_}) has no node" for row, id_ in parity.postings_without_doc),
        ],
    )
    yield Check(
        "every file has as many nodes as the manifest says",
        {"files": counts.files, "files.nodes": counts.nodes_in_files, "docs": counts.docs},
        [
            f"{path}: {said} in files, {rows} in docs"
            for path, said, rows in parity.wrong_node_counts
        ],
    )
    yield Check(
        "every node is of the index's branch",
        {"docs": counts.docs},
        [f"{id_} of {path} is of {branch}" for path, id_, branch in parity.on_other_branches],
    )
    yield Check(
        "symbols that occur once are found by word",
        {"symbols": counts.symbols, "asked at most": CHECKED_SYMBOLS},
        [f"{id_} of {path}: {symbol}" for path, id_, symbol in parity.unfindable_symbols],
    )


def _vector_ids(run: SyncContext, state: IndexState) -> set[str] | None:
    """None where there is no model, or nothing to ask them with."""
    if not run.model_vectors or "model" not in state.meta:
        return None
    return set(run.model_vectors.vectors.ids())


def _check_progress(state: IndexState, vector_ids: set[str] | None) -> Iterable[Check]:
    """What a run leaves to the next; a vector that is gone may be removed once more."""
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
    """Every node of a file that is not pending has a vector, and every vector a node."""
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
            missing.append(f"{node.id} of {node.path} has no vector")
            damage.paths_without_vectors.add(node.path)
    damage.orphan_vectors |= without_node
    yield Check(
        "every node has its vector, and every vector its node",
        {"docs not pending": expected, "vectors": len(vector_ids)},
        [*missing, *(f"vector {id_} has no node" for id_ in sorted(without_node))],
    )


def _check_versions(run: SyncContext, state: IndexState) -> Iterable[Check]:
    stale = stale_reasons(run, state)
    if "model" not in state.meta:  # an index of words alone is one too
        stale.discard(StaleReason.VECTORS)
    said = [str(why) for why in sorted(stale)]
    if state.files and run.index.meta_key("parser") not in state.meta:
        said.append("The index does not say what has made it.")
    if run.index.meta_key("vectors") in state.meta and "model" not in state.meta:
        said.append("The index says that its vectors are complete, and names no model.")
    yield Check("parser, rules and model are the index's", {}, said)


def _check_files(run: SyncContext, state: IndexState, diff: Diff) -> Check:
    """Files that were fed from a folder and kept out were not read: they have no blob."""
    files = state.files or {}
    at_head = len(diff.to_index) + len(diff.pending) + len(diff.unchanged)
    unlike = [
        entry for entry in diff.to_index if not _is_skipped_unread(entry, files.get(entry.path))
    ]
    name = "the working tree" if state.meta.get(run.index.meta_key("working")) else "HEAD"
    said = [
        *(f"{entry.path} is not indexed as {name} has it" for entry in unlike),
        *(f"{path} is not in {name}" for path in diff.deleted),
    ]
    figures = {f"files of {name}": at_head, "files": len(files)}
    if (below := _index_folder(run, state)) != run.tree.subfolder:
        said.append(
            f"it is of {folder_label(below)}, not of {folder_label(run.tree.subfolder)}. "
            f"{path_option_hint(below)}"
        )
    if run.index.meta_key("tree") in state.meta and run.index.meta_key("head") not in state.meta:
        said.append("it names no commit")
    where = f" in {folder_label(run.tree.subfolder)}" if run.tree.subfolder else ""
    return Check(f"the index holds the files of {name}{where}", figures, said)


def _index_folder(run: SyncContext, state: IndexState) -> str:
    """The folder that the index is of; empty for the whole tree."""
    return state.meta.get(run.index.meta_key("below"), run.tree.subfolder)


def _is_skipped_unread(entry: Entry, row: FileRow | None) -> bool:
    skipped = FileRow(entry.path, "", "skipped", entry.skip)
    return entry.skip is not None and row == skipped


def _no_content_reason(run: SyncContext, state: IndexState, *, content: bool) -> str | None:
    if not content:
        return "Rows and words were not compared with the files: --no-content."
    if stale_reasons(run, state) & {StaleReason.PARSER, StaleReason.DOCUMENTS}:
        return "Rows and words were not compared with the files: another parser made them."
    return None


def _check_content(comparison: Comparison, damage: Damage) -> Iterable[Check]:
    damage.paths |= comparison.paths | comparison.now_parsed
    damage.misplaced_ids |= comparison.missing_ids
    compared = {"files": comparison.files, "nodes": comparison.nodes}
    rows = [f"{path}: {', '.join(said)}" for path, said in comparison.rows.items()]
    yield Check("every node's row says what its file does", compared, rows)
    if comparison.has_words:
        words = [
            f"{path}: nodes with other words {count}" for path, count in comparison.words.items()
        ]
        yield Check("every node is found by the words of its text", compared, words)
    if comparison.wrong_source is not None:
        damage.source_paths |= set(comparison.wrong_source)
        said = [f"{path}: another text" for path in comparison.wrong_source]
        yield Check("every text that is kept is its file's", {"files": comparison.files}, said)
    if comparison.wrong_descriptions is not None:
        damage.description_paths |= set(comparison.wrong_descriptions)
        said = [f"{path}: of another text" for path in comparison.wrong_descriptions]
        yield Check("every description is of its node's text", {"files": comparison.files}, said)


def _not_compared_notes(comparison: Comparison) -> Iterator[str]:
    if not comparison.has_words:
        yield "Words are compared with the files only where the database is on this machine."
    if comparison.not_compared:
        first, *others = comparison.not_compared
        more = f", and {len(others)} more" if others else ""
        yield f"Not compared, since their parser was stopped, now or then: {first}{more}."
    if comparison.now_parsed:
        now = len(comparison.now_parsed)
        yield f"It gets through {now} of them now, which have their nodes by: {REPAIR_COMMAND}"
