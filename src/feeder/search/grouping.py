"""Which hits are one? The pieces of a node, a section with its code, and copies of a text."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping

from feeder.search.found import Found
from feeder.store.pieces import Run
from feeder.store.reading import Hit

TextOf = Callable[[Hit], "str | None"]
"""A node's lines as they are now; None where they are not here."""
COPIED_LINES = 3
"""Texts of fewer lines are often the same by chance: an import, a getter."""


def sharing(found: Iterable[Found]) -> list[str]:
    """The ids of hits that may be one with another: the same name stands in the same file."""
    named: dict[Hashable, list[str]] = defaultdict(list)
    for one in found:
        named[_key(one.hit)].append(one.hit.id)
    return [id_ for ids in named.values() if len(ids) > 1 for id_ in ids]


def grouped(
    found: Iterable[Found], runs: Mapping[str, Run], text_of: TextOf | None, count: int
) -> list[Found]:
    """Each group's best, with the rest of it as its `others`, and its `copies`.

    What is named alike is one where it is of one run.

    Texts are compared among the first `count` that remain, and as many as take their places.
    """
    groups: dict[Hashable, list[Found]] = {}
    for one in found:
        groups.setdefault(_key(one.hit, runs), []).append(one)
    nodes = [first._replace(others=tuple(rest)) for first, *rest in groups.values()]
    return _once(nodes, text_of, count) if text_of else nodes


def _key(hit: Hit, runs: Mapping[str, Run] | None = None) -> Hashable:
    """Overloads differ in their signatures; a Pascal declaration stands with what it declares."""
    if hit.symbol and hit.language != "pascal":
        run = runs.get(hit.id) if runs else None
        return hit.repo, hit.path, hit.symbol, hit.node_type, hit.signature, run
    name = hit.symbol or hit.logical_path
    return (hit.repo, hit.path, name) if name else hit.id


def _once(nodes: list[Found], text_of: TextOf, count: int) -> list[Found]:
    kept: dict[Hashable, Found] = {}
    for place, one in enumerate(nodes):
        if len(kept) == count:
            return [*kept.values(), *nodes[place:]]
        text = text_of(one.hit) or ""
        key = text if text.count("\n") + 1 >= COPIED_LINES else one.hit.id
        known = kept.setdefault(key, one)
        if known is not one:
            kept[key] = known._replace(copies=(*known.copies, one))
    return list(kept.values())
