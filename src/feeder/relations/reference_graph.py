"""The graph of references between files by name, and the ranks that follow from it.

Files are ranked by PageRank, as in the repository map of aider; a symbol gets the share of rank
that its references carry.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from math import sqrt
from typing import NamedTuple

from feeder.relation import (
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    MENTION,
    UNNAMED,
    decode_named,
    decode_relations,
    decode_site_names,
)
from feeder.relations.member_resolution import is_compound
from feeder.relations.module_paths import CRATE_KEYWORDS
from feeder.relations.modules import nearest_symbol
from feeder.snippets.outline import MODULE_KEYWORDS
from feeder.store.overview_nodes import NamedNode
from feeder.store.scope import is_test_path
from feeder.text import symbol_ends_with
from feeder.traits import are_compatible, traits

DAMPING = 0.85
ITERATIONS = 30

MAX_DEFINITIONS = 20
"""Files that define a name; a name that more define says nothing about any of them."""

COMPOUND_WEIGHT, FUNCTION_WEIGHT, PRIVATE_WEIGHT = 3.0, 0.3, 0.2
"""Factors of a reference by a name of several words, of a function by a name of one word, which
libraries have too, and by a name with a leading underscore."""

COMPOUND_MEMBER_WEIGHT, MEMBER_WEIGHT = 0.3, 0.1
"""Factors of a type's member by a name of several words and of one."""

TEST_WEIGHT = 0.3
"""Factor of a reference from a test."""

UNNAMED_WEIGHT = 0.1
"""Factor of a member whose type the file does not name, and of a type or function that a file of
another folder does not import: a library may have one of that name."""

FULL_WEIGHT = 1.0
"""Sum of a file's references from which on it passes on all of its rank."""

_WORDS = re.compile(r"\w+")

_SITE_KINDS = frozenset((CALL, INHERITS, IMPLEMENTS, UNNAMED, MENTION))


class _Site(NamedTuple):
    """A name that a file refers to; `module` is where the file imports it from, if it does.

    `meant` are the full names that its sites mean, if the name has several and all sites tell.
    """

    path: str
    language: str
    name: str
    module: str | None
    meant: Collection[str] = ()


