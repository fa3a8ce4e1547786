"""Retrieves candidates in two batched queries: one that depends only on the query (words,
descriptions, names, stack traces), one on the candidate ids. Also defines the embedding models
that are queried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from feeder.embedding import Embedder
from feeder.query.query_text import QueryText
from feeder.query.spelling import missing_words, missing_words_query
from feeder.ranking import name_matching
from feeder.store import Database, Neighbour, Row, Statement, fts_query, stored_descriptions
from feeder.store.batch import Batch, row_sets
from feeder.store.hits import (
    Hit,
    classes_around_statement,
    hits_from_rows,
    hits_statement,
    without_classes_around,
)
from feeder.store.name_search import NameMatch, exact_name_statement, name_matches
from feeder.store.node_parts import PartsByNode, blobs_statement, parts_from_rows, parts_statement
from feeder.store.scope import Scope
from feeder.store.word_search import node_counts, scores_by_id, word_search_statement
from feeder.text import normalize_symbol, symbol_ends_with

if TYPE_CHECKING:
    from feeder.sync.context import ModelVectors

MAX_FRAMES = 12
"""Frames of a stack trace that are looked for."""


# pasted text may be long, so no pattern looks at a character more than twice
LOCATION = re.compile(r'(?<![\w.@+-])([\w.@+-]+\.\w+)(?:", line |:line |:)\d+')

PYTHON_NAME = re.compile(r", in (\w+)")

RUBY_NAME = re.compile(r":in [`'](?:[a-z]+ in )?([\w.:#?!]+)'")

NAME_BEFORE = (
    # Java's, Kotlin's, JavaScript's and C#'s
    re.compile(r"\s*at (?:async |new )?([\w.$/@]+) ?[(\[]"),
    # a debugger's `#1 0x4005 in shop::add (n=1) at cart.c:12`
    re.compile(r"\#\d+ +(?:0x\w+ in )?([\w:~]+) \("),
)

NAME_ABOVE = (
    # Go's `example.com/shop.(*Cart).add(0x0)`
    re.compile(r"(?:[^\s/(]+/)*((?:[\w.]|\(\*\w+\))+)\("),
    # Rust's `4: shop::cart::add`
    re.compile(r" *\d+: +([\w:]+)$"),
)

ANONYMOUS_PATTERN = re.compile(r"\.func\d[\d.]*$")


class Frame(NamedTuple):
    """A function of a stack trace: the last parts of its name, and its file's name."""

    name: str
    file: str


def parse_frames(query_text: QueryText) -> list[Frame]:
    """The distinct frames of a stack trace in the query, the innermost first."""
    lines = query_text.text.split("\n")
    frames = [frame for above, line in pairwise(["", *lines]) for frame in _parse_line(above, line)]
    ordered = reversed(frames) if _is_outermost_first(query_text.text) else iter(frames)
    return list(islice(dict.fromkeys(ordered), MAX_FRAMES)) if len(lines) > 1 else []


def frame_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """Statements that find nodes by the name of each frame."""
    lasts = (frame.name.rpartition(".")[2] for frame in parse_frames(query_text))
    return [
        exact_name_statement(f"symbol : {fts_query.phrase(last)}", last, scope) for last in lasts
    ]


def frame_node_ids(query_text: QueryText, row_sets: Sequence[Iterable[Row]]) -> list[str]:
    """Ids of the nodes that lie in the file which their frame names."""
    rows_by_frame = zip(parse_frames(query_text), row_sets, strict=True)
    ids = (
        id_ for frame, rows in rows_by_frame for id_ in _nodes_in_file(frame, name_matches(rows))
    )
    return list(dict.fromkeys(ids))


def _parse_line(above: str, line: str) -> Iterator[Frame]:
    """The frame that a line shows, or a line together with the one above it."""
    location = LOCATION.search(line)
    if location is None:
        return
    after = (pattern.match(line, location.end()) for pattern in (PYTHON_NAME, RUBY_NAME))
    before = (pattern.match(line) for pattern in NAME_BEFORE)
    higher = (pattern.match(above) for pattern in NAME_ABOVE)
    for match in filter(None, (*after, *before, *higher)):
        yield Frame(_short_name(match[1]), location[1])
        return


