"""Draws the definitions that are compared: types and functions, fields and constants, bases."""

import random
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.errors import UserError
from feeder.relations.definitions import resolve_definition
from feeder.relations.modules import Definition
from feeder.relations.node_definitions import CONSTRUCTORS
from feeder.relations.references import ReferenceFinder, find_implementations
from feeder.relations.sites import Implementation
from feeder.relations.targets import resolve_target
from feeder.store import Statement
from feeder.store.scope import is_test_path
from language_servers.language_server import Declaration, LanguageServer, Line, Place

SEED = 28
FIELD_KINDS = {7, 8, 13, 14, 22}
"""Properties, fields, variables, constants and enumerators, as the protocol numbers them."""
SCOPE_KINDS = {2, 3, 4, 5, 10, 11, 23}
"""Modules, namespaces, packages, classes, enums, interfaces and structs."""

TYPE_KINDS = {5, 11}
"""Classes and interfaces."""

DECLARES_TYPE = re.compile(r"\b(?:class|interface)\b")
DECLARES = re.compile(r"\b(?:const|let|var)\b")
EMBEDS = re.compile(r"\s*\*?[\w.]+\s*(?:`.*`)?\s*(?://.*)?")


class Drawn(NamedTuple):
    """A definition with the places of its name: a C type may have two, of a tag and a typedef.

    `definition` is None for a field that feeder does not know.
    """

    symbol: str
    definition: Definition | None
    places: Sequence[Place]

    @property
    def name(self) -> str:
        """The last name of the symbol."""
        return self.symbol.rpartition(".")[2]

    @property
    def lines(self) -> set[Line]:
        """The lines that declare it."""
        return {(place.path, place.line + 1) for place in self.places}


def draw(
    corpus: Corpus,
    finder: ReferenceFinder,
    languages: Sequence[str],
    tool: LanguageServer,
    count: int,
) -> list[Drawn]:
    """Draws definitions outside of tests whose declaration the tool reports too."""
    columns = "path, symbol, start_line, end_line"
    is_definition = "symbol <> '' AND node_type IN ('class', 'method')"
    candidates = {
        (str(path), str(symbol)): (int(str(first)), int(str(last)))
        for path, symbol, first, last in _rows(corpus, languages, columns, is_definition)
    }
    order = sorted(candidates)
    random.Random(SEED).shuffle(order)
    drawn: list[Drawn] = []
    for path, symbol in order:
        if len(drawn) == count:
            break
        first, last = candidates[path, symbol]
        one = _locate(finder, tool, path, symbol, (first, last))
        if one:
            drawn.append(one)
    return drawn


def _rows(
    corpus: Corpus, languages: Sequence[str], columns: str, condition: str = "TRUE"
) -> Iterator[Sequence[object]]:
    """Yields distinct columns, the first of them the path, of the nodes outside of tests."""
    names = ", ".join("?" for _ in languages)
    sql = (
        f"SELECT DISTINCT {columns} FROM docs WHERE repo = ? AND language IN ({names}) "
        f"AND {condition} ORDER BY path, start_line"
    )
    [rows] = corpus.database.run([Statement(sql, (corpus.repo, *languages))])
    yield from (row for row in rows if not is_test_path(str(row[0])))


def _locate(
    finder: ReferenceFinder, tool: LanguageServer, path: str, symbol: str, lines: tuple[int, int]
) -> Drawn | None:
    outer, _, name = symbol.rpartition(".")
    if name in CONSTRUCTORS or name == outer.rpartition(".")[2]:
        return None  # a call of a type refers to both
    declared = [
        declaration.place
        for declaration in tool.declarations(path)
        if re.split(r"[.:]", declaration.name)[-1] == name
        and lines[0] <= declaration.place.line + 1 <= lines[1]
    ]
    named = [one for one, _ in finder.reader.named_definitions(name)]
    matches = [node for node in named if (node.path, node.symbol) == (path, symbol)]
    return Drawn(symbol, matches[0], declared) if declared and matches else None


def draw_fields(
    corpus: Corpus,
    finder: ReferenceFinder,
    languages: Sequence[str],
    tool: LanguageServer,
    count: int,
) -> list[Drawn]:
    """Draws fields, constants, enumerators and variables of files outside of tests."""
    paths = dict.fromkeys(str(path) for path, *_ in _rows(corpus, languages, "path, start_line"))
    declared = [
        one for path in paths for one in tool.declarations(path) if _is_field(corpus.base, one)
    ]
    random.Random(SEED).shuffle(declared)
    drawn: list[Drawn] = []
    for declaration in declared:
        if len(drawn) == count:
            break
        definition = _member(corpus, finder, declaration.place)
        symbol = ".".join([*(outer.name for outer in declaration.around[-1:]), declaration.name])
        if not definition or not (definition.is_function or definition.is_type):
            drawn.append(Drawn(symbol, definition, [declaration.place]))
    return drawn


