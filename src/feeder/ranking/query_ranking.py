"""Ranks the nodes of a scope for the text of a query: retrieves candidates, confirms literals, and
scores them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from feeder.errors import ServiceError, UserError
from feeder.notes import Note, NoteKind, model_failed_note
from feeder.query.query import MAX_QUERY_CHARS
from feeder.query.query_text import QueryText
from feeder.ranking.literal_nodes import (
    LiteralNodes,
    RepositoryTexts,
    find_literal_nodes,
    merged,
    other_literal_ids,
    query_literals,
    rank_literal_nodes,
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
    RankedResults,
    Result,
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
from feeder.store import Database
from feeder.store.name_search import MAX_BY_WORD as MOST_SPELLED
from feeder.store.name_search import MAX_EXACT
from feeder.store.scope import Scope

MAX_BY_MODEL = 100
"""Candidates of each embedding model; Vectorize returns no more."""

CANDIDATE_LIMITS = {WORD: MAX_BY_WORD, NAME: MAX_EXACT, NAME_WORDS: MOST_SPELLED}
"""The most candidates that each retriever returns; one that returns as many may have more."""

MAX_BY_VECTOR_ONLY = 3
"""Results shown where no node has a word of the query: the nearest vector may still be far."""

MAX_SUGGESTED_NAMES = 3
"""Similar names listed where no node has the name."""

NO_WORD_TEXT = "No exact matches; showing related results."

OnWarning = Callable[[Note], None]


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


def _retrieve_rankings(
    database: Database,
    models: Iterable[QueryModel],
    query_text: QueryText,
    scope: Scope,
    on_warning: OnWarning | None,
) -> tuple[list[Ranking], Sequence[str], Collection[str]]:
    """Returns the rankings, the checked words that no node has, and the ids of nodes that only
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
