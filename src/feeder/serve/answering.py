"""What do the tools answer? Each asks the one engine, and gives the answer a model's shape."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from feeder import shown as harmless
from feeder.errors import UserError
from feeder.search.answers import Shaped, page, sought
from feeder.search.asking import Asker, ask
from feeder.search.engine import NO_WORD, Paging
from feeder.search.loosened import Loosened, loosened
from feeder.search.narrowing import Filters, Narrowed, from_root, inside, narrowed
from feeder.search.noting import note_beside
from feeder.search.outline import outline as outlined
from feeder.search.passages import passage
from feeder.search.query import QUERY_CHARS
from feeder.search.similar import most_similar
from feeder.search.targets import Target, folder, node_at, resolve
from feeder.serve import Said
from feeder.serve.library import Opened
from feeder.serve.outlining import outline_as_text
from feeder.serve.reading import Passage, passages_as_text
from feeder.serve.remedies import in_tools
from feeder.serve.shaping import Wanted, hits_as_text, joined, standing

Arguments = Mapping[str, Any]
Tool = Callable[[Opened, Arguments, "str | None"], Said]

WINDOW_LINES = 12
TARGETS = 50
"""That are read at once."""


def search(opened: Opened, said: Arguments, says: str | None) -> Said:
    """The hits of a question."""
    began = time.perf_counter()
    told: list[str] = []
    asker = opened.asker._replace(tell=told.append)
    question, filters = said["query"], _filters(opened, said)
    asked, answer = ask(asker, question, Paging(said["limit"], said["offset"]), filters)
    notes = [*answer.notes, *told, *opened.lacks, *_cut(question)]
    shaped = Shaped(sought(asked.query), WINDOW_LINES, said["offset"])
    found = page(opened.corpus, answer._replace(notes=notes), shaped)
    if not said["offset"]:
        note_beside(asker, question, filters, answer, began)
    if not answer.total:
        return _nothing(asker, asked, notes, standing(says, found.note))
    return Said(hits_as_text(found, Wanted(said["detail"], said["budget"]), says))


def read(opened: Opened, said: Arguments, says: str | None) -> Said:
    """The lines of each target; one that there is not hinders no other."""
    targets = said["target"]
    if len(targets) > TARGETS:
        raise UserError(f"`target` has {len(targets)} targets: ask for {TARGETS} at most.")
    passages = [_passage(opened, target) for target in targets]
    text = passages_as_text(passages, said["budget"], says)
    return Said(text, all(one.page is None for one in passages))


def similar(opened: Opened, said: Arguments, says: str | None) -> Said:
    """What is most like a node."""
    told: list[str] = []
    corpus, store = opened.corpus, opened.store
    node = node_at(corpus, _target(opened, said["target"]))
    scope = narrowed(store, "", Filters(), opened.asker.settings, corpus.meta).scope
    found = most_similar(store, corpus, node, scope, Paging(said["limit"]), tell=told.append)
    shaped = Shaped([node.symbol or node.logical_path or ""], WINDOW_LINES)
    answer = page(corpus, found._replace(notes=told), shaped)
    return Said(hits_as_text(answer, Wanted(), says))


def outline(opened: Opened, said: Arguments, says: str | None) -> Said:
    """What a file or folder holds."""
    paths = folder(opened.corpus, from_root(said["path"], opened.corpus.base), opened.here)
    return Said(outline_as_text(outlined(opened.corpus, paths), said.get("depth"), says))


TOOLS: Mapping[str, Tool] = {
    "search": search,
    "read": read,
    "similar": similar,
    "outline": outline,
}


def _filters(opened: Opened, said: Arguments) -> Filters:
    """The arguments that stand beside the question, as if they stood in it."""

    def paths(name: str) -> list[str]:
        return [inside(path, opened.corpus.base) for path in said.get(name, ())]

    return Filters(
        path=paths("path"),
        not_path=paths("exclude"),
        language=_several(said.get("language", "")),
        node_type=_several(said.get("type", "")),
        tests=said.get("tests"),
        repos=_several(said.get("repo", "")),
    )


def _several(text: str) -> list[str]:
    return [one for part in text.split(",") if (one := part.strip())]


def _cut(question: str) -> Iterator[str]:
    if len(question) > QUERY_CHARS:
        yield f"Of the query the first {QUERY_CHARS:,} characters were read."


def _target(opened: Opened, text: str) -> Target:
    return resolve(opened.corpus, from_root(text, opened.corpus.base), opened.here)


def _passage(opened: Opened, text: str) -> Passage:
    try:
        target = _target(opened, text)
        return Passage(text, passage(opened.corpus, target))
    except UserError as exc:
        return Passage(text, None, error=harmless.escape_line(in_tools(str(exc))))


def _nothing(asker: Asker, asked: Narrowed, notes: Sequence[str], age: str) -> Said:
    """What was searched, and what each filter kept away."""
    repos = asked.scope.repos
    where = ", ".join(repos) if repos else "all repositories"
    without = list(loosened(asker, asked))
    if not without:
        said = f"Nothing found in {where}. Ask in other words, or by a part of a name."
        return Said(joined([said], notes, age))
    said = f"Nothing found in {where} with these filters. {' '.join(map(_without, without))}"
    # of what the filters leave, which is not what the words may be in
    return Said(joined([said], (one for one in notes if not one.startswith(NO_WORD)), age))


def _without(one: Loosened) -> str:
    best = one.best
    name = best and (best.symbol or best.logical_path or best.node_type)
    first = f", first {best.path}:{best.start_line}-{best.end_line} {name}" if best else ""
    return f"Without `{one.name}`: {one.total}{first}."
