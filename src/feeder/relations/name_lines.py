"""Finds the lines of code that have a name, for an answer in which no site refers to it.

Entry point: `lines_with_name`. Comments and strings are no code; what stands between backquotes is,
since it may have expressions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_texts, snapshot_repositories
from feeder.escaping import count_of
from feeder.relations.modules import Definition
from feeder.store.inventory import file_blobs
from feeder.store.relations import MAX_CODE_NODES, code_nodes_with_word
from feeder.traits import are_compatible, traits

MAX_NAME_LINES = 50
"""Lines that an answer shows."""

_CODE_SIGNS = re.compile(r"[(){}<>;=$]")
"""Characters in quotes that may be code: an interpolation, or the quotes are no string's."""


class NameLine(NamedTuple):
    """A line of code that has a name, as it was indexed."""

    path: str
    line: int
    text: str


class NameLines(NamedTuple):
    """The first lines of code with a name out of `total`, or more than that where `at_least`.

    `unread` counts files that have the word and whose text cannot be read.
    """

    lines: list[NameLine]
    total: int
    at_least: bool
    unread: int = 0

    def as_json(self) -> dict[str, Any]:
        """The lines for `--json`, with their number before they were cut."""
        return {
            "lines_with_name": [line._asdict() for line in self.lines],
            "lines_with_name_total": self.total,
            "lines_with_name_at_least": self.at_least or self.unread > 0,
        }


NO_LINES = NameLines([], 0, at_least=False)


def lines_with_name(
    corpus: Corpus, definition: Definition, member_lines: Collection[int]
) -> NameLines:
    """The lines of indexed code with a definition's name, other than those that declare it.

    A node is declared on the first of its lines that has the name, a member on `member_lines` of
    the definition's file.
    """
    from feeder.parse.secrets import mask_lines  # imports the scanner

    nodes, is_cut = code_nodes_with_word(corpus.database, corpus.repo, definition.name)
    rows: defaultdict[str, set[int]] = defaultdict(set)
    starts: list[int] = []
    for node in nodes:
        if are_compatible(node.language, definition.language):
            rows[node.path].update(range(node.start_line, node.end_line + 1))
            if (node.path, node.symbol) == (definition.path, definition.symbol):
                starts.append(node.first_line)
    blobs = file_blobs(corpus.database, corpus.repo, list(rows))
    repositories = snapshot_repositories(corpus.database)
    texts = indexed_texts(corpus.base, blobs, other_repositories=repositories)
    matches: list[NameLine] = []
    for path in sorted(rows):
        text = texts.get(path) or ""
        found = lines_of_code(text, definition.name, definition.language)
        found = [line for line in found if line in rows[path]]
        if path == definition.path:
            found = _without_declaration(found, starts, member_lines)
        if found:
            lines = mask_lines(path, text.split("\n"), [line - 1 for line in found])
            matches += [NameLine(path, line, lines[line - 1].rstrip("\r")) for line in found]
    unread = sum(texts.get(path) is None for path in rows)
    return NameLines(matches[:MAX_NAME_LINES], len(matches), is_cut, unread)


def _without_declaration(
    lines: Sequence[int], starts: Sequence[int], member_lines: Collection[int]
) -> list[int]:
    first = next((line for line in lines if starts and line >= min(starts)), 0)
    return [line for line in lines if line != first and line not in member_lines]


def lines_of_code(text: str, name: str, language: str) -> list[int]:
    """The numbers of lines that have a name outside of comments and strings.

    A string that may have code in it, as `f"{total(x)}"`, counts as code.
    """
    own = traits(language)
    flags = re.IGNORECASE if own.case_insensitive else re.NOFLAG
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])", flags)
    if not word.search(text):
        return []  # the index finds other forms of a word too
    code = _not_code(tuple(own.line_comments), own.character_quotes).sub(_blank, text)
    return [number for number, line in enumerate(code.split("\n"), 1) if word.search(line)]


@cache
def _not_code(line_comments: Sequence[str], character_quotes: bool) -> re.Pattern[str]:
    """Finds comments and strings; an unfinished string ends with its line.

    A comment's `//` is no part of an address or of a regular expression.
    """
    comments = "|".join(map(re.escape, line_comments))
    single = r"'(?:[^'\\\n]|\\.[^'\n]{0,8})'" if character_quotes else r"'(?:[^'\\\n]|\\.)*'"
    return re.compile(
        rf"(?P<comment>/\*[\s\S]*?\*/|<!--[\s\S]*?-->|(?<![\\:])(?:{comments})[^\n]*)"
        rf"|\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:[^\"\\\n]|\\.)*\"|{single}"
    )


def _blank(match: re.Match[str]) -> str:
    """Keeps the line ends of what is no code, and all of a string that may have code in it."""
    text = match[0]
    is_docstring = text.startswith(('"""', "'''"))
    if not match["comment"] and (
        "{" in text or "$" in text if is_docstring else _CODE_SIGNS.search(text)
    ):
        return text
    return "\n" * text.count("\n") or " "


def count_lines(found: NameLines, listed: int | None = None) -> str:
    """What has the name, in words: `at least 21 lines of code`; empty without anything.

    Of the lines the first `listed` are shown, by default all of `found.lines`.
    """
    listed = len(found.lines) if listed is None else listed
    if found.total:
        at_least = "at least " if found.at_least or found.unread else ""
        first = f" (the first {listed:,} are listed)" if 0 < listed < found.total else ""
        return f"{at_least}{count_of(found.total, 'line')} of code{first}"
    if found.unread:
        return f"{count_of(found.unread, 'file')} without readable text"
    return f"more than {MAX_CODE_NODES:,} nodes" if found.at_least else ""


def name_line_texts(found: NameLines) -> Iterator[str]:
    """The lines as `path:line: text`."""
    for line in found.lines:
        yield f"{line.path}:{line.line}: {line.text.strip()}"