def _short_name(name: str) -> str:
    """The last two parts of a name, as the index writes them."""
    plain = ANONYMOUS_PATTERN.sub("", name.rpartition("/")[2].replace("(*", "").replace(")", ""))
    return ".".join(normalize_symbol(plain).split(".")[-2:])


def _is_outermost_first(text: str) -> bool:
    return "Traceback (most recent call last)" in text


def _nodes_in_file(frame: Frame, nodes: Iterable[NameMatch]) -> Iterator[str]:
    """Nodes of the frame's file; only those with the frame's owner where there are any."""
    in_file = [node for node in nodes if PurePosixPath(node.path).name == frame.file]
    with_owner = [
        node for node in in_file if symbol_ends_with(normalize_symbol(node.name), frame.name)
    ]
    return (node.id for node in with_owner or in_file)


STATIC_VECTORS, MODEL_VECTORS = "meaning", "vector"
"""Names of the rankings by the static model and by another embedding model."""

STATIC_WEIGHT, MODEL_WEIGHT = 1.5, 1.5
"""Their weights beside the words' 1; chosen by `python -m bench answers`."""

LONG_TEXT_SHARE = 0.25
"""The share of these weights in a text of several lines, whose vector is an average of everything
that it mentions; chosen by `python -m bench commits`."""


class QueryModel(NamedTuple):
    """An embedding model with its ranking's name and weight; `nearest(query, limit, scope)` finds
    the nodes with the nearest vectors.
    """

    name: str
    weight: float
    nearest: Callable[[str, int, Scope], list[Neighbour]]


def embedding_query_model(model_vectors: ModelVectors) -> QueryModel:
    """A query model for vectors beside the index."""

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = model_vectors.embedder.embed_query(query)
        return list(model_vectors.vectors.query(vector, limit, scope)) if vector.any() else []

    return QueryModel(MODEL_VECTORS, MODEL_WEIGHT, nearest)


def static_query_model(database: Database, model: Embedder | None = None) -> QueryModel:
    """A query model for static vectors; the shipped model is loaded once per process."""
    from feeder.embedding.static_query import load_query_model
    from feeder.store.static_vectors import StaticVectors

    static_vectors = StaticVectors(database)

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = (model or load_query_model()).embed_query(query)
        return static_vectors.query(vector, limit, scope) if any(vector) else []

    return QueryModel(STATIC_VECTORS, STATIC_WEIGHT, nearest)


def preference_statements(ids: Sequence[str], scopes: Iterable[Scope]) -> list[Statement]:
    """Statements that find which nodes lie in each of the scopes."""
    return [hits_statement(ids, scope) for scope in scopes]


def preferred_ids(row_sets: Iterable[Iterable[Row]]) -> set[str]:
    """Ids of the nodes that lie in any of the scopes."""
    return {hit.id for rows in row_sets for hit in hits_from_rows(rows)}


MAX_BY_WORD = 200
"""Candidates by word."""


MAX_BY_LITERAL = 200
"""Candidates that may have a token of code literally."""


class QueryCandidates(NamedTuple):
    """Candidates that depend on the query only: BM25 scores by text and by description, nodes of
    stack frames, and nodes by name; the checked words that no node has; nodes with the words of a
    token of code in their order; definitions of the names in a text of several lines, and BM25
    scores by its first line.
    """

    word_scores: dict[str, float]
    description_scores: dict[str, float]
    frame_ids: Sequence[str]
    name_matches: name_matching.NameMatches
    similar_names: name_matching.SimilarNames
    missing_words: Sequence[str] = ()
    literal_ids: Sequence[str] = ()
    anchor_ids: Sequence[str] = ()
    title_scores: Mapping[str, float] = {}


class CandidateDetails(NamedTuple):
    """Hits of the candidates, the preferred ones, and the parts of all nodes with equal names; the
    latter None if they were not read. `blobs` are git's blob ids of the indexed contents, by id, of
    the nodes that they were requested for.
    """

    hits: Sequence[Hit]
    preferred_ids: Collection[str]
    spans: PartsByNode | None
    blobs: Mapping[str, str] = {}

    def extended(self, more: CandidateDetails) -> CandidateDetails:
        """These candidates and others, of which some may be the same; without spans."""
        own_ids = {hit.id for hit in self.hits}
        hits = [*self.hits, *(hit for hit in more.hits if hit.id not in own_ids)]
        preferred = {*self.preferred_ids, *more.preferred_ids}
        return CandidateDetails(hits, preferred, None, {**self.blobs, **more.blobs})


