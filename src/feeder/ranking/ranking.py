"""Ranks candidates: fuses the scores of all retrievers by weight, then applies boosts for file,
path, name and preference. Sums use `fsum`, so that scores are the same in every Python and in
the Worker. docs/explanation/ranking.md explains each rule and its measured gain.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from math import fsum, sqrt
from pathlib import PurePosixPath
from typing import NamedTuple

from feeder.query import file_kinds
from feeder.query.query import MIN_WORD_LETTERS
from feeder.query.query_text import QueryText
from feeder.ranking.member_names import find_member, find_near_member, own_names
from feeder.ranking.name_matching import name_overlap
from feeder.ranking.results import Result
from feeder.store.hits import Hit
from feeder.text import lowercase_parts

STACK_FRAME, NAME, PATH, COMPOSED_NAME, RARE_WORD = "frame", "name", "path", "written", "rare"

LITERAL, ANCHOR = "literal", "anchor"

SIMILAR_NAME, NAME_WORDS, WORD, DESCRIPTION = "alike", "spelled", "word", "line"
"""Names of the rankings besides those of models: by stack frame, exact name, path, a name made of
the query's words, a rare word, a token of code in the lines, a name in a text of several lines, a
similar name, common words of name and query, text, description.
"""

NAME_WEIGHT, NAME_WORDS_WEIGHT, WORD_WEIGHT, DESCRIPTION_WEIGHT = 4.0, 1.0, 1.0, 0.5
"""Weights. A query that is a name asks for its node, not for mentions of it."""

TITLE, TITLE_WEIGHT = "title", 0.6
"""The ranking by the words of the first line of a text of several lines, and its weight beside that
of the whole text: logs and versions do not outweigh the sentence. Chosen by `python -m bench
commits`."""

RANK_CONSTANT = 20
"""The constant k in the score k / (k + rank) of nodes found by name."""

COSINE_FLOOR = 0.6
"""The part of the least cosine similarity that counts as 0."""


class Ranking(NamedTuple):
    """The scores of one retriever by node id, the best first, and its weight.

    Nodes of a ranking with priority come before all others.
    """

    name: str
    weight: float
    scores: Mapping[str, float]
    is_priority: bool = False


def name_ranking(name: str, ids: Iterable[str]) -> Ranking:
    """A priority ranking of nodes found by name, in their order."""
    scores = {id_: RANK_CONSTANT / (RANK_CONSTANT + place) for place, id_ in enumerate(ids)}
    return Ranking(name, NAME_WEIGHT, scores, is_priority=True)


def tied_ranking(name: str, ids: Iterable[str]) -> Ranking:
    """A priority ranking of equal scores; the other rankings decide the order."""
    return Ranking(name, NAME_WEIGHT, dict.fromkeys(ids, 1.0), is_priority=True)


def anchor_ranking(ids: Iterable[str]) -> Ranking:
    """Candidates that define a name in a text of several lines; `anchor_boosts` scores them."""
    return Ranking(ANCHOR, 0.0, dict.fromkeys(ids, 1.0))


FLAG_SHARE = 0.95
"""The score of a node of a source that has the dashes of a flag which others define."""

LITERAL_SHARE = 0.9
"""The score of a node with a token that others define or that is only a part of the message."""

UNREAD_SHARE = 0.5
"""The score of a node whose lines were not read: it may have the token."""


def literal_ranking(
    ids: Iterable[str],
    first_ids: Collection[str],
    unread_ids: Iterable[str] = (),
    second_ids: Collection[str] = (),
) -> Ranking:
    """A priority ranking of nodes that have a token of code, `first_ids` before `second_ids`, these
    before the others, and then the nodes that may have it.
    """
    least = LITERAL_SHARE if first_ids or second_ids else 1.0
    scores = dict.fromkeys(unread_ids, UNREAD_SHARE)
    for id_ in ids:
        share = FLAG_SHARE if id_ in second_ids else least
        scores[id_] = 1.0 if id_ in first_ids else share
    return Ranking(LITERAL, NAME_WEIGHT, scores, is_priority=True)


def word_ranking(
    scores: Mapping[str, float], name: str = WORD, weight: float = WORD_WEIGHT
) -> Ranking:
    """A ranking by BM25, as shares of the best score."""
    best = max(scores.values(), default=0.0) or 1.0
    return Ranking(name, weight, {id_: score / best for id_, score in scores.items()})


def vector_ranking(name: str, weight: float, cosines: Mapping[str, float]) -> Ranking:
    """A ranking by cosine similarity: 1 for the nearest, 0 at the floor."""
    nearest, floor = (
        max(cosines.values(), default=0.0),
        COSINE_FLOOR * min(cosines.values(), default=0.0),
    )
    span = (nearest - floor) or 1.0
    return Ranking(name, weight, {id_: (cosine - floor) / span for id_, cosine in cosines.items()})


FILE_BOOST = 0.6

PATH_BOOST = 0.6

NAME_BOOST = 0.3
"""The most that each boost adds, as a share of the best score."""

MIN_SHARE_OF_BEST = 0.15
"""The least share of the best score with which a node counts for its file."""

LEADING_FILES = 4
"""The files that lead a search; chosen on subjects of commits."""

MIN_PATH_SHARE = 0.1
"""The least share of a query's words in a path for a boost."""


