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
from feeder.store.inventory import file_blobs
from feeder.store.relations import document_files_with_word
from feeder.store.scope import is_test_path

MAX_NAMES = 40
"""Names that are looked for."""

MAX_FILES = 60
"""Files of documents and configuration that are read."""

MAX_MENTIONS_OF_FILE = 3
"""Lines of one file that are listed for one name."""


class Mention(NamedTuple):
    """A line of a document or of configuration that names the changed node `of`."""

    of: str
    path: str
    line: int
    text: str

    def as_json(self) -> dict[str, Any]:
        """The mention for `--json`."""
        return self._asdict()


class Mentions(NamedTuple):
    """The lines that name changed nodes; `limits` say what was not read or is not listed."""

    lines: list[Mention]
    limits: list[str]


def find_mentions(
    corpus: Corpus, names: Sequence[tuple[str, str]], without: Iterable[str]
) -> Mentions:
    """The mentions of named nodes, given as pairs of id and symbol, outside of some files.

    A name of one word, such as `add`, counts only with the type before it (`Cart.add`), since it
    may stand for anything in prose.
    """
    excluded = {*without}
    patterned = [(id_, name, pattern) for id_, name in names if (pattern := _pattern(name))]
    patterns = {id_: pattern for id_, _, pattern in patterned[:MAX_NAMES]}
    words = {word for _, name, _ in patterned[:MAX_NAMES] for word in name.split(".")[-2:]}
    kinds = (*DOCUMENT_NODE_TYPES, *DATA_NODE_TYPES)
    with_words = [
        path
        for path in document_files_with_word(corpus.database, corpus.repo, sorted(words), kinds)
        if path not in excluded and not is_test_path(path)
    ]
    paths = with_words[:MAX_FILES]
    blobs = file_blobs(corpus.database, corpus.repo, paths)
    repositories = snapshot_repositories(corpus.database)
    lines = indexed_lines(corpus.base, blobs, other_repositories=repositories)
    mentions = []
    is_cut = False
    for path in paths:
        for id_, pattern in patterns.items():
            matches = [
                Mention(id_, path, number, line.strip()[:200])
                for number, line in enumerate(lines.get(path) or (), 1)
                if pattern.search(line)
            ]
            mentions += matches[:MAX_MENTIONS_OF_FILE]
            is_cut |= len(matches) > MAX_MENTIONS_OF_FILE
    limits = (
        (
            len(patterned) > MAX_NAMES,
            f"Documents were searched for the first {MAX_NAMES} of {len(patterned):,} names.",
        ),
        (
            len(with_words) > MAX_FILES,
            f"{MAX_FILES} of {len(with_words):,} documents with matching words were read.",
        ),
        (is_cut, f"At most {MAX_MENTIONS_OF_FILE} lines of a document are listed for each name."),
    )
    return Mentions(mentions, [text for is_reached, text in limits if is_reached])


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
