"""Which models is a question put to? Those whose vectors the index has."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from feeder.embedding import Embedder
from feeder.session.session import Session, comparable_vectors
from feeder.store import Database, Neighbour
from feeder.store.scope import Scope
from feeder.sync.context import ModelVectors

STATIC_VECTORS, MODEL_VECTORS = "meaning", "vector"
"""What a rank is called after: the model that comes with the words, one beside them."""
STATIC_WEIGHT, MODEL_WEIGHT = 1.5, 1.5
"""Beside words' 1; chosen by `python -m bench answers`."""


class QueryModel(NamedTuple):
    """A model that is asked: its weight beside the words, and so many nodes that it finds nearest
    to a question."""

    name: str
    weight: float
    nearest: Callable[[str, int, Scope], list[Neighbour]]


def query_models(
    store: Session, meta: Mapping[str, str], on_warning: Callable[[str], None]
) -> list[QueryModel]:
    """The models with their weights; what the index lacks is said, what has failed is told."""
    semantics = comparable_vectors(store, meta, on_warning)
    meaning = store.backend.static_model
    made_by = meta.get(store.index.meta_key("parser"), "").split()
    with_words = meaning is not None and meaning.model in made_by
    if meaning and made_by and not with_words:
        store.progress.message(
            f"The index lacks vectors by {meaning.model}. Make them: feeder sync"
        )
    if store.backend.missing_model_note:
        store.progress.message(store.backend.missing_model_note)
    return [
        *([static_query_model(store.index.database)] if with_words else []),
        *([embedding_query_model(semantics)] if semantics else []),
    ]


def model_name(store: Session, source: str) -> str:
    """The name of the model that a side asks."""
    by_side = {
        STATIC_VECTORS: store.backend.static_model and store.backend.static_model.model,
        MODEL_VECTORS: store.model_vectors and store.model_vectors.embedder.model,
    }
    return by_side.get(source) or source


def embedding_query_model(semantics: ModelVectors) -> QueryModel:
    """The model whose vectors are kept beside the words."""

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = semantics.embedder.embed_query(query)
        return list(semantics.vectors.query(vector, limit, scope)) if vector.any() else []

    return QueryModel(MODEL_VECTORS, MODEL_WEIGHT, nearest)


def static_query_model(database: Database, model: Embedder | None = None) -> QueryModel:
    """The model whose vectors come with the words; the shipped one, loaded once a process."""
    from feeder.embedding.static_codes import load_static_model
    from feeder.store.static_vectors import StaticVectors

    meanings = StaticVectors(database)

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = (model or load_static_model()).embed_query(query)
        return meanings.query(vector, limit, scope) if vector.any() else []

    return QueryModel(STATIC_VECTORS, STATIC_WEIGHT, nearest)
