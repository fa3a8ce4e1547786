"""Finds nodes similar to a node by its stored vector, else by its most frequent words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from feeder.bigrams import has_run, split_words
from feeder.corpus.corpus import Corpus
from feeder.errors import ServiceError
from feeder.notes import Note, NoteKind, model_failed_note
from feeder.query.query_plan import SearchRequest, plan_query
from feeder.ranking.query_ranking import OnWarning
from feeder.ranking.ranking import WORD
from feeder.ranking.results import RankedResults, Result, paginate
from feeder.ranking.retrieval import MODEL_VECTORS, STATIC_VECTORS
from feeder.relations.targets import Target, target_node
from feeder.search.answers import Page, PageOptions, build_page
from feeder.search.open_index import SearchIndex
from feeder.session.session import Session, comparable_vectors
from feeder.snippets.excerpts import ExcerptReader
from feeder.store import Neighbour, fts_query
from feeder.store.hits import Hit, hits_by_ids
from feeder.store.scope import Scope
from feeder.store.static_vectors import StaticVectors
from feeder.store.word_search import scores_by_id, word_search_statement
from feeder.text import expand_words

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MAX_CANDIDATES = 100
"""Candidates; Vectorize returns no more."""
MAX_WORDS = 40
"""Words searched for a node without a vector: the most frequent, then the longest."""

VectorLookup = Callable[[str], "NDArray[float32] | None"]
NearestLookup = Callable[["NDArray[float32]", int, Scope], Iterable[Neighbour]]


def similar_page(index: SearchIndex, target: Target, request: SearchRequest) -> Page:
    """Builds the page of the nodes most similar to a target, within the request's filters.

    As in a search, the parts of a node and nodes with the same text are one hit. Raises UserError
    where the target is no single node.
    """
    warnings: list[Note] = []
    store, corpus = index.store, index.corpus
    node = target_node(corpus, target)
    scope = plan_query(corpus, index.directory, "", request.filters).scope
    ranked = RankedResults(_similar_nodes(store, corpus, node, scope, warnings.append))
    results = paginate(corpus.database, ranked, request.pagination, index.find_excerpts)
    words = [node.symbol or node.logical_path or ""]
    options = PageOptions(words, request.snippet_lines, request.offset)
    return build_page(corpus, results, options)._replace(warnings=warnings)


def _similar_nodes(
    store: Session, corpus: Corpus, target: Hit, scope: Scope, on_warning: OnWarning
) -> list[Result]:
    """The nodes most similar to `target`, the best first, without those that overlap it."""
    name, near = _neighbours(store, corpus, target, scope, on_warning)
    hits = {
        hit.id: hit
        for hit in hits_by_ids(corpus.database, [neighbour.id for neighbour in near], scope)
    }
    others = [
        neighbour
        for neighbour in near
        if neighbour.id in hits and not _is_same_node(target, hits[neighbour.id])
    ]
    return [
        Result(hits[neighbour.id], neighbour.score, {name: rank})
        for rank, neighbour in enumerate(others, start=1)
    ]


def _neighbours(
    store: Session, corpus: Corpus, target: Hit, scope: Scope, on_warning: OnWarning
) -> tuple[str, list[Neighbour]]:
    """The nearest nodes, with the name of the retriever that found them."""

    def on_note(note: Note) -> None:
        if note.kind is NoteKind.MODEL_FAILED:
            on_warning(note)
        else:
            store.progress.message(str(note))

    try:
        if model_vectors := comparable_vectors(store, corpus.meta, on_note):
            vectors = model_vectors.vectors
            if neighbours := _by_vector(vectors.vector, vectors.query, target, scope):
                return MODEL_VECTORS, neighbours
    except ServiceError as exc:
        on_warning(model_failed_note(exc))
    if store.backend.keeps_static_vectors and store.backend.static_model:
        static_vectors = StaticVectors(corpus.database)
        if neighbours := _by_vector(static_vectors.vector, static_vectors.query, target, scope):
            return STATIC_VECTORS, neighbours
    return WORD, _by_words(corpus, target, scope)


def _by_vector(
    vector: VectorLookup, nearest: NearestLookup, target: Hit, scope: Scope
) -> list[Neighbour]:
    values = vector(target.id)
    return [] if values is None else list(nearest(values, MAX_CANDIDATES, scope))


def _by_words(corpus: Corpus, target: Hit, scope: Scope) -> list[Neighbour]:
    """Nodes that have the words of the target's name and lines."""
    lines = ExcerptReader(corpus.database, corpus.base, corpus.repo, [target]).read(target).lines
    text = "\n".join([target.symbol or target.logical_path or "", *lines])
    terms = list(map(fts_query.phrase, _frequent_words(expand_words(split_words(text)))))
    statement = word_search_statement(
        terms, scope, MAX_CANDIDATES, is_billed=corpus.database.access.bills_rows
    )
    [rows] = corpus.database.run([statement])
    scores = scores_by_id(rows, MAX_CANDIDATES)
    return [Neighbour(id_, 1 / rank) for rank, id_ in enumerate(scores, start=1)]


def _frequent_words(text: str) -> Sequence[str]:
    counts = Counter(word for word in _plain_words(text) if len(word) > 2 or has_run(word))
    return sorted(counts, key=lambda word: (-counts[word], -len(word), word))[:MAX_WORDS]


def _plain_words(text: str) -> list[str]:
    """The words of letters and digits, in lower case."""
    return "".join(char if char.isalnum() else " " for char in text.casefold()).split()


def _is_same_node(target: Hit, other: Hit) -> bool:
    """Returns True for the node itself, nodes that overlap it and its other parts."""
    if (other.repo, other.path) != (target.repo, target.path):
        return False
    overlaps = other.start_line <= target.end_line and target.start_line <= other.end_line
    same = (other.node_type, other.symbol, other.logical_path, other.signature)
    name = target.symbol or target.logical_path
    is_piece = same == (target.node_type, target.symbol, target.logical_path, target.signature)
    return overlaps or bool(name and is_piece)
