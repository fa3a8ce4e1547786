"""Keeps tree-sitter from checking patterns against the grammar when a query is compiled.

For each node with children in a pattern, tree-sitter searches the parse table for children that
match. That takes nearly all of the time in which a query is compiled, up to 0.25 s for a pattern,
and only reports patterns that can never match. A language's folder is checked once, as it is
written (`query_errors`); in the compiled queries, the node types that it names are `unchecked`:

    (call method: (identifier) @calls)
    (call [(MISSING ERROR) method: (identifier) @calls])

The search considers only the first alternative of a first child, and takes `ERROR` for possible
everywhere, so it ends at once. No node is `(MISSING ERROR)`, so the pattern matches as before.
Each such node costs a little time when the query is run: types that are frequent in source code and
cheap to check should not be named.
"""

from collections.abc import Container, Iterator, Sequence

from feeder.parse.languages.query_source import Token

_IMPOSSIBLE = ("(", "MISSING", "ERROR", ")")
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")

Words = Sequence[Token]


def without_checks(words: Words, types: Container[str]) -> Words:
    """The words of a pattern in which nodes of these types are not checked."""
    return [word for term in _terms(words) for word in _rewrite(term, types)]


def _terms(words: Words) -> Iterator[Words]:
    """Splits a sequence into its terms, each with its field, captures and quantifier."""
    start = depth = 0
    for index, word in enumerate(words):
        depth += (word.text in _OPENING) - (word.text in _CLOSING)
        following = words[index + 1].text if index + 1 < len(words) else ""
        if not depth and not word.text.endswith(":") and following[:1] not in {*"@?*+"}:
            yield words[start : index + 1]
            start = index + 1


def _rewrite(term: Words, types: Container[str]) -> Words:
    opening = 1 if term[0].text.endswith(":") else 0
    if term[opening].text not in _OPENING or _is_predicate(term):
        return term
    closing = max(index for index, word in enumerate(term) if word.text in _CLOSING)
    first = opening + 1
    is_unchecked = term[opening].text == "(" and term[first].text in types
    first += is_unchecked
    inner = without_checks(term[first:closing], types)
    if is_unchecked:
        inner = _with_impossible_child(inner)
    return [*term[:first], *inner, *term[closing:]]


def _with_impossible_child(inner: Words) -> Words:
    """The children of a node as the second alternative to one that is not checked.

    They remain as they are if a match of them could end otherwise as an alternative: if they have
    quantifiers, an anchor at their end, or possibly no captures.
    """
    terms = list(_terms(inner))
    outside = [term for term in terms if term[0].text[0] == "!" or _is_predicate(term)]
    children = [term for term in terms if term not in outside]
    anchor = children.pop(0) if children and children[0][0].text == "." else []
    if (
        not any(map(_always_captures, children))
        or children[-1][0].text == "."
        or any(_is_quantified(word.text) for child in children for word in child)
    ):
        return inner
    line = children[0][0].line

    def tokens(*texts: str) -> Words:
        return [Token(text, line) for text in texts]

    sequence = [word for child in children for word in child]
    if len(children) > 1:
        if sequence[0].text.endswith(":"):  # a group cannot begin with a field
            length = len(children[0])
            sequence = [*tokens("["), *sequence[:length], *tokens("]"), *sequence[length:]]
        sequence = [*tokens("("), *sequence, *tokens(")")]
    settings = [word for term in outside for word in term]
    alternatives = [*tokens("[", *_IMPOSSIBLE), *sequence, *tokens("]")]
    negated = [word for word in settings if word.text[0] == "!"]
    predicates = settings[len(negated) :]
    return [*negated, *anchor, *alternatives, *predicates]


def _is_quantified(word: str) -> bool:
    return word[-1] in "?*+" and word[0] != "#"


def _is_predicate(term: Words) -> bool:
    return len(term) > 1 and term[0].text == "(" and term[1].text[0] == "#"


def _always_captures(term: Words) -> bool:
    """True if each match of a term has a capture."""
    if term[-1].text[0] == "@":
        return True
    opening = 1 if term[0].text.endswith(":") else 0
    if term[opening].text not in _OPENING or _is_predicate(term):
        return False
    inner = list(_terms(term[opening + 1 : -1]))
    if term[opening].text == "[":
        return all(_always_captures(branch) for branch in inner if not _is_impossible(branch))
    return any(map(_always_captures, inner))


def _is_impossible(term: Words) -> bool:
    return tuple(word.text for word in term) == _IMPOSSIBLE
