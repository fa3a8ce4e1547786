"""Restricts a scope to nodes with a relation: filters such as `calls:add` and `inherits:Cart`.

A filter compares names, without resolving them, as the index stores them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from feeder.errors import UserError
from feeder.notes import Note, NoteKind
from feeder.query.alternatives import OR, RELATION_OR
from feeder.relation import (
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    MENTION,
    PARAMETER,
    RETURNS,
    UNNAMED,
    USE,
    VISIBILITY,
    aliased_text,
    named_texts,
    qualified_texts,
)
from feeder.store import Database, Statement, fts_query
from feeder.store.relations import has_relations
from feeder.store.scope import Scope
from feeder.text import normalize_symbol

MAX_NODES = 5_000
"""The most nodes that a filter searches. If more match, a note says that only the first were."""

KINDS_BY_FILTER = {
    "calls": CALL,
    "uses": USE + MENTION,
    "imports": IMPORT,
    "inherits": INHERITS + UNNAMED,
    "implements": IMPLEMENTS + INHERITS + UNNAMED,
    "returns": RETURNS,
    "param": PARAMETER,
    "visibility": VISIBILITY,
}
"""The kinds of relations of each filter; some languages have no `implements` but `inherits`."""

QUALIFIED_KINDS = {"imports": IMPORT, "param": PARAMETER}
"""Filters whose value may also be the module of an import, or the type of a parameter."""

EXAMPLES = {
    "calls": "add",
    "uses": "Cart",
    "imports": "shop.cart",
    "inherits": "Base",
    "implements": "Interceptor",
    "returns": "Response",
    "param": "timeout",
    "visibility": "private",
}
"""A name for each filter, for the error without one."""

# ?1 an FTS5 query, ?2 repositories, null for all, ?3 texts of which the relations have one
NODES_WITH_RELATIONS = """
SELECT d.id FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?1) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE (?2 IS NULL OR d.repo IN (SELECT value FROM json_each(?2)))
AND EXISTS (SELECT 1 FROM json_each(?3) j WHERE instr(d.relations, j.value))
ORDER BY d.seq LIMIT ?4
"""

CONVENTIONAL = ("public", "private", "internal")
"""Visibilities that a node may have without the word: all nodes are read for them."""

# ?1 repositories, null for all, ?2 texts of which the relations have one
NODES_WITH_VISIBILITY = """
SELECT d.id FROM docs d WHERE (?1 IS NULL OR d.repo IN (SELECT value FROM json_each(?1)))
AND EXISTS (SELECT 1 FROM json_each(?2) j WHERE instr(d.relations, j.value))
ORDER BY d.seq LIMIT ?3
"""


def restrict_to_relations(
    database: Database, filters: Sequence[str], scope: Scope
) -> tuple[Scope, list[Note]]:
    """The scope with the nodes that pass all filters, such as `calls:add`, and notes.

    Raises UserError for an index without relations.
    """
    if not filters:
        return scope, []
    statements = [_statement(text, scope) for text in filters]
    results = [[str(id_) for (id_,) in rows] for rows in database.run(statements)]
    if scope.repos and not any(results) and not _have_relations(database, scope.repos):
        raise UserError(
            f"{_as_typed(filters[0])} needs relations, which this index lacks: it was made by an "
            "earlier version, or its languages have none.",
            "Bring it up to date: feeder sync",
        )
    notes = [
        Note(
            NoteKind.PARTIAL_SEARCH,
            f"{_as_typed(text)} matches more than {MAX_NODES:,} nodes: "
            "the first ones were searched.",
        )
        for text, ids in zip(filters, results, strict=True)
        if len(ids) > MAX_NODES
    ]
    first, *others = results
    allowed = [set(ids) for ids in others]
    ids = [id_ for id_ in first if all(id_ in ids for ids in allowed)]
    return scope._replace(ids=tuple(ids[:MAX_NODES])), notes


def _have_relations(database: Database, repos: Sequence[str]) -> bool:
    return any(has_relations(database, repo) for repo in repos)


def _statement(text: str, scope: Scope) -> Statement:
    """The nodes that pass a filter, or one of several joined by `OR`, which have equal heads."""
    head = text.partition(":")[0]
    names = [_name(alternative) for alternative in text.split(RELATION_OR)]
    needles = [needle for name in names for needle in _needles(head, name)]
    repos = None if scope.repos is None else json.dumps(scope.repos)
    if head == "visibility" and not set(names).isdisjoint(CONVENTIONAL):
        return Statement(NODES_WITH_VISIBILITY, (repos, json.dumps(needles), MAX_NODES + 1))
    query = f"body : ({fts_query.any_of(names)})"
    return Statement(NODES_WITH_RELATIONS, (query, repos, json.dumps(needles), MAX_NODES + 1))


def _as_typed(text: str) -> str:
    return text.replace(RELATION_OR, f" {OR} ")


def _name(text: str) -> str:
    head, _, typed = text.partition(":")
    name = typed if head == "imports" else normalize_symbol(typed).rpartition(".")[2]
    if not any(map(str.isalnum, name)):
        raise UserError(f"{text} has no name.", f"Write one, as in {head}:{EXAMPLES[head]}.")
    return name


def _needles(head: str, name: str) -> list[str]:
    """Texts of which the relations of a node that passes the filter have one."""
    needles = named_texts(name, KINDS_BY_FILTER[head])
    if head in QUALIFIED_KINDS:
        kind = QUALIFIED_KINDS[head]
        needles += [*qualified_texts(kind, name), aliased_text(kind, name)]
    return needles
