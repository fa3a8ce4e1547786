"""Finds the nodes that have a token of the query literally: reads the lines of the candidates, and
asks git where many candidates only have its words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_texts, snapshot_repositories
from feeder.query.file_kinds import is_document, is_source
from feeder.query.literals import Literal, defines_literal, find_spans, token_literal
from feeder.query.query_text import QueryText
from feeder.ranking.name_matching import RARE_WORD_NODES
from feeder.ranking.ranking import Ranking, literal_ranking
from feeder.ranking.retrieval import MAX_BY_LITERAL, CandidateDetails
from feeder.store.hits import Hit

CONFIRMED_BATCH = 100
"""Candidates whose lines are read for a token of code, the best by word."""

ENOUGH_CONFIRMED = 20
"""Nodes with a token, two pages; after a batch with fewer the next candidates are read."""

ReadIndexedTexts = Callable[[Mapping[str, str]], Mapping[str, "str | None"]]
"""Reads texts as they were indexed, given blob ids by path; None where git no longer has them."""

FindNodes = Callable[[Sequence[str]], Sequence[str]]
"""Returns the ids of all nodes that have one of the tokens literally, as far as git can tell."""


class RepositoryTexts(NamedTuple):
    """The files of a repository: `read` returns texts by path, as they were indexed, given blob
    ids. `find_nodes` is None if git cannot search what the index equals.
    """

    repo: str
    read: ReadIndexedTexts
    find_nodes: FindNodes | None = None


class LiteralNodes(NamedTuple):
    """The nodes whose lines have a literal, with the texts of these, in the order of candidates.

    `defining_ids` are those with a line that defines one, `flag_ids` those with a dash before one.
    `unread_ids` have no lines here.
    """

    texts_by_id: Mapping[str, Collection[str]] = {}
    defining_ids: Collection[str] = ()
    flag_ids: Collection[str] = ()
    unread_ids: Sequence[str] = ()


def repository_texts(corpus: Corpus) -> RepositoryTexts:
    """The files of a repository."""
    others = snapshot_repositories(corpus.database)
    read = partial(indexed_texts, corpus.base, other_repositories=others)

    def find_nodes(tokens: Sequence[str]) -> Sequence[str]:
        from feeder.ranking.literal_lines import ids_with_tokens  # imports git's search

        return ids_with_tokens(corpus, tokens)

    is_here = corpus.database.access.on_this_machine
    return RepositoryTexts(corpus.repo, read, find_nodes if is_here else None)


def query_literals(query_text: QueryText) -> list[Literal]:
    """The literals of a query's tokens; a flag matches in its case only, even as a plain word."""
    flags = query_text.flag_tokens
    return [
        Literal(token, True, True) if token in flags else token_literal(token)
        for token in query_text.code_tokens
    ]


def find_literal_nodes(
    ids: Sequence[str],
    literals: Sequence[Literal],
    candidates: CandidateDetails,
    files: RepositoryTexts,
) -> LiteralNodes:
    """Reads the lines of candidates, and finds the literals in them, until enough have one.

    Nothing is read for plain words: nearly all nodes that one finds have it, and reading them takes
    as long as the search.
    """
    if not any(literal.case_sensitive for literal in literals):
        return LiteralNodes(unread_ids=ids)
    hits = {hit.id: hit for hit in candidates.hits}
    ids = _sources_first(ids, hits)
    confirmed: dict[str, Collection[str]] = {}
    defining, flags, read_ids = set[str](), set[str](), set[str]()
    for batch in range(0, len(ids), CONFIRMED_BATCH):
        checked = [
            hits[id_]
            for id_ in ids[batch : batch + CONFIRMED_BATCH]
            if id_ in hits and hits[id_].repo == files.repo and candidates.blobs.get(id_)
        ]
        texts = files.read({hit.path: candidates.blobs[hit.id] for hit in checked})
        places = {
            path: [place for literal in literals for place in _literal_places(text, literal)]
            for path, text in texts.items()
            if text is not None
        }
        read_ids.update(hit.id for hit in checked if hit.path in places)
        for hit in checked:
            inside = _places_inside(hit, places.get(hit.path, ()))
            if inside:
                confirmed[hit.id] = {place.literal for place in inside}
            text = texts[hit.path] or ""
            if any(text[place.start - 1 : place.start] == "-" for place in inside):
                flags.add(hit.id)
            if is_source(hit.path) and any(
                defines_literal(text, place.start, place.end) for place in inside
            ):
                defining.add(hit.id)
        if len(confirmed) >= ENOUGH_CONFIRMED:
            break
    return LiteralNodes(confirmed, defining, flags, [id_ for id_ in ids if id_ not in read_ids])