def file_boosts(hits: Iterable[Hit], scores: Mapping[str, float]) -> dict[str, float]:
    """Boosts of each file's best node, by the share that the sum of the file's scores is of the
    highest sum; for the files that lead by it, by the root of the share.

    The root narrows the distance between a small file and a large one. For all files, it would move
    a node of each before the second node of the right one.
    """
    best = max(scores.values(), default=0.0)
    least = MIN_SHARE_OF_BEST * best
    sums = {
        max(ids, key=scores.__getitem__): fsum(scores[id_] for id_ in ids if scores[id_] >= least)
        for ids in _ids_by_file(hits)
    }
    most = max(sums.values(), default=0.0) or 1.0
    shares = {id_: total / most for id_, total in sums.items()}
    leading = nlargest(
        LEADING_FILES, shares, key=lambda id_: scores[id_] + FILE_BOOST * shares[id_] * best
    )
    shares.update((id_, sqrt(shares[id_])) for id_ in leading)
    return {id_: FILE_BOOST * share for id_, share in shares.items()}


ANCHOR_BOOST = 0.5
"""Added for the definition of a name in a text of several lines, as a share of the best score."""


def anchor_boosts(
    hits: Collection[Hit],
    anchor_ids: Collection[str],
    named_files: Collection[str],
    scores: Mapping[str, float],
) -> dict[str, float]:
    """Boosts of the best node of each file that defines a name in the query's text, or that the
    text names.
    """
    if not anchor_ids and not named_files:
        return {}
    anchors = {hit.id for hit in hits if _folder_and_stem(hit.path) in named_files}
    anchors.update(anchor_ids)
    anchored = (ids for ids in _ids_by_file(hits) if not anchors.isdisjoint(ids))
    return {max(ids, key=scores.__getitem__): ANCHOR_BOOST for ids in anchored}


@lru_cache(10_000)
def _folder_and_stem(path: str) -> str:
    """`app/base` for `shop/app/base.py`."""
    pure = PurePosixPath(path)
    return f"{pure.parent.name}/{pure.stem}"


def _ids_by_file(hits: Iterable[Hit]) -> Iterable[list[str]]:
    """The ids of the hits of each file."""
    files: dict[tuple[str, str], list[str]] = {}
    for hit in hits:
        files.setdefault((hit.repo, hit.path), []).append(hit.id)
    return files.values()


def path_boosts(hits: Collection[Hit], query_text: QueryText) -> dict[str, float]:
    """Boosts by the share of the query's words in the names of file and folder."""
    if not query_text.path_words:
        return {}
    words_by_path = {path: _path_words(path) for path in {hit.path for hit in hits}}
    parts = frozenset().union(*words_by_path.values())
    similar_parts = [_parts_with_common_prefix(word, parts) for word in query_text.path_words]
    shares = {
        path: sum(not words.isdisjoint(similar) for similar in similar_parts) / len(similar_parts)
        for path, words in words_by_path.items()
    }
    return {
        hit.id: PATH_BOOST * shares[hit.path] for hit in hits if shares[hit.path] >= MIN_PATH_SHARE
    }


def _parts_with_common_prefix(word: str, parts: frozenset[str]) -> set[str]:
    """The word itself, and the parts of which one is the beginning of the other: `route` and
    `router`.
    """
    similar = {word} & parts
    if len(word) >= MIN_WORD_LETTERS:
        similar |= {
            part
            for part in parts
            if (part.startswith(word) or word.startswith(part)) and len(part) >= MIN_WORD_LETTERS
        }
    return similar


@lru_cache(10_000)
def _path_words(path: str) -> frozenset[str]:
    pure = PurePosixPath(path)
    return frozenset(lowercase_parts(pure.stem) + lowercase_parts(pure.parent.name))


def name_boosts(hits: Iterable[Hit], query_text: QueryText) -> dict[str, float]:
    """Boosts by the agreement of the query's words with those of the name."""
    if query_text.name or not query_text.stems:
        return {}
    shares = {hit.id: _best_name_score(hit, query_text) for hit in hits}
    return {id_: NAME_BOOST * share for id_, share in shares.items() if share}


def _best_name_score(hit: Hit, query_text: QueryText) -> float:
    """The score of the node's best name; of a chunk's constants, those with a stem are compared."""
    if hit.symbol:
        return _name_score(hit.symbol, query_text)
    if not hit.members or not _has_stem(hit.members, query_text):
        return 0.0
    names = [name for name in own_names(None, hit.members) if _has_stem(name, query_text)]
    return max((_name_score(name, query_text) for name in names), default=0.0)


