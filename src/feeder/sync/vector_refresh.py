"""Recomputes vectors whose node has another description than the one they were made from."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from feeder.embedding.quantization import mix_codes
from feeder.parse import StaticEmbedder
from feeder.store import Row, Statement, description_vectors
from feeder.store.description_vectors import StaleVector
from feeder.store.index_state import (
    MODEL_VECTORS_KEY,
    STATIC_VECTORS_KEY,
    IndexState,
    progress_statements,
)
from feeder.store.integrity import Damage, ParityReport
from feeder.store.static_vectors import VectorCode
from feeder.sync.context import SyncContext
from feeder.sync.report import Check
from feeder.sync.side_tables import ON, table_status
from feeder.sync.vectors import refresh_stale


def are_static_vectors_current(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Returns whether `meta` says that no static vector is stale.

    For model vectors, `MODEL_VECTORS_KEY` says it.
    """
    return run.static_model is None or table_status(run, meta, STATIC_VECTORS_KEY) == ON


def refresh_all(run: SyncContext) -> list[Statement]:
    """Recomputes all stale vectors; returns the statements that record the last of them."""
    if run.static_model:
        for batch in description_vectors.stale_static_vectors(run.index.database, run.index.repo):
            run.index.write_statements(list(_blend_statements(run.static_model, batch)))
    return [] if run.budget.stop_reason else progress_statements(run.index.repo, refresh_stale(run))


def _blend_statements(
    static_model: StaticEmbedder, batch: Sequence[StaleVector]
) -> Iterator[Statement]:
    yield from description_vectors.unblend_statements(
        vector for vector in batch if not vector.description.text
    )
    described = [vector for vector in batch if vector.description.text]
    codes = _blend_codes(
        static_model,
        [vector.text_code for vector in described],
        [vector.description.text for vector in described],
    )
    if codes:
        yield from description_vectors.blend_statements(
            [described[at] for at in codes], list(codes.values())
        )


def _blend_codes(
    static_model: StaticEmbedder, text_codes: Sequence[bytes], descriptions: Sequence[str]
) -> dict[int, bytes]:
    """Returns, by position, the code of each text blended with its description.

    A code of another length is another model's and is left out: its file is read again.
    """
    made = static_model(descriptions) if descriptions else []
    pairs = dict(enumerate(zip(text_codes, made, strict=True)))
    pairs = {at: (text, line) for at, (text, line) in pairs.items() if len(text) == len(line)}
    if not pairs:
        return {}
    codes = mix_codes(*zip(*pairs.values(), strict=True))
    return dict(zip(pairs, codes, strict=True))


def record_current_statements(run: SyncContext, *, completes_vectors: bool) -> list[Statement]:
    """Returns statements that record in `meta`, where it is true, that no vector is stale.

    For model vectors only a run that completes them can record it.
    """
    repo, key = run.index.repo, run.index.meta_key
    statements = []
    if run.static_model and run.index.stores_descriptions:
        statements.append(
            description_vectors.static_current_statement(repo, key(STATIC_VECTORS_KEY))
        )
    if completes_vectors:
        statements.append(description_vectors.model_current_statement(repo, key(MODEL_VECTORS_KEY)))
    return statements


def check_vectors(
    run: SyncContext, state: IndexState, parity: ParityReport, damage: Damage
) -> Iterator[Check]:
    """Checks that each vector includes its node's description, where `meta` says so.

    Static vectors are computed again.
    """
    outdated = [
        row
        for rows, is_recorded in _outdated_vectors(run, state, parity)
        if is_recorded
        for row in rows
    ]
    wrong = _wrong_blends(run)
    damage.paths |= set(wrong)
    described = parity.description_counts.described
    if described or outdated or wrong:
        yield Check(
            "every vector includes its node's description, if meta says so",
            {},
            [
                *(f"{path}: vectors of another description: {count}" for path, count in outdated),
                *(f"{path}: wrong static vectors: {count}" for path, count in wrong.items()),
            ],
        )


def stale_notes(run: SyncContext, state: IndexState, parity: ParityReport) -> Iterator[str]:
    """Yields a note on stale vectors that the next run will recompute."""
    counts = [
        int(str(count))
        for rows, is_recorded in _outdated_vectors(run, state, parity)
        if not is_recorded
        for _, count in rows
    ]
    if total := sum(counts):
        yield f"{total:,} vectors do not include their node's description yet."


def _outdated_vectors(
    run: SyncContext, state: IndexState, parity: ParityReport
) -> list[tuple[list[Row], bool]]:
    """Outdated model and static vectors by file, each with whether `meta` says there are none."""
    index = run.index
    static = (
        description_vectors.outdated_static_vectors(index.database, index.repo)
        if run.static_model
        else []
    )
    return [
        (parity.outdated_vectors, index.meta_key(MODEL_VECTORS_KEY) in state.meta),
        (static, table_status(run, state.meta, STATIC_VECTORS_KEY) == ON),
    ]


def _wrong_blends(run: SyncContext) -> Counter[str]:
    """Counts by file the static vectors that differ from their text and description."""
    wrong: Counter[str] = Counter()
    if not run.static_model:
        return wrong
    for batch in description_vectors.blended_vectors(run.index.database, run.index.repo):
        codes = _blend_codes(
            run.static_model,
            [vector.text_code for vector in batch],
            [vector.description for vector in batch],
        )
        wrong.update(
            batch[at].path
            for at, code in codes.items()
            if VectorCode(code) != VectorCode(batch[at].code)
        )
    return wrong
