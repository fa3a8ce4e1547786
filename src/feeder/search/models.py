"""Which models is a question put to? Those whose vectors the index has."""

from collections.abc import Callable, Mapping

from feeder.assembly.opening import Store, comparable
from feeder.search.ranking import Side, beside, with_the_words


def sides(store: Store, meta: Mapping[str, str], tell: Callable[[str], None]) -> list[Side]:
    """The models with their weights; what the index lacks is said, what has failed is told."""
    semantics = comparable(store, meta, tell)
    meaning = store.parts.meaning
    made_by = meta.get(store.index.key("parser"), "").split()
    with_words = meaning is not None and meaning.model in made_by
    if meaning and made_by and not with_words:
        store.talk.say(f"The index lacks vectors by {meaning.model}. Make them: feeder sync")
    return [
        *([with_the_words(store.index.database)] if with_words else []),
        *([beside(semantics)] if semantics else []),
    ]
