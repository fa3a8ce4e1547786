"""Matches a query against symbol names: exact names and paths, names made of the query's words,
and similar names by trigrams.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from feeder.query.file_kinds import TEST, is_document, is_source
from feeder.query.literals import token_literal
from feeder.query.query_text import ALNUM_PATTERN, QueryText, name_part_stems
from feeder.query.spelling import MAX_CORRECTED_LETTERS, one_edit_variants
from feeder.ranking.member_names import find_member, find_near_member, is_named, own_names
from feeder.store import Row, Statement, fts_query
from feeder.store.name_search import (
    NameMatch,
    exact_name_statement,
    file_name_statement,
    ids_by_word_statement,
    name_matches,
    name_prefix_statement,
    name_words_statement,
    similar_names_statement,
    spelled_names_statement,
)
from feeder.store.rows import decode_members
from feeder.store.scope import Scope, is_test_path
from feeder.suggestions import is_within_one_edit
from feeder.text import last_name, normalize_symbol, trigrams

MIN_SIMILARITY = 0.35
"""The least share of common trigrams of two similar names."""
CONTAINS_BONUS = 0.3
"""Added for a name that contains the other one."""
MAX_SIMILAR = 20
"""Nodes with similar names, at most."""
MIN_SIMILAR_LETTERS = 4
RARE_WORD_NODES = 20
"""A word in at most so many nodes is rare: they come before what models find."""
RARE_COMPOUND_NODES = 200
"""The same for a compound word, which nobody writes by chance."""
MAX_SPELLING_WORDS = 4
"""A name of more words is looked up in no other spelling: its phrases take FTS5 too long."""
MAX_NAME_WORDS = 6
"""A query of more words is not compared with names."""

DEFINITION_TYPES = ("class", "method")
DECLARATION_SUFFIXES = (".d.ts", ".pyi", ".h", ".hpp", ".hh", ".hxx")


class NameMatches(NamedTuple):
    """Ids of the nodes whose names or paths match a query, the best first.

    `overlap_scores` are by how well the words of name and query agree; `composed_ids` are names
    made of exactly the query's words. `resembling_ids` are those of all whose name or path is not
    exactly the query's token.
    """

    exact_ids: Sequence[str]
    composed_ids: Sequence[str]
    path_ids: Sequence[str]
    overlap_scores: Mapping[str, float]
    resembling_ids: Sequence[str] = ()

    @property
    def has_exact(self) -> bool:
        """Returns True if a node or a file has exactly the name."""
        return bool(self.exact_ids or self.path_ids)


def name_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """Statements that find nodes by the query's name, by its words, and files by its path."""
    text = query_text.name or query_text.text.strip()
    statements = [
        _exact_statement(text, scope),
        name_words_statement(query_text.word_parts if _is_short_query(query_text) else [], scope),
    ]
    return (
        [*statements, file_name_statement(query_text.path, scope)]
        if query_text.path
        else statements
    )


def anchor_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """Statements that find the nodes of each name in a text of several lines."""
    return [_exact_statement(name, scope) for name in query_text.anchor_names]


def match_anchors(query_text: QueryText, row_sets: Sequence[Iterable[Row]]) -> list[str]:
    """Ids of the definitions of the names in the text that only one source file defines."""
    ids: list[str] = []
    for name, rows in zip(query_text.anchor_names, row_sets, strict=True):
        definitions = [
            node
            for node in name_matches(rows)
            if node.node_type in DEFINITION_TYPES
            and is_source(node.path)
            and is_named(node.name, name)
        ]
        if len({node.path for node in definitions}) == 1:
            ids += _node_ids(definitions)
    return list(dict.fromkeys(ids))


