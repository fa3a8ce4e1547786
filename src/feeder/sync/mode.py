"""Does an index have vectors, and of which model? A run over a part of it takes it as it is."""

from collections.abc import Mapping
from dataclasses import replace

from feeder.errors import UserError
from feeder.store.index_state import IndexState
from feeder.sync.context import Diff, SyncContext

STAYS_WORDS_ONLY = (
    "The index stays one of words alone, as it was made. "
    "Vectors of all come with: {}, with --model as here"
)


def has_words_only(state: IndexState) -> bool:
    """Whether what has been fed so far, of any repository, was fed without a model."""
    is_fed = any(key.endswith(":run") for key in state.meta)
    return is_fed and not _has_vectors(state.meta)


def match_index_model(run: SyncContext, state: IndexState) -> SyncContext:
    """The run without its model where the index has another one, or none; an empty one has all."""
    if not run.model_vectors or run.model_vectors.model_identity().items() <= state.meta.items():
        return run
    is_open = not has_words_only(state) and not _has_vectors(state.meta)
    return run if is_open else replace(run, model_vectors=None)


def check_model_compatible(run: SyncContext, state: IndexState, diff: Diff) -> None:
    """Notes that an index of words stays one; for a run whose model was taken from it.

    Raises UserError where texts would be embedded beside those of another model.
    """
    if not (diff.pending or any(entry.skip is None for entry in diff.to_index)):
        return
    if not has_words_only(state):
        raise _model_mismatch_error(run, state.meta)
    run.report.notes[:] = {*run.report.notes, STAYS_WORDS_ONLY.format(full_sync_command(run))}


def full_sync_command(run: SyncContext) -> str:
    """The command whose run is over the whole tree."""
    if run.tree.working_tree_id:
        return "feeder sync --working-tree"
    return "feeder sync" if run.tree.commit else "feeder process --path ."


def _has_vectors(meta: Mapping[str, str]) -> bool:
    return "model" in meta or any(key.endswith(":vectors") for key in meta)


def _model_mismatch_error(run: SyncContext, meta: Mapping[str, str]) -> UserError:
    wanted = run.model_vectors.model_identity() if run.model_vectors else {}
    unlike = [
        f"{key} {meta.get(key, 'unknown')} and not {value}"
        for key, value in wanted.items()
        if meta.get(key) != value
    ]
    return UserError(
        f"The index has vectors of another kind ({', '.join(unlike)}), and a run over a part of it "
        "does not mix them. Name its own by --model, --dimensions and --index-name, leave the "
        f"vectors to a later run with --no-vectors, or make all anew with: {full_sync_command(run)}"
    )
