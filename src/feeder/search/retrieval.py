"""What is the index asked? What the question alone decides, then what the nodes decide it finds.

Each is one batch, so that a question to a database elsewhere takes two trips there, and one more
where a filter is read. A file on this machine is asked in more steps, but for less: for names like
the one asked for where nothing is called so, and for pieces of the nodes of a page.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from feeder.search import frames, name_matching, preferring
from feeder.search.asked import QueryText
from feeder.store import Database, stored_descriptions
from feeder.store.counting import node_counts
from feeder.store.pieces import PartsByNode, parts_from_rows, parts_statement
from feeder.store.scope import Scope
from feeder.store.sqlite import is_local
from feeder.store.word_search import (
    Hit,
    hits_from_rows,
    hits_statement,
    scores_by_id,
    word_search_statement,
)

MAX_BY_WORD = 200
"""Nodes that words bring."""


class QueryCandidates(NamedTuple):
    """What a question finds: nodes with bm25's scores of its words, in their texts and in the lines
    that describe them, those that a trace names, and what it names itself, or nearly so."""

    word_scores: dict[str, float]
    description_scores: dict[str, float]
    frame_ids: Sequence[str]
    name_matches: name_matching.NameMatches
    similar_names: name_matching.SimilarNames


class CandidateDetails(NamedTuple):
    """What is known of nodes: all of each, which are preferred; and where those lie that are named
    alike in their files, None where it was not asked."""

    hits: Sequence[Hit]
    preferred_ids: Collection[str]
    spans: PartsByNode | None


def retrieve_candidates(database: Database, query_text: QueryText, scope: Scope) -> QueryCandidates:
    """What the index finds by the question alone."""
    here = is_local(database)
    traced, named = (
        frames.frame_statements(query_text, scope),
        name_matching.name_statements(query_text, scope),
    )
    near = name_matching.similar_statements(query_text, scope)
    words = word_search_statement(
        query_text.fts_terms, scope, MAX_BY_WORD, node_counts(database, query_text.fts_terms)
    )
    lines = stored_descriptions.description_search_statement(
        query_text.fts_terms, scope, MAX_BY_WORD
    )
    by_word, by_line, *rest = database.run([words, lines, *traced, *named, *([] if here else near)])
    end = len(traced) + len(named)
    known = name_matching.match_names(query_text, rest[len(traced) : end])
    nearly = database.run(near) if here and near and not known.has_exact else rest[end:]
    return QueryCandidates(
        scores_by_id(by_word),
        scores_by_id(by_line),
        frames.frame_node_ids(query_text, rest[: len(traced)]),
        known,
        name_matching.match_similar(query_text, known, nearly),
    )


def load_candidates(
    database: Database, ids: Sequence[str], scope: Scope, preferred_scopes: Collection[Scope]
) -> CandidateDetails:
    """What the index knows of the nodes that were found."""
    if not ids:
        return CandidateDetails((), (), {})
    liked = preferring.preference_statements(ids, preferred_scopes)
    pieces = [] if is_local(database) else [parts_statement(ids)]
    found, *rest = database.run([hits_statement(ids, scope), *liked, *pieces])
    known = parts_from_rows(rest[-1]) if pieces else None
    return CandidateDetails(
        hits_from_rows(found), preferring.preferred_ids(rest[: len(liked)]), known
    )