def match_names(query_text: QueryText, row_sets: Sequence[Iterable[Row]]) -> NameMatches:
    """Evaluates the rows of `name_statements`.

    Types come before their members, definitions before declarations.
    """
    by_name, by_words, *by_path = map(name_matches, row_sets)
    text = query_text.name or query_text.text.strip()
    # a constant that is called like a token is found by its exact name
    by_words = [node for node in by_words if node.name or not query_text.is_one_token]
    exact = [node for node in by_name if _node_is_named(node, text)]
    overlaps = {
        node.id: max(
            _best_overlap(name, words)
            for name in own_names(node.name, node.members)
            for words in (query_text.stems, query_text.stems_with_stop_words)
        )
        for node in by_words
    }
    composed = [node for node in by_words if overlaps[node.id] == 1 and node not in exact]
    if not query_text.matches(TEST.query_pattern):
        composed = [node for node in composed if not is_test_path(node.path)]
    return NameMatches(
        _node_ids(sorted(exact, key=lambda node: _sort_key(node, text))),
        _node_ids(sorted(composed, key=lambda node: _sort_key(node, text))),
        _node_ids(node for nodes in by_path for node in nodes),
        dict(sorted(overlaps.items(), key=lambda item: -item[1])),
        _resembling_ids(query_text, [*exact, *composed], by_path),
    )


def _resembling_ids(
    query_text: QueryText, named: Iterable[NameMatch], by_path: Iterable[Iterable[NameMatch]]
) -> list[str]:
    """The nodes whose name has other letters than the token, or whose path goes on after it; of a
    flag, all nodes that are not called so with its dashes.
    """
    if not query_text.is_one_token or not query_text.code_tokens:
        return []
    [token] = query_text.code_tokens
    ending = f"/{query_text.path.lower()}"
    exact = token_literal(token).case_sensitive
    if token in query_text.flag_tokens:
        flags = (f"-{token}", f"--{token}")
        others = [node for node in named if node.name not in flags]
        return _node_ids([*others, *(node for nodes in by_path for node in nodes)])
    return [
        *(node.id for node in named if exact and not _has_same_letters(node, token)),
        *(
            node.id
            for nodes in by_path
            for node in nodes
            if not f"/{node.path.lower()}".endswith(ending)
        ),
    ]


def _has_same_letters(node: NameMatch, token: str) -> bool:
    """Returns True if the node's or a member's name ends with the same part as the token."""
    last = last_name(normalize_symbol(token.rstrip("(")))
    names = [node.name, *(member.name for member in decode_members(node.members))]
    return any(last_name(normalize_symbol(name)) == last for name in names)


def _node_ids(nodes: Iterable[NameMatch]) -> list[str]:
    return [node.id for node in nodes]


def _exact_statement(text: str, scope: Scope) -> Statement:
    return exact_name_statement(_fts_expression(text), text, scope)


def _rare_limit(query_text: QueryText) -> int:
    return RARE_COMPOUND_NODES if len(query_text.word_parts) > 1 else RARE_WORD_NODES


def _is_short_query(query_text: QueryText) -> bool:
    return 0 < len(query_text.word_parts) <= MAX_NAME_WORDS


def name_overlap(symbol: str, stems: frozenset[str]) -> float:
    """Agreement of the query's stems with those of a name's last part, from 0 to 1."""
    return _dice_coefficient(name_stems(last_name(symbol)), stems)


def _best_overlap(symbol: str, stems: frozenset[str]) -> float:
    """The same, or with the owner's name where that agrees better: `request finalize`."""
    owner, _, last = symbol.rpartition(".")
    both = name_stems(last) | name_stems(owner.rpartition(".")[2])
    return max(name_overlap(symbol, stems), _dice_coefficient(both, stems))


def _dice_coefficient(name_words: frozenset[str], query_words: frozenset[str]) -> float:
    """The Dice coefficient of two sets."""
    return 2 * len(name_words & query_words) / ((len(name_words) + len(query_words)) or 1)


@lru_cache(10_000)
def name_stems(name: str) -> frozenset[str]:
    """Stems of the words in a name."""
    return name_part_stems([name])


