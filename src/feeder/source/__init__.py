"""Lists and reads the files of HEAD, a working tree or a folder, and says why a file is skipped.

Start with the `Tree` protocol and `git_trees.Commit`. Only `source` runs git; `source` never
writes to the repository.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol


class Sizes(NamedTuple):
    """Bytes of the largest file that is read, and of the largest document of an office or a press.

    Larger ones are kept out.
    """

    text: int = 1_000_000
    document: int = 20_000_000


DEFAULT_SIZES = Sizes()
"""Unless the user says otherwise."""


class SkipReason(StrEnum):
    """Why a file is kept out, as far as its path, mode, size and attributes tell: the closed list.

    The reasons are tried in this order; the first that holds is the one reported.
    """

    SYMLINK = "a symbolic link"
    SUBMODULE = "a submodule or a repository of its own"
    SPECIAL = "not a regular file"
    OWN_FILE = "feeder's own file"
    NOINDEX = "in a folder with .noindex"
    SECRET = "a name that may hold secrets"
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

    `path` is relative to the repository's root, with `/`; it is the name as UTF-8, in which a
    backslash is written `\x5c` and a byte that is not UTF-8 `\xNN`. `blob` is git's id of the
    contents, in hex; it is empty for what is kept out of a folder, which is not read.
    `size` is in bytes. `skip` is None for a file that is to be parsed, else one of `Skip`.
    """

    path: str
    blob: str
    size: int
    skip: str | None


class Tree(Protocol):
    """A state of files that an index can be compared with, and brought to."""

    @property
    def commit(self) -> str:
        """HEAD's id, empty where there is none."""

    @property
    def root_tree_id(self) -> str:
        """The root tree's id, empty for files that are read from a folder."""

    @property
    def working_tree_id(self) -> str:
        """The id of the root tree of a working tree that is not HEAD's; empty for any other."""

    @property
    def subfolder(self) -> str:
        """The folder that alone is looked at, as in `Entry.path`; empty for the whole tree."""

    @property
    def rules_digest(self) -> str:
        """A digest of all that decides skips: the same root and rules, the same entries."""

    def entries(self) -> list[Entry]:
        """Every file, kept out or not, in the order of their names' bytes."""

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """The contents of these entries in their order, one at a time in memory.

        The entry comes back as it was read: a folder's file may have changed since it was listed,
        and carries a reason in `skip` and no bytes when it is gone.
        """
