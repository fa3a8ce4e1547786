"""Decides which types of Go implement an interface: those with all of its methods.

Start with `GoTypes.implements`. A type of Go does not declare its interfaces. Methods are compared
by name, number and types of parameters and results; types as they are written, without packages.
Nothing is read but nodes of the index.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from feeder.relation import INHERITS
from feeder.store import Database
from feeder.store.go_relations import (
    MAX_GO_ROWS,
    GoNode,
    go_nodes_of_types,
    symbols_embedding,
)

MAX_GO_TYPES = 200
"""Types that one request reads; others are not compared."""

MAX_EMBEDDED = 50
"""Types for which those that embed them are looked for."""

MAX_EMBEDDING_DEPTH = 20
"""Levels of embedded types that are followed."""

RECEIVER_PATTERN = re.compile(r"\Afunc\s*\([^)]*\)\s*")
PACKAGE_PATTERN = re.compile(r"\b\w+\.(?=\w\w)")
"""The package before a type's name. That of `testing.T` stays: a bare `T` is a type parameter."""
NAMED_PARAMETER_PATTERN = re.compile(r"(?!(?:chan|func|map|struct|interface)\b)\w+\s+(?=\S)")
TYPE_PARAMETER_PATTERN = re.compile(r"(?<!\.)\b[A-Z]\b")
INTERFACE_PATTERN = re.compile(r"\A(?:type\s+)?\w+(?:\[.*\])?\s+(?:=\s*)?interface\b")
"""A declared interface, not a type that contains one, as in `type Row map[string]interface{}`."""
EMPTY_INTERFACE_PATTERN = re.compile(r"\binterface ?\{\}")
NAMED_TYPE_PATTERN = re.compile(
    r"\A(?:type\s+)?\w+\s+=?\s*(?!(?:struct|interface|string|bool|u?int\d*"
    r"|float\d+|complex\d+|byte|rune|uintptr)\Z)[A-Za-z_][\w.]*\Z"
)
"""A type that another one defines, such as `type Body = io.Reader`."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ERROR_METHODS = {"Error": ((), ("string",))}


class Implements(Enum):
    """The answer to: does a type implement an interface, as far as the index tells?"""

    YES = 1
    UNKNOWN = 2
    NO = 3


class Types(NamedTuple):
    """The types of a method's parameters and of its results."""

    parameters: Sequence[str]
    results: Sequence[str]


class TypePlace(NamedTuple):
    """A type by its folder, which is its package, and its symbol."""

    folder: str
    symbol: str


class MethodSet(NamedTuple):
    """The methods of a type with those of embedded ones; None for types that are not known.

    A method with a small letter has its folder before the name, since other packages cannot have
    it. The set is complete if the index has all embedded types, and no type that another one
    defines, as in `type Key Event`: of these only their own methods are known.
    """

    methods: Mapping[str, Types | None]
    is_complete: bool


class _GoType:
    """A type with the methods that are declared for it."""

    def __init__(self) -> None:
        self.nodes: list[GoNode] = []
        self.methods: dict[str, Types | None] = {}

    @property
    def is_interface(self) -> bool:
        return any(INTERFACE_PATTERN.search(node.signature) for node in self.nodes)

    @property
    def is_known(self) -> bool:
        """Tells whether a node declares it, and not by another type."""
        return any(not NAMED_TYPE_PATTERN.search(node.signature) for node in self.nodes)

    def embedded(self) -> Iterator[tuple[str, str]]:
        """Yields the package as written, empty for its own one, and the name of each."""
        for node in self.nodes:
            for relation in node.related.decode(INHERITS):
                yield relation.qualifier, relation.name


