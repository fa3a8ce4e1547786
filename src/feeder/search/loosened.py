"""Which filter left nothing? What there would be without each of them."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from feeder.search.asking import Asker, answered
from feeder.search.engine import Paging
from feeder.search.narrowing import Narrowed
from feeder.store.reading import Hit
from feeder.store.scope import Scope

FILTERS: Mapping[str, tuple[str, ...]] = {
    "path": ("paths",),
    "-path": ("not_paths",),
    "lang": ("languages",),
    "-lang": ("not_languages",),
    "type": ("node_types",),
    "-type": ("not_node_types",),
    "symbol": ("symbols",),
    "tests": ("tests",),
    "-word": ("without_words",),
    "phrases, patterns and begin*": ("with_words", "ids"),
}
"""How each is written in a question, and the parts of a scope that it makes."""
OPEN = Scope(None)


class Loosened(NamedTuple):
    """A filter, how many nodes answer without it, and the best of them."""

    name: str
    total: int
    best: Hit | None


def loosened(asker: Asker, asked: Narrowed) -> Iterator[Loosened]:
    """Each filter of a question that narrows it, with what answers without that one alone."""
    for name, parts in FILTERS.items():
        unset: dict[str, Any] = {part: getattr(OPEN, part) for part in parts}
        scope = asked.scope._replace(**unset)
        if scope != asked.scope:
            answer = answered(asker, asked._replace(scope=scope), Paging(1))
            yield Loosened(name, answer.total, next((one.hit for one in answer.found), None))
