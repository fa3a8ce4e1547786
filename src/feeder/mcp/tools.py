"""Implements the tools of `tool_schemas.py` on an open index, with answers as text
for a language model. A tool is a function here and a definition in `tool_schemas.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from feeder.corpus.unread_files import reasons_to_doubt
from feeder.errors import NotInIndexError, UserError
from feeder.escaping import escape_line
from feeder.grep.exact_search import LineRequest, search_lines
from feeder.impact.changed_nodes import read_change
from feeder.impact.impact import find_impact
from feeder.mcp import ToolResult
from feeder.mcp.formatting import (
    AnswerOptions,
    ReadResult,
    format_hits,
    format_read_results,
    index_note,
    join_answer,
    without_needless_remedies,
)
from feeder.mcp.line_format import format_lines
from feeder.mcp.outline_format import format_outline, format_overview
from feeder.mcp.relation_format import (
    format_callers,
    format_definitions,
    format_impact,
    format_implementations,
    format_references,
    format_uses,
)
from feeder.mcp.remedies import error_for_agent
from feeder.notes import Note, NoteKind
from feeder.query.query import BLANKS_AND_QUOTES, EMPTY_QUERY, MAX_QUERY_CHARS
from feeder.query.query_plan import (
    QueryPlan,
    SearchRequest,
    path_from_root,
)
from feeder.query.request_filters import RequestFilters
from feeder.relations.callers import find_callers
from feeder.relations.definitions import find_definitions, resolve_definition
from feeder.relations.overview import build_overview, overview_cost
from feeder.relations.references import find_implementations, find_references
from feeder.relations.sites import ReferenceFilter
from feeder.relations.targets import Target, files_below_path, resolve_target
from feeder.relations.uses import find_uses
from feeder.search import engine
from feeder.search.answers import read_target
from feeder.search.open_index import SearchIndex
from feeder.search.relaxed_filters import RelaxedFilter, relax_filters
from feeder.search.similar import similar_page
from feeder.snippets.outline import build_outline
from feeder.source import git

Arguments = Mapping[str, Any]
Tool = Callable[[SearchIndex, Arguments, "Note | None"], ToolResult]
"""Takes the open index, validated arguments and the freshness note."""

SNIPPET_LINES = 12
MAX_LINES = 1_000
"""Matching lines that are read for an answer; the token budget holds fewer."""
MAX_REFERENCES = 200
"""References that are read for an answer, which shows as many as fit."""
MAX_IMPACT_ENTRIES = 60
"""Entries of each list of an impact."""
MAX_TARGETS = 50
"""Targets of one call of `read`."""


def search(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """A page of hits for a query, or of every line that matches it."""
    query, filters = arguments["query"], _filters(index, arguments)
    if not query.strip(BLANKS_AND_QUOTES) and not any(filters):
        raise UserError(*EMPTY_QUERY)
    if arguments["every"]:
        line_request = LineRequest.from_query(query, filters, MAX_LINES, arguments["offset"])
        lines = search_lines(index, line_request)
        return ToolResult(format_lines(lines, arguments["budget"], freshness_note))
    request = SearchRequest(query, filters, arguments["limit"], arguments["offset"], SNIPPET_LINES)
    page = engine.search(index, request)
    missing = without_needless_remedies(freshness_note, index.missing_notes)
    notes = [*page.notes, *page.warnings, *missing, *_truncation_note(query)]
    if not page.total and page.plan:
        return _no_hits(index, page.plan, notes, index_note(freshness_note, page.status.notes))
    options = AnswerOptions(arguments["detail"], arguments["budget"])
    return ToolResult(format_hits(page._replace(notes=notes), options, freshness_note))


def read(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The lines of each target; an error of one target does not stop the others."""
    targets = arguments["target"]
    if len(targets) > MAX_TARGETS:
        text = f"`target` has {len(targets)} targets, at most {MAX_TARGETS} are allowed."
        raise UserError(text)
    results = [_read_target(index, target) for target in targets]
    absent = next((result.absent for result in results if result.absent), None)
    doubts = list(reasons_to_doubt(index.corpus, absent)) if absent else []
    text = format_read_results(results, arguments["budget"], freshness_note, doubts)
    return ToolResult(text, all(result.page is None for result in results))


