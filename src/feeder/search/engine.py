"""What does the index answer to a question? One engine for all who ask."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from feeder.errors import ServiceError, UserError
from feeder.search.asked import Asked
from feeder.search.found import Answer, Found
from feeder.search.fusion import (
    ALIKE,
    FRAME,
    LINE,
    LINE_WEIGHT,
    NAME,
    PATH,
    RARE,
    SPELLED,
    SPELLED_WEIGHT,
    WORD,
    WRITTEN,
    Ranking,
    by_name,
    by_nearness,
    by_words,
    together,
)
from feeder.search.grouping import LinesOf, akin, grouped
from feeder.search.models import MEANING, VECTOR, Side
from feeder.search.query import QUERY_CHARS
from feeder.search.ranking import ranked
from feeder.search.trips import BY_WORD, first, second
from feeder.store import Database
from feeder.store.naming import MAX_BY_WORD as MOST_SPELLED
from feeder.store.naming import MAX_EXACT
from feeder.store.pieces import PartsByNode, part_ranges, read_part_ranges
from feeder.store.scope import Scope

BY_MODEL = 100
"""Nodes that each model brings; Vectorize answers no more."""
MOST = {WORD: BY_WORD, NAME: MAX_EXACT, SPELLED: MOST_SPELLED}
"""By what finds them, the nodes that are looked at."""
BY_MEANING_ALONE = 3
"""Nodes that answer where none has a word of the question: what is nearest may be far."""
NEAR_NAMES = 3
"""That are told where nothing is called as asked."""
NO_WORD = "No node that was looked at has a word of the question"
"""How that note begins; what is looked at is what the filters leave."""
WORDS_ALONE = "By words alone:"
"""Before the reason why a question is answered so."""

Tell = Callable[[str], None]


class Ranked(NamedTuple):
    """All nodes that were found, the best first, and what has to be said.

    It is not `is_whole` where a model failed; it `is_cut` where more nodes would answer. `spans`
    are of all that is named alike, None where they have to be asked for.
    """

    found: Sequence[Found]
    notes: Sequence[str] = ()
    is_whole: bool = True
    is_cut: bool = False
    spans: PartsByNode | None = None


class Paging(NamedTuple):
    """How many nodes are wanted, after how many others."""

    limit: int
    offset: int = 0


def search(  # noqa: PLR0913 - the seams, the question, and how it is answered
    database: Database,
    sides: Iterable[Side],
    query: str,
    scope: Scope,
    page: Paging,
    *,
    prefer: Collection[Scope] = (),
    lines_of: LinesOf | None = None,
    tell: Tell | None = None,
) -> Answer:
    """The best nodes for a query; by words alone where no model is asked.

    So too, with someone to `tell` it, where the question's vector cannot be had or compared.
    Nodes in what is to `prefer` come earlier. With `lines_of`, copies of a text are one hit.
    """
    return paged(
        database, rank(database, sides, query, scope, prefer=prefer, tell=tell), page, lines_of
    )


def rank(  # noqa: PLR0913 - the seams, and the question
    database: Database,
    sides: Iterable[Side],
    query: str,
    scope: Scope,
    *,
    prefer: Collection[Scope] = (),
    tell: Tell | None = None,
) -> Ranked:
    """What a search finds, as the index alone decides it."""
    asked = Asked(query[:QUERY_CHARS].encode(errors="replace").decode().replace("\0", " "))
    told: list[str] = []
    rankings = _rankings(database, sides, asked, scope, told.append if tell else None)
    if tell:
        for line in told:
            tell(line)
    ids = list(dict.fromkeys(id_ for ranking in rankings for id_ in ranking.scores))
    known = second(database, ids, scope, prefer)
    found = ranked(asked, rankings, known.hits, known.preferred)
    if _is_far(rankings):
        found = found[:BY_MEANING_ALONE]
    notes = _notes(asked, rankings, found)
    return Ranked(found, notes, not told, _is_cut(rankings), known.spans)


def paged(
    database: Database, ranked: Ranked, page: Paging, lines_of: LinesOf | None = None
) -> Answer:
    """A page of it, copies told by the texts as they are now.

    All that may be one is looked at for each page: so pages have no hit twice, and lose none.
    """
    end = page.offset + page.limit
    related = akin(ranked.found)
    wanted = [*related, *(one.hit for one in ranked.found[: end + len(related)])]
    known = (
        read_part_ranges(database, wanted)
        if ranked.spans is None
        else part_ranges(wanted, ranked.spans)
    )
    groups = grouped(ranked.found, known, lines_of)
    some, every = groups[page.offset : end], tuple(groups)
    return Answer(some, len(groups), ranked.notes, ranked.is_cut, every)


def _rankings(
    database: Database, sides: Iterable[Side], asked: Asked, scope: Scope, tell: Tell | None
) -> list[Ranking]:
    if not asked.text.strip():
        return []
    words, lines, running, named, nearly = first(database, asked, scope)
    return [
        by_name(FRAME, running),
        by_name(NAME, named.called),
        by_name(PATH, named.of_path),
        by_name(WRITTEN, named.written),
        by_name(ALIKE, nearly.ids),
        together(RARE, sorted(nearly.having, key=lambda id_: -words.get(id_, 0))),
        Ranking(SPELLED, SPELLED_WEIGHT, named.spelled),
        by_words(words),
        by_words(lines, LINE, LINE_WEIGHT),
        *(_asked(side, asked, scope, tell) for side in sides),
    ]


def _asked(side: Side, asked: Asked, scope: Scope, tell: Tell | None) -> Ranking:
    """What a model finds nearest to a question; nothing where it fails."""
    try:
        near = side.nearest(asked.text, BY_MODEL, scope)
    except (ServiceError, UserError) as exc:
        if tell is None:
            raise
        tell(f"{WORDS_ALONE} {exc}")
        near = []
    return by_nearness(side.name, side.weight, {one.id: one.score for one in near})


def _is_far(rankings: Iterable[Ranking]) -> bool:
    """Whether models alone find nodes."""
    by_model = (MEANING, VECTOR)
    return not any(ranking.scores for ranking in rankings if ranking.name not in by_model)


def _is_cut(rankings: Iterable[Ranking]) -> bool:
    """Whether more nodes may be called so or have a word of the question than were looked at.

    A word of most nodes finds none by itself, though some are called so.
    """
    found = {one.name: len(one.scores) for one in rankings}
    is_full = any(found.get(name, 0) >= most for name, most in MOST.items())
    return is_full or bool(found.get(NAME) and not found.get(WORD))


def _notes(asked: Asked, rankings: Iterable[Ranking], found: Sequence[Found]) -> list[str]:
    """What the one who asks has to know: that nothing is called so, or has a word of it."""
    has = {ranking.name: bool(ranking.scores) for ranking in rankings}
    if has.get(ALIKE):
        near = dict.fromkeys(one.hit.symbol for one in found if ALIKE in one.ranks)
        nearest = ", ".join(str(name) for name in list(near)[:NEAR_NAMES])
        return [f"Nothing is called {asked.name}. Names like it: {nearest}"]
    if has and _is_far(rankings):
        rest = "; what follows is near in meaning alone." if found else "."
        return [f"{NO_WORD}{rest}"]
    return []
