"""The search engine, with the one entry point of all clients: `search(index, request) -> Page`.

Plans the query, retrieves and ranks candidates, paginates, builds snippets and logs the query.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence

from feeder.errors import ServiceError, UserError
from feeder.search.answers import Page, PageOptions, build_page, highlight_words
from feeder.search.excerpts import Excerpt, ExcerptReader
from feeder.search.open_index import SearchIndex
from feeder.search.query import MAX_QUERY_CHARS, QueryText
from feeder.search.query_plan import QueryPlan, SearchRequest, plan_query
from feeder.search.ranking import (
    COMPOSED_NAME,
    DESCRIPTION,
    DESCRIPTION_WEIGHT,
    NAME,
    NAME_WORDS,
    NAME_WORDS_WEIGHT,
    PATH,
    RARE_WORD,
    SIMILAR_NAME,
    STACK_FRAME,
    WORD,
    Ranking,
    name_ranking,
    rank_hits,
    tied_ranking,
    vector_ranking,
    word_ranking,
)
from feeder.search.results import (
    ExcerptLookup,
    Pagination,
    RankedResults,
    Result,
    ResultList,
    group_results,
    grouping_candidates,
)
from feeder.search.retrieval import (
    MAX_BY_WORD,
    MODEL_VECTORS,
    STATIC_VECTORS,
    QueryModel,
    load_candidates,
    retrieve_candidates,
)
from feeder.session.session import Session
from feeder.store import Database
from feeder.store.hits import Hit, first_hits
from feeder.store.name_search import MAX_BY_WORD as MOST_SPELLED
from feeder.store.name_search import MAX_EXACT
from feeder.store.node_parts import part_ranges, read_part_ranges
from feeder.store.scope import Scope

MAX_BY_MODEL = 100
"""Nodes that each model brings; Vectorize answers no more."""

CANDIDATE_LIMITS = {WORD: MAX_BY_WORD, NAME: MAX_EXACT, NAME_WORDS: MOST_SPELLED}
"""By what finds them, the nodes that are looked at."""

MAX_BY_VECTOR_ONLY = 3
"""Nodes that answer where none has a word of the question: what is nearest may be far."""

MAX_SUGGESTED_NAMES = 3
"""That are told where nothing is called as asked."""

NO_WORD_NOTE = "No node that was looked at has a word of the question"
"""How that note begins; what is looked at is what the filters leave."""

WORDS_ONLY_PREFIX = "By words alone:"
"""Before the reason why a question is answered so."""


MAX_LISTED = 1_000
"""Nodes listed for a query of filters or a pattern alone."""

OnWarning = Callable[[str], None]


def search(index: SearchIndex, request: SearchRequest) -> Page:
    """Runs a search and builds the page of hits that the request wants.

    Raises UserError for a filter that names nothing in the index, and ServiceError for a model that
    fails if the request requires models.
    """
    started_s = time.perf_counter()
    warnings: list[str] = []
    on_warning = None if request.requires_models else warnings.append
    plan = plan_query(
        index.store, request.query, request.filters, index.settings, index.corpus.meta
    )
    results = run_plan(index, plan, request.pagination, on_warning)
    options = PageOptions(
        highlight_words(plan.query), request.snippet_lines, request.offset, request.reads_files
    )
    page = build_page(index.corpus, results, options)._replace(warnings=warnings, plan=plan)
    if request.is_logged and index.settings.query_log and not request.offset:
        from feeder.search.query_log import log_query_in_background  # imports the secret scanner

        log_query_in_background(index, request, page, started_s)
    return page


def search_scope(  # noqa: PLR0913 - the seams, the question, and how it is answered
    database: Database,
    models: Iterable[QueryModel],
    query: str,
    scope: Scope,
    pagination: Pagination,
    *,
    preferred_scopes: Collection[Scope] = (),
    find_excerpts: ExcerptLookup | None = None,
    on_warning: OnWarning | None = None,
) -> ResultList:
    """The best nodes for a query; by words alone where no model is asked.

    So too, with someone to `tell` it, where the question's vector cannot be had or compared.
    Nodes in what is to `prefer` come earlier. With `lines_of`, copies of a text are one hit.
    """
    return paginate(
        database,
        rank_query(
            database, models, query, scope, preferred_scopes=preferred_scopes, on_warning=on_warning
        ),
        pagination,
        find_excerpts,
    )


def rank_query(  # noqa: PLR0913 - the seams, and the question
    database: Database,
    models: Iterable[QueryModel],
    query: str,
    scope: Scope,
    *,
    preferred_scopes: Collection[Scope] = (),
    on_warning: OnWarning | None = None,
) -> RankedResults:
    """What a search finds, as the index alone decides it."""
    asked = QueryText(query[:MAX_QUERY_CHARS].encode(errors="replace").decode().replace("\0", " "))
    told: list[str] = []
    rankings = _retrieve_rankings(
        database, models, asked, scope, told.append if on_warning else None
    )
    if on_warning:
        for line in told:
            on_warning(line)
    ids = list(dict.fromkeys(id_ for ranking in rankings for id_ in ranking.scores))
    known = load_candidates(database, ids, scope, preferred_scopes)
    found = rank_hits(asked, rankings, known.hits, known.preferred_ids)
    if _is_vector_only(rankings):
        found = found[:MAX_BY_VECTOR_ONLY]
    notes = _result_notes(asked, rankings, found)
    return RankedResults(found, notes, not told, _is_truncated(rankings), known.spans)


def paginate(
    database: Database,
    ranked: RankedResults,
    pagination: Pagination,
    find_excerpts: ExcerptLookup | None = None,
) -> ResultList:
    """A page of it, copies told by the texts as they are now.

    All that may be one is looked at for each page: so pages have no hit twice, and lose none.
    """
    end = pagination.offset + pagination.limit
    related = grouping_candidates(ranked.results)
    wanted = [*related, *(one.hit for one in ranked.results[: end + len(related)])]
    known = (
        read_part_ranges(database, wanted)
        if ranked.spans is None
        else part_ranges(wanted, ranked.spans)
    )
    groups = group_results(ranked.results, known, find_excerpts)
    some, every = groups[pagination.offset : end], tuple(groups)
    return ResultList(some, len(groups), ranked.notes, ranked.is_truncated, every)


def _retrieve_rankings(
    database: Database,
    models: Iterable[QueryModel],
    query_text: QueryText,
    scope: Scope,
    on_warning: OnWarning | None,
) -> list[Ranking]:
    if not query_text.text.strip():
        return []
    words, lines, running, named, nearly = retrieve_candidates(database, query_text, scope)
    return [
        name_ranking(STACK_FRAME, running),
        name_ranking(NAME, named.exact_ids),
        name_ranking(PATH, named.path_ids),
        name_ranking(COMPOSED_NAME, named.composed_ids),
        name_ranking(SIMILAR_NAME, nearly.ids),
        tied_ranking(RARE_WORD, sorted(nearly.word_ids, key=lambda id_: -words.get(id_, 0))),
        Ranking(NAME_WORDS, NAME_WORDS_WEIGHT, named.overlap_scores),
        word_ranking(words),
        word_ranking(lines, DESCRIPTION, DESCRIPTION_WEIGHT),
        *(_model_ranking(side, query_text, scope, on_warning) for side in models),
    ]


def _model_ranking(
    model: QueryModel, query_text: QueryText, scope: Scope, on_warning: OnWarning | None
) -> Ranking:
    """What a model finds nearest to a question; nothing where it fails."""
    try:
        near = model.nearest(query_text.text, MAX_BY_MODEL, scope)
    except (ServiceError, UserError) as exc:
        if on_warning is None:
            raise
        on_warning(f"{WORDS_ONLY_PREFIX} {exc}")
        near = []
    return vector_ranking(model.name, model.weight, {one.id: one.score for one in near})


def _is_vector_only(rankings: Iterable[Ranking]) -> bool:
    """Whether models alone find nodes."""
    by_model = (STATIC_VECTORS, MODEL_VECTORS)
    return not any(ranking.scores for ranking in rankings if ranking.name not in by_model)


def _is_truncated(rankings: Iterable[Ranking]) -> bool:
    """Whether more nodes may be called so or have a word of the question than were looked at.

    A word of most nodes finds none by itself, though some are called so.
    """
    found = {one.name: len(one.scores) for one in rankings}
    is_full = any(found.get(name, 0) >= most for name, most in CANDIDATE_LIMITS.items())
    return is_full or bool(found.get(NAME) and not found.get(WORD))


def _result_notes(
    query_text: QueryText, rankings: Iterable[Ranking], results: Sequence[Result]
) -> list[str]:
    """What the one who asks has to know: that nothing is called so, or has a word of it."""
    has = {ranking.name: bool(ranking.scores) for ranking in rankings}
    if has.get(SIMILAR_NAME):
        near = dict.fromkeys(one.hit.symbol for one in results if SIMILAR_NAME in one.ranks)
        nearest = ", ".join(str(name) for name in list(near)[:MAX_SUGGESTED_NAMES])
        return [f"Nothing is called {query_text.name}. Names like it: {nearest}"]
    if has and _is_vector_only(rankings):
        rest = "; what follows is near in meaning alone." if results else "."
        return [f"{NO_WORD_NOTE}{rest}"]
    return []


def run_plan(
    index: SearchIndex,
    plan: QueryPlan,
    pagination: Pagination,
    on_warning: OnWarning | None = None,
) -> ResultList:
    """Ranks the nodes of a plan and returns a page of them, with notes of plan and ranking.

    A model that fails is reported to `on_warning`; without it, its error is raised.
    """
    database = index.store.index.database
    ranked = _rank_plan(index, plan, on_warning) if plan.text else _list_scope(database, plan.scope)
    results = paginate(database, ranked, pagination, excerpt_lookup(index.store))
    notes, at_least = [*plan.notes, *results.notes], plan.is_truncated or results.at_least
    return results._replace(notes=notes, at_least=at_least)


def _rank_plan(index: SearchIndex, plan: QueryPlan, on_warning: OnWarning | None) -> RankedResults:
    """Ranked results from the cache, else from the index."""

    def rank() -> RankedResults:
        return rank_query(
            index.store.index.database,
            index.models,
            plan.text,
            plan.scope,
            preferred_scopes=plan.preferred_scopes,
            on_warning=on_warning,
        )

    return rank() if index.cache is None else index.cache.get_or_rank(plan, rank)


def _list_scope(database: Database, scope: Scope) -> RankedResults:
    """The first nodes of a scope, for who asks by filters or a pattern alone."""
    found = first_hits(database, scope, MAX_LISTED + 1) if _has_filters(scope) else []
    listed = [Result(hit, 0.0, {}) for hit in found[:MAX_LISTED]]
    return RankedResults(listed, is_truncated=len(found) > MAX_LISTED)


def _has_filters(scope: Scope) -> bool:
    return any(scope[1:]) or scope.ids is not None


def excerpt_lookup(store: Session) -> ExcerptLookup:
    """Where nodes of the repository at hand are in its files now, and their lines."""
    place, database = store.workspace, store.index.database

    def found(hits: Sequence[Hit]) -> dict[str, Excerpt]:
        own = [hit for hit in hits if hit.repo == place.repo]
        sources = ExcerptReader(database, place.base, place.repo, own, with_inner=False)
        excerpts = {hit.id: sources.read(hit) for hit in own}
        return {id_: one for id_, one in excerpts.items() if one.is_shown and one.is_certain}

    return found
