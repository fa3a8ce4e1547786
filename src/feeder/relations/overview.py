"""Ranks files and symbols by how much refers to them, for somebody who is new to a repository.

Start with `build_overview`; the ranks are those of `ReferenceGraph`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from feeder.cloudflare.free_tier import ROWS_READ_PER_DAY, format_percent
from feeder.corpus.corpus import Corpus
from feeder.escaping import count_of
from feeder.query.file_kinds import EXAMPLE_PATH_PATTERN
from feeder.relations.entry_points import TITLE, EntryPoints, find_entry_points
from feeder.relations.reference_graph import TEST_WEIGHT, ReferenceGraph
from feeder.relations.targets import check_relations, files_below_path
from feeder.store.index_counts import counts_from_json, known_counts
from feeder.store.overview_nodes import MAX_OVERVIEW_NODES, NamedNode, named_nodes
from feeder.store.scope import is_test_path

PACKAGE_DEPTH = 2
"""Folders of a package's path below the requested one."""

MAX_PACKAGES = 12
MAX_ENTRY_POINTS = 12
MAX_TYPES = 16
MAX_USED = 6
"""Packages listed that a package uses."""

MIN_TYPE_SCORE = 1.0
"""A type with less is no central one."""

_ENTRY_FILES = re.compile(
    r"(?:^|/)(?:__main__\.py|manage\.py|(?:main|cli|app|index|server)\.(?:py|[cm]?[jt]sx?|go|rs|rb|kt))$"
)


class RankedSymbol(NamedTuple):
    """A declaration with its share of all rank, and the number of files that refer to its name."""

    path: str
    symbol: str
    node_type: str
    signature: str
    start_line: int
    end_line: int
    files: int
    rank: float

    def as_json(self) -> dict[str, Any]:
        """The symbol for `--json`."""
        return {**self._asdict(), "rank": round(self.rank, 6)}


class Package(NamedTuple):
    """A folder with its files, declarations and share of all rank.

    `uses` are the first of the `uses_total` other listed packages that it refers to, the most
    referred one first.
    """

    path: str
    files: int
    symbols: int
    rank: float
    uses: Sequence[str] = ()
    uses_total: int = 0

    def as_json(self) -> dict[str, Any]:
        """The package for `--json`."""
        return {**self._asdict(), "rank": round(self.rank, 6), "uses": [*self.uses]}


class CentralType(NamedTuple):
    """A type with the number of files in other folders that import it, or that name it in a
    language where its name alone is enough.
    """

    symbol: RankedSymbol
    files: int

    def as_json(self) -> dict[str, Any]:
        """The type for `--json`."""
        return {**self.symbol.as_json(), "files": self.files}


class Overview(NamedTuple):
    """The packages, entry points and symbols below a path, each list with the highest rank first.

    `entries` are the entry points by kind, `entry_points` only the functions among them. `totals`
    are the lengths of the lists before they were cut. `at_least` if the index has more nodes than
    were read.
    """

    path: str
    packages: list[Package]
    entry_points: list[RankedSymbol]
    symbols: list[RankedSymbol]
    at_least: bool
    entries: EntryPoints
    types: Sequence[CentralType]
    totals: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """The lists for `--json`."""
        return {
            "path": self.path,
            "packages": [package.as_json() for package in self.packages],
            "entry_points": [point.as_json() for point in self.entry_points],
            "symbols": [symbol.as_json() for symbol in self.symbols],
            "at_least": self.at_least,
            "entries": [entry.as_json() for entry in self.entries.listed],
            "types": [type_.as_json() for type_ in self.types],
            "totals": {**self.totals},
        }