class ReferenceGraph:
    """The references between files by name: weighted edges from a file to a declaration."""

    def __init__(self, nodes: Sequence[NamedNode]) -> None:
        distinct = {
            (node.path, node.symbol): node
            for node in reversed(nodes)
            if node.symbol and node.node_type in {"class", "method"}
        }
        for path, symbol in [key for key in distinct if _constructed(*key) in distinct]:
            del distinct[path, symbol]
        self.declarations = list(reversed(distinct.values()))
        self._by_name: defaultdict[str, list[NamedNode]] = defaultdict(list)
        for node in self.declarations:
            self._by_name[node.symbol.rpartition(".")[2]].append(node)
        self._types = {key: node for key, node in distinct.items() if node.node_type == "class"}
        self._ambiguous = {
            name
            for name, named in self._by_name.items()
            if len({node.symbol for node in named if node.node_type == "class"}) > 1
        }
        self.resolved: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        """The files that surely refer to a declaration of another file."""
        self._edges = self._weighted_edges(nodes)

    def _weighted_edges(
        self, nodes: Iterable[NamedNode]
    ) -> dict[str, dict[tuple[str, str], float]]:
        """The weights of declarations by the file that refers to them."""
        names: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        imports: defaultdict[str, dict[str, str]] = defaultdict(dict)
        meant: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for node in nodes:
            if node.relations:
                own_names = decode_site_names(node.relations)
                names[node.path, node.language].update(own_names)
                for name in self._ambiguous.intersection(own_names):
                    meant[node.path, name].update(self._meant_symbols(node, name))
                for relation in decode_relations(node.relations, IMPORT):
                    imports[node.path][relation.name] = relation.module
        edges: defaultdict[str, dict[tuple[str, str], float]] = defaultdict(dict)
        for (path, language), counts in names.items():
            for name, count in counts.items():
                module = imports[path].get(name)
                site = _Site(path, language, name, module, meant.get((path, name), ()))
                for node, weight in self._targets(site, counts):
                    factor = TEST_WEIGHT if is_test_path(path) else 1
                    edges[path][node.path, node.symbol] = weight * sqrt(count) * factor
                    if self._is_resolved(node, site):
                        self.resolved[node.path, node.symbol].add(path)
        return edges

    def _targets(self, site: _Site, names: Collection[str]) -> Iterator[tuple[NamedNode, float]]:
        """Yields the declarations that a name may mean, with the weight of each.

        `names` are all that the file refers to.
        """
        name = site.name
        named = self._named(site)
        if (
            not named
            or len(named) > MAX_DEFINITIONS
            or any(other.path == site.path for other in named)
        ):
            return
        weight = 1 / len(named)
        if is_compound(name):
            weight *= COMPOUND_WEIGHT
        if name.startswith("_"):
            weight *= PRIVATE_WEIGHT
        for node in named:
            if are_compatible(site.language, node.language):
                yield node, weight * self._factor(node, site, names)

    def _named(self, site: _Site) -> Sequence[NamedNode]:
        """The declarations of a name; only those with a full name that its sites mean, if known."""
        named = self._by_name.get(site.name, ())
        return [node for node in named if node.symbol in site.meant] if site.meant else named

    def _meant_symbols(self, node: NamedNode, name: str) -> Iterator[str]:
        """Yields the full names that a node means by a name of several types: `Shop::Base` by its
        qualifier, and in a language of nearest types `Base` by the modules around the node. All of
        them if a site does not tell.
        """
        symbols = {other.symbol for other in self._by_name[name]}
        for relation in decode_named(node.relations, name):
            if relation.kind not in _SITE_KINDS:
                continue
            if relation.qualifier:
                ending = f"{relation.qualifier}.{name}"
                meant = [symbol for symbol in symbols if symbol_ends_with(symbol, ending)]
            elif traits(node.language).nearest_types:
                nearest = nearest_symbol(node.symbol or "", name, symbols)
                meant = [nearest] if nearest else []
            else:
                meant = []
            yield from meant or symbols

    def _factor(self, node: NamedNode, site: _Site, names: Collection[str]) -> float:
        owner = node.symbol.rpartition(".")[0]
        if (node.path, owner) in self._types:
            factor = COMPOUND_MEMBER_WEIGHT if is_compound(site.name) else MEMBER_WEIGHT
            return factor if owner.rpartition(".")[2] in names else factor * UNNAMED_WEIGHT
        is_telling = node.node_type == "class" or is_compound(site.name)
        factor = 1.0 if is_telling else FUNCTION_WEIGHT
        return factor if _may_import(node, site) else factor * UNNAMED_WEIGHT

    def _is_resolved(self, node: NamedNode, site: _Site) -> bool:
        """Tells whether a name surely means a declaration that is no member: the file imports it
        from there, or the language needs no import and there is no other of the name.
        """
        if self._is_member(node):
            return False
        types = [other for other in self._named(site) if other.node_type == "class"]
        is_only = node in types and self._count_types(types) == 1
        if site.module is None:
            own = traits(node.language)
            return is_only and (own.global_scope or own.package_scope == "folder")
        if site.module.startswith("."):
            return _is_file_of(site.path, site.module, node.path) or is_only
        return _may_import(node, site) and self._is_nearest_module(node, site)

    def _is_nearest_module(self, node: NamedNode, site: _Site) -> bool:
        """Tells whether no other declaration of the name is in a file that fits the module better:
        `shop.cart` is `src/shop/cart.py` rather than `bench/cart.py`.
        """
        module = site.module or ""
        depth = _module_depth(module, node.path)
        return all(_module_depth(module, other.path) <= depth for other in self._named(site))

    def _count_types(self, types: Iterable[NamedNode]) -> int:
        """Counts the types that are no members; one that a test opens again counts once."""
        outer = {(node.symbol, node.path) for node in types if not self._is_member(node)}
        in_sources = {symbol for symbol, path in outer if not is_test_path(path)}
        return sum(not (is_test_path(path) and symbol in in_sources) for symbol, path in outer)

    def _is_member(self, node: NamedNode) -> bool:
        """Tells whether a declaration is in a type, other than a module, in the same file."""
        owner = self._types.get((node.path, node.symbol.rpartition(".")[0]))
        return owner is not None and owner.signature.partition(" ")[0] not in MODULE_KEYWORDS

    def file_ranks(self) -> Mapping[str, float]:
        """PageRank of the files; their sum is 1."""
        files = {node.path for node in self.declarations} | {*self._edges}
        if not files:
            return {}
        edges = {path: _by_file(targets) for path, targets in self._edges.items()}
        ranks = dict.fromkeys(files, 1 / len(files))
        for _ in range(ITERATIONS):
            received = dict.fromkeys(files, 0.0)
            passed = 0.0
            for path, targets in edges.items():
                for target, share in targets.items():
                    received[target] += ranks[path] * share
                    passed += ranks[path] * share
            base = (1 - DAMPING * passed) / len(files)
            ranks = {path: base + DAMPING * rank for path, rank in received.items()}
        return ranks

    def referring_files(self) -> Counter[str]:
        """The number of files with references to a file, by its path."""
        targets = (path for edges in self._edges.values() for path in {path for path, _ in edges})
        return Counter(targets)

    def symbol_shares(
        self, ranks: Mapping[str, float]
    ) -> tuple[Mapping[tuple[str, str], float], Counter[tuple[str, str]]]:
        """The rank that references carry to each declaration, and the files that refer to it."""
        shares: defaultdict[tuple[str, str], float] = defaultdict(float)
        counts: Counter[tuple[str, str]] = Counter()
        for path, targets in self._edges.items():
            total = max(FULL_WEIGHT, sum(targets.values()))
            for target, weight in targets.items():
                shares[target] += ranks[path] * weight / total
                counts[target] += 1
        return shares, counts


