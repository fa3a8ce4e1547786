"""A tree in git's objects: which files are in it, and what is in them?"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from feeder.source import DEFAULT_SIZES, Entry, Sizes, git, paths
from feeder.source.blobs import read_available_blobs, read_blobs
from feeder.source.exclusions import RULE_FILES, ExclusionRules


class StoredTree:
    """The files of a commit or tree that a repository's objects hold; or those of one folder.

    Of a `partial` clone, what is not here is not fetched, and has no contents.
    """

    is_partial = False

    def __init__(
        self, repository: Path, revision: str, *, subfolder: str = "", sizes: Sizes = DEFAULT_SIZES
    ) -> None:
        self._repository = repository
        self._revision = revision
        self._sizes = sizes
        self.subfolder = subfolder

    @cached_property
    def _files(self) -> list[git.GitFile]:
        return git.ls_tree(self._repository, self._revision, is_partial=self.is_partial)

    @cached_property
    def _exclusion_rules(self) -> ExclusionRules:
        # As git does with its own: a rule file that is a symbolic link is no rule file.
        wanted = git.files_named(self._repository, self._revision, RULE_FILES)
        read = read_available_blobs if self.is_partial else read_blobs
        contents = read(self._repository, [blob for _, blob in wanted])
        texts = zip(wanted, contents, strict=True)
        rule_files = {name: text for (name, _), text in texts if text is not None}
        return ExclusionRules(rule_files, self._sizes)

    @cached_property
    def _entries(self) -> list[Entry]:
        entries = self._exclusion_rules.entries(self._files)
        return [entry for entry in entries if paths.is_below(entry.path, self.subfolder)]

    @property
    def rules_digest(self) -> str:
        """A digest of the rule files in the tree, the limits and the lists of names."""
        return self._exclusion_rules.digest

    def entries(self) -> list[Entry]:
        """Every file of the tree; listed once."""
        return self._entries

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """The blobs of these entries, from one git process, one at a time in memory."""
        wanted = list(entries)
        contents = read_blobs(self._repository, [entry.blob for entry in wanted])
        yield from zip(wanted, contents, strict=True)