class GoTypes:
    """Reads types of Go with their methods, each once."""

    def __init__(self, database: Database, repo: str) -> None:
        self._database = database
        self._repo = repo
        self._read: set[str] = set()
        self._types: dict[TypePlace, _GoType] = {}
        self._folders: dict[str, list[str]] = {}
        self._method_sets: dict[TypePlace, MethodSet] = {}
        self.is_cut = False
        """True if types have too many methods to be read, so that they are not compared."""

    def load(self, symbols: Iterable[str]) -> None:
        """Reads types by their symbols, then those that they embed, level by level."""
        level = list(dict.fromkeys(symbols))[:MAX_GO_TYPES]
        seen = set(level)
        for _ in range(MAX_EMBEDDING_DEPTH):
            if not level:
                return
            self._load_level([symbol for symbol in level if symbol not in self._read])
            embedded = (symbol for outer in level for symbol in self._embedded_symbols(outer))
            level = [symbol for symbol in dict.fromkeys(embedded) if symbol not in seen][
                :MAX_GO_TYPES
            ]
            seen.update(level)

    def _load_level(self, symbols: Sequence[str]) -> None:
        if not symbols:
            return
        rows = go_nodes_of_types(self._database, self._repo, symbols)
        self._method_sets.clear()
        self._read.update(symbols)
        if len(rows) > MAX_GO_ROWS:
            self.is_cut = True
            return  # methods may be missing
        for node in rows:
            symbol = node.related.symbol or ""
            outer, _, name = symbol.rpartition(".")
            is_type = node.related.node_type == "class"
            owner = symbol if is_type else outer
            if owner not in symbols:
                continue
            place = TypePlace(posixpath.dirname(node.related.path), owner)
            if place not in self._types:
                self._folders.setdefault(owner, []).append(place.folder)
            one = self._types.setdefault(place, _GoType())
            if is_type:
                one.nodes.append(node)
            else:
                one.methods[_key(place.folder, name)] = method_types(name, node.signature)

    def _embedded_symbols(self, symbol: str) -> Iterator[str]:
        package = symbol.rpartition(".")[0]
        for folder in self._folders.get(symbol, ()):
            for qualifier, name in self._types[TypePlace(folder, symbol)].embedded():
                yield f"{qualifier or package}.{name}"

    def node(self, place: TypePlace) -> GoNode | None:
        """The node that declares a type, if it is no interface."""
        one = self._types.get(place)
        return one.nodes[0] if one and one.nodes and not one.is_interface else None

    def places(self, symbol: str) -> list[TypePlace]:
        """The types with a symbol that have been read."""
        return [TypePlace(folder, symbol) for folder in self._folders.get(symbol, ())]

    def is_interface(self, place: TypePlace) -> bool:
        """Tells whether a type that has been read is an interface."""
        return place in self._types and self._types[place].is_interface

    def method_set(self, place: TypePlace) -> MethodSet:
        """The methods of a type; each embedded type is followed once, whatever embeds it."""
        if place not in self._method_sets:
            self._method_sets[place] = self._find_methods(place)
        return self._method_sets[place]

    def _find_methods(self, place: TypePlace) -> MethodSet:
        methods: dict[str, Types | None] = {}
        is_complete = True
        followed = {place: None}
        for current in (following := list(followed)):
            one = self._types.get(current)
            is_complete &= one is not None and one.is_known
            if not one:
                continue
            for key, types in one.methods.items():
                methods.setdefault(key, types)  # that of the outer type counts
            for qualifier, name in one.embedded():
                if embedded := self._embedded_place(current, qualifier, name):
                    if embedded not in followed:
                        followed[embedded] = None
                        following.append(embedded)
                elif not qualifier and name == "error":
                    methods.setdefault("Error", Types(*_ERROR_METHODS["Error"]))
                else:
                    is_complete = False
        return MethodSet(methods, is_complete)

    def _embedded_place(self, outer: TypePlace, qualifier: str, name: str) -> TypePlace | None:
        """The embedded type; None if the index does not have it, or several."""
        if not qualifier:
            place = TypePlace(outer.folder, f"{outer.symbol.rpartition('.')[0]}.{name}")
            return place if place in self._types else None
        places = self.places(f"{qualifier}.{name}")
        return places[0] if len(places) == 1 else None

    def has_names(self, place: TypePlace, interface: TypePlace) -> bool:
        """Tells whether a type has a method of each name that an interface has; at least one."""
        required = self.method_set(interface).methods
        return bool(required) and required.keys() <= self.method_set(place).methods.keys()

    def implements(self, place: TypePlace, interface: TypePlace) -> Implements:
        """Tells whether a type has all methods of an interface.

        Unknown if the index lacks an embedded type, or if the types of a method are as many but
        written otherwise, such as under another name.
        """
        own, required = self.method_set(place), self.method_set(interface)
        is_missing = not required.methods.keys() <= own.methods.keys()
        if is_missing and own.is_complete:
            return Implements.NO
        results = {
            _compare_types(own.methods[key], types)
            for key, types in required.methods.items()
            if key in own.methods
        }
        if Implements.NO in results:
            return Implements.NO
        is_known = not is_missing and required.is_complete and bool(required.methods)
        is_sure = is_known and Implements.UNKNOWN not in results
        return Implements.YES if is_sure else Implements.UNKNOWN

    def symbols_embedding(self, symbols: Iterable[str]) -> list[str]:
        """The symbols of types that embed one of some types, or a type that does.

        Empty for more types than `MAX_EMBEDDED`.
        """
        matches: dict[str, None] = {}
        names = {symbol.rpartition(".")[2] for symbol in symbols}
        followed = set(names)
        for _ in range(MAX_EMBEDDING_DEPTH):
            if not names or len(followed) > MAX_EMBEDDED:
                break
            embedding = symbols_embedding(self._database, self._repo, sorted(names))
            matches |= dict.fromkeys(embedding)
            names = {symbol.rpartition(".")[2] for symbol in embedding} - followed
            followed |= names
        return list(matches)


