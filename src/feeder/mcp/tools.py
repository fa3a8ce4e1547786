"""Implements the tools of `tool_schemas.py` on an open index, with answers as text
for a language model. A tool is a function here and a definition in `tool_schemas.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from feeder.corpus.absence import reasons_to_doubt
from feeder.corpus.index_status import index_status
from feeder.errors import NotInIndexError, UserError
from feeder.escaping import escape_line
from feeder.grep.exact_search import LinePage, LineRequest, search_lines
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
from feeder.mcp.tool_schemas import DEFAULT_TOKENS, default_limit
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
from feeder.source.grep import PatternOptions

Arguments = Mapping[str, Any]
Tool = Callable[[SearchIndex, Arguments, "Note | None"], ToolResult]
"""Takes the open index, validated arguments and the freshness note."""

SNIPPET_LINES = 12
QUERY_AND_PLACE = ("`query` and `like` cannot be used together.", "Leave one of them out.")
"""The error for a search with both."""
MAX_LINES = 1_000
"""Matching lines that are read for an answer; the token budget holds fewer."""
MAX_REFERENCES = 200
"""References that are read for an answer, which shows as many as fit."""
MAX_REFERENCE_TARGETS = 20
"""Targets of one call of `references`."""
MAX_IMPACT_ENTRIES = 60
"""Entries of each list of an impact."""
MAX_TARGETS = 50
"""Targets of one call of `read`."""
_REGEX, _REGEX_SIGN = re.compile(r"/(.+)/", re.DOTALL), re.compile(r"[|*+?\\^$\[]")


def search(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """A page of hits for a query, or of the nodes most similar to a place."""
    query, filters, like = arguments["query"], _filters(index, arguments), arguments.get("like")
    is_empty = not query.strip(BLANKS_AND_QUOTES)
    if like and not is_empty:
        raise UserError(*QUERY_AND_PLACE)
    if is_empty and not any(filters) and not like:
        raise UserError(*EMPTY_QUERY)
    limit = arguments.get("limit") or default_limit(arguments["budget"])
    request = SearchRequest(query, filters, limit, arguments["offset"], SNIPPET_LINES)
    options = AnswerOptions(arguments["detail"], arguments["budget"])
    if like:
        page = similar_page(index, _resolve_target(index, like), request)
        return ToolResult(format_hits(page._replace(notes=page.warnings), options, freshness_note))
    page = engine.search(index, request)
    missing = without_needless_remedies(freshness_note, index.missing_notes)
    notes = [*page.notes, *page.warnings, *missing, *_truncation_note(query)]
    if not page.total and page.plan:
        return _no_hits(index, page.plan, notes, index_note(freshness_note, page.status.notes))
    return ToolResult(format_hits(page._replace(notes=notes), options, freshness_note))


def grep(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """Every line with a string or for a /regex/."""
    pattern = arguments["pattern"]
    regex = _REGEX.fullmatch(pattern)
    if not (regex[1] if regex else pattern).strip():
        raise UserError("`pattern` is empty.", "Write a string or a /regex/.")

    def find(text: str, *, is_regex: bool) -> LinePage:
        options = PatternOptions(not is_regex, arguments["ignore_case"])
        filters, context = _filters(index, arguments), arguments["context"]
        request = LineRequest(
            text, options, filters, MAX_LINES, arguments["offset"], context, context
        )
        return search_lines(index, request)

    page = find(regex[1] if regex else pattern, is_regex=bool(regex))
    if not page.total and not regex and _is_regex(pattern):
        as_regex = find(pattern, is_regex=True)
        note = Note(NoteKind.PARTIAL_SEARCH, f"No line has this string; read as /{pattern}/:")
        page = as_regex._replace(notes=[note, *as_regex.notes]) if as_regex.total else page
    return ToolResult(format_lines(page, arguments["budget"], freshness_note))


def _is_regex(pattern: str) -> bool:
    """Tells whether a string could be meant as a regular expression: `open|close`, `set_\\w+`."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return _REGEX_SIGN.search(pattern) is not None


