"""Which nodes answer a question? Names, words by bm25 and meaning, merged by reciprocal rank."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from feeder.errors import ServiceError, UserError
from feeder.nodes import Member
from feeder.run.feed import Semantics
from feeder.store import Database
from feeder.store.reading import Hit, hits, matches
from feeder.store.rows import members_of
from feeder.store.scope import Scope
from feeder.words import words

CANDIDATES = 100
"""Nodes that each side brings into the merge; Vectorize answers no more."""
RANK_CONSTANT = 20
WORD_WEIGHT, VECTOR_WEIGHT = 1.0, 2.0
"""Equal weights drag a good model down to bm25: hit@10 0.75 against 0.95 at 2 : 1 with k = 20."""

WORDS_ALONE = "By words alone:"
"""Before the reason why a question is answered so."""
QUERY_CHARS = 10_000
"""A longer query is cut: twenty thousand words take seconds, and D1 refuses more."""

NAME_WEIGHT = 4.0
"""Who asks for a name that there is wants its node first, whatever else speaks of it."""

TEST_SHARE = 0.5
_TEST = re.compile(
    r"(?:^|/)_*(?:tests?|specs?)_*/|(?:^|[/_.-])(?:test|spec)s?[_.-]|[a-z](?:Tests?|Spec)\.\w+$"
)


class Found(NamedTuple):
    """A node that answers, with its merged score and its rank by word and by meaning, from 1."""

    hit: Hit
    score: float
    word_rank: int | None
    vector_rank: int | None
    member: Member | None = None
    """What the query names, where that is a part of the node."""


def search(  # noqa: PLR0913 - the seams, the question, and whom to tell
    database: Database,
    semantics: Semantics | None,
    query: str,
    scope: Scope,
    limit: int,
    *,
    tell: Callable[[str], None] | None = None,
) -> list[Found]:
    """The best nodes for a query, at most `limit`; by words alone without semantics.

    So too, with someone to `tell` it, where the question's vector cannot be had or compared.
    """
    query = query[:QUERY_CHARS].encode(errors="replace").decode()
    by_name, by_word = _by_words(database, query, scope)
    by_meaning = _by_meaning(semantics, query, scope, tell) if semantics else []
    scores = merged({NAME_WEIGHT: by_name, WORD_WEIGHT: by_word, VECTOR_WEIGHT: by_meaning})
    word_ranks, vector_ranks = _ranks(by_word), _ranks(by_meaning)
    found = [
        Found(
            hit,
            scores[hit.id] * _share(hit, query),
            word_ranks.get(hit.id),
            vector_ranks.get(hit.id),
            _member(hit.symbol, hit.members, query),
        )
        for hit in hits(database, sorted(scores), scope)
    ]
    found.sort(key=lambda one: (-one.score, one.hit.path, one.hit.start_line))
    return found[:limit]


def _by_meaning(
    semantics: Semantics, query: str, scope: Scope, tell: Callable[[str], None] | None
) -> list[str]:
    """The ids of the nearest nodes."""
    if not query.strip():
        return []
    try:
        vector = semantics.embedder.embed_query(query)
        return [near.id for near in semantics.vectors.query(vector, CANDIDATES, scope)]
    except (ServiceError, UserError) as exc:
        if tell is None:
            raise
        tell(f"{WORDS_ALONE} {exc}")
        return []


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


def merged(rankings: dict[float, Sequence[str]]) -> dict[str, float]:
    """Weighted reciprocal rank fusion (Cormack et al. 2009): weight / (k + rank), summed."""
    scores: dict[str, float] = {}
    for weight, ids in rankings.items():
        for rank, id_ in enumerate(ids, start=1):
            scores[id_] = scores.get(id_, 0.0) + weight / (RANK_CONSTANT + rank)
    return scores


def match_terms(query: str) -> list[str]:
    """An FTS5 query for each of the words; quoted, since a bare one can be syntax."""
    terms = dict.fromkeys(re.findall(r"[^\W_]+", words(query)))
    return [f'"{term}"' for term in terms]


def _ranks(ids: Sequence[str]) -> dict[str, int]:
    return {id_: rank for rank, id_ in enumerate(ids, start=1)}
