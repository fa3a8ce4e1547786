"""Finds nodes by the lines in which git finds a token of code."""

import re
from collections.abc import Sequence

from feeder.bigrams import is_part_of_word
from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_revision
from feeder.snippets.line_matches import innermost_nodes
from feeder.source import git
from feeder.source.grep import git_grep
from feeder.store.hits import Hit, hits_in_files

MAX_FILES = 200
"""Files of which nodes are read; a token in more of them needs no such search."""

TIMEOUT_S = 0.5
"""The time for git: a search takes a tenth of it, and the token is only one part of the answer."""


def ids_with_tokens(corpus: Corpus, tokens: Sequence[str]) -> list[str]:
    """The ids of the innermost nodes of lines with a token, in the files that the index equals.

    None if git does not have these files, or if too many have a token.
    """
    revision = indexed_revision(corpus.base, corpus.database, corpus.repo, corpus.meta)
    if not revision.name or not git.find_root(revision.repository):
        return []
    if not git.has_tree(revision.repository, revision.name):
        return []
    pattern = "|".join(_token_pattern(token) for token in tokens)
    matches = git_grep(
        revision.repository, revision.name, pattern, case_sensitive=True, timeout_s=TIMEOUT_S
    )
    if matches.truncation or len(matches.lines) > MAX_FILES:
        return []
    nodes: dict[str, list[Hit]] = {path: [] for path in matches.lines}
    for hit in hits_in_files(corpus.database, corpus.repo, nodes):
        nodes[hit.path].append(hit)
    ids = (
        node.id
        for path, numbers in matches.lines.items()
        for node in innermost_nodes(nodes[path], numbers).values()
    )
    return list(dict.fromkeys(ids))


def _token_pattern(token: str) -> str:
    """A Perl pattern for a token that is no part of a longer word."""
    start = r"(?<!\w)" if is_part_of_word(token[:1]) else ""
    end = r"(?!\w)" if is_part_of_word(token[-1:]) else ""
    return f"{start}{re.escape(token)}{end}"
