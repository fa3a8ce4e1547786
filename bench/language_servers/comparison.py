"""Compares the references of drawn definitions with those of a language's own tool."""

import random
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.relations.modules import Definition
from feeder.relations.node_definitions import CONSTRUCTORS
from feeder.relations.references import ReferenceFinder
from feeder.relations.site_text import with_text
from feeder.relations.sites import Reference
from feeder.store import Statement
from feeder.store.relations import line_numbers
from feeder.store.scope import is_test_path
from language_servers.language_server import LanguageServer, Line, Place

SEED, PAGE = 28, 50
NO_RELATION, TAKEN_FOR_ANOTHER, OTHER_NAME = (
    "no relation",
    "taken for another",
    "under another name",
)
ANOTHER, SAME, NOT_KNOWN = "another definition", "the same, left out", "unknown to the tool"
MISSES, MISTAKES = (TAKEN_FOR_ANOTHER, NO_RELATION, OTHER_NAME), (ANOTHER, NOT_KNOWN, SAME)


class Drawn(NamedTuple):
    """A definition with the places of its name: a C type may have two, of a tag and a typedef."""

    definition: Definition
    places: Sequence[Place]

    @property
    def lines(self) -> set[Line]:
        """The lines that declare it."""
        return {(place.path, place.line + 1) for place in self.places}


class Sites(NamedTuple):
    """The lines that refer to one definition, as each side finds them, and the seconds it took."""

    drawn: Drawn
    by_tool: set[Line]
    resolved: set[Line]
    listed: set[Line]
    by_grep: set[Line]
    seconds: float
    tool_seconds: float


def draw(
    corpus: Corpus,
    finder: ReferenceFinder,
    languages: Sequence[str],
    tool: LanguageServer,
    count: int,
) -> list[Drawn]:
    """Draws definitions outside of tests whose declaration the tool reports too."""
    names = ", ".join("?" for _ in languages)
    sql = (
        "SELECT path, symbol, start_line, end_line FROM docs WHERE repo = ? AND symbol <> '' AND "
        f"node_type IN ('class', 'method') AND language IN ({names}) ORDER BY path, start_line"
    )
    [rows] = corpus.database.run([Statement(sql, (corpus.repo, *languages))])
    candidates = {
        (str(path), str(symbol)): (int(str(first)), int(str(last)))
        for path, symbol, first, last in rows
        if not is_test_path(str(path))
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
    return Drawn(matches[0], declared) if declared and matches else None


def compare(corpus: Corpus, finder: ReferenceFinder, drawn: Drawn, tool: LanguageServer) -> Sites:
    """Finds the references of one definition with both sides and with `git grep -w`."""
    started = time.perf_counter()
    by_tool = set().union(*map(tool.references, drawn.places))
    tool_seconds = time.perf_counter() - started
    started = time.perf_counter()
    fresh = ReferenceFinder(corpus)
    references = fresh.references(drawn.definition)
    with_text(corpus, references[:PAGE])
    seconds = time.perf_counter() - started
    own, name = drawn.lines, drawn.definition.name
    indexed = _indexed_paths(corpus)
    return Sites(
        drawn,
        {
            (path, line)
            for path, line in by_tool - own
            if path in indexed and not _is_text(_line(corpus.base, path, line), name)
        },
        _lines(reference for reference in references if reference.resolved) - own,
        _lines(references) - own,
        {site for site in _grep(corpus.base, name) if site[0] in indexed} - own,
        seconds,
        tool_seconds,
    )


def _lines(references: Iterable[Reference]) -> set[Line]:
    return {(reference.path, reference.line) for reference in references}


def _indexed_paths(corpus: Corpus) -> set[str]:
    statement = Statement("SELECT path FROM files WHERE repo = ? AND nodes > 0", (corpus.repo,))
    [rows] = corpus.database.run([statement])
    return {str(path) for (path,) in rows}


def _grep(folder: Path, name: str) -> Iterator[Line]:
    command = ["git", "-C", str(folder), "grep", "-InwFz", "--untracked", "-e", name]
    # it exits with 1 if no line has the name
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    for line in done.stdout.split("\n")[:-1]:
        path, number, _ = line.split("\0", 2)
        yield path, int(number)


def misses(corpus: Corpus, finder: ReferenceFinder, sites: Sites) -> Iterator[tuple[str, Line]]:
    """Yields each line that only the tool finds, with the reason."""
    name = sites.drawn.definition.name
    related = {
        (node.path, line)
        for node in finder.reader.nodes(name)
        for relation in node.decode()
        if relation.name == name
        for line in line_numbers(node, relation)
    }
    for path, line in sorted(sites.by_tool - sites.listed):
        text = _line(corpus.base, path, line)
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield OTHER_NAME, (path, line)
        else:
            yield TAKEN_FOR_ANOTHER if (path, line) in related else NO_RELATION, (path, line)


def mistakes(corpus: Corpus, sites: Sites, tool: LanguageServer) -> Iterator[tuple[str, Line]]:
    """Yields each resolved line that the tool does not have, with what the tool says instead."""
    name, places = sites.drawn.definition.name, sites.drawn.places
    # those of a prototype are the function
    own = sites.drawn.lines.union(*map(tool.definitions, places))
    for path, line in sorted(sites.resolved - sites.by_tool):
        text = _line(corpus.base, path, line)
        columns = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
        at = [Place(path, line - 1, column) for column in columns]
        defined = set().union(*map(tool.definitions, at)) - {(path, line)}
        if sites.drawn.definition.language == "go" and not own & defined:
            # a call of an interface's method is listed for those that implement it, but not always
            defined = defined.union(*map(tool.implementations, at))
        reason = SAME if own & defined else ANOTHER if defined else NOT_KNOWN
        yield reason, (path, line)


def _is_text(text: str, name: str) -> bool:
    """Tells whether a line has a name in strings (`__all__ = ["name"]`) or comments only."""
    if text.lstrip().startswith(("* ", "//", "/*")):
        return True
    others = re.sub(rf"""(["'`])[.]?{re.escape(name)}\1""", "", text)
    return others != text and not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", others)


def _line(folder: Path, path: str, line: int) -> str:
    lines = (folder / path).read_bytes().decode("utf-8", "replace").split("\n")
    return lines[line - 1] if line <= len(lines) else ""
