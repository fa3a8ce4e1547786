"""Tells whether the index has a file, or a path with some end. Each is looked up once."""

from __future__ import annotations

from collections.abc import Iterable

from feeder.store import Database
from feeder.store.relations import existing_files, existing_paths


class IndexedPaths:
    """The paths of a repository's index, as far as they have been looked up."""

    def __init__(self, database: Database, repo: str) -> None:
        self._database = database
        self._repo = repo
        self._is_end: dict[str, bool] = {}
        self._is_file: dict[str, bool] = {}

    def has_end(self, ends: Iterable[str]) -> bool:
        """Tells whether the index may have a path with one of some ends.

        Only the last three names of an end are looked up, anywhere in a path.
        """
        words = ["/".join(end.strip("/").rsplit("/", 3)[-3:]) for end in ends]
        if missing := [word for word in words if word not in self._is_end]:
            existing = existing_paths(self._database, self._repo, missing)
            self._is_end |= {word: word in existing for word in missing}
        return any(self._is_end[word] for word in words)

    def has_file(self, path: str) -> bool:
        """Tells whether the index knows a file, read or skipped."""
        if path not in self._is_file:
            self._is_file[path] = path in existing_files(self._database, self._repo, [path])
        return self._is_file[path]
