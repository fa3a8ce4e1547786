"""The tree of HEAD, read from git's objects: what the working tree holds does not show."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from feeder.tree import MAX_BYTES, Entry, git, names
from feeder.tree.blobs import blobs
from feeder.tree.ignore import RULE_FILES, Rules


class Commit:
    """HEAD of a repository, which may be bare, shallow or a worktree; or one folder of it.

    Raises UserError where there is no repository, no commit or no such folder.
    """

    def __init__(self, repository: Path, *, below: str = "", max_bytes: int = MAX_BYTES) -> None:
        self._repository = repository
        self._max_bytes = max_bytes
        self.commit, self.root = git.head(repository)
        self.below = below
        if below:
            self.root = git.folder(repository, self.commit, below)

    @cached_property
    def _files(self) -> list[git.File]:
        return git.ls_tree(self._repository, self.commit)

    @cached_property
    def _rules(self) -> Rules:
        # As git does with its own: a rule file that is a symbolic link is no rule file.
        wanted = git.called(self._repository, self.commit, RULE_FILES)
        contents = blobs(self._repository, [blob for _, blob in wanted])
        rule_files = {name: text for (name, _), text in zip(wanted, contents, strict=True)}
        return Rules(rule_files, self._max_bytes)

    @cached_property
    def _entries(self) -> list[Entry]:
        entries = self._rules.entries(self._files)
        return [entry for entry in entries if names.is_below(entry.path, self.below)]

    @property
    def rules(self) -> str:
        """A digest of the rule files in the tree, the limit and the lists of names."""
        return self._rules.digest

    def entries(self) -> list[Entry]:
        """Every file of the commit; listed once."""
        return self._entries

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """The blobs of these entries, from one git process, one at a time in memory."""
        wanted = list(entries)
        contents = blobs(self._repository, [entry.blob for entry in wanted])
        yield from zip(wanted, contents, strict=True)
