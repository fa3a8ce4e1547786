"""Which nodes does a question name? Those called so; else those nearly so, or a file."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from feeder.nodes import Member
from feeder.search.asked import Asked, stems
from feeder.search.kinds import TEST, is_document
from feeder.store import Row, Statement
from feeder.store.naming import (
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
from feeder.store.scope import Scope
from feeder.store.tests_by_path import is_test_path
from feeder.symbols import normalize_symbol, symbol_ends_with

LEAST_ALIKE = 0.35
"""By how much two names are alike at least: their common trigrams, twice, among all of both."""
HAS_IT = 0.3
"""More for a name that has the other one in it."""
ALIKE = 20
"""Nodes that are nearly called so, at most."""
ALIKE_LETTERS = 4
RARE_IN = 20
"""Nodes that have a word at most, for those to come before what a model finds near to it."""
COMPOUND_IN = 200
"""The same of a word that is made of several, which nobody writes by chance."""
SPELLED_WORDS = 6
"""Of a longer question no name is made."""

_DEFINITIONS = ("class", "method")
_DECLARED_IN = (".d.ts", ".pyi", ".h", ".hpp", ".hh", ".hxx")


class Names(NamedTuple):
    """The ids of the nodes that a question names, the best first, and of nodes of a path.

    `spelled` are nodes whose names are made of its words, by how well these agree; `written` those
    of them that are made of no others.
    """

    called: Sequence[str]
    written: Sequence[str]
    of_path: Sequence[str]
    spelled: Mapping[str, float]

    @property
    def are_there(self) -> bool:
        """Whether something is just what was asked for."""
        return bool(self.called or self.of_path)


def statements(asked: Asked, scope: Scope) -> list[Statement]:
    """What the index is asked: nodes by the name, by its words, and files by the path."""
    text = asked.name or asked.text.strip()
    found = [
        _called(text, scope),
        name_words_statement(asked.parts if _may_spell(asked) else [], scope),
    ]
    return [*found, file_name_statement(asked.path, scope)] if asked.path else found


def names(asked: Asked, answers: Sequence[Iterable[Row]]) -> Names:
    """What they say; types come before their members, definitions before declarations."""
    by_name, by_words, *by_path = map(name_matches, answers)
    text = asked.name or asked.text.strip()
    found = [node for node in by_name if _names(node, text)]
    agreeing = {
        node.id: max(_spelling(node.name, words) for words in (asked.stems, asked.all_stems))
        for node in by_words
    }
    written = [node for node in by_words if agreeing[node.id] == 1 and node not in found]
    if not asked.says(TEST.asked_by):
        written = [node for node in written if not is_test_path(node.path)]
    return Names(
        _ids(sorted(found, key=lambda node: _order(node, text))),
        _ids(sorted(written, key=lambda node: _order(node, text))),
        _ids(node for nodes in by_path for node in nodes),
        dict(sorted(agreeing.items(), key=lambda one: -one[1])),
    )


def _ids(nodes: Iterable[NameMatch]) -> list[str]:
    return [node.id for node in nodes]


def _called(text: str, scope: Scope) -> Statement:
    return exact_name_statement(_expression(text), text, scope)


def _most(asked: Asked) -> int:
    """Of how many nodes a word is rare."""
    return COMPOUND_IN if len(asked.parts) > 1 else RARE_IN


def _may_spell(asked: Asked) -> bool:
    return 0 < len(asked.parts) <= SPELLED_WORDS


def agreement(symbol: str, asked: frozenset[str]) -> float:
    """How well a question's words and those of a name's last part are the same ones, up to 1."""
    return _common(name_stems(_last(symbol)), asked)


def _spelling(symbol: str, asked: frozenset[str]) -> float:
    """The same, or with those of its owner where that is better: `request finalize`."""
    owner, _, last = symbol.rpartition(".")
    both = name_stems(last) | name_stems(owner.rpartition(".")[2])
    return max(agreement(symbol, asked), _common(both, asked))


def _common(own: frozenset[str], asked: frozenset[str]) -> float:
    """The harmonic mean of what part of each is in the other."""
    return 2 * len(own & asked) / ((len(own) + len(asked)) or 1)


@lru_cache(10_000)
def name_stems(name: str) -> frozenset[str]:
    """The words that a name is made of, without their endings."""
    return stems([name])


class Nearly(NamedTuple):
    """The ids of the few nodes that have the word asked for, and of those whose name begins so; of
    those whose name is like it, where it is in none."""

    having: Sequence[str] = ()
    ids: Sequence[str] = ()


def nearly_statements(asked: Asked, scope: Scope) -> list[Statement]:
    """What the index is asked where nothing is called so: what has the name as a word, begins with
    it, or is like it; none where no name is asked for."""
    name = _last(asked.name)
    if len(name) < ALIKE_LETTERS:
        return []
    itself = _called(asked.name, scope)
    return [
        ids_by_word_statement(name, _most(asked) + 1, itself),
        name_prefix_statement(name, itself),
        similar_names_statement(name, scope),
    ]


def nearly(asked: Asked, known: Names, answers: Sequence[Iterable[Row]]) -> Nearly:
    """What they say; nothing where a node is called so, or where it is a word of many nodes."""
    if known.are_there or not answers:
        return Nearly()
    name = _last(asked.name)
    there, beginning, like = answers
    if ids := [str(id_) for (id_,) in there]:
        whole = () if known.spelled else _begun(name_matches(beginning), asked.name)
        return Nearly(ids if len(ids) <= _most(asked) else (), whole)
    grams = _grams(name)
    scored = [(_likeness(name, grams, node), node) for node in name_matches(like)]
    near = [(score, node) for score, node in scored if score > LEAST_ALIKE]
    near.sort(key=lambda one: (-one[0], -_owned(one[1], asked.name), *_order(one[1], name)))
    return Nearly(ids=[node.id for _, node in near[:ALIKE]])


def _begun(nodes: Iterable[NameMatch], name: str) -> list[str]:
    """Those whose last part begins with a name's: `RealCal` is in the middle of typing `RealCall`.

    Those of an owner like its own come first.
    """
    last = _last(name)
    begins = [node for node in nodes if _letters(_last(node.name)).startswith(_letters(last))]
    found = sorted(begins, key=lambda node: (-_owned(node, name), *_order(node, last)))
    return _ids(found)[:ALIKE]


def member(owner: str | None, members: str, query: str) -> Member | None:
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


def is_called(name: str, query: str) -> bool:
    """Whether the query is a name or its last parts: `add` or `Cart.add` of `a.Cart.add`."""
    return symbol_ends_with(normalize_symbol(name).casefold(), normalize_symbol(query).casefold())


def _names(node: NameMatch, text: str) -> bool:
    return is_called(node.name, text) or member(node.name, node.members, text) is not None


def _order(node: NameMatch, text: str) -> tuple[bool | int | str, ...]:
    """As typed before other case, sources before tests, types before members, longest first."""
    kind = _DEFINITIONS.index(node.node_type) if node.node_type in _DEFINITIONS else 2
    return (
        is_document(node.path),
        kind == len(_DEFINITIONS),
        not node.name.endswith(text),
        is_test_path(node.path),
        kind,
        node.path.endswith(_DECLARED_IN),
        -node.lines,
        node.path,
        node.start_line,
    )


def _expression(text: str) -> str:
    """FTS5's query for words in a row, or for an owner's and its member's, which may be apart."""
    phrase = text.replace('"', '""')
    owner, _, last = phrase.rpartition(".")
    apart = f' OR ("{owner}" AND "{last}")' if owner else ""
    return f'symbol : ("{phrase}"{apart})'


def _likeness(name: str, grams: Counter[str], node: NameMatch) -> float:
    last = _letters(_last(node.name))
    return _shared(grams, _grams(last)) + HAS_IT * (_letters(name) in last)


def _owned(node: NameMatch, name: str) -> float:
    """How like the node's owner is to the one that the name has, up to 1; 0 where it has none."""
    owner, own = (_last(one.rpartition(".")[0]) for one in (name, node.name))
    return _shared(_grams(owner), _grams(own)) if owner and own else 0


def _shared(grams: Counter[str], others: Counter[str]) -> float:
    """Of two names' trigrams, those that both have."""
    return 2 * (grams & others).total() / (grams.total() + others.total())


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def _grams(name: str) -> Counter[str]:
    padded = f"  {_letters(name)} "
    return Counter(padded[at : at + 3] for at in range(len(padded) - 2))