def read(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The lines of each target; an error of one target does not stop the others."""
    targets = arguments["target"]
    if len(targets) > MAX_TARGETS:
        text = f"`target` has {len(targets)} targets; at most {MAX_TARGETS} are allowed."
        raise UserError(text)
    results = [_read_target(index, target) for target in targets]
    absent = next((result.absent for result in results if result.absent), None)
    doubts = list(reasons_to_doubt(index.corpus, absent)) if absent else []
    text = format_read_results(results, arguments["budget"], freshness_note, doubts)
    return ToolResult(text, all(result.page is None for result in results))


def outline(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The symbols and sections of a file or folder."""
    path = path_from_root(arguments["path"], index.corpus.base)
    if arguments["ranked"]:
        last_note = index_note(freshness_note, index_status(index.corpus).notes)
        overview = build_overview(index.corpus, path, index.directory)
        return ToolResult(format_overview(overview, overview_cost(index.corpus), last_note))
    entries = build_outline(index.corpus, files_below_path(index.corpus, path, index.directory))
    shown = format_outline(entries, arguments.get("depth"), freshness_note, arguments["offset"])
    return ToolResult(shown)


def references(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The references to each target, those that it has itself, its definitions or implementations;
    an error of one of several targets does not stop the others.
    """
    corpus, targets = index.corpus, arguments["target"]
    if len(targets) > MAX_REFERENCE_TARGETS:
        text = f"`target` has {len(targets)} targets; at most {MAX_REFERENCE_TARGETS} are allowed."
        raise UserError(text)

    def last_note(*, is_empty: bool) -> str:
        status = index_status(corpus, is_empty=is_empty, searched=corpus.scope)
        return index_note(freshness_note, status.notes)

    if len(targets) == 1:
        result = _find_relations(index, arguments, targets[0])
        return ToolResult(result.format(last_note(is_empty=result.is_empty), DEFAULT_TOKENS))
    results = [_relations_or_error(index, arguments, target) for target in targets]
    tokens = DEFAULT_TOKENS // len(targets)
    parts = [
        f"## {escape_line(target)}\n{result.format('', tokens)}"
        for target, result in zip(targets, results, strict=True)
    ]
    note = last_note(is_empty=any(result.is_empty for result in results))
    return ToolResult(join_answer(parts, [], note), all(result.is_error for result in results))


class _Relations(NamedTuple):
    """What was found for a target; `format` takes the last note and the token budget."""

    format: Callable[[str, int], str]
    is_empty: bool
    is_error: bool = False


def _relations_or_error(index: SearchIndex, arguments: Arguments, target: str) -> _Relations:
    try:
        return _find_relations(index, arguments, target)
    except UserError as exc:
        text = escape_line(error_for_agent(exc))
        return _Relations(lambda *_: text, is_empty=True, is_error=True)


def _find_relations(index: SearchIndex, arguments: Arguments, target_text: str) -> _Relations:
    corpus = index.corpus
    kind, depth, offset = arguments.get("kind", ""), arguments["depth"], arguments["offset"]
    if kind == "definition":
        result = find_definitions(corpus, target_text, index.directory)
        found = result.definitions
        format_found = partial(format_definitions, found, at_least=result.at_least, offset=offset)
        return _Relations(format_found, is_empty=not found)
    target, text = resolve_definition(corpus, target_text, index.directory)
    if kind == "implementation":
        of, types, is_cut = find_implementations(corpus, target, text)
        format_types = partial(format_implementations, of, types, at_least=is_cut, offset=offset)
        return _Relations(format_types, is_empty=not types)
    kinds = [kind] if kind else []
    requested = ReferenceFilter(kinds, arguments.get("tests"), MAX_REFERENCES, offset)
    if arguments["direction"] == "out":
        uses = find_uses(corpus, target, requested)
        return _Relations(partial(format_uses, uses), is_empty=not uses.total)
    if depth > 1:
        tree = find_callers(corpus, target, text, requested, depth)
        return _Relations(partial(format_callers, tree, offset=offset), is_empty=not tree.total)
    page = find_references(corpus, target, text, requested)
    return _Relations(partial(format_references, page), is_empty=not page.total)


def impact(index: SearchIndex, arguments: Arguments, freshness_note: Note | None) -> ToolResult:
    """The impact of the files on disk against a base; if they are equal to HEAD, of HEAD itself."""
    corpus, base = index.corpus, arguments.get("base")
    on_disk = not git.is_bare(corpus.base)
    read = partial(read_change, corpus.base, corpus.repo, index.settings, base)
    change = read(working_tree=on_disk)
    is_unchanged = on_disk and not change.paths and base is None
    if is_unchanged and git.commit_id(corpus.base, "HEAD^") is not None:
        change = read(working_tree=False)
    whole = find_impact(index, change)
    is_empty = not (whole.references and whole.tests)
    status = index_status(corpus, is_empty=is_empty, searched=corpus.scope)
    last_note = index_note(freshness_note, status.notes)
    shown = whole.first(corpus, MAX_IMPACT_ENTRIES)
    return ToolResult(format_impact(shown, whole, last_note))


TOOLS: Mapping[str, Tool] = {
    "search": search,
    "grep": grep,
    "read": read,
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
        text = f"Only the first {MAX_QUERY_CHARS:,} characters of the query were read."
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
    return ToolResult(join_answer([text], notes, last_note))


def _relaxed_filter_line(relaxed: RelaxedFilter) -> str:
    best = relaxed.best
    name = best and (best.symbol or best.logical_path or best.node_type)
    first = f", first {best.path}:{best.start_line}-{best.end_line} {name}" if best else ""
    return f"Without `{relaxed.name}`: {relaxed.total}{first}."
