"""Finds the types of Go that have all methods of an interface; Go has no declaration of that.

Start with `implementing_types`. Types of parameters and results are compared as they are written,
without packages and the names of parameters.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from feeder.search.index_status import Corpus
from feeder.store.hits import MAX_NAMED_HITS, Hit, hits_by_name, hits_in_files

_RECEIVER = re.compile(r"\Afunc\s*\([^)]*\)\s*")
_PACKAGE = re.compile(r"\b\w+\.(?=\w)")
_NAMED_PARAMETER = re.compile(r"(?!(?:chan|func|map|struct|interface)\b)\w+\s+(?=\S)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}

Types = tuple[tuple[str, ...], tuple[str, ...]]
"""The types of a method's parameters and of its results."""


class TypePlace(NamedTuple):
    """A type by its folder, which is its package, and its symbol."""

    folder: str
    symbol: str


def is_interface(hit: Hit) -> bool:
    """Tells whether a node declares an interface of Go."""
    return hit.language == "go" and hit.node_type == "class" and "interface" in _words(hit)


def method_types(hit: Hit) -> Types:
    """The types of a method by its signature."""
    name = (hit.symbol or "").rpartition(".")[2]
    text = _RECEIVER.sub("", hit.signature or "")
    after_name = text.partition(name)[2]
    end = _end_of_list(after_name)
    results = after_name[end:].strip()
    if results.startswith("("):
        results = results[1 : _end_of_list(results) - 1]
    return _types(after_name[1 : end - 1]), _types(results)


def implementing_types(corpus: Corpus, methods: dict[str, Types]) -> list[Hit]:
    """The types, interfaces apart, that have all these methods with the same types."""
    owners: set[TypePlace] | None = None
    hits_of = {name: hits_by_name(corpus.database, corpus.repo, name) for name in methods}
    complete = {name: hits for name, hits in hits_of.items() if len(hits) < MAX_NAMED_HITS}
    for name, hits in sorted(complete.items(), key=lambda pair: len(pair[1])):
        places = {_owner(hit) for hit in hits if _is_method(hit, name, methods[name])}
        owners = places if owners is None else owners & places
    return [hit for place in sorted(owners or ()) for hit in _types_at(corpus, place)]


def declared_methods(corpus: Corpus, interface: Hit) -> dict[str, Types]:
    """The methods that an interface lists itself, not those of embedded ones."""
    prefix = f"{interface.symbol}."
    return {
        (hit.symbol or "").removeprefix(prefix): method_types(hit)
        for hit in hits_in_files(corpus.database, corpus.repo, [interface.path])
        if hit.node_type == "method" and (hit.symbol or "").startswith(prefix)
    }


def _words(hit: Hit) -> list[str]:
    return re.findall(r"\w+", hit.signature or "")


def _owner(hit: Hit) -> TypePlace:
    return TypePlace(posixpath.dirname(hit.path), (hit.symbol or "").rpartition(".")[0])


def _is_method(hit: Hit, name: str, types: Types) -> bool:
    is_named = hit.language == "go" and (hit.symbol or "").rpartition(".")[2] == name
    return is_named and hit.node_type == "method" and method_types(hit) == types


def _types_at(corpus: Corpus, place: TypePlace) -> Iterator[Hit]:
    """Yields the type's node; none for an interface, or a type of which the index has no node."""
    for hit in hits_by_name(corpus.database, corpus.repo, place.symbol.rpartition(".")[2]):
        is_same = TypePlace(posixpath.dirname(hit.path), hit.symbol or "") == place
        if is_same and hit.node_type == "class":
            if not is_interface(hit):
                yield hit
            return


def _types(listed: str) -> tuple[str, ...]:
    """The types of a list of parameters or results, such as `a, b int, next http.Handler`."""
    parts = [" ".join(part.split()) for part in _split(listed)]
    if not any(_NAMED_PARAMETER.match(part) for part in parts):
        return tuple(map(_plain_type, parts))
    types: list[str] = []
    for part in reversed(parts):  # a name without a type has that of the next one
        named = _NAMED_PARAMETER.match(part)
        types.append(part[named.end() :] if named else types[-1] if types else part)
    return tuple(map(_plain_type, reversed(types)))


def _plain_type(text: str) -> str:
    """A type without packages; of a function only that it is one, as its parameters have names."""
    text = _PACKAGE.sub("", text).replace("interface{}", "any").replace("interface {}", "any")
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