def build_overview(corpus: Corpus, text: str, directory: str = "") -> Overview:
    """The overview of what is at or below a path; ranks come from the whole repository.

    Raises UserError for an unknown path and for an index without relations.
    """
    check_relations(corpus)
    below = files_below_path(corpus, text, directory)
    nodes = named_nodes(corpus.database, corpus.repo)
    graph = ReferenceGraph(nodes)
    ranks = graph.file_ranks()
    shares, counts = graph.symbol_shares(ranks)
    shown = {path for path in below if not is_test_path(path)} or {*below}
    symbols = [
        _ranked(node, counts[node.path, node.symbol], shares[node.path, node.symbol])
        for node in graph.declarations
        if node.path in shown
    ]
    symbols.sort(key=lambda one: (-one.rank, one.path, one.start_line))
    folder = posixpath.commonpath(below) if len(below) > 1 else posixpath.dirname(below[0])
    packages = _packages(shown, folder, ranks, symbols)
    functions = _entry_points(symbols)
    entries = find_entry_points(corpus, nodes, below)
    types = _central_types(symbols, graph.resolved)
    return Overview(
        text,
        _with_uses(packages[:MAX_PACKAGES], folder, graph.resolved),
        functions[:MAX_ENTRY_POINTS],
        symbols,
        len(nodes) >= MAX_OVERVIEW_NODES,
        entries,
        types[:MAX_TYPES],
        {
            "packages": len(packages),
            "entries": sum(entries.totals.values()),
            "entry_points": len(functions),
            "types": len(types),
            "symbols": len(symbols),
        },
    )


def overview_cost(corpus: Corpus) -> str:
    """A sentence on the rows of D1 that an overview reads; empty where no row is billed."""
    if not corpus.database.access.bills_rows:
        return ""
    counts = known_counts(corpus.meta, corpus.repo)
    if counts is None:
        return "The ranking reads a row of D1 for each node of the index."
    nodes = sum(counts_from_json(counts).node_types.values())
    share = format_percent(nodes / ROWS_READ_PER_DAY)
    return f"The ranking reads {nodes:,} rows of D1, one for each node: {share} of a free day's."


def referring_files(corpus: Corpus) -> Counter[str]:
    """The number of other files that refer to a file by names it declares, by its path."""
    return ReferenceGraph(named_nodes(corpus.database, corpus.repo)).referring_files()


def _ranked(node: NamedNode, files: int, rank: float) -> RankedSymbol:
    return RankedSymbol(
        node.path,
        node.symbol,
        node.node_type,
        node.signature,
        node.start_line,
        node.end_line,
        files,
        rank,
    )


def _packages(
    paths: Collection[str],
    folder: str,
    ranks: Mapping[str, float],
    symbols: Iterable[RankedSymbol],
) -> list[Package]:
    """The folders below the requested one, at most `PACKAGE_DEPTH` deep, with code in them."""
    counts = Counter(_package(symbol.path, folder) for symbol in symbols)
    files = Counter(_package(path, folder) for path in paths)
    shares: defaultdict[str, float] = defaultdict(float)
    for path in paths:
        shares[_package(path, folder)] += ranks.get(path, 0)
    packages = [Package(name, files[name], counts[name], shares[name]) for name in counts]
    packages.sort(key=lambda one: (-one.rank, one.path))
    return packages


def _with_uses(
    packages: list[Package], folder: str, resolved: Mapping[tuple[str, str], Collection[str]]
) -> list[Package]:
    """Adds to each package the other packages that it uses; those that most of its files use come
    first.
    """
    listed = {package.path for package in packages}
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for used, user in {(path, user) for (path, _), users in resolved.items() for user in users}:
        pair = _package(user, folder), _package(used, folder)
        if pair[0] != pair[1] and {*pair} <= listed and not is_test_path(user):
            counts[pair[0]][pair[1]] += 1
    return [
        package._replace(
            uses=[name for name, _ in counts[package.path].most_common(MAX_USED)],
            uses_total=len(counts[package.path]),
        )
        for package in packages
    ]


def _central_types(
    symbols: Iterable[RankedSymbol], resolved: Mapping[tuple[str, str], Collection[str]]
) -> list[CentralType]:
    """The types that most files of other folders refer to; tests count less, examples not."""
    scores: dict[CentralType, float] = {}
    for symbol in symbols:
        users = resolved.get((symbol.path, symbol.symbol), ())
        folder = posixpath.dirname(symbol.path)
        outside = [path for path in users if posixpath.dirname(path) != folder]
        sources = [path for path in outside if not is_test_path(path)]
        is_example = EXAMPLE_PATH_PATTERN.search(symbol.path) is not None
        if symbol.node_type == "class" and outside and not is_example:
            near = len(users) - len(outside)
            score = len(sources) + TEST_WEIGHT * (len(outside) - len(sources) + near)
            if score >= MIN_TYPE_SCORE:
                scores[CentralType(symbol, len(outside))] = score
    ranked = sorted(scores, key=lambda one: (-scores[one], -one.symbol.rank))
    # a name with its namespace is one type, declared for several platforms
    by_name = {_name_or_place(symbol.symbol): symbol for symbol in reversed(ranked)}
    return [symbol for symbol in ranked if by_name[_name_or_place(symbol.symbol)] is symbol]


