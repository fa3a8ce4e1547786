"""What do the tools answer? Each asks the one engine, and gives the answer a model's shape."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from feeder import shown as harmless
from feeder.errors import UserError
from feeder.search.answers import PageOptions, build_page, highlight_words
from feeder.search.asking import SearchIndex, run_query
from feeder.search.engine import NO_WORD_NOTE, Pagination
from feeder.search.loosened import RelaxedFilter, relax_filters
from feeder.search.narrowing import (
    QueryPlan,
    RequestFilters,
    path_from_root,
    plan_query,
    strip_root,
)
from feeder.search.noting import log_query_in_background
from feeder.search.outline import build_outline as outlined
from feeder.search.passages import read_target
from feeder.search.query import MAX_QUERY_CHARS
from feeder.search.similar import similar_page
from feeder.search.targets import Target, files_below_path, resolve_target, target_node
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
    asked, answer = run_query(asker, question, Pagination(said["limit"], said["offset"]), filters)
    notes = [*answer.notes, *told, *opened.lacks, *_cut(question)]
    shaped = PageOptions(highlight_words(asked.query), WINDOW_LINES, said["offset"])
    found = build_page(opened.corpus, answer._replace(notes=notes), shaped)
    if not said["offset"]:
        log_query_in_background(asker, question, filters, answer, began)
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
    node = target_node(corpus, _target(opened, said["target"]))
    scope = plan_query(store, "", RequestFilters(), opened.asker.settings, corpus.meta).scope
    found = similar_page(
        store, corpus, node, scope, Pagination(said["limit"]), on_warning=told.append
    )
    shaped = PageOptions([node.symbol or node.logical_path or ""], WINDOW_LINES)
    answer = build_page(corpus, found._replace(notes=told), shaped)
    return Said(hits_as_text(answer, Wanted(), says))


def outline(opened: Opened, said: Arguments, says: str | None) -> Said:
    """What a file or folder holds."""
    paths = files_below_path(
        opened.corpus, path_from_root(said["path"], opened.corpus.base), opened.here
    )
    return Said(outline_as_text(outlined(opened.corpus, paths), said.get("depth"), says))


TOOLS: Mapping[str, Tool] = {
    "search": search,
    "read": read,
    "similar": similar,
    "outline": outline,
}


def _filters(opened: Opened, said: Arguments) -> RequestFilters:
    """The arguments that stand beside the question, as if they stood in it."""

    def paths(name: str) -> list[str]:
        return [strip_root(path, opened.corpus.base) for path in said.get(name, ())]

    return RequestFilters(
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
    if len(question) > MAX_QUERY_CHARS:
        yield f"Of the query the first {MAX_QUERY_CHARS:,} characters were read."


def _target(opened: Opened, text: str) -> Target:
    return resolve_target(opened.corpus, path_from_root(text, opened.corpus.base), opened.here)


def _passage(opened: Opened, text: str) -> Passage:
    try:
        target = _target(opened, text)
        return Passage(text, read_target(opened.corpus, target))
    except UserError as exc:
        return Passage(text, None, error=harmless.escape_line(in_tools(str(exc))))


def _nothing(asker: SearchIndex, asked: QueryPlan, notes: Sequence[str], age: str) -> Said:
    """What was searched, and what each filter kept away."""
    repos = asked.scope.repos
    where = ", ".join(repos) if repos else "all repositories"
    without = list(relax_filters(asker, asked))
    if not without:
        said = f"Nothing found in {where}. Ask in other words, or by a part of a name."
        return Said(joined([said], notes, age))
    said = f"Nothing found in {where} with these filters. {' '.join(map(_without, without))}"
    # of what the filters leave, which is not what the words may be in
    return Said(joined([said], (one for one in notes if not one.startswith(NO_WORD_NOTE)), age))


def _without(one: RelaxedFilter) -> str:
    best = one.best
    name = best and (best.symbol or best.logical_path or best.node_type)
    first = f", first {best.path}:{best.start_line}-{best.end_line} {name}" if best else ""
    return f"Without `{one.name}`: {one.total}{first}."