class SimilarNames(NamedTuple):
    """Ids for a name that no node has: nodes with the name as a rare word, and nodes whose name
    begins with it or is similar, and nodes with a member one edit away.
    """

    word_ids: Sequence[str] = ()
    ids: Sequence[str] = ()


def similar_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """Statements that find the name as a word, as a prefix and by trigrams, and names and members
    one edit away, for a name that no node has; none if the query is no name.

    No rows are used if a node has exactly the name. Those of the last statement are not used if
    `has_similar_name` is true of the others.
    """
    name = last_name(query_text.name)
    if len(name) < MIN_SIMILAR_LETTERS:
        return []
    return [
        ids_by_word_statement(name, _rare_limit(query_text) + 1, scope),
        name_prefix_statement(name, scope),
        similar_names_statement(name, scope),
        spelled_names_statement(spellings(name), name, scope),
    ]


def spellings(name: str) -> list[str]:
    """The words of the names one edit away that begin with the same letter; none for a name that is
    too long or has too many words.
    """
    words = ALNUM_PATTERN.findall(name.lower())
    is_long = len(name) > MAX_CORRECTED_LETTERS or len(words) > MAX_SPELLING_WORDS
    if not name.isascii() or is_long:
        return []
    return [
        " ".join([*words[:at], variant, *words[at + 1 :]])
        for at, word in enumerate(words)
        for variant in one_edit_variants(word, fixed_letters=0 if at else 1)
    ]


def match_similar(
    query_text: QueryText, matches: NameMatches, row_sets: Sequence[Iterable[Row]]
) -> SimilarNames:
    """Evaluates the rows of `similar_statements`."""
    if matches.has_exact or not row_sets:
        return SimilarNames()
    name = last_name(query_text.name)
    by_word, by_prefix, by_trigram, by_spelling = row_sets
    if ids := [str(id_) for (id_,) in by_word]:
        prefixed = (
            ()
            if matches.overlap_scores
            else _prefix_matches(name_matches(by_prefix), query_text.name)
        )
        return SimilarNames(ids if len(ids) <= _rare_limit(query_text) else (), prefixed)
    grams = _trigrams(name)
    nodes = name_matches(by_trigram)
    containing = [node for node in nodes if _contains(node.name, name)]  # a part of a name, no typo
    spelled = [] if _is_answered(name, nodes) else name_matches(by_spelling)
    nodes = list({node.id: node for node in (*nodes, *spelled)}.values())
    meant = {node.id: _meant_name(name, node) for node in containing or nodes}
    members = {
        node.id: member.name
        for node in spelled
        if not meant[node.id] and (member := find_near_member(node.name, node.members, name))
    }
    scored = [
        (
            meant.get(node.id) or members.get(node.id, ""),
            _similarity(name, grams, members.get(node.id, last_name(node.name))),
            node,
        )
        for node in nodes
    ]
    similar = [item for item in scored if item[0] or item[1] > MIN_SIMILARITY]
    similar.sort(
        key=lambda item: (
            not item[0],
            item[2].id in members,
            -item[1],
            -_owner_similarity(item[2], query_text.name),
            *_sort_key(item[2], item[0] or name),
        )
    )
    return SimilarNames(ids=[node.id for *_, node in similar[:MAX_SIMILAR]])


def has_similar_name(query_text: QueryText, row_sets: Sequence[Iterable[Row]]) -> bool:
    """Returns True if the rows of the first three of `similar_statements` have the name as a word,
    as a part of a name, or one edit away: then names are not looked up by their spelling.
    """
    by_word, _, by_trigram = row_sets
    return bool(by_word) or _is_answered(last_name(query_text.name), name_matches(by_trigram))


def _is_answered(name: str, nodes: Iterable[NameMatch]) -> bool:
    return any(_contains(node.name, name) or _meant_name(name, node) for node in nodes)


def _meant_name(name: str, node: NameMatch) -> str:
    """The node's own name if the searched one may be a misspelling of it, else empty.

    In lower case for a lowercase query, so that the nodes are sorted as for the right spelling.
    """
    own = last_name(node.name)
    meant = own.lower() if _is_lowercase(name) else own
    return meant if is_within_one_edit(name, meant) else ""


