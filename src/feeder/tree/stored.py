"""A tree in git's objects: which files are in it, and what is in them?"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from feeder.tree import SIZES, Entry, Sizes, git, names
from feeder.tree.blobs import blobs, found_blobs
from feeder.tree.ignore import RULE_FILES, Rules


class Stored:
    """The files of a commit or tree that a repository's objects hold; or those of one folder.

    Of a `partial` clone, what is not here is not fetched, and has no contents.
    """

    partial = False

    def __init__(
        self, repository: Path, revision: str, *, below: str = "", sizes: Sizes = SIZES
    ) -> None:
        self._repository = repository
        self._revision = revision
        self._sizes = sizes
        self.below = below

    @cached_property
    def _files(self) -> list[git.File]:
        return git.ls_tree(self._repository, self._revision, partial=self.partial)

    @cached_property
    def _rules(self) -> Rules:
        # As git does with its own: a rule file that is a symbolic link is no rule file.
        wanted = git.called(self._repository, self._revision, RULE_FILES)
        read = found_blobs if self.partial else blobs
        contents = read(self._repository, [blob for _, blob in wanted])
        texts = zip(wanted, contents, strict=True)
        rule_files = {name: text for (name, _), text in texts if text is not None}
        return Rules(rule_files, self._sizes)

    @cached_property
    def _entries(self) -> list[Entry]:
        entries = self._rules.entries(self._files)
        return [entry for entry in entries if names.is_below(entry.path, self.below)]

    @property
    def rules(self) -> str:
        """A digest of the rule files in the tree, the limits and the lists of names."""
        return self._rules.digest

    def entries(self) -> list[Entry]:
        """Every file of the tree; listed once."""
        return self._entries

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """The blobs of these entries, from one git process, one at a time in memory."""
        wanted = list(entries)
        contents = blobs(self._repository, [entry.blob for entry in wanted])
        yield from zip(wanted, contents, strict=True)
