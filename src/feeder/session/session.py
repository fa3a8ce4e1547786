"""`Session`: an opened index with its models and messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from feeder.errors import FeederError, UserError
from feeder.notes import Note, NoteKind, model_failed_note
from feeder.progress import ProgressReporter
from feeder.session.backends import Backend
from feeder.session.workspace import Workspace
from feeder.store.index import Index
from feeder.store.inventory import missing_repository

if TYPE_CHECKING:
    from feeder.sync.context import ModelVectors


@dataclass
class Session:
    """An opened index."""

    workspace: Workspace
    index: Index
    model_vectors: ModelVectors | None
    progress: ProgressReporter
    backend: Backend
    follow_index_model: Callable[[Mapping[str, str]], bool] = lambda meta: False
    """Takes the model that the index's `meta` records if the user has named none and this session
    has another; returns whether it did. Raises UserError for a model that cannot be made."""
    named_model: str | None = None
    """The model that the user has named, which a run then needs too; None without."""


def model_error(session: Session) -> FeederError | None:
    """Returns the error of a model that does not tell its dimensions, where only it knows them.

    The session then goes on without its vectors.
    """
    try:
        if session.model_vectors:
            session.model_vectors.model_identity()
    except FeederError as exc:
        session.model_vectors = None
        return exc
    return None


def comparable_vectors(
    session: Session, meta: Mapping[str, str], on_note: Callable[[Note], None]
) -> ModelVectors | None:
    """Returns the model vectors that a search can use; None if the index lacks them.

    The reason, such as a model that failed, is passed to `on_note`.
    """
    try:
        session.follow_index_model(meta)
    except UserError as exc:
        on_note(model_failed_note(exc))
        return None
    model_vectors = session.model_vectors
    if session.index.meta_key("run") not in meta:
        missing = missing_repository(session.index.database, session.workspace.repo)
        if missing:
            on_note(Note(NoteKind.MISSING_REPOSITORY, *missing))
    elif error := model_error(session):
        on_note(model_failed_note(error))
    elif model_vectors and not model_vectors.model_identity().items() <= meta.items():
        named = session.named_model
        command = f"feeder sync --model {quote(named)}" if named else "feeder sync"
        text = f"The index has no vectors by {model_vectors.embedder.model}."
        on_note(Note(NoteKind.MISSING_VECTORS, text, f"Add them: {command}"))
    else:
        return model_vectors
    return None
