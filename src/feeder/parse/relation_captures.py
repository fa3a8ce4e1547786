"""What the captures of a grammar's category `Relation` are; languages/README.md explains each."""

from feeder.relation import (
    BINDING,
    CALL,
    EXPORT,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    MENTION,
    PARAMETER,
    RETURNS,
    UNNAMED,
    USE,
    VISIBILITY,
)

KINDS = {
    "calls": CALL,
    "accesses": MENTION,
    "attributes": MENTION,
    "mentions": MENTION,
    "exported": MENTION,
    "visible": MENTION,
    "tokens": MENTION,
    "visible_tokens": MENTION,
    "argument_label": MENTION,
    "key": MENTION,
    "shorthand": MENTION,
    "implicit": MENTION,
    "symbol": MENTION,
    "unpacked": MENTION,
    "base": CALL,
    "statement": CALL,
    "locals": MENTION,
    "local_scope": MENTION,
    "member_scope": MENTION,
    "expands": CALL,
    "inherits": INHERITS,
    "implements": IMPLEMENTS,
    "unnamed": UNNAMED,
    "variant": INHERITS,
    "uses": USE,
    "extends": USE,
    "owner": USE,
    "returns": RETURNS,
    "binds": BINDING,
    "fields": MENTION,
    "overrides": MENTION,
    "parameter": PARAMETER,
    "visibility": VISIBILITY,
    "imports": IMPORT,
    "module": IMPORT,
    "exports": EXPORT,
}
"""The kind of relation of each capture, the most frequent ones first.

The first of them that a match has says what the match is.
"""

DETAIL_KINDS = frozenset({BINDING, PARAMETER, RETURNS, VISIBILITY})
"""Kinds of what a declaration says about a name: most of the less frequent captures."""

_RANKED = (INHERITS, IMPLEMENTS, UNNAMED, CALL, USE, MENTION)
RANKS = {kind: rank for rank, kind in enumerate(_RANKED)}
"""If several patterns match one identifier, the first of these kinds counts."""