def retrieve_candidates(database: Database, query_text: QueryText, scope: Scope) -> QueryCandidates:
    """Runs the first batch: all that depends on the query only."""
    batch, terms, checked = Batch(), query_text.fts_terms, query_text.checked_words
    known_counts, is_billed = node_counts(database, terms), database.access.bills_rows
    words = batch.add(
        word_search_statement(terms, scope, MAX_BY_WORD, known_counts, is_billed=is_billed)
    )
    title_terms = query_text.title_terms
    titles = batch.add(
        word_search_statement(title_terms, scope, MAX_BY_WORD, known_counts, is_billed=is_billed)
        if title_terms
        else None
    )
    descriptions = batch.add(
        stored_descriptions.description_search_statement(terms, scope, MAX_BY_WORD)
    )
    # only a name that no node has needs these, but a second request would take longer
    is_one_request = database.access.round_trips
    similar = batch.add_all(
        name_matching.similar_statements(query_text, scope) if is_one_request else []
    )
    frames = batch.add_all(frame_statements(query_text, scope))
    anchors = batch.add_all(name_matching.anchor_statements(query_text, scope))
    names = batch.add_all(name_matching.name_statements(query_text, scope))
    literal_search = literal_statement(query_text, scope)
    literals = batch.add(literal_search)
    if literal_search is None and query_text.code_tokens:
        literals = words
    missing = batch.add(missing_words_query(checked) if checked else None)
    batch.run(database)
    matches = name_matching.match_names(query_text, row_sets(names))
    similar_rows = row_sets(similar)
    if not is_one_request and not matches.has_exact:
        similar_rows = _similar_rows(database, query_text, scope)
    return QueryCandidates(
        scores_by_id(words.rows, MAX_BY_WORD),
        scores_by_id(descriptions.rows),
        frame_node_ids(query_text, row_sets(frames)),
        matches,
        name_matching.match_similar(query_text, matches, similar_rows),
        missing_words(missing.rows),
        [*scores_by_id(literals.rows, MAX_BY_LITERAL)],
        name_matching.match_anchors(query_text, row_sets(anchors)),
        scores_by_id(titles.rows, MAX_BY_WORD),
    )


def _similar_rows(database: Database, query_text: QueryText, scope: Scope) -> list[list[Row]]:
    """The rows of `similar_statements`; of the last, the slowest, only if the others find none."""
    statements = name_matching.similar_statements(query_text, scope)
    if not statements:
        return []
    batch = Batch()
    results = batch.add_all(statements[:-1])
    batch.run(database)
    rows = row_sets(results)
    if name_matching.has_similar_name(query_text, rows):
        return [*rows, []]
    return [*rows, *database.run(statements[-1:])]


def literal_statement(query_text: QueryText, scope: Scope) -> Statement | None:
    """A statement that finds the nodes with the words of a token of code in their order.

    None if there is no token, and if the search by word finds the same.
    """
    terms = [fts_query.phrase(token) for token in query_text.code_tokens]
    if not terms or terms == query_text.fts_terms:
        return None
    return word_search_statement(terms, scope, MAX_BY_LITERAL)


def load_candidates(
    database: Database,
    ids: Sequence[str],
    scope: Scope,
    preferred_scopes: Collection[Scope],
    ids_with_blobs: Sequence[str] = (),
) -> CandidateDetails:
    """Runs the second batch: rows, preferences and parts of the candidates, and blob ids."""
    if not ids:
        return CandidateDetails((), (), {})
    batch, words, reads_parts = Batch(), scope.without_words, database.access.round_trips
    hits = batch.add(hits_statement(ids, scope))
    excluded = batch.add(classes_around_statement(ids, words) if words else None)
    preferred = batch.add_all(preference_statements(ids, preferred_scopes))
    blobs = batch.add(blobs_statement(ids_with_blobs) if ids_with_blobs else None)
    parts = batch.add(parts_statement(ids) if reads_parts else None)
    batch.run(database)
    return CandidateDetails(
        without_classes_around(hits_from_rows(hits.rows), excluded.rows),
        preferred_ids(row_sets(preferred)),
        parts_from_rows(parts.rows) if reads_parts else None,
        {str(id_): str(blob) for id_, blob in blobs.rows},
    )