def _constructed(path: str, symbol: str) -> tuple[str, str]:
    """The path and symbol of the class of a constructor that is called like it."""
    outer, _, name = symbol.rpartition(".")
    return path, outer if outer.rpartition(".")[2] == name else ""


def _is_file_of(path: str, module: str, target: str) -> bool:
    """Tells whether a relative module, such as `../cart` or `..cart`, is the file `target`."""
    dots = len(module) - len(module.lstrip("."))
    if "/" not in module and module.strip("."):  # Python's: each further dot is a folder
        module = "/".join([".", *[".."] * (dots - 1), *module[dots:].split(".")])
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
    return any(target.startswith(f"{place}{end}") for end in (".", "/index.", "/__init__."))


def _module_depth(module: str, path: str) -> int:
    """Counts the last parts of a module that are the last ones of a file's path or folder:
    2 for `acme.shop.cart` and `src/shop/cart.py`.
    """
    parts = _WORDS.findall(module)[::-1]
    folders, _, name = path.rpartition("/")
    folder = folders.split("/")[::-1]
    ends = folder, [name.partition(".")[0], *folder]
    return max(
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parts, end, strict=False)))
        for end in ends
    )


def _may_import(node: NamedNode, site: _Site) -> bool:
    """Tells whether the file may mean a declaration of a module or package by its name."""
    if site.module is None:
        is_near = posixpath.dirname(site.path) == posixpath.dirname(node.path)
        own = traits(node.language)
        return is_near or own.global_scope or own.package_scope == "folder"
    place = {*_WORDS.findall(node.path), *_WORDS.findall(node.symbol)}
    is_relative = not site.module or site.module.startswith((".", *CRATE_KEYWORDS))
    return is_relative or not place.isdisjoint(_WORDS.findall(site.module))


def _by_file(targets: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """The share of each file in the weights of its declarations."""
    total = max(FULL_WEIGHT, sum(targets.values()))
    shares: defaultdict[str, float] = defaultdict(float)
    for (path, _), weight in targets.items():
        shares[path] += weight / total
    return shares
