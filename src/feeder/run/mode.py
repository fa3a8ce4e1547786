"""Does an index have vectors, and of which model? A run over a part of it takes it as it is."""

from collections.abc import Mapping
from dataclasses import replace

from feeder.errors import UserError
from feeder.run.feed import Feed, Work
from feeder.store.state import IndexState

BY_WORDS_ALONE = (
    "The index stays one of words alone, as it was made. "
    "Vectors of all come with: {}, with --model as here"
)


def has_words_only(state: IndexState) -> bool:
    """Whether what has been fed so far, of any repository, was fed without a model."""
    is_fed = any(key.endswith(":run") for key in state.meta)
    return is_fed and not _has_vectors(state.meta)


def in_its_mode(feed: Feed, state: IndexState) -> Feed:
    """The run without its model where the index has another one, or none; an empty one has all."""
    if not feed.semantics or feed.semantics.identity().items() <= state.meta.items():
        return feed
    is_open = not has_words_only(state) and not _has_vectors(state.meta)
    return feed if is_open else replace(feed, semantics=None)


def check_mode(feed: Feed, state: IndexState, work: Work) -> None:
    """Notes that an index of words stays one; for a run whose model was taken from it.

    Raises UserError where texts would be embedded beside those of another model.
    """
    if not (work.waiting or any(entry.skip is None for entry in work.process)):
        return
    if not has_words_only(state):
        raise _other_model(feed, state.meta)
    feed.report.notes[:] = {*feed.report.notes, BY_WORDS_ALONE.format(over_all(feed))}


def over_all(feed: Feed) -> str:
    """The command whose run is over the whole tree."""
    if feed.tree.working_tree_id:
        return "feeder sync --working-tree"
    return "feeder sync" if feed.tree.commit else "feeder process --path ."


def _has_vectors(meta: Mapping[str, str]) -> bool:
    return "model" in meta or any(key.endswith(":vectors") for key in meta)


def _other_model(feed: Feed, meta: Mapping[str, str]) -> UserError:
    wanted = feed.semantics.identity() if feed.semantics else {}
    unlike = [
        f"{key} {meta.get(key, 'unknown')} and not {value}"
        for key, value in wanted.items()
        if meta.get(key) != value
    ]
    return UserError(
        f"The index has vectors of another kind ({', '.join(unlike)}), and a run over a part of it "
        "does not mix them. Name its own by --model, --dimensions and --index-name, leave the "
        f"vectors to a later run with --no-vectors, or make all anew with: {over_all(feed)}"
    )
