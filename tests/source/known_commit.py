"""A commit for tests that sync it many times: a process of git takes 3 ms."""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from feeder.source import Entry, TreeChanges
from feeder.source.git_trees import Commit
from source.repos import Repo

_contents: dict[str, bytes] = {}
"""The contents of blobs that were read; their ids say what is in them."""


class KnownCommit(Commit):
    """HEAD of a repository, of which git reads each blob and each difference once."""

    def __init__(self, repository: Path) -> None:
        super().__init__(repository)
        self._changes: dict[str, TreeChanges | None] = {}

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        entries = list(entries)
        unread = [entry for entry in entries if entry.blob not in _contents]
        _contents.update((entry.blob, content) for entry, content in super().read(unread))
        yield from ((entry, _contents[entry.blob]) for entry in entries)

    def changes_since(self, root_tree_id: str) -> TreeChanges | None:
        if root_tree_id not in self._changes:
            self._changes[root_tree_id] = super().changes_since(root_tree_id)
        return self._changes[root_tree_id]


def known_head(repo: Repo) -> KnownCommit:
    """HEAD of a repository; the same object while HEAD is the same."""
    return _known_commit(repo.path, repo.head())


@cache
def _known_commit(repository: Path, _head: str) -> KnownCommit:
    return KnownCommit(repository)
