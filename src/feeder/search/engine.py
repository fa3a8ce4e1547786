"""The search engine, with the one entry point of all clients: `search(index, request) -> Page`.

Plans the query, retrieves and ranks candidates, paginates, builds snippets and logs the query.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence

from feeder.corpus.skipped_files import skipped_path_notes, typed_path_notes
from feeder.corpus.unread_files import unread_notes
from feeder.errors import ServiceError, UserError
from feeder.notes import Note, NoteKind, model_failed_note
from feeder.query.query import MAX_QUERY_CHARS, QueryText
from feeder.query.query_plan import Pagination, QueryPlan, SearchRequest, plan_query
from feeder.query.spelling import (
    correct_text,
    find_corrections,
    spelling_note,
    words_to_check,
)
from feeder.ranking.exact_parts import exact_parts
from feeder.ranking.literal_nodes import (
    LiteralNodes,
    RepositoryTexts,
    find_literal_nodes,
    merged,
    other_literal_ids,
    query_literals,
    rank_literal_nodes,
    repository_texts,
)
from feeder.ranking.ranking import (
    COMPOSED_NAME,
    DESCRIPTION,
    DESCRIPTION_WEIGHT,
    LITERAL,
    NAME,
    NAME_WORDS,
    NAME_WORDS_WEIGHT,
    PATH,
    RARE_WORD,
    SIMILAR_NAME,
    STACK_FRAME,
    TITLE,
    TITLE_WEIGHT,
    WORD,
    Ranking,
    anchor_ranking,
    name_ranking,
    rank_hits,
    tied_ranking,
    vector_ranking,
    word_ranking,
)
from feeder.ranking.results import (
    ExcerptLookup,
    RankedResults,
    Result,
    ResultList,
    group_results,
    grouping_candidates,
)
from feeder.ranking.retrieval import (
    LONG_TEXT_SHARE,
    MAX_BY_WORD,
    MODEL_VECTORS,
    STATIC_VECTORS,
    CandidateDetails,
    QueryModel,
    load_candidates,
    retrieve_candidates,
)
from feeder.search.answers import Page, PageOptions, build_page, highlight_words
from feeder.search.open_index import SearchIndex
from feeder.session.session import Session
from feeder.snippets.excerpts import Excerpt, ExcerptReader
from feeder.store import Database
from feeder.store.hits import (
    Hit,
    classes_around_statement,
    first_hits,
    without_classes_around,
)
from feeder.store.name_search import MAX_BY_WORD as MOST_SPELLED
from feeder.store.name_search import MAX_EXACT
from feeder.store.node_parts import part_ranges, read_part_ranges
from feeder.store.scope import Scope
from feeder.store.sqlite import is_local

MAX_BY_MODEL = 100
"""Candidates of each embedding model; Vectorize returns no more."""

CANDIDATE_LIMITS = {WORD: MAX_BY_WORD, NAME: MAX_EXACT, NAME_WORDS: MOST_SPELLED}
"""The most candidates that each retriever returns; one that returns as many may have more."""

MAX_BY_VECTOR_ONLY = 3
"""Results shown where no node has a word of the query: the nearest vector may still be far."""

MAX_SUGGESTED_NAMES = 3
"""Similar names listed where no node has the name."""

NO_WORD_TEXT = "No exact matches; showing related results."

MAX_LISTED = 1_000
"""Nodes listed for a query of filters or a pattern alone."""

OnWarning = Callable[[Note], None]


def search(index: SearchIndex, request: SearchRequest) -> Page:
    """Runs a search and builds the page of hits that the request wants.

    Raises UserError for a filter that names nothing in the index, and ServiceError for a model that
    fails if the request requires models.
    """
    started_s = time.perf_counter()
    warnings: list[Note] = []
    on_warning = None if request.requires_models else warnings.append
    plan = plan_query(
        index.store, request.query, request.filters, index.settings, index.corpus.meta
    )
    results = run_plan(index, plan, request.pagination, on_warning)
    if not results.total:
        unread = unread_notes(index.corpus.database, plan.scope)
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


def search_scope(  # noqa: PLR0913 - index, models, query and its options
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
    """Ranks the nodes of a scope for a query and returns a page of them.

    Arguments as for `rank_query` and `paginate`.
    """
    return paginate(
        database,
        rank_query(
            database, models, query, scope, preferred_scopes=preferred_scopes, on_warning=on_warning
        ),
        pagination,
        find_excerpts,
    )


def rank_query(  # noqa: PLR0913 - index, models, query and its options
    database: Database,
    models: Iterable[QueryModel],
    query: str,
    scope: Scope,
    *,
    preferred_scopes: Collection[Scope] = (),
    checked_words: Sequence[str] = (),
    prefixes: Sequence[str] = (),
    on_warning: OnWarning | None = None,
    files: RepositoryTexts | None = None,
) -> RankedResults:
    """Retrieves and ranks the nodes of a scope for a query; without models by words only.

    The result names those of `checked_words` that no node has. Of `prefixes`, which are words of
    the query, every word that begins so counts. Nodes in `preferred_scopes` are
    ranked higher. A model that fails is reported to `on_warning`; without it, its error is raised.
    With `files`, lines are read to find the nodes that have a token of the query literally.
    """
    text = query[:MAX_QUERY_CHARS].encode(errors="replace").decode().replace("\0", " ")
    query_text = QueryText(text, checked_words, prefixes)
    warnings: list[Note] = []
    rankings, missing, resembling_ids = _retrieve_rankings(
        database, models, query_text, scope, warnings.append if on_warning else None
    )
    if on_warning:
        for line in warnings:
            on_warning(line)

    def load(ids: Sequence[str], ids_with_blobs: Sequence[str]) -> CandidateDetails:
        return load_candidates(database, ids, scope, preferred_scopes, ids_with_blobs)

    rankings, candidates = _with_literals(query_text, rankings, load, files)
    results = rank_hits(
        query_text, rankings, candidates.hits, candidates.preferred_ids, resembling_ids
    )
    if _is_vector_only(rankings):
        results = results[:MAX_BY_VECTOR_ONLY]
    notes = _result_notes(query_text, rankings, results)
    is_truncated = _is_truncated(rankings)
    return RankedResults(
        results,
        notes,
        not warnings,
        is_truncated,
        candidates.spans,
        missing,
        has_match=bool(results) and not notes,
    )


def _with_literals(
    query_text: QueryText,
    rankings: list[Ranking],
    load: Callable[[Sequence[str], Sequence[str]], CandidateDetails],
    files: RepositoryTexts | None,
) -> tuple[list[Ranking], CandidateDetails]:
    """Loads the candidates, and ranks those that may have a token of the query literally.

    With `files`, their lines are read; nodes without the token leave the ranking.
    """
    ids = list(dict.fromkeys(id_ for ranking in rankings for id_ in ranking.scores))
    literal_ids = next(
        (list(ranking.scores) for ranking in rankings if ranking.name == LITERAL), []
    )
    candidates = load(ids, literal_ids if files else ())
    if not literal_ids:
        return rankings, candidates
    literal_nodes = LiteralNodes(unread_ids=literal_ids)
    if files:
        literals = query_literals(query_text)
        literal_nodes = find_literal_nodes(literal_ids, literals, candidates, files)
        if others := other_literal_ids(literal_ids, literal_nodes, query_text, files):
            more = load(others, others)
            literal_nodes = merged(literal_nodes, find_literal_nodes(others, literals, more, files))
            candidates = candidates.extended(more)
    has_similar = any(ranking.name == SIMILAR_NAME and ranking.scores for ranking in rankings)
    literal = rank_literal_nodes(
        query_text, literal_nodes, candidates.hits, has_similar_names=has_similar
    )
    return [literal if ranking.name == LITERAL else ranking for ranking in rankings], candidates


def paginate(
    database: Database,
    ranked: RankedResults,
    pagination: Pagination,
    find_excerpts: ExcerptLookup | None = None,
) -> ResultList:
    """Groups and deduplicates ranked results and returns a page of them.

    All results that may be grouped are compared for every page, so that no hit is on two pages or
    on none. Without `find_excerpts` texts are not compared.
    """
    end = pagination.offset + pagination.limit
    related = grouping_candidates(ranked.results)
    hits = [*related, *(result.hit for result in ranked.results[: end + len(related)])]
    part_ranges_by_id = (
        read_part_ranges(database, hits)
        if ranked.spans is None
        else part_ranges(hits, ranked.spans)
    )
    groups = group_results(ranked.results, part_ranges_by_id, find_excerpts)
    page, all_results = groups[pagination.offset : end], tuple(groups)
    return ResultList(
        page,
        len(groups),
        ranked.notes,
        ranked.is_truncated,
        all_results,
        ranked.corrected_words,
        ranked.has_match,
    )


def _retrieve_rankings(
    database: Database,
    models: Iterable[QueryModel],
    query_text: QueryText,
    scope: Scope,
    on_warning: OnWarning | None,
) -> tuple[list[Ranking], Sequence[str], Collection[str]]:
    """The rankings, those of the checked words that no node has, and the ids of nodes that only
    resemble a token of the query.
    """
    if not query_text.text.strip():
        return [], (), ()
    words, descriptions, frames, named, similar, missing, literal_ids, anchor_ids, titles = (
        retrieve_candidates(database, query_text, scope)
    )
    rankings = [
        name_ranking(STACK_FRAME, frames),
        name_ranking(NAME, named.exact_ids),
        name_ranking(PATH, named.path_ids),
        name_ranking(COMPOSED_NAME, named.composed_ids),
        tied_ranking(LITERAL, literal_ids),
        name_ranking(SIMILAR_NAME, similar.ids),
        tied_ranking(RARE_WORD, sorted(similar.word_ids, key=lambda id_: -words.get(id_, 0))),
        anchor_ranking(anchor_ids),
        Ranking(NAME_WORDS, NAME_WORDS_WEIGHT, named.overlap_scores),
        word_ranking(words),
        word_ranking(titles, TITLE, TITLE_WEIGHT),
        word_ranking(descriptions, DESCRIPTION, DESCRIPTION_WEIGHT),
        *(_model_ranking(model, query_text, scope, on_warning) for model in models),
    ]
    return rankings, missing, set(named.resembling_ids)


def _model_ranking(
    model: QueryModel, query_text: QueryText, scope: Scope, on_warning: OnWarning | None
) -> Ranking:
    """The nodes nearest to the query; none if the model fails."""
    try:
        neighbours = model.nearest(query_text.text, MAX_BY_MODEL, scope)
    except (ServiceError, UserError) as exc:
        if on_warning is None:
            raise
        on_warning(model_failed_note(exc))
        neighbours = []
    weight = model.weight * (LONG_TEXT_SHARE if query_text.title else 1)
    return vector_ranking(
        model.name, weight, {neighbour.id: neighbour.score for neighbour in neighbours}
    )


def _is_vector_only(rankings: Iterable[Ranking]) -> bool:
    """Returns True if only embedding models found nodes."""
    by_model = (STATIC_VECTORS, MODEL_VECTORS)
    return not any(ranking.scores for ranking in rankings if ranking.name not in by_model)


def _is_truncated(rankings: Iterable[Ranking]) -> bool:
    """Returns True if more nodes may match than were retrieved.

    A word of most nodes is not searched for, even where a node has it as its name.
    """
    counts = {ranking.name: len(ranking.scores) for ranking in rankings}
    is_full = any(counts.get(name, 0) >= limit for name, limit in CANDIDATE_LIMITS.items())
    return is_full or bool(counts.get(NAME) and not counts.get(WORD))


def _result_notes(
    query_text: QueryText, rankings: Iterable[Ranking], results: Sequence[Result]
) -> list[Note]:
    """Notes that no node has the name, or a word of the query; without results there is no note,
    since the answer says so itself.
    """
    has = {ranking.name: bool(ranking.scores) for ranking in rankings}
    if has.get(SIMILAR_NAME) and not has.get(LITERAL):
        names = dict.fromkeys(
            result.member.name if result.member else str(result.hit.symbol)
            for result in results
            if SIMILAR_NAME in result.ranks
        )
        nearest = ", ".join(list(names)[:MAX_SUGGESTED_NAMES])
        text = f"No symbol is named {query_text.name}. Similar names: {nearest}"
        return [Note(NoteKind.SIMILAR_NAMES, text)]
    if has and results and _is_vector_only(rankings):
        return [Note(NoteKind.NO_WORD_FOUND, NO_WORD_TEXT)]
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
    if not results.total:
        repos = plan.scope.repos or (index.corpus.repo,)
        notes += skipped_path_notes(database, repos, plan.scope)
    elif is_local(database):
        # one more query at Cloudflare would take longer than the search
        notes += typed_path_notes(index.corpus, plan.text, index.directory)
    return results._replace(notes=notes, at_least=at_least)


def _rank_plan(index: SearchIndex, plan: QueryPlan, on_warning: OnWarning | None) -> RankedResults:
    """Ranked results from the cache, else from the index."""

    database = index.store.index.database

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
            files=repository_texts(index.store, index.corpus.meta),
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


def excerpt_lookup(store: Session) -> ExcerptLookup:
    """Returns a function that reads the current lines of hits in the session's repository.

    It leaves out hits whose lines cannot be shown or are uncertain.
    """
    workspace, database = store.workspace, store.index.database

    def find_excerpts(hits: Sequence[Hit]) -> dict[str, Excerpt]:
        local = [hit for hit in hits if hit.repo == workspace.repo]
        reader = ExcerptReader(database, workspace.base, workspace.repo, local, with_inner=False)
        excerpts = {hit.id: reader.read(hit) for hit in local}
        return {
            id_: excerpt
            for id_, excerpt in excerpts.items()
            if excerpt.is_shown and excerpt.is_certain
        }

    return find_excerpts