def method_types(name: str, signature: str) -> Types | None:
    """The types of a method by its signature; None if the index cut it."""
    if signature.endswith("…"):
        return None
    after_name = RECEIVER_PATTERN.sub("", signature).partition(name)[2]
    end = _end_of_list(after_name)
    results = after_name[end:].strip()
    if results.startswith("("):
        results = results[1 : _end_of_list(results) - 1]
    return Types(_types(after_name[1 : end - 1]), _types(results))


def _key(folder: str, name: str) -> str:
    return name if name[:1].isupper() else f"{folder}/{name}"


def _compare_types(own: Types | None, required: Types | None) -> Implements:
    """Compares types of methods; unknown if they are as many but written otherwise.

    A single capital letter is a type parameter, which may be any type.
    """
    if own is None or required is None:
        return Implements.UNKNOWN
    if [len(types) for types in own] != [len(types) for types in required]:
        return Implements.NO
    pairs = [
        (left, right)
        for lists in zip(own, required, strict=True)
        for left, right in zip(*lists, strict=True)
        if left != right
    ]
    is_generic = all(any(map(TYPE_PARAMETER_PATTERN.search, pair)) for pair in pairs)
    return Implements.YES if is_generic else Implements.UNKNOWN


def _types(listed: str) -> Sequence[str]:
    """The types of a list of parameters or results, such as `a, b int, next http.Handler`."""
    parts = [" ".join(part.split()) for part in _split(listed)]
    if not any(NAMED_PARAMETER_PATTERN.match(part) for part in parts):
        return tuple(map(_plain_type, parts))
    types: list[str] = []
    for part in reversed(parts):  # a name without a type has that of the next one
        named = NAMED_PARAMETER_PATTERN.match(part)
        types.append(part[named.end() :] if named else types[-1] if types else part)
    return tuple(map(_plain_type, reversed(types)))


def _plain_type(text: str) -> str:
    """A type without packages; of a function only that it is one, as its parameters have names."""
    text = EMPTY_INTERFACE_PATTERN.sub("any", PACKAGE_PATTERN.sub("", text))
    return text.partition("func(")[0] + "func" if "func(" in text else text


def _split(listed: str) -> Iterator[str]:
    """Yields the parts between commas outside of brackets."""
    depth, first = 0, 0
    for at, char in enumerate(listed):
        depth += (char in _CLOSING) - (char in _CLOSING.values())
        if char == "," and not depth:
            yield listed[first:at]
            first = at + 1
    if listed[first:].strip():
        yield listed[first:]


def _end_of_list(text: str) -> int:
    """The offset after the list in brackets with which a text begins."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in _CLOSING) - (char in _CLOSING.values())
        if not depth:
            return at + 1
    return len(text)