def _prefix_matches(nodes: Iterable[NameMatch], name: str) -> list[str]:
    """Nodes whose last part begins with the name, such as `RealCall` for `RealCal`.

    Those with a similar owner come first.
    """
    last = last_name(name)
    prefixed = [
        node
        for node in nodes
        if _lowercase_letters(last_name(node.name)).startswith(_lowercase_letters(last))
    ]
    ordered = sorted(
        prefixed, key=lambda node: (-_owner_similarity(node, name), *_sort_key(node, last))
    )
    return _node_ids(ordered)[:MAX_SIMILAR]


def _node_is_named(node: NameMatch, text: str) -> bool:
    return is_named(node.name, text) or (
        find_member(node.name, node.members, text, node.path) is not None
    )


def _sort_key(node: NameMatch, text: str) -> tuple[bool | int | str, ...]:
    """Code before documents; for a lowercase query functions of the name and types of it in any
    case before members, `Cache` before `Client.cache` for `cache`; then by case as typed, sources
    before tests, classes before methods, types before blocks that add to them, definitions before
    declarations, longest first.
    """
    kind = DEFINITION_TYPES.index(node.node_type) if node.node_type in DEFINITION_TYPES else 2
    is_type = kind == 0 and not _is_lowercase(last_name(node.name)) and _is_lowercase(text)
    is_function = kind == 1 and _is_lowercase(text) and _is_function(node.name, text)
    return (
        is_document(node.path),
        kind == len(DEFINITION_TYPES),
        not (
            (is_type or is_function) and not is_test_path(node.path) and is_named(node.name, text)
        ),
        not node.name.endswith(text),
        is_test_path(node.path),
        kind,
        bool(node.is_extension),
        node.path.endswith(DECLARATION_SUFFIXES),
        -node.lines,
        node.path,
        node.start_line,
    )


def _is_function(name: str, text: str) -> bool:
    """Returns True for a function with the query's letters, and not a member of a type, which has a
    capital in most languages.
    """
    owner = last_name(name.rpartition(".")[0])
    return name.endswith(text) and not owner[:1].isupper()


def _is_lowercase(text: str) -> bool:
    return text == text.lower() != text.upper()


def _fts_expression(text: str) -> str:
    """An FTS5 query for the words of a name in a row; owner and member may be apart, and the owner
    a file or folder.
    """
    owner, _, last = text.rpartition(".")
    whole, member = fts_query.phrase(text), fts_query.phrase(last)
    if not owner:
        return f"symbol : ({whole})"
    in_module = f"(path : {fts_query.phrase(last_name(owner))} AND symbol : {member})"
    return f"(symbol : ({whole} OR ({fts_query.phrase(owner)} AND {member}))) OR {in_module}"


def _similarity(name: str, grams: Counter[str], other: str) -> float:
    return _trigram_similarity(grams, _trigrams(other)) + CONTAINS_BONUS * _contains(other, name)


def _contains(symbol: str, name: str) -> bool:
    return _lowercase_letters(name) in _lowercase_letters(last_name(symbol))


def _owner_similarity(node: NameMatch, name: str) -> float:
    """Similarity of the owners' names, from 0 to 1."""
    owner, own = (last_name(symbol.rpartition(".")[0]) for symbol in (name, node.name))
    return _trigram_similarity(_trigrams(owner), _trigrams(own)) if owner and own else 0


def _trigram_similarity(grams: Counter[str], others: Counter[str]) -> float:
    """The Dice coefficient of the trigrams of two names."""
    return 2 * (grams & others).total() / (grams.total() + others.total())


def _lowercase_letters(name: str) -> str:
    return name.replace("_", "").lower()


def _trigrams(name: str) -> Counter[str]:
    return Counter(trigrams(f"  {_lowercase_letters(name)} "))