def _name_or_place(symbol: RankedSymbol) -> str:
    return symbol.symbol if "." in symbol.symbol else f"{symbol.path}#{symbol.symbol}"


def _package(path: str, folder: str) -> str:
    inside = posixpath.dirname(posixpath.relpath(path, folder or "."))
    parts = inside.split("/")[:PACKAGE_DEPTH] if inside else []
    return posixpath.join(folder, *parts) or "."


def _entry_points(symbols: Iterable[RankedSymbol]) -> list[RankedSymbol]:
    """Functions named `main`, and the first symbol of files such as `__main__.py` and `cli.ts`.

    Those of examples come last.
    """
    by_path: dict[str, RankedSymbol] = {}
    for symbol in symbols:
        is_main = symbol.symbol.rpartition(".")[2] in {"main", "Main"}
        if is_main or (_ENTRY_FILES.search(symbol.path) and symbol.path not in by_path):
            by_path[symbol.path] = symbol
    return sorted(by_path.values(), key=_entry_order)


def _entry_order(one: RankedSymbol) -> tuple[bool, int, float, str]:
    is_example = EXAMPLE_PATH_PATTERN.search(one.path) is not None
    return is_example, one.path.count("/"), -one.rank, one.path


def fit_symbols(symbols: Sequence[RankedSymbol], max_bytes: int) -> dict[str, list[RankedSymbol]]:
    """As many of the first symbols as fit, by file: the files by rank, symbols by line."""
    chosen: defaultdict[str, list[RankedSymbol]] = defaultdict(list)
    left = max_bytes
    for symbol in symbols:
        size = len(symbol_line(symbol).encode()) + 1
        size += 0 if symbol.path in chosen else len(symbol.path.encode()) + 1
        if size > left:
            break
        left -= size
        chosen[symbol.path].append(symbol)
    return {path: sorted(ones, key=lambda one: one.start_line) for path, ones in chosen.items()}


def symbol_line(one: RankedSymbol) -> str:
    """The line of a symbol below its file: lines, and the signature or the name."""
    shown = one.signature or f"{one.node_type} {one.symbol}"
    outer = one.symbol.rpartition(".")[0]
    owner = f"  ({outer})" if outer and one.node_type == "method" else ""
    return f"  {one.start_line}-{one.end_line}  {shown}{owner}"


def overview_sections(overview: Overview) -> Iterator[tuple[str, list[str]]]:
    """The title and lines of the sections above the symbols; a cut list says how many it omits."""
    at_least = "at least " if overview.at_least else ""
    packages = [*map(_package_line, overview.packages)]
    types = [*map(_type_line, overview.types)]
    for name, lines in (("packages", packages), ("types", types)):
        if omitted := overview.totals[name] - len(lines):
            lines.append(f"… {at_least}{omitted:,} more")
    yield "Packages", packages or ["none found"]
    yield TITLE, [*_entry_lines(overview.entries)] or ["none found"]
    title = "Central types, with the number of files in other folders that refer to them"
    yield title, types or ["none found"]


def _package_line(one: Package) -> str:
    more = one.uses_total - len(one.uses)
    others = f" and {more:,} more" if more else ""
    uses = f"; uses {', '.join(one.uses)}{others}" if one.uses else ""
    return f"{one.path} {count_of(one.files, 'file')}, {count_of(one.symbols, 'symbol')}{uses}"


def _entry_lines(entries: EntryPoints) -> Iterator[str]:
    """Each entry point with its kind and place, grouped by kind."""
    for kind, group in groupby(entries.listed, key=lambda entry: entry.kind):
        listed = list(group)
        yield from (f"{kind}: {entry.place} {entry.name}".rstrip() for entry in listed)
        if omitted := entries.totals[kind] - len(listed):
            yield f"{kind}: … {omitted:,} more"


def _type_line(one: CentralType) -> str:
    symbol = one.symbol
    place = f"{symbol.path}:{symbol.start_line}-{symbol.end_line}"
    return f"{place} {symbol.symbol} ({count_of(one.files, 'file')})"
