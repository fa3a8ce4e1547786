"""What do the tools answer? Each asks the one engine, and gives the answer a model's shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from feeder.search.answers import Shaped, page, sought
from feeder.search.asking import ask
from feeder.search.engine import Page
from feeder.search.narrowing import Filters
from feeder.serve import Said
from feeder.serve.library import Opened

Arguments = Mapping[str, Any]
Tool = Callable[[Opened, Arguments, "str | None"], Said]


def search(opened: Opened, said: Arguments, equals: str | None) -> Said:
    """The hits of a question."""
    filters = Filters(path=said.get("path", ()))
    asked, answer = ask(opened.asker, said["query"], Page(said["limit"], said["offset"]), filters)
    shaped = Shaped(sought(asked.query), 12, said["offset"])
    found = page(opened.corpus, answer.found, shaped, answer.total, answer.notes)
    parts = []
    for shown in found.hits:
        hit = shown.one.hit
        name = hit.symbol or hit.logical_path or ""
        head = f"{hit.path}:{shown.excerpt.first}-{shown.excerpt.last} {hit.node_type} {name}"
        parts.append("\n".join([head.rstrip(), *shown.window.lines]))
    foot = [f"{len(found.hits)} of {found.total}", *found.notes, equals or found.note]
    return Said("\n\n".join([*parts, "\n".join(filter(None, foot))]))


TOOLS: Mapping[str, Tool] = {"search": search}
