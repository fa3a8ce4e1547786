"""The embedding models that an open index can be searched with."""

from collections.abc import Callable, Mapping

from feeder.notes import Note, NoteKind
from feeder.ranking.retrieval import (
    MODEL_VECTORS,
    STATIC_VECTORS,
    QueryModel,
    embedding_query_model,
    static_query_model,
)
from feeder.session.session import Session, comparable_vectors


def query_models(
    store: Session, meta: Mapping[str, str], on_note: Callable[[Note], None]
) -> list[QueryModel]:
    """The embedding models that the index can be searched with.

    Missing vectors, and those that cannot be compared, are reported to `on_note`.
    """
    model_vectors = comparable_vectors(store, meta, on_note)
    static_model = store.backend.static_model
    made_by = meta.get(store.index.meta_key("parser"), "").split()
    has_static_vectors = static_model is not None and static_model.model in made_by
    if static_model and made_by and not has_static_vectors:
        text = f"The index has no vectors by {static_model.model}."
        on_note(Note(NoteKind.MISSING_VECTORS, text, "Make them: feeder sync"))
    if store.backend.missing_model_note:
        on_note(store.backend.missing_model_note)
    return [
        *([static_query_model(store.index.database)] if has_static_vectors else []),
        *([embedding_query_model(model_vectors)] if model_vectors else []),
    ]


def model_name(store: Session, query_model: str) -> str:
    """The name of the embedding model behind a `QueryModel`, given the latter's name."""
    names = {
        STATIC_VECTORS: store.backend.static_model and store.backend.static_model.model,
        MODEL_VECTORS: store.model_vectors and store.model_vectors.embedder.model,
    }
    return names.get(query_model) or query_model
