"""Which models is a question put to? Those whose vectors the index has."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from feeder.assembly.opening import Store, comparable
from feeder.embed import Embedder
from feeder.run.feed import Semantics
from feeder.store import Database, Neighbour
from feeder.store.scope import Scope

MEANING, VECTOR = "meaning", "vector"
"""What a rank is called after: the model that comes with the words, one beside them."""
MEANING_WEIGHT, VECTOR_WEIGHT = 1.5, 1.5
"""Beside words' 1; chosen by `python -m bench answers`."""


class Side(NamedTuple):
    """A model that is asked: its weight beside the words, and so many nodes that it finds nearest
    to a question."""

    name: str
    weight: float
    nearest: Callable[[str, int, Scope], list[Neighbour]]


def sides(store: Store, meta: Mapping[str, str], tell: Callable[[str], None]) -> list[Side]:
    """The models with their weights; what the index lacks is said, what has failed is told."""
    semantics = comparable(store, meta, tell)
    meaning = store.parts.meaning
    made_by = meta.get(store.index.meta_key("parser"), "").split()
    with_words = meaning is not None and meaning.model in made_by
    if meaning and made_by and not with_words:
        store.talk.say(f"The index lacks vectors by {meaning.model}. Make them: feeder sync")
    if store.parts.lacks:
        store.talk.say(store.parts.lacks)
    return [
        *([with_the_words(store.index.database)] if with_words else []),
        *([beside(semantics)] if semantics else []),
    ]


def model_of(store: Store, side: str) -> str:
    """The name of the model that a side asks."""
    by_side = {
        MEANING: store.parts.meaning and store.parts.meaning.model,
        VECTOR: store.semantics and store.semantics.embedder.model,
    }
    return by_side.get(side) or side


def beside(semantics: Semantics) -> Side:
    """The model whose vectors are kept beside the words."""

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = semantics.embedder.embed_query(query)
        return list(semantics.vectors.query(vector, limit, scope)) if vector.any() else []

    return Side(VECTOR, VECTOR_WEIGHT, nearest)


def with_the_words(database: Database, model: Embedder | None = None) -> Side:
    """The model whose vectors come with the words; the shipped one, loaded once a process."""
    from feeder.embed.static_codes import loaded
    from feeder.store.meanings import StaticVectors

    meanings = StaticVectors(database)

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = (model or loaded()).embed_query(query)
        return meanings.query(vector, limit, scope) if vector.any() else []

    return Side(MEANING, MEANING_WEIGHT, nearest)
