"""Which nodes answer a question? Names, words by bm25 and meaning, merged by reciprocal rank."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from feeder.errors import ServiceError, UserError
from feeder.nodes import Member
from feeder.run.feed import Semantics
from feeder.search.query import QUERY_CHARS
from feeder.store import Database
from feeder.store.reading import Hit, hits, matches
from feeder.store.rows import members_of
from feeder.store.scope import Scope
from feeder.words import words

CANDIDATES = 100
"""Nodes that each side brings into the merge; Vectorize answers no more."""
RANK_CONSTANT = 20
WORD_WEIGHT, MEANING_WEIGHT, VECTOR_WEIGHT = 1.0, 1.0, 2.0
"""Equal weights drag a good model down to bm25: hit@10 0.75 against 0.95 at 2 : 1 with k = 20."""

WORDS_ALONE = "By words alone:"
"""Before the reason why a question is answered so."""

NAME_WEIGHT = 4.0
"""Who asks for a name that there is wants its node first, whatever else speaks of it."""

TEST_SHARE = 0.5
_TEST = re.compile(
    r"(?:^|/)_*(?:tests?|specs?)_*/|(?:^|[/_.-])(?:test|spec)s?[_.-]|[a-z](?:Tests?|Spec)\.\w+$"
)


class Side(NamedTuple):
    """A model that is asked: its weight in the merge, and the ids of so many nodes that it finds
    nearest to a question."""

    name: str
    weight: float
    nearest: Callable[[str, int, Scope], list[str]]


NAME, WORD, MEANING, VECTOR = "name", "word", "meaning", "vector"
"""What a rank is called after: a name, words, the model that comes with them, one beside them."""


def beside(semantics: Semantics) -> Side:
    """The model whose vectors are kept beside the words."""

    def nearest(query: str, limit: int, scope: Scope) -> list[str]:
        vector = semantics.embedder.embed_query(query)
        near = semantics.vectors.query(vector, limit, scope) if vector.any() else []
        return [one.id for one in near]

    return Side(VECTOR, VECTOR_WEIGHT, nearest)


class Found(NamedTuple):
    """A node that answers, with its merged score and its ranks, each from 1, by what found it."""

    hit: Hit
    score: float
    ranks: Mapping[str, int]
    member: Member | None = None
    """What the query names, where that is a part of the node."""


class Ranking(NamedTuple):
    """The ids of nodes, the best first, and what they weigh beside other rankings."""

    name: str
    weight: float
    ids: Sequence[str]


Tell = Callable[[str], None]


def search(  # noqa: PLR0913 - the seams, the question, and whom to tell
    database: Database,
    sides: Iterable[Side],
    query: str,
    scope: Scope,
    limit: int,
    *,
    tell: Tell | None = None,
) -> list[Found]:
    """The best nodes for a query, at most `limit`; by words alone where no model is asked.

    So too, with someone to `tell` it, where the question's vector cannot be had or compared.
    """
    query = query[:QUERY_CHARS].encode(errors="replace").decode()
    by_name, by_word = _by_words(database, query, scope)
    rankings = [Ranking(NAME, NAME_WEIGHT, by_name), Ranking(WORD, WORD_WEIGHT, by_word)]
    rankings += [_asked(side, query, scope, tell) for side in sides if query.strip()]
    scores = merged(rankings)
    found = [
        Found(
            hit,
            scores[hit.id] * _share(hit, query),
            _ranks(rankings, hit.id),
            _member(hit.symbol, hit.members, query),
        )
        for hit in hits(database, sorted(scores), scope)
    ]
    found.sort(key=lambda one: (-one.score, one.hit.path, one.hit.start_line))
    return found[:limit]


def _asked(side: Side, query: str, scope: Scope, tell: Tell | None) -> Ranking:
    """What a model finds nearest to a question; nothing where it fails."""
    try:
        return Ranking(side.name, side.weight, side.nearest(query, CANDIDATES, scope))
    except (ServiceError, UserError) as exc:
        if tell is None:
            raise
        tell(f"{WORDS_ALONE} {exc}")
        return Ranking(side.name, side.weight, [])


def _share(hit: Hit, query: str) -> float:
    """Tests name what they test, often and in few words: they count less unless asked for."""
    return TEST_SHARE if _TEST.search(hit.path) and "test" not in query.casefold() else 1.0


def _by_words(database: Database, query: str, scope: Scope) -> tuple[list[str], list[str]]:
    """The ids of the nodes called as the query says, and of those that have its words."""
    terms = match_terms(query)
    if not terms:
        return [], []
    named, worded = matches(database, [[_name_expression(query)], terms], scope, CANDIDATES)
    by_name = [match.id for match in named if is_called(match.name, query)]
    by_name += [match.id for match in named if _member(match.name, match.members, query)]
    return list(dict.fromkeys(by_name)), [match.id for match in worded]


def _member(owner: str | None, members: str, query: str) -> Member | None:
    """The member that the query names, alone (`RED`) or with its owner (`Color.RED`)."""
    if owner and is_called(owner, query):
        return None
    called = (one for one in members_of(members) if is_called(f"{owner or ''}.{one.name}", query))
    return next(called, None)


def is_called(name: str, query: str) -> bool:
    """Whether the query is a name or its last parts: `add` or `Cart.add` of `a.Cart.add`."""
    asked = query.strip().removesuffix("()").replace("::", ".").casefold()
    return f".{name.casefold()}".endswith(f".{asked}") or name.casefold().endswith(f" > {asked}")


def _name_expression(query: str) -> str:
    """Of the words in a row, or of an owner's and its member's, which may stand apart."""
    phrase = query.replace('"', '""').replace("\0", " ")
    owner, _, member = phrase.rpartition(".")
    return f'symbol : ("{phrase}" OR ("{owner}" AND "{member}"))'


def with_the_words(database: Database) -> Side:
    """The model whose vectors come with the words."""
    from feeder.embed.static_codes import loaded
    from feeder.store.meanings import Meanings

    meanings = Meanings(database)

    def nearest(query: str, limit: int, scope: Scope) -> list[str]:
        vector = loaded().embed_query(query)
        return [one.id for one in meanings.query(vector, limit, scope)] if vector.any() else []

    return Side(MEANING, MEANING_WEIGHT, nearest)


def merged(rankings: Iterable[Ranking]) -> dict[str, float]:
    """Weighted reciprocal rank fusion (Cormack et al. 2009): weight / (k + rank), summed."""
    scores: dict[str, float] = {}
    for _, weight, ids in rankings:
        for rank, id_ in enumerate(ids, start=1):
            scores[id_] = scores.get(id_, 0.0) + weight / (RANK_CONSTANT + rank)
    return scores


def match_terms(query: str) -> list[str]:
    """An FTS5 query for each of the words; quoted, since a bare one can be syntax."""
    terms = dict.fromkeys(re.findall(r"[^\W_]+", words(query)))
    return [f'"{term}"' for term in terms]


def _ranks(rankings: Iterable[Ranking], id_: str) -> dict[str, int]:
    return {name: ids.index(id_) + 1 for name, _, ids in rankings if id_ in ids}
