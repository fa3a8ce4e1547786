"""Compares references and implementations of drawn definitions with a language's own tool."""

import re
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.relations.references import ReferenceFinder
from feeder.relations.site_text import with_text
from feeder.relations.sites import Implementation, Reference
from feeder.store import Statement
from feeder.store.relations import line_numbers
from language_servers.drawn_definitions import Drawn, implementations, implementing_lines, line_text
from language_servers.language_server import LanguageServer, Line, Place

PAGE = 50
NO_RELATION, TAKEN_FOR_ANOTHER, OTHER_NAME = (
    "no relation",
    "taken for another",
    "under another name",
)
ANOTHER, SAME, NOT_KNOWN = "another definition", "the same, left out", "unknown to the tool"
MISSES, MISTAKES = (TAKEN_FOR_ANOTHER, NO_RELATION, OTHER_NAME), (ANOTHER, NOT_KNOWN, SAME)


class Sites(NamedTuple):
    """The lines that refer to one definition, as each side finds them, and the seconds it took."""

    drawn: Drawn
    by_tool: set[Line]
    resolved: set[Line]
    listed: set[Line]
    by_grep: set[Line]
    seconds: float
    tool_seconds: float


def compare(corpus: Corpus, finder: ReferenceFinder, drawn: Drawn, tool: LanguageServer) -> Sites:
    """Finds the references of one definition with both sides and with `git grep -w`."""
    started = time.perf_counter()
    by_tool = set().union(*map(tool.references, drawn.places))
    tool_seconds = time.perf_counter() - started
    started = time.perf_counter()
    fresh = ReferenceFinder(corpus)
    references = fresh.references(drawn.definition) if drawn.definition else []
    with_text(corpus, references[:PAGE])
    seconds = time.perf_counter() - started
    own, name = drawn.lines, drawn.name
    indexed = _indexed_paths(corpus)
    return Sites(
        drawn,
        {
            (path, line)
            for path, line in by_tool - own
            if path in indexed and not _is_text(line_text(corpus.base, path, line), name)
        },
        _lines(reference for reference in references if reference.resolved) - own,
        _lines(references) - own,
        {site for site in _grep(corpus.base, name) if site[0] in indexed} - own,
        seconds,
        tool_seconds,
    )


def compare_implementations(
    corpus: Corpus, _: ReferenceFinder, drawn: Drawn, tool: LanguageServer
) -> Sites:
    """Finds what implements one type or member with both sides; `git grep` cannot.

    A type or member of feeder is the line of the tool that is in it.
    """
    started = time.perf_counter()
    indexed = _indexed_paths(corpus)
    found = implementations(corpus, drawn)
    seconds = time.perf_counter() - started
    started = time.perf_counter()
    own = {(one.path, one.start_line) for one in found}
    listed = implementing_lines(corpus, tool, drawn, own)
    by_tool = {line for line in listed if line[0] in indexed}
    tool_seconds = time.perf_counter() - started
    lines = {one: _line_of(one, by_tool) for one in found}
    resolved = {line for one, line in lines.items() if one.resolved}
    return Sites(drawn, by_tool, resolved, {*lines.values()}, set(), seconds, tool_seconds)


def _line_of(implementation: Implementation, lines: Iterable[Line]) -> Line:
    first, last = implementation.start_line, implementation.end_line
    inside = [line for path, line in lines if path == implementation.path and first <= line <= last]
    return implementation.path, min(inside, default=first)


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


def reference_differences(
    corpus: Corpus, finder: ReferenceFinder, sites: Sites, tool: LanguageServer
) -> list[tuple[str, Line]]:
    """The lines that only one side finds, with the reason."""
    return [*misses(corpus, finder, sites), *mistakes(corpus, sites, tool)]


def implementation_differences(
    _: Corpus, __: ReferenceFinder, sites: Sites, ___: LanguageServer
) -> list[tuple[str, Line]]:
    """The lines that only one side finds: no reason is known."""
    missed = [(NO_RELATION, line) for line in sorted(sites.by_tool - sites.listed)]
    return missed + [(ANOTHER, line) for line in sorted(sites.resolved - sites.by_tool)]


def misses(corpus: Corpus, finder: ReferenceFinder, sites: Sites) -> Iterator[tuple[str, Line]]:
    """Yields each line that only the tool finds, with the reason."""
    name = sites.drawn.name
    related = {
        (node.path, line)
        for node in finder.reader.nodes(name)
        for relation in node.decode()
        if relation.name == name
        for line in line_numbers(node, relation)
    }
    for path, line in sorted(sites.by_tool - sites.listed):
        text = line_text(corpus.base, path, line)
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield OTHER_NAME, (path, line)
        else:
            yield TAKEN_FOR_ANOTHER if (path, line) in related else NO_RELATION, (path, line)


def mistakes(corpus: Corpus, sites: Sites, tool: LanguageServer) -> Iterator[tuple[str, Line]]:
    """Yields each resolved line that the tool does not have, with what the tool says instead."""
    name, places = sites.drawn.name, sites.drawn.places
    # those of a prototype are the function
    own = sites.drawn.lines.union(*map(tool.definitions, places))
    for path, line in sorted(sites.resolved - sites.by_tool):
        text = line_text(corpus.base, path, line)
        columns = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
        at = [Place(path, line - 1, column) for column in columns]
        defined = set().union(*map(tool.definitions, at)) - {(path, line)}
        if path.endswith(".go") and not own & defined:
            # a call of an interface's method is listed for those that implement it, but not always
            defined |= {found.site for place in at for found in tool.implementations(place)}
        reason = SAME if own & defined else ANOTHER if defined else NOT_KNOWN
        yield reason, (path, line)


def _is_text(text: str, name: str) -> bool:
    """Tells whether a line has a name in strings (`__all__ = ["name"]`) or comments only."""
    if text.lstrip().startswith(("* ", "//", "/*")):
        return True
    others = re.sub(rf"""(["'`])[.]?{re.escape(name)}\1""", "", text)
    return others != text and not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", others)
