"""Retrieves candidates in two batched queries: one that depends only on the query (words,
descriptions, names, stack traces), one on the candidate ids. Also defines the embedding models
that are queried.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from feeder.embedding import Embedder
from feeder.search import name_matching
from feeder.search.query import QueryText
from feeder.session.session import Session, comparable_vectors
from feeder.store import Database, Neighbour, Row, Statement, stored_descriptions
from feeder.store.hits import Hit, hits_from_rows, hits_statement
from feeder.store.name_search import NameMatch, exact_name_statement, name_matches
from feeder.store.node_parts import PartsByNode, parts_from_rows, parts_statement
from feeder.store.scope import Scope
from feeder.store.sqlite import is_local
from feeder.store.word_search import node_counts, scores_by_id, word_search_statement
from feeder.sync.context import ModelVectors
from feeder.text import normalize_symbol, symbol_ends_with

MAX_FRAMES = 12
"""Functions that are looked for, at most."""


# no pattern looks at a sign more than twice: what is pasted may be long, and anything
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
    """A function that was running, by the last parts of its name, and its file's name."""

    name: str
    file: str


def parse_frames(query_text: QueryText) -> list[Frame]:
    """Of a question in several lines, each once, the innermost first."""
    lines = query_text.text.split("\n")
    found = [one for above, line in pairwise(["", *lines]) for one in _parse_line(above, line)]
    ordered = reversed(found) if _is_outermost_first(query_text.text) else iter(found)
    return list(islice(dict.fromkeys(ordered), MAX_FRAMES)) if len(lines) > 1 else []


def frame_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """What the index is asked: the nodes that are called like each frame."""
    lasts = (frame.name.rpartition(".")[2] for frame in parse_frames(query_text))
    return [exact_name_statement(f'symbol : "{last}"', last, scope) for last in lasts]


def frame_node_ids(query_text: QueryText, row_sets: Sequence[Iterable[Row]]) -> list[str]:
    """The ids of those that lie in the file which their frame names."""
    answered = zip(parse_frames(query_text), row_sets, strict=True)
    ids = (id_ for frame, rows in answered for id_ in _nodes_in_file(frame, name_matches(rows)))
    return list(dict.fromkeys(ids))


def _parse_line(above: str, line: str) -> Iterator[Frame]:
    """The frame that a line, or one with the line above it, tells."""
    place = LOCATION.search(line)
    if place is None:
        return
    after = (pattern.match(line, place.end()) for pattern in (PYTHON_NAME, RUBY_NAME))
    before = (pattern.match(line) for pattern in NAME_BEFORE)
    higher = (pattern.match(above) for pattern in NAME_ABOVE)
    for found in filter(None, (*after, *before, *higher)):
        yield Frame(_short_name(found[1]), place[1])
        return


def _short_name(name: str) -> str:
    """The last two parts of a name, as the index writes them."""
    plain = ANONYMOUS_PATTERN.sub("", name.rpartition("/")[2].replace("(*", "").replace(")", ""))
    return ".".join(normalize_symbol(plain).split(".")[-2:])


def _is_outermost_first(text: str) -> bool:
    return "Traceback (most recent call last)" in text


def _nodes_in_file(frame: Frame, nodes: Iterable[NameMatch]) -> Iterator[str]:
    """Those whose owner is the frame's too, where there are any: `Mux.route`, not `node.route`."""
    there = [node for node in nodes if PurePosixPath(node.path).name == frame.file]
    own = [node for node in there if symbol_ends_with(normalize_symbol(node.name), frame.name)]
    return (node.id for node in own or there)


STATIC_VECTORS, MODEL_VECTORS = "meaning", "vector"
"""What a rank is called after: the model that comes with the words, one beside them."""

STATIC_WEIGHT, MODEL_WEIGHT = 1.5, 1.5
"""Beside words' 1; chosen by `python -m bench answers`."""


class QueryModel(NamedTuple):
    """A model that is asked: its weight beside the words, and so many nodes that it finds nearest
    to a question."""

    name: str
    weight: float
    nearest: Callable[[str, int, Scope], list[Neighbour]]


def query_models(
    store: Session, meta: Mapping[str, str], on_warning: Callable[[str], None]
) -> list[QueryModel]:
    """The models with their weights; what the index lacks is said, what has failed is told."""
    semantics = comparable_vectors(store, meta, on_warning)
    meaning = store.backend.static_model
    made_by = meta.get(store.index.meta_key("parser"), "").split()
    with_words = meaning is not None and meaning.model in made_by
    if meaning and made_by and not with_words:
        store.progress.message(
            f"The index lacks vectors by {meaning.model}. Make them: feeder sync"
        )
    if store.backend.missing_model_note:
        store.progress.message(store.backend.missing_model_note)
    return [
        *([static_query_model(store.index.database)] if with_words else []),
        *([embedding_query_model(semantics)] if semantics else []),
    ]


def model_name(store: Session, source: str) -> str:
    """The name of the model that a side asks."""
    by_side = {
        STATIC_VECTORS: store.backend.static_model and store.backend.static_model.model,
        MODEL_VECTORS: store.model_vectors and store.model_vectors.embedder.model,
    }
    return by_side.get(source) or source


def embedding_query_model(semantics: ModelVectors) -> QueryModel:
    """The model whose vectors are kept beside the words."""

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = semantics.embedder.embed_query(query)
        return list(semantics.vectors.query(vector, limit, scope)) if vector.any() else []

    return QueryModel(MODEL_VECTORS, MODEL_WEIGHT, nearest)


def static_query_model(database: Database, model: Embedder | None = None) -> QueryModel:
    """The model whose vectors come with the words; the shipped one, loaded once a process."""
    from feeder.embedding.quantization import load_static_model
    from feeder.store.static_vectors import StaticVectors

    meanings = StaticVectors(database)

    def nearest(query: str, limit: int, scope: Scope) -> list[Neighbour]:
        vector = (model or load_static_model()).embed_query(query)
        return meanings.query(vector, limit, scope) if vector.any() else []

    return QueryModel(STATIC_VECTORS, STATIC_WEIGHT, nearest)


def preference_statements(ids: Sequence[str], scopes: Iterable[Scope]) -> list[Statement]:
    """What the index is asked: which of the nodes lie in each of the scopes."""
    return [hits_statement(ids, scope) for scope in scopes]


def preferred_ids(row_sets: Iterable[Iterable[Row]]) -> set[str]:
    """The ids of those that lie in any."""
    return {hit.id for rows in row_sets for hit in hits_from_rows(rows)}


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
        frame_statements(query_text, scope),
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
        frame_node_ids(query_text, rest[: len(traced)]),
        known,
        name_matching.match_similar(query_text, known, nearly),
    )


def load_candidates(
    database: Database, ids: Sequence[str], scope: Scope, preferred_scopes: Collection[Scope]
) -> CandidateDetails:
    """What the index knows of the nodes that were found."""
    if not ids:
        return CandidateDetails((), (), {})
    liked = preference_statements(ids, preferred_scopes)
    pieces = [] if is_local(database) else [parts_statement(ids)]
    found, *rest = database.run([hits_statement(ids, scope), *liked, *pieces])
    known = parts_from_rows(rest[-1]) if pieces else None
    return CandidateDetails(hits_from_rows(found), preferred_ids(rest[: len(liked)]), known)
