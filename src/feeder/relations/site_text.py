"""Reads the text of sites' lines, finds the columns of their names, and the lines of overrides."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_lines, snapshot_repositories
from feeder.relations.sites import OVERRIDE, Reference
from feeder.store.inventory import file_blobs

DECLARATION_LINES = 40
"""Lines at the beginning of a node in which its declaration is looked for, below comments."""

COMMENT_PATTERN = re.compile(r"\s*(?:#|//|/?\*|--|<!--)")
"""The beginning of a line of comment, which is no declaration."""


def with_text(corpus: Corpus, references: Sequence[Reference]) -> list[Reference]:
    """Adds the text of each line, as it was indexed and with secrets masked, and the column."""
    from feeder.parse.secrets import mask_lines  # imports the scanner

    rows: defaultdict[str, set[int]] = defaultdict(set)
    for reference in references:
        rows[reference.path].update(line - 1 for line in _lines_to_read(reference))
    blobs = file_blobs(corpus.database, corpus.repo, list(rows))
    repositories = snapshot_repositories(corpus.database)
    contents = indexed_lines(corpus.base, blobs, other_repositories=repositories)
    lines = {
        path: mask_lines(path, text, (row for row in rows[path] if row < len(text)))
        for path, text in contents.items()
        if text is not None
    }
    used: defaultdict[tuple[str, int, str], int] = defaultdict(int)
    result = []
    for site in references:
        reference = _at_declaration(site, lines.get(site.path, {}))
        text = lines.get(reference.path, {}).get(reference.line - 1)
        key = reference.path, reference.line, reference.name
        column = 0 if text is None else _column(text, reference.name, used[key])
        used[key] += 1
        result.append(reference._replace(text=(text or "").rstrip("\r"), column=column))
    return result


def _lines_to_read(one: Reference) -> range:
    """The line of a reference; of an override, which may begin with comments, the first ones."""
    last = min(one.node.last_line, one.line + DECLARATION_LINES - 1)
    return range(one.line, max(one.line, last) + 1 if one.kind == OVERRIDE else one.line + 1)


def _at_declaration(one: Reference, lines: Mapping[int, str]) -> Reference:
    """An override on the first line that is no comment and has its name; others as they are."""
    if one.kind != OVERRIDE:
        return one
    declared = re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)")
    for line in _lines_to_read(one):
        text = lines.get(line - 1, "")
        if declared.search(text) and not COMMENT_PATTERN.match(text):
            return one._replace(line=line)
    return one


def _column(text: str, name: str, nth: int) -> int:
    """The column of the nth whole word `name` in a line, from 1; of the last if there are fewer."""
    starts = [match.start() + 1 for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    return starts[min(nth, len(starts) - 1)] if starts else 1