def _sources_first(ids: Sequence[str], hits: Mapping[str, Hit]) -> list[str]:
    """The candidates in their order, those of sources first: only there is a token defined."""
    return sorted(ids, key=lambda id_: id_ not in hits or not is_source(hits[id_].path))


def other_literal_ids(
    ids: Sequence[str], nodes: LiteralNodes, query_text: QueryText, files: RepositoryTexts
) -> list[str]:
    """The other nodes with a token of code, where more candidates than were read have its words
    and few of them the token: `Fluent::Plugin` for `FLUENT_PLUGIN`.
    """
    tokens = [token for token in query_text.code_tokens if token != query_text.message]
    is_full = len(ids) >= MAX_BY_LITERAL and len(nodes.texts_by_id) < ENOUGH_CONFIRMED
    if not (is_full and tokens and files.find_nodes) or len(nodes.unread_ids) == len(ids):
        return []
    return [id_ for id_ in files.find_nodes(tokens) if id_ not in nodes.texts_by_id]


def merged(nodes: LiteralNodes, others: LiteralNodes) -> LiteralNodes:
    """The nodes of both; git has found all that can be read."""
    return LiteralNodes(
        {**nodes.texts_by_id, **others.texts_by_id},
        {*nodes.defining_ids, *others.defining_ids},
        {*nodes.flag_ids, *others.flag_ids},
        nodes.unread_ids,
    )


def rank_literal_nodes(
    query_text: QueryText, nodes: LiteralNodes, hits: Iterable[Hit], *, has_similar_names: bool
) -> Ranking:
    """The ranking by token: nodes that define it come first, and before them those that have the
    whole message; of a flag, nodes of sources with its dashes come second.

    Where no lines can be read, all candidates are in it, unless there is a similar name. Of a
    longer query, the nodes are left out if they are many: they say little.
    """
    message = query_text.message
    paths = {hit.id: hit.path for hit in hits}
    texts = nodes.texts_by_id
    if not texts and not has_similar_names:
        own_texts = {*query_text.code_tokens}
        texts = dict.fromkeys(nodes.unread_ids, own_texts)
    # a message is code's; a document with these words may be about something else
    with_message = [
        id_
        for id_, own in texts.items()
        if message and message in own and not is_document(paths.get(id_, ""))
    ]
    with_token = [id_ for id_, own in texts.items() if any(text != message for text in own)]
    if not query_text.is_one_token:
        with_message, with_token = (
            ids if len(ids) <= RARE_WORD_NODES else [] for ids in (with_message, with_token)
        )
    second: Collection[str] = ()
    if query_text.is_one_token and query_text.flag_tokens:
        second = {id_ for id_ in nodes.flag_ids if is_source(paths.get(id_, ""))}
        with_token = _flag_nodes(query_text, nodes, with_token)
    can_follow = nodes.texts_by_id and query_text.is_one_token
    return literal_ranking(
        [*with_message, *with_token],
        with_message or nodes.defining_ids,
        nodes.unread_ids if can_follow else (),
        second,
    )


def _flag_nodes(query_text: QueryText, nodes: LiteralNodes, ids: Sequence[str]) -> list[str]:
    """The nodes with a flag: of one that is a plain word, such as `--health`, only those that have
    its dashes or define it, if there are any.
    """
    is_plain = any(token.isalpha() and token.islower() for token in query_text.flag_tokens)
    marked = {*nodes.flag_ids, *nodes.defining_ids}
    return [id_ for id_ in ids if id_ in marked or not (is_plain and marked)]


class _LiteralPlace(NamedTuple):
    """The characters of a literal in a text, and their lines."""

    literal: str
    start: int
    end: int
    first_line: int
    last_line: int


def _places_inside(hit: Hit, places: Iterable[_LiteralPlace]) -> list[_LiteralPlace]:
    return [
        place
        for place in places
        if hit.start_line <= place.first_line and place.last_line <= hit.end_line
    ]


def _literal_places(text: str, literal: Literal) -> Iterator[_LiteralPlace]:
    """The lines of a text that have a literal."""
    line, counted = 1, 0
    for start, end in find_spans(text, literal):
        line, counted = line + text.count("\n", counted, start), start
        yield _LiteralPlace(literal.text, start, end, line, line + text.count("\n", start, end))