def similar(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The nodes most similar to a target."""
    request = SearchRequest(
        limit=arguments["limit"], offset=arguments["offset"], snippet_lines=SNIPPET_LINES
    )
    page = similar_page(index, _resolve_target(index, arguments["target"]), request)
    page = page._replace(notes=page.warnings)
    return ToolResult(format_hits(page, AnswerOptions(), freshness_note))


def outline(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The symbols and sections of a file or folder."""
    path = path_from_root(arguments["path"], index.corpus.base)
    if arguments["ranked"]:
        last_note = index_note(freshness_note, index.corpus.status().notes)
        overview = build_overview(index.corpus, path, index.directory)
        return ToolResult(format_overview(overview, overview_cost(index.corpus), last_note))
    entries = build_outline(index.corpus, files_below_path(index.corpus, path, index.directory))
    return ToolResult(format_outline(entries, arguments.get("depth"), freshness_note))


def references(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The references to a target, those that it has itself, its definitions or implementations."""
    corpus = index.corpus

    def last_note(entries: object) -> str:
        status = corpus.status(is_empty=not entries, searched=corpus.scope)
        return index_note(freshness_note, status.notes)

    kind, depth = arguments.get("kind", ""), arguments["depth"]
    if kind == "definition":
        result = find_definitions(corpus, arguments["target"], index.directory)
        definitions, note = result.definitions, last_note(result.definitions)
        return ToolResult(format_definitions(definitions, note, at_least=result.at_least))
    target, text = resolve_definition(corpus, arguments["target"], index.directory)
    if kind == "implementation":
        of, types, is_cut = find_implementations(corpus, target, text)
        return ToolResult(format_implementations(of, types, last_note(types), at_least=is_cut))
    kinds = [kind] if kind else []
    requested = ReferenceFilter(kinds, arguments.get("tests"), MAX_REFERENCES, arguments["offset"])
    if arguments["direction"] == "out":
        uses = find_uses(corpus, target, requested)
        return ToolResult(format_uses(uses, last_note(uses.total)))
    if depth > 1:
        tree = find_callers(corpus, target, text, requested, depth)
        return ToolResult(format_callers(tree, last_note(tree.total)))
    page = find_references(corpus, target, text, requested)
    return ToolResult(format_references(page, last_note(page.total)))


def impact(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The impact of the files on disk against a base; if they are equal to HEAD, of HEAD itself."""
    corpus, base = index.corpus, arguments.get("base")
    on_disk = not git.is_bare(corpus.base)
    read = partial(read_change, corpus.base, corpus.repo, index.settings, base)
    change = read(working_tree=on_disk)
    if on_disk and not change.paths and base is None:
        change = read(working_tree=False)
    whole = find_impact(index, change)
    is_empty = not (whole.references and whole.tests)
    status = corpus.status(is_empty=is_empty, searched=corpus.scope)
    last_note = index_note(freshness_note, status.notes)
    shown = whole.first(corpus, MAX_IMPACT_ENTRIES)
    return ToolResult(format_impact(shown, whole, last_note))


TOOLS: Mapping[str, Tool] = {
    "search": search,
    "read": read,
    "similar": similar,
    "outline": outline,
    "references": references,
    "impact": impact,
}


def _filters(index: SearchIndex, arguments: Arguments) -> RequestFilters:
    """The arguments that are filters."""

    return RequestFilters(
        path=arguments.get("path", ()),
        not_path=arguments.get("exclude", ()),
        language=_split_list(arguments.get("language", "")),
        node_type=_split_list(arguments.get("type", "")),
        tests=arguments.get("tests"),
        repos=_split_list(arguments.get("repo", "")),
    )


def _split_list(text: str) -> list[str]:
    return [one for part in text.split(",") if (one := part.strip())]


def _truncation_note(query: str) -> Iterator[Note]:
    if len(query) > MAX_QUERY_CHARS:
        text = f"Of the query the first {MAX_QUERY_CHARS:,} characters were read."
        yield Note(NoteKind.PARTIAL_SEARCH, text)


def _resolve_target(index: SearchIndex, text: str) -> Target:
    return resolve_target(index.corpus, path_from_root(text, index.corpus.base), index.directory)


def _read_target(index: SearchIndex, text: str) -> ReadResult:
    try:
        return ReadResult(text, read_target(index.corpus, _resolve_target(index, text)))
    except UserError as exc:
        absent = exc if isinstance(exc, NotInIndexError) else None
        return ReadResult(text, None, escape_line(error_for_agent(exc)), absent)


def _no_hits(
    index: SearchIndex, plan: QueryPlan, notes: Sequence[Note], last_note: str
) -> ToolResult:
    """An answer without hits: what was searched, and the hits without each of the filters."""
    repos = ", ".join(plan.scope.repos) if plan.scope.repos else "all repositories"
    relaxed = list(relax_filters(index, plan))
    if not relaxed:
        text = f"No hits in {repos}. Try other words, or a part of a name."
        return ToolResult(join_answer([text], notes, last_note))
    text = f"No hits in {repos} with these filters. {' '.join(map(_relaxed_filter_line, relaxed))}"
    # the note concerns only the nodes that pass the filters; a reader would apply it to all nodes
    notes = [note for note in notes if note.kind is not NoteKind.NO_WORD_FOUND]
    return ToolResult(join_answer([text], notes, last_note))


def _relaxed_filter_line(relaxed: RelaxedFilter) -> str:
    best = relaxed.best
    name = best and (best.symbol or best.logical_path or best.node_type)
    first = f", first {best.path}:{best.start_line}-{best.end_line} {name}" if best else ""
    return f"Without `{relaxed.name}`: {relaxed.total}{first}."