def _has_stem(text: str, query_text: QueryText) -> bool:
    lowercase = text.lower()
    return any(stem in lowercase for stem in query_text.stems)


def _name_score(symbol: str, query_text: QueryText) -> float:
    owner, _, last = symbol.rpartition(".")
    if last.lower() in query_text.identifiers or last in query_text.capitalized_words:
        return 1.0
    is_member = owner.rpartition(".")[2] in query_text.capitalized_words
    return max(MEMBER_SHARE * is_member, name_overlap(symbol, query_text.stems))


MEMBER_SHARE = 0.5
"""The share of the boost for a member of a type that the query names: `the Hash class`."""

PREFERENCE_BOOST = 1.5
"""Factor of the score of a preferred node."""


def rank_hits(
    query_text: QueryText,
    rankings: Sequence[Ranking],
    hits: Sequence[Hit],
    preferred_ids: Collection[str] = (),
    resembling_ids: Collection[str] = (),
) -> list[Result]:
    """Fuses the rankings and sorts the hits by score; nodes of `preferred_ids` count more.

    Nodes of `resembling_ids`, which only resemble a token of the query, come after those that have
    it literally.
    """
    score_parts, ranks = _score_parts_and_ranks(rankings, hits)
    priority_names = {ranking.name for ranking in rankings if ranking.is_priority}
    scores = {
        id_: fsum(score for name, score in parts.items() if name not in priority_names)
        for id_, parts in score_parts.items()
    }
    best = max(scores.values(), default=0.0)
    anchor_ids = next((ranking.scores for ranking in rankings if ranking.name == ANCHOR), {})
    kinds = file_kinds.kind_weights(hits, query_text)
    weighted_scores = {id_: scores[id_] * weight for id_, (_, weight) in kinds.items()}
    for rule, shares in (
        ("file", file_boosts(hits, weighted_scores)),
        ("folder", path_boosts(hits, query_text)),
        ("naming", name_boosts(hits, query_text)),
        (ANCHOR, anchor_boosts(hits, anchor_ids, query_text.named_files, weighted_scores)),
    ):
        for id_, share in shares.items():
            score_parts[id_][rule] = share * best
    for id_ in score_parts.keys() & set(preferred_ids):
        score_parts[id_]["preferred"] = (PREFERENCE_BOOST - 1) * fsum(score_parts[id_].values())
    results = [
        _make_result(hit, query_text, kinds[hit.id], score_parts[hit.id], ranks[hit.id])
        for hit in hits
    ]
    priorities, last = _priority_order(rankings, resembling_ids), (len(rankings), 0.0)
    results.sort(
        key=lambda result: (
            priorities.get(result.hit.id, last),
            -result.score,
            result.hit.path,
            result.hit.start_line,
        )
    )
    return results


def _priority_order(
    rankings: Sequence[Ranking], resembling_ids: Collection[str]
) -> dict[str, tuple[float, float]]:
    """Sort keys of the nodes in priority rankings, by id; equal scores have equal keys."""
    places = {ranking.name: place for place, ranking in enumerate(rankings) if ranking.scores}
    after_literals = places.get(LITERAL, -1) + 0.5
    return {
        id_: (max(place, after_literals) if id_ in resembling_ids else place, -score)
        for place, ranking in reversed([*enumerate(rankings)])
        if ranking.is_priority
        for id_, score in ranking.scores.items()
    }


def _score_parts_and_ranks(
    rankings: Iterable[Ranking], hits: Iterable[Hit]
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """The weighted score that each ranking gives a hit, and its rank there, by id and ranking."""
    score_parts: dict[str, dict[str, float]] = {hit.id: {} for hit in hits}
    ranks: dict[str, dict[str, int]] = {id_: {} for id_ in score_parts}
    for name, weight, scores, _ in rankings:
        for rank, (id_, score) in enumerate(scores.items(), start=1):
            if id_ in ranks:
                score_parts[id_][name] = weight * score
                ranks[id_][name] = rank
    return score_parts, ranks


def _make_result(
    hit: Hit,
    query_text: QueryText,
    kind_weight: tuple[str, float],
    score_parts: dict[str, float],
    ranks: Mapping[str, int],
) -> Result:
    score = fsum(score_parts.values())
    kind, weight = kind_weight
    if kind:
        score_parts[kind] = (weight - 1) * score
    member = find_member(hit.symbol, hit.members, query_text.text, hit.path)
    if not member and SIMILAR_NAME in ranks:
        member = find_near_member(hit.symbol, hit.members, query_text.name)
    return Result(hit, score * weight, ranks, member, score_parts)


def count_named(results: Sequence[Result]) -> int:
    """Counts results that have the name that is searched for, or whose file has the path."""
    return sum(NAME in result.ranks or PATH in result.ranks for result in results)
