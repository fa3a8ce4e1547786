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


def static_vectors_settled(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Whether none of those with the words is stale; what `equal` tells of the others."""
    return run.static_model is None or table_status(run, meta, STATIC_VECTORS_KEY) == ON


def refresh_all(run: SyncContext) -> list[Statement]:
    """Makes the vectors that are of another line than their node's; what the index does not say
    yet."""
    if run.static_model:
        for some in description_vectors.stale_static_vectors(run.index.database, run.index.repo):
            run.index.write_statements(list(_blend_statements(run.static_model, some)))
    return [] if run.budget.stop_reason else progress_statements(run.index.repo, refresh_stale(run))


def _blend_statements(
    static_model: StaticEmbedder, batch: Sequence[StaleVector]
) -> Iterator[Statement]:
    yield from description_vectors.unblend_statements(
        one for one in batch if not one.description.text
    )
    lined = [one for one in batch if one.description.text]
    codes = _blend_codes(
        static_model, [one.text_code for one in lined], [one.description.text for one in lined]
    )
    if codes:
        yield from description_vectors.blend_statements(
            [lined[at] for at in codes], list(codes.values())
        )


def _blend_codes(
    static_model: StaticEmbedder, texts: Sequence[bytes], descriptions: Sequence[str]
) -> dict[int, bytes]:
    """By position in `texts`, which are codes, that of each with its line.

    A code of another length is of another model and left out: its file is read again.
    """
    made = static_model(descriptions) if descriptions else []
    both = dict(enumerate(zip(texts, made, strict=True)))
    both = {at: (text, line) for at, (text, line) in both.items() if len(text) == len(line)}
    if not both:
        return {}
    codes = mix_codes(*zip(*both.values(), strict=True))
    return dict(zip(both, codes, strict=True))


def settled_statements(run: SyncContext, *, completes_vectors: bool) -> list[Statement]:
    """What notes in `meta` that no vector is stale, where that is so.

    Of those beside the words only a run that `completes` them can say it.
    """
    repo, key = run.index.repo, run.index.meta_key
    keeps = run.static_model and run.index.stores_descriptions
    said = (
        [description_vectors.static_current_statement(repo, key(STATIC_VECTORS_KEY))]
        if keeps
        else []
    )
    return (
        [*said, description_vectors.model_current_statement(repo, key(MODEL_VECTORS_KEY))]
        if completes_vectors
        else said
    )


def check_vectors(
    run: SyncContext, state: IndexState, parity: ParityReport, damage: Damage
) -> Iterator[Check]:
    """Whether each vector is of its node's line, where the index says so.

    Those with the words are worked out anew.
    """
    others = [
        row
        for rows, is_said in _other_description_vectors(run, state, parity)
        if is_said
        for row in rows
    ]
    false = _wrong_blends(run)
    damage.paths |= set(false)
    [(*_, linked)] = parity.description_counts
    if linked or others or false:
        yield Check(
            "every vector is of its node's line, where the index says so",
            {},
            [
                *(f"{path}: vectors of another line {count}" for path, count in others),
                *(
                    f"{path}: vectors that are not of their line {count}"
                    for path, count in false.items()
                ),
            ],
        )


def stale_notes(run: SyncContext, state: IndexState, parity: ParityReport) -> Iterator[str]:
    """How many are not, where the next run is to see to it."""
    waiting = [
        row
        for rows, is_said in _other_description_vectors(run, state, parity)
        if not is_said
        for row in rows
    ]
    if count := sum(int(str(count)) for _, count in waiting):
        yield f"{count:,} vectors are of another line than their node's, or of none."


def _other_description_vectors(
    run: SyncContext, state: IndexState, parity: ParityReport
) -> list[tuple[list[Row], bool]]:
    """The files with vectors of another line, of either kind, and whether the index says none."""
    index = run.index
    with_words = (
        description_vectors.outdated_static_vectors(index.database, index.repo)
        if run.static_model
        else []
    )
    return [
        (parity.outdated_vectors, index.meta_key(MODEL_VECTORS_KEY) in state.meta),
        (with_words, table_status(run, state.meta, STATIC_VECTORS_KEY) == ON),
    ]


def _wrong_blends(run: SyncContext) -> Counter[str]:
    """By file how many vectors with the words are not what their text's and line's make."""
    false: Counter[str] = Counter()
    if not run.static_model:
        return false
    for some in description_vectors.blended_vectors(run.index.database, run.index.repo):
        codes = _blend_codes(
            run.static_model, [one.text_code for one in some], [one.description for one in some]
        )
        false.update(
            some[at].path
            for at, code in codes.items()
            if VectorCode(code) != VectorCode(some[at].code)
        )
    return false
