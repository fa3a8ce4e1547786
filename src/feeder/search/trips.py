"""What is the index asked? What the question alone decides, then what the nodes decide it finds.

Each is one batch, so that a question to a database elsewhere takes two trips there, and one more
where a filter is read. A file on this machine is asked in more steps, but for less: for names like
the one asked for where nothing is called so, and for pieces of the nodes of a page.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from feeder.search import frames, names, preferring
from feeder.search.asked import Asked
from feeder.store import Database, descriptions
from feeder.store.counting import node_counts
from feeder.store.pieces import PartsByNode, parts_from_rows, parts_statement
from feeder.store.reading import (
    Hit,
    hits_from_rows,
    hits_statement,
    scores_by_id,
    word_search_statement,
)
from feeder.store.scope import Scope
from feeder.store.sqlite import is_local

BY_WORD = 200
"""Nodes that words bring."""


class First(NamedTuple):
    """What a question finds: nodes with bm25's scores of its words, in their texts and in the lines
    that describe them, those that a trace names, and what it names itself, or nearly so."""

    words: dict[str, float]
    lines: dict[str, float]
    running: Sequence[str]
    names: names.Names
    nearly: names.Nearly


class Second(NamedTuple):
    """What is known of nodes: all of each, which are preferred; and where those lie that are named
    alike in their files, None where it was not asked."""

    hits: Sequence[Hit]
    preferred: Collection[str]
    spans: PartsByNode | None


def first(database: Database, asked: Asked, scope: Scope) -> First:
    """What the index finds by the question alone."""
    here = is_local(database)
    traced, named = frames.statements(asked, scope), names.statements(asked, scope)
    near = names.nearly_statements(asked, scope)
    words = word_search_statement(asked.terms, scope, BY_WORD, node_counts(database, asked.terms))
    lines = descriptions.description_search_statement(asked.terms, scope, BY_WORD)
    by_word, by_line, *rest = database.run([words, lines, *traced, *named, *([] if here else near)])
    end = len(traced) + len(named)
    known = names.names(asked, rest[len(traced) : end])
    nearly = database.run(near) if here and near and not known.are_there else rest[end:]
    return First(
        scores_by_id(by_word),
        scores_by_id(by_line),
        frames.running(asked, rest[: len(traced)]),
        known,
        names.nearly(asked, known, nearly),
    )


def second(
    database: Database, ids: Sequence[str], scope: Scope, prefer: Collection[Scope]
) -> Second:
    """What the index knows of the nodes that were found."""
    if not ids:
        return Second((), (), {})
    liked = preferring.statements(ids, prefer)
    pieces = [] if is_local(database) else [parts_statement(ids)]
    found, *rest = database.run([hits_statement(ids, scope), *liked, *pieces])
    known = parts_from_rows(rest[-1]) if pieces else None
    return Second(hits_from_rows(found), preferring.preferred(rest[: len(liked)]), known)
