"""The search engine, with the one entry point of all clients: `search(index, request) -> Page`.

Plans the query, retrieves and ranks candidates, paginates, builds snippets and logs the query.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from feeder.corpus.skipped_files import skipped_path_notes, typed_path_notes
from feeder.corpus.unread_files import unread_notes
from feeder.notes import Note
from feeder.query.query_plan import QueryPlan, SearchRequest, plan_query
from feeder.query.request_filters import Pagination
from feeder.query.spelling import (
    correct_text,
    find_corrections,
    spelling_note,
    words_to_check,
)
from feeder.ranking.exact_parts import exact_parts
from feeder.ranking.literal_nodes import (
    repository_texts,
)
from feeder.ranking.query_ranking import OnWarning, rank_query
from feeder.ranking.results import (
    RankedResults,
    Result,
    ResultList,
    paginate,
)
from feeder.search.answers import Page, PageOptions, build_page, highlight_words
from feeder.search.open_index import SearchIndex
from feeder.store import Database
from feeder.store.hits import (
    Hit,
    classes_around_statement,
    first_hits,
    without_classes_around,
)
from feeder.store.scope import Scope

MAX_LISTED = 1_000
"""Nodes listed for a query of filters or a pattern alone."""


def search(index: SearchIndex, request: SearchRequest) -> Page:
    """Runs a search and builds the page of hits that the request wants.

    Raises UserError for a filter that names nothing in the index, and ServiceError for a model that
    fails if the request requires models.
    """
    started_s = time.perf_counter()
    warnings: list[Note] = []
    on_warning = None if request.requires_models else warnings.append
    plan = plan_query(index.corpus, index.directory, request.query, request.filters)
    results = run_plan(index, plan, request.pagination, on_warning)
    if not (results.total and results.has_match):
        unread = unread_notes(index.corpus.database, plan.scope, results.notes)
        results = results._replace(notes=[*results.notes, *unread])
    options = PageOptions(
        [*highlight_words(plan.query), *results.corrected_words],
        request.snippet_lines,
        request.offset,
        request.reads_files,
        exact_parts(plan.query, plan.matching_lines),
    )
    page = build_page(index.corpus, results, options)._replace(warnings=warnings, plan=plan)
    if request.is_logged and index.settings.query_log and not request.offset:
        from feeder.search.query_log import log_query_in_background  # imports the secret scanner

        log_query_in_background(index, request, page, started_s)
    return page


def run_plan(
    index: SearchIndex,
    plan: QueryPlan,
    pagination: Pagination,
    on_warning: OnWarning | None = None,
) -> ResultList:
    """Ranks the nodes of a plan and returns a page of them, with notes of plan and ranking.

    A model that fails is reported to `on_warning`; without it, its error is raised.
    """
    database = index.corpus.database
    ranked = _rank_plan(index, plan, on_warning) if plan.text else _list_scope(database, plan.scope)
    results = paginate(database, ranked, pagination, index.find_excerpts)
    notes, at_least = [*plan.notes, *results.notes], plan.is_truncated or results.at_least
    if not results.total:
        repos = plan.scope.repos or (index.corpus.repo,)
        notes += skipped_path_notes(database, repos, plan.scope)
    elif not database.access.round_trips:  # one more would take longer than the search
        notes += typed_path_notes(index.corpus, plan.text, index.directory)
    return results._replace(notes=notes, at_least=at_least)


def _rank_plan(index: SearchIndex, plan: QueryPlan, on_warning: OnWarning | None) -> RankedResults:
    """Ranked results from the cache, else from the index."""

    database = index.corpus.database

    def rank_text(text: str, checked_words: Sequence[str] = ()) -> RankedResults:
        return rank_query(
            database,
            index.models,
            text,
            plan.scope,
            preferred_scopes=plan.preferred_scopes,
            checked_words=checked_words,
            prefixes=plan.query.all_prefixes,
            on_warning=on_warning,
            files=repository_texts(index.corpus),
        )

    def rank() -> RankedResults:
        checked = words_to_check(plan.query)
        ranked = rank_text(plan.text, checked)
        if not ranked.missing_words:
            return ranked
        corrections = find_corrections(database, ranked.missing_words, plan.scope)
        if corrections:
            words = correct_text(plan.query.words, corrections)
            ranked = rank_text(plan.query._replace(words=words).text)._replace(
                missing_words=ranked.missing_words, corrected_words=[*corrections.values()]
            )
        elif len(ranked.missing_words) == len(checked):  # a note says that no node has a word
            return ranked
        return ranked._replace(
            notes=[spelling_note(ranked.missing_words, corrections), *ranked.notes]
        )

    return rank() if index.cache is None else index.cache.get_or_rank(plan, rank)


def _list_scope(database: Database, scope: Scope) -> RankedResults:
    """Lists the first nodes of a scope, for a query of filters or a pattern alone."""
    hits = first_hits(database, scope, MAX_LISTED + 1) if _has_filters(scope) else []
    listed: Sequence[Hit] = hits[:MAX_LISTED]
    if scope.without_words and listed:
        ids = [hit.id for hit in listed]
        [excluded] = database.run([classes_around_statement(ids, scope.without_words)])
        listed = without_classes_around(listed, excluded)
    results = [Result(hit, 0.0, {}) for hit in listed]
    return RankedResults(results, is_truncated=len(hits) > MAX_LISTED)


def _has_filters(scope: Scope) -> bool:
    return any(scope[1:]) or scope.ids is not None
