"""Finds where documents and configuration name a symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_lines, snapshot_repositories
from feeder.query.file_kinds import DATA_NODE_TYPES, DOCUMENT_NODE_TYPES
from feeder.relations.member_resolution import is_compound
from feeder.relations.node_definitions import CONSTRUCTORS
from feeder.store.relations import document_files_with_word, file_blobs
from feeder.store.scope import is_test_path

MAX_NAMES = 40
"""Names that are looked for."""

MAX_FILES = 60
"""Files of documents and configuration that are read."""

MAX_MENTIONS_OF_FILE = 3


class Mention(NamedTuple):
    """A line of a document or of configuration that names the changed node `of`."""

    of: str
    path: str
    line: int
    text: str

    def as_json(self) -> dict[str, Any]:
        """The mention for `--json`."""
        return self._asdict()


def find_mentions(
    corpus: Corpus, names: Sequence[tuple[str, str]], without: Iterable[str]
) -> list[Mention]:
    """The mentions of named nodes, given as pairs of id and symbol, outside of some files.

    A name of one word, such as `add`, counts only with the type before it (`Cart.add`), since it
    may stand for anything in prose.
    """
    excluded = {*without}
    patterns = {
        id_: pattern for id_, name in names[:MAX_NAMES] if (pattern := _pattern(name)) is not None
    }
    words = {
        word for id_, name in names[:MAX_NAMES] if id_ in patterns for word in name.split(".")[-2:]
    }
    kinds = (*DOCUMENT_NODE_TYPES, *DATA_NODE_TYPES)
    paths = [
        path
        for path in document_files_with_word(corpus.database, corpus.repo, sorted(words), kinds)
        if path not in excluded and not is_test_path(path)
    ][:MAX_FILES]
    blobs = file_blobs(corpus.database, corpus.repo, paths)
    repositories = snapshot_repositories(corpus.database)
    lines = indexed_lines(corpus.base, blobs, other_repositories=repositories)
    mentions = []
    for path in paths:
        for id_, pattern in patterns.items():
            matches = [
                Mention(id_, path, number, line.strip()[:200])
                for number, line in enumerate(lines.get(path) or (), 1)
                if pattern.search(line)
            ]
            mentions += matches[:MAX_MENTIONS_OF_FILE]
    return mentions


def _pattern(symbol: str) -> re.Pattern[str] | None:
    """A pattern of how documents write a symbol; None for a name that is too common."""
    outer, _, name = symbol.rpartition(".")
    if name in CONSTRUCTORS:
        outer, _, name = outer.rpartition(".")
    if name.startswith("__"):
        return None
    if is_compound(name) or (name[:1].isupper() and len(name) >= 4):
        return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    if outer:
        owner = re.escape(outer.rpartition(".")[2])
        return re.compile(rf"(?<!\w){owner}(?:\.|::|#|->){re.escape(name)}(?!\w)")
    return None
