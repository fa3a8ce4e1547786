"""Matches a query against symbol names: exact names and paths, names made of the query's words,
and similar names by trigrams.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from feeder.nodes import Member
from feeder.search.file_kinds import TEST, is_document
from feeder.search.query import QueryText, name_part_stems
from feeder.store import Row, Statement
from feeder.store.name_search import (
    NameMatch,
    exact_name_statement,
    file_name_statement,
    ids_by_word_statement,
    name_matches,
    name_prefix_statement,
    name_words_statement,
    similar_names_statement,
)
from feeder.store.rows import decode_members
from feeder.store.scope import Scope, is_test_path
from feeder.text import normalize_symbol, symbol_ends_with

MIN_SIMILARITY = 0.35
"""By how much two names are alike at least: their common trigrams, twice, among all of both."""
CONTAINS_BONUS = 0.3
"""More for a name that has the other one in it."""
MAX_SIMILAR = 20
"""Nodes that are nearly called so, at most."""
MIN_SIMILAR_LETTERS = 4
RARE_WORD_NODES = 20
"""Nodes that have a word at most, for those to come before what a model finds near to it."""
RARE_COMPOUND_NODES = 200
"""The same of a word that is made of several, which nobody writes by chance."""
MAX_NAME_WORDS = 6
"""Of a longer question no name is made."""

DEFINITION_TYPES = ("class", "method")
DECLARATION_SUFFIXES = (".d.ts", ".pyi", ".h", ".hpp", ".hh", ".hxx")


class NameMatches(NamedTuple):
    """The ids of the nodes that a question names, the best first, and of nodes of a path.

    `spelled` are nodes whose names are made of its words, by how well these agree; `written` those
    of them that are made of no others.
    """

    exact_ids: Sequence[str]
    composed_ids: Sequence[str]
    path_ids: Sequence[str]
    overlap_scores: Mapping[str, float]

    @property
    def has_exact(self) -> bool:
        """Whether something is just what was asked for."""
        return bool(self.exact_ids or self.path_ids)


def name_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """What the index is asked: nodes by the name, by its words, and files by the path."""
    text = query_text.name or query_text.text.strip()
    found = [
        _exact_statement(text, scope),
        name_words_statement(query_text.word_parts if _is_short_query(query_text) else [], scope),
    ]
    return [*found, file_name_statement(query_text.path, scope)] if query_text.path else found


def match_names(query_text: QueryText, row_sets: Sequence[Iterable[Row]]) -> NameMatches:
    """What they say; types come before their members, definitions before declarations."""
    by_name, by_words, *by_path = map(name_matches, row_sets)
    text = query_text.name or query_text.text.strip()
    found = [node for node in by_name if _node_is_named(node, text)]
    agreeing = {
        node.id: max(
            _best_overlap(node.name, words)
            for words in (query_text.stems, query_text.stems_with_stop_words)
        )
        for node in by_words
    }
    written = [node for node in by_words if agreeing[node.id] == 1 and node not in found]
    if not query_text.matches(TEST.query_pattern):
        written = [node for node in written if not is_test_path(node.path)]
    return NameMatches(
        _node_ids(sorted(found, key=lambda node: _sort_key(node, text))),
        _node_ids(sorted(written, key=lambda node: _sort_key(node, text))),
        _node_ids(node for nodes in by_path for node in nodes),
        dict(sorted(agreeing.items(), key=lambda one: -one[1])),
    )


def _node_ids(nodes: Iterable[NameMatch]) -> list[str]:
    return [node.id for node in nodes]


def _exact_statement(text: str, scope: Scope) -> Statement:
    return exact_name_statement(_fts_expression(text), text, scope)


def _rare_limit(query_text: QueryText) -> int:
    """Of how many nodes a word is rare."""
    return RARE_COMPOUND_NODES if len(query_text.word_parts) > 1 else RARE_WORD_NODES


def _is_short_query(query_text: QueryText) -> bool:
    return 0 < len(query_text.word_parts) <= MAX_NAME_WORDS


def name_overlap(symbol: str, stems: frozenset[str]) -> float:
    """How well a question's words and those of a name's last part are the same ones, up to 1."""
    return _dice_coefficient(name_stems(_last_part(symbol)), stems)


def _best_overlap(symbol: str, stems: frozenset[str]) -> float:
    """The same, or with those of its owner where that is better: `request finalize`."""
    owner, _, last = symbol.rpartition(".")
    both = name_stems(last) | name_stems(owner.rpartition(".")[2])
    return max(name_overlap(symbol, stems), _dice_coefficient(both, stems))


def _dice_coefficient(name_words: frozenset[str], query_words: frozenset[str]) -> float:
    """The harmonic mean of what part of each is in the other."""
    return 2 * len(name_words & query_words) / ((len(name_words) + len(query_words)) or 1)


@lru_cache(10_000)
def name_stems(name: str) -> frozenset[str]:
    """The words that a name is made of, without their endings."""
    return name_part_stems([name])


class SimilarNames(NamedTuple):
    """The ids of the few nodes that have the word asked for, and of those whose name begins so; of
    those whose name is like it, where it is in none."""

    word_ids: Sequence[str] = ()
    ids: Sequence[str] = ()


def similar_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """What the index is asked where nothing is called so: what has the name as a word, begins with
    it, or is like it; none where no name is asked for."""
    name = _last_part(query_text.name)
    if len(name) < MIN_SIMILAR_LETTERS:
        return []
    itself = _exact_statement(query_text.name, scope)
    return [
        ids_by_word_statement(name, _rare_limit(query_text) + 1, itself),
        name_prefix_statement(name, itself),
        similar_names_statement(name, scope),
    ]


def match_similar(
    query_text: QueryText, matches: NameMatches, row_sets: Sequence[Iterable[Row]]
) -> SimilarNames:
    """What they say; nothing where a node is called so, or where it is a word of many nodes."""
    if matches.has_exact or not row_sets:
        return SimilarNames()
    name = _last_part(query_text.name)
    there, beginning, like = row_sets
    if ids := [str(id_) for (id_,) in there]:
        whole = (
            ()
            if matches.overlap_scores
            else _prefix_matches(name_matches(beginning), query_text.name)
        )
        return SimilarNames(ids if len(ids) <= _rare_limit(query_text) else (), whole)
    grams = _trigrams(name)
    scored = [(_similarity(name, grams, node), node) for node in name_matches(like)]
    near = [(score, node) for score, node in scored if score > MIN_SIMILARITY]
    near.sort(
        key=lambda one: (
            -one[0],
            -_owner_similarity(one[1], query_text.name),
            *_sort_key(one[1], name),
        )
    )
    return SimilarNames(ids=[node.id for _, node in near[:MAX_SIMILAR]])


def _prefix_matches(nodes: Iterable[NameMatch], name: str) -> list[str]:
    """Those whose last part begins with a name's: `RealCal` is in the middle of typing `RealCall`.

    Those of an owner like its own come first.
    """
    last = _last_part(name)
    begins = [
        node
        for node in nodes
        if _lowercase_letters(_last_part(node.name)).startswith(_lowercase_letters(last))
    ]
    found = sorted(
        begins, key=lambda node: (-_owner_similarity(node, name), *_sort_key(node, last))
    )
    return _node_ids(found)[:MAX_SIMILAR]


def find_member(owner: str | None, members: str, query: str) -> Member | None:
    """The member that the query names, alone (`RED`) or with its owner (`Color.RED`)."""
    if not members:
        return None
    name, asked = (normalize_symbol(text).casefold() for text in (owner or "", query))
    if name and symbol_ends_with(name, asked):
        return None
    called = (
        one
        for one in decode_members(members)
        if symbol_ends_with(f"{name}.{one.name.casefold()}", asked)
    )
    return next(called, None)


def is_named(name: str, searched_name: str) -> bool:
    """Whether the query is a name or its last parts: `add` or `Cart.add` of `a.Cart.add`."""
    return symbol_ends_with(
        normalize_symbol(name).casefold(), normalize_symbol(searched_name).casefold()
    )


def _node_is_named(node: NameMatch, text: str) -> bool:
    return is_named(node.name, text) or find_member(node.name, node.members, text) is not None


def _sort_key(node: NameMatch, text: str) -> tuple[bool | int | str, ...]:
    """As typed before other case, sources before tests, types before members, longest first."""
    kind = DEFINITION_TYPES.index(node.node_type) if node.node_type in DEFINITION_TYPES else 2
    return (
        is_document(node.path),
        kind == len(DEFINITION_TYPES),
        not node.name.endswith(text),
        is_test_path(node.path),
        kind,
        node.path.endswith(DECLARATION_SUFFIXES),
        -node.lines,
        node.path,
        node.start_line,
    )


def _fts_expression(text: str) -> str:
    """FTS5's query for words in a row, or for an owner's and its member's, which may be apart."""
    phrase = text.replace('"', '""')
    owner, _, last = phrase.rpartition(".")
    apart = f' OR ("{owner}" AND "{last}")' if owner else ""
    return f'symbol : ("{phrase}"{apart})'


def _similarity(name: str, grams: Counter[str], node: NameMatch) -> float:
    last = _lowercase_letters(_last_part(node.name))
    return _trigram_similarity(grams, _trigrams(last)) + CONTAINS_BONUS * (
        _lowercase_letters(name) in last
    )


def _owner_similarity(node: NameMatch, name: str) -> float:
    """How like the node's owner is to the one that the name has, up to 1; 0 where it has none."""
    owner, own = (_last_part(one.rpartition(".")[0]) for one in (name, node.name))
    return _trigram_similarity(_trigrams(owner), _trigrams(own)) if owner and own else 0


def _trigram_similarity(grams: Counter[str], others: Counter[str]) -> float:
    """Of two names' trigrams, those that both have."""
    return 2 * (grams & others).total() / (grams.total() + others.total())


def _last_part(name: str) -> str:
    return name.rpartition(".")[2]


def _lowercase_letters(name: str) -> str:
    return name.replace("_", "").lower()


def _trigrams(name: str) -> Counter[str]:
    padded = f"  {_lowercase_letters(name)} "
    return Counter(padded[at : at + 3] for at in range(len(padded) - 2))
