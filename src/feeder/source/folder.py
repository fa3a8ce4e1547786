"""Implements `Tree` for files and folders as they are on disk, inside or outside of a
repository.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from feeder.errors import UserError
from feeder.source import (
    DEFAULT_SIZES,
    Entry,
    Sizes,
    SkipReason,
    TreeChanges,
    exclusions,
    git,
    git_files,
    paths,
)
from feeder.source.exclusions import ExclusionRules, rule_file_candidates


def common_base(paths: Sequence[Path]) -> Path:
    """The folder that an index's paths are relative to.

    It is the repository's root, or else the common folder of `paths`. Raises UserError for a folder
    that cannot be read: git does not start in it.
    """
    for path in paths:
        if path.is_dir():
            _check_readable(path.resolve())
    repository = git.find_root(paths[0])
    if repository is not None:
        return repository
    folders = (path if path.is_dir() else path.parent for path in paths)
    return Path(os.path.commonpath([folder.resolve() for folder in folders]))


_INCLUDE_EVERYTHING = {
    b".feederignore": b"!*\n",
    b".gitattributes": b"* !linguist-generated !linguist-vendored\n",
}
"""Rule files that include all files of a folder, unless it is excluded itself."""

_GIT_MODES = {
    stat.S_IFREG: git_files.REGULAR_MODE,
    stat.S_IFLNK: git_files.SYMLINK_MODE,
    stat.S_IFDIR: git_files.SUBMODULE_MODE,
}


class Folder:
    """The `Tree` of files and folders given by path, below a base folder.

    Of a folder, files that .gitignore excludes are left out; a file that is given by its own path
    is not, but all other rules apply to it. Raises UserError for a path that does not exist, is
    outside of the base or inside .git.
    """

    root_tree_id = ""
    working_tree_id = ""
    subfolder = ""

    def __init__(self, base: Path, paths: Sequence[Path], *, sizes: Sizes = DEFAULT_SIZES) -> None:
        self._base = base.resolve()
        self._paths = [_relative_name(self._base, path) for path in paths]
        self._sizes = sizes
        self._folders_without_links: dict[bytes, bool] = {}
        self._in_git = git.find_root(self._base) is not None
        self.commit = (git.commit_id(self._base, "HEAD") if self._in_git else None) or ""
        self._object_format = git.object_format(self._base) if self._in_git else "sha1"

    @cached_property
    def _listing(self) -> tuple[str, list[Entry]]:
        names, unread_folders = self._list_names()
        files = [file for name in names if (file := self._stat_file(name))]
        rule_files = self._rule_files(files)
        rules = ExclusionRules(rule_files, self._sizes)
        if unread_folders:
            self._check_excluded(unread_folders, rule_files)
        return rules.digest, [self._with_blob_id(entry) for entry in rules.entries(files)]

    @property
    def rules_digest(self) -> str:
        """A digest of the rule files in and above the folders, the size limits and name lists."""
        return self._listing[0]

    @property
    def limits_digest(self) -> str:
        """Empty: there is no root that tells the rule files."""
        return ""

    def changes_since(self, root_tree_id: str) -> TreeChanges | None:
        """None: there is no earlier tree."""
        return None

    def entries(self) -> list[Entry]:
        """The files, listed and hashed once; skipped ones are not read."""
        return self._listing[1]

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yields the files' contents, with the current `blob` and `size`."""
        for entry in entries:
            try:
                contents = paths.path_in(self._base, entry.path).read_bytes()
            except OSError:
                yield entry._replace(skip=SkipReason.UNREADABLE), b""
                continue
            blob = git.blob_id(contents, self._object_format)
            yield entry._replace(blob=blob, size=len(contents)), contents

    def _with_blob_id(self, entry: Entry) -> Entry:
        if entry.skip:
            return entry
        [(hashed, _)] = self.read([entry])
        return hashed

    def _list_names(self) -> git_files.Listing:
        folders = [name for name in self._paths if self._absolute_path(name).is_dir()]
        for name in folders:
            _check_readable(self._absolute_path(name))
        list_files = (
            git_files.tracked_and_untracked_files if self._in_git else exclusions.unversioned_files
        )
        listing = list_files(self._base, folders) if folders else git_files.Listing([], {})
        given = set(self._paths).difference(folders)
        names = sorted(given.union(name.rstrip(b"/") for name in listing.names))
        return listing._replace(names=names)

    def _check_excluded(
        self, unread_folders: Mapping[bytes, str], rule_files: Mapping[bytes, bytes]
    ) -> None:
        """Raises UserError for a folder that git could not list: its files would count as deleted.

        Unless it is excluded as a whole, whatever the rule files in it say.
        """
        including = {
            folder + b"/" + name: rule
            for folder in unread_folders
            for name, rule in _INCLUDE_EVERYTHING.items()
        }
        rules = ExclusionRules({**rule_files, **including}, self._sizes)
        files = [
            git_files.GitFile(folder + b"/a", git_files.REGULAR_MODE, "", 1)
            for folder in unread_folders
        ]
        for entry, (folder, reason) in zip(
            rules.entries(files), unread_folders.items(), strict=True
        ):
            if not entry.skip:
                raise _unreadable_error(self._absolute_path(folder), reason)

    def _stat_file(self, name: bytes) -> git_files.GitFile | None:
        """None for a tracked file that is deleted, or behind a symbolic link."""
        if not self._has_no_link(name.rpartition(b"/")[0]):
            return None
        try:
            status = self._absolute_path(name).lstat()
        except PermissionError as exc:  # not deleted: its nodes stay in the index
            raise _unreadable_error(self._absolute_path(name), exc.strerror) from exc
        except OSError:
            return None
        mode = _GIT_MODES.get(stat.S_IFMT(status.st_mode), git_files.SPECIAL_MODE)
        return git_files.GitFile(name, mode, "", status.st_size)

    def _has_no_link(self, folder: bytes) -> bool:
        if folder not in self._folders_without_links:
            path = self._absolute_path(folder)
            self._folders_without_links[folder] = os.path.realpath(path) == os.fspath(path)
        return self._folders_without_links[folder]

    def _rule_files(self, files: Iterable[git_files.GitFile]) -> dict[bytes, bytes]:
        candidates = rule_file_candidates(file.name for file in files)
        return dict(filter(None, map(self._rule_file, candidates)))

    def _rule_file(self, name: bytes) -> tuple[bytes, bytes] | None:
        file = self._stat_file(name)
        if file is None or file.mode != git_files.REGULAR_MODE:
            return None
        try:
            return name, self._absolute_path(name).read_bytes()
        except OSError as exc:
            raise UserError(
                f"The rule file {self._absolute_path(name)} cannot be read ({exc.strerror}).",
                "Make it readable.",
            ) from exc

    def _absolute_path(self, name: bytes) -> Path:
        return self._base / os.fsdecode(name)


def _check_readable(folder: Path) -> None:
    """Raises UserError for a folder that cannot be listed."""
    try:
        os.scandir(folder).close()
    except PermissionError as exc:
        raise _unreadable_error(folder, exc.strerror) from exc


def _unreadable_error(path: Path, reason: str | None) -> UserError:
    return UserError(f"{path} cannot be read ({reason}).", "Make it and its folders readable.")


def _relative_name(base: Path, path: Path) -> bytes:
    if not os.path.lexists(path):
        raise UserError(f"{path} does not exist.", "Name an existing file or folder.")
    resolved = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    if not resolved.is_relative_to(base):
        raise UserError(f"{path} is outside of {base}.", "Index it in a separate run.")
    name = os.fsencode(resolved.relative_to(base).as_posix())
    if b".git" in name.lower().split(b"/"):
        raise UserError(f"{path} is inside .git.", "Name files of the working tree.")
    return name
