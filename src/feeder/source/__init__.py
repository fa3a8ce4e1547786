"""Lists and reads the files of HEAD, a working tree or a folder, and decides which are skipped.

Start with the `Tree` protocol and `git_trees.Commit`. Only `source` runs git; `source` never
writes to the repository.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol


class Sizes(NamedTuple):
    """Maximum bytes of a text file and of a document; larger files are skipped."""

    text: int = 1_000_000
    document: int = 20_000_000


DEFAULT_SIZES = Sizes()


class SkipReason(StrEnum):
    """All reasons for not parsing a file. If several apply, the first is reported."""

    SYMLINK = "a symbolic link"
    SUBMODULE = "a submodule or a repository of its own"
    SPECIAL = "not a regular file"
    OWN_FILE = "feeder's own file"
    NOINDEX = "in a folder with .noindex"
    SECRET = "a name that suggests secrets"
    IGNORED = "excluded by .feederignore"
    VENDORED = "marked linguist-vendored"
    MARKED_GENERATED = "marked linguist-generated"
    LOCK = "a lock file"
    MINIFIED = "minified, or a source map"
    GENERATED = "generated, by its name"
    BINARY = "binary, by its name"
    TOO_LARGE = "larger than the limit"
    UNREADABLE = "cannot be read"
    FILTER_FAILED = "its filter in git fails or is slow"
    NOT_FETCHED = "not in this partial clone"


class Entry(NamedTuple):
    r"""A file of a tree.

    `path` is relative to the repository's root, with `/`, as UTF-8; a backslash in a name is
    written `\x5c`, a byte that is not UTF-8 `\xNN`. `blob` is git's id of the contents in hex,
    empty for a skipped file of a folder, which is not read. `size` is in bytes. `skip` is None for
    a file to parse, else a `SkipReason`.
    """

    path: str
    blob: str
    size: int
    skip: str | None


class TreeChanges(NamedTuple):
    """The paths in which two trees differ, and the entries of those that the second tree has."""

    paths: list[str]
    entries: list[Entry]


class Tree(Protocol):
    """A state of files that an index can be compared with and made equal to."""

    @property
    def commit(self) -> str:
        """The id of HEAD; empty without a commit."""

    @property
    def root_tree_id(self) -> str:
        """The id of the root tree; empty for files that are read from a folder."""

    @property
    def working_tree_id(self) -> str:
        """The root tree id of a working tree that differs from HEAD; else empty."""

    @property
    def subfolder(self) -> str:
        """The folder to which the tree is limited, as in `Entry.path`; empty for the whole tree."""

    @property
    def rules_digest(self) -> str:
        """A digest of the exclusion rules: equal root and rules mean equal entries."""

    @property
    def limits_digest(self) -> str:
        """A digest of the exclusion rules that are not in the tree: size limits and name lists.

        Trees with equal ids and equal limits have equal entries. Empty if trees with equal ids can
        have different rule files: `rules_digest` tells them apart then.
        """

    def changes_since(self, root_tree_id: str) -> TreeChanges | None:
        """The files that differ from those of an earlier tree under the same limits.

        None if that is not known without listing all files.
        """

    def entries(self) -> list[Entry]:
        """All files, skipped ones too, in the order of their names' bytes."""

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yields the contents of these entries in order, one at a time in memory.

        Each comes with its entry as of now: a folder's file may have changed since it was listed;
        one that is gone has a reason in `skip` and no contents.
        """