def _is_field(folder: Path, declaration: Declaration) -> bool:
    """Tells whether a declaration is a field or constant: no embedded type of Go, whose uses are
    those of the type, and no name that TypeScript exports from another module.
    """
    is_inner = all(outer.kind in SCOPE_KINDS for outer in declaration.around)
    if declaration.kind not in FIELD_KINDS or not is_inner or not declaration.name.isidentifier():
        return False
    path, _ = declaration.place.site
    text = line_text(folder, *declaration.place.site)
    if path.endswith(".go"):
        return not EMBEDS.fullmatch(text)
    return bool(declaration.around or not path.endswith((".ts", ".tsx")) or DECLARES.search(text))


def _member(corpus: Corpus, finder: ReferenceFinder, place: Place) -> Definition | None:
    """What feeder takes the name at a place for; None if it does not know it."""
    text = f"{place.path}:{place.line + 1}:{place.column + 1}"
    try:
        return finder.reader.definition(*resolve_definition(corpus, text))
    except UserError:
        return None


def draw_bases(
    corpus: Corpus,
    finder: ReferenceFinder,
    languages: Sequence[str],
    tool: LanguageServer,
    count: int,
) -> list[Drawn]:
    """Draws types and members of types which feeder or the tool says that something implements."""
    drawn: list[Drawn] = []
    for one in draw(corpus, finder, languages, tool, sys.maxsize):
        if len(drawn) == count:
            break
        if one.places[0].path.endswith(".go") and not _is_interface(corpus.base, one):
            continue  # gopls lists the interfaces that it implements
        if implementations(corpus, one) or implementing_lines(corpus, tool, one):
            drawn.append(one)
    return drawn


def _is_interface(folder: Path, drawn: Drawn) -> bool:
    """Tells whether a definition is an interface of Go or a method of one."""
    declared = line_text(folder, *drawn.places[0].site)
    return bool(drawn.definition and drawn.definition.is_abstract) or " interface" in declared


def implementations(corpus: Corpus, drawn: Drawn) -> list[Implementation]:
    """What feeder says that implements a type or member; nothing for another function."""
    definition = drawn.definition
    if not definition or not (definition.is_type or definition.owner):
        return []
    text = f"{definition.path}#{definition.symbol}"
    try:
        return find_implementations(corpus, resolve_target(corpus, text), text)[1]
    except UserError:
        return []


def implementing_lines(
    corpus: Corpus, tool: LanguageServer, drawn: Drawn, by_feeder: Collection[Line] = ()
) -> set[Line]:
    """The lines of everything that implements a definition, on all levels below it.

    gopls lists all levels at once, and for a type of the answer the interfaces above it. TypeScript
    also has objects that implement a type without naming it, which feeder says that it
    does not see: there, only classes and interfaces count, their members, and the members of
    objects that feeder lists too.
    """
    definition = drawn.definition
    assert definition
    has_levels = definition.language == "go"
    is_structural = definition.language in {"typescript", "tsx"}
    found: set[Place] = set()
    waiting = [*drawn.places]
    while waiting:
        new = tool.implementations(waiting.pop()) - found - {*drawn.places}
        found |= new
        waiting += () if has_levels else new
    lines = {place.site for place in found} - drawn.lines
    if is_structural and not definition.is_type:
        lines = {line for line in lines if line in by_feeder or _is_of_type(tool, line)}
    elif is_structural:
        lines = {line for line in lines if DECLARES_TYPE.search(line_text(corpus.base, *line))}
    return lines


def _is_of_type(tool: LanguageServer, line: Line) -> bool:
    """Tells whether a line declares a member of a class or an interface."""
    declared = (one for one in tool.declarations(line[0]) if one.place.site == line)
    return any(one.around and one.around[-1].kind in TYPE_KINDS for one in declared)


def line_text(folder: Path, path: str, line: int) -> str:
    """A line of a file; empty if the file has fewer."""
    lines = (folder / path).read_bytes().decode("utf-8", "replace").split("\n")
    return lines[line - 1] if line <= len(lines) else ""
