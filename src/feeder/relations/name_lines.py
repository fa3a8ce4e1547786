"""Finds the lines of code that have a name, for an answer in which no site refers to it.

Entry point: `lines_with_name`. Comments and strings are no code; what stands between backquotes is,
since it may have expressions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from feeder.corpus.file_contents import indexed_texts, snapshot_repositories
from feeder.corpus.index_status import Corpus
from feeder.escaping import count_of
from feeder.relations.modules import Definition
from feeder.relations.resolution import are_compatible
from feeder.store.relations import code_nodes_with_word, file_blobs

MAX_NAME_LINES = 50
"""Lines that an answer shows."""

_HASH_COMMENTS = frozenset({"python", "ruby", "php", "perl", "elixir", "bash", "julia", "r"})
"""Languages in which `#` begins a comment."""


class NameLine(NamedTuple):
    """A line of code that has a name, as it was indexed."""

    path: str
    line: int
    text: str


class NameLines(NamedTuple):
    """The first lines of code with a name out of `total`, or more than that where `at_least`."""

    lines: list[NameLine]
    total: int
    at_least: bool


NO_LINES = NameLines([], 0, at_least=False)


def lines_with_name(corpus: Corpus, definition: Definition) -> NameLines:
    """The lines of indexed code with a definition's name, other than its own declaration."""
    from feeder.parse.secrets import mask_lines  # imports the scanner

    nodes, is_cut = code_nodes_with_word(corpus.database, corpus.repo, definition.name)
    ranges: defaultdict[str, list[range]] = defaultdict(list)
    declared: set[tuple[str, int]] = set()
    for node in nodes:
        if are_compatible(node.language, definition.language):
            ranges[node.path].append(range(node.start_line, node.end_line + 1))
            if (node.path, node.symbol) == (definition.path, definition.symbol):
                declared.add((node.path, node.first_line))
    blobs = file_blobs(corpus.database, corpus.repo, list(ranges))
    repositories = snapshot_repositories(corpus.database)
    texts = indexed_texts(corpus.base, blobs, other_repositories=repositories)
    matches: list[NameLine] = []
    for path in sorted(ranges):
        text = texts.get(path) or ""
        rows = set().union(*ranges[path])
        found = [line for line in _lines_of_code(text, definition) if line in rows]
        if not found:
            continue
        first = _declaration(found, declared, path)
        lines = mask_lines(path, text.split("\n"), [line - 1 for line in found])
        matches += [
            NameLine(path, line, lines[line - 1].rstrip("\r")) for line in found if line != first
        ]
    return NameLines(matches[:MAX_NAME_LINES], len(matches), is_cut)


def _lines_of_code(text: str, definition: Definition) -> list[int]:
    """The numbers of lines that have a name outside of comments and strings."""
    name = re.compile(rf"(?<![\w$]){re.escape(definition.name)}(?![\w$])")
    if not name.search(text):
        return []  # the index finds other forms of a word too
    code = _not_code(definition.language in _HASH_COMMENTS).sub(_blank, text)
    return [number for number, line in enumerate(code.split("\n"), 1) if name.search(line)]


def _declaration(lines: Iterable[int], declared: set[tuple[str, int]], path: str) -> int:
    """The line of a definition's own name: the first one from the beginning of its node on."""
    starts = [line for own, line in declared if own == path]
    return next((line for line in lines if starts and line >= min(starts)), 0)


@cache
def _not_code(has_hash_comments: bool) -> re.Pattern[str]:
    """Finds comments and strings; an unfinished string ends with its line."""
    line_comment = "#" if has_hash_comments else "//"
    return re.compile(
        rf'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|/\*[\s\S]*?\*/|<!--[\s\S]*?-->|{line_comment}[^\n]*'
        r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    )


def _blank(match: re.Match[str]) -> str:
    """Keeps the lines of what is no code."""
    return "\n" * match[0].count("\n") or " "


def count_lines(found: NameLines) -> str:
    """The number of the lines: `at least 21 lines of code`; empty without any."""
    if not found.total:
        return ""
    return f"{'at least ' if found.at_least else ''}{count_of(found.total, 'line')} of code"


def name_line_texts(found: NameLines) -> Iterator[str]:
    """The lines as `path:line: text`."""
    for one in found.lines:
        yield f"{one.path}:{one.line}: {one.text.strip()}"
