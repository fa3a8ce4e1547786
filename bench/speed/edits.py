"""Makes everyday changes in a repository: an edited line, a shifted file, a renamed folder."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import apsw

from feeder.source.paths import path_in
from speed.repository import commit, git

FOLDER_FILES = 50
"""Maximum files of the renamed folder."""
_WORD = re.compile(rb"[A-Za-z_]{4,}")
_LONGEST = "SELECT path FROM docs GROUP BY path ORDER BY max(end_line) DESC, path LIMIT 1"
# a class contains its methods, and a long method is several nodes
_NODES = """SELECT path, (start_line + end_line) / 2 FROM docs
WHERE node_type NOT IN ('chunk', 'class') GROUP BY path, coalesce(symbol, logical_path)
HAVING count(*) = 1 AND end_line - start_line > 3 ORDER BY path, start_line"""
_PATHS = "SELECT path FROM files WHERE state <> 'skipped'"


class EditTargets(NamedTuple):
    """The targets of changes: a line (from 1) in the middle of a node, a long file, a folder."""

    edited: str
    line: int
    longest: str
    folder: str


def choose_targets(database: Path) -> EditTargets:
    """Chooses the targets from an index of the repository, so that each run has the same."""
    connection = apsw.Connection(str(database))
    try:
        nodes = list(connection.execute(_NODES))
        edited, line = nodes[len(nodes) // 2]
        paths = [str(path) for [path] in connection.execute(_PATHS)]
        return EditTargets(edited, line, connection.execute(_LONGEST).get, _folder(paths))
    finally:
        connection.close()


def _folder(paths: list[str]) -> str:
    """Returns the folder with the most files, recursively, up to `FOLDER_FILES`."""
    counts: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")
        counts.update("/".join(parts[:end]) for end in range(1, len(parts)))
    fitting = [(count, name) for name, count in counts.items() if count <= FOLDER_FILES]
    return max(fitting or [(count, name) for name, count in counts.items()])[1]


class Edits:
    """Makes each kind of change repeatedly; no state of the repository occurs twice."""

    def __init__(self, repository: Path, targets: EditTargets) -> None:
        self._repository = repository
        self._targets = targets
        self._folder = targets.folder

    def nothing(self) -> None:
        """Changes nothing."""

    def line(self) -> None:
        """Lengthens the longest word of a line in the middle of a node."""
        file = path_in(self._repository, self._targets.edited)
        lines = file.read_bytes().splitlines(keepends=True)
        at = self._targets.line - 1
        lines[at] = _lengthen(lines[at])
        file.write_bytes(b"".join(lines))
        commit(self._repository)

    def top(self) -> None:
        """Adds a line at the top of the longest file."""
        file = path_in(self._repository, self._targets.longest)
        file.write_bytes(b"\n" + file.read_bytes())
        commit(self._repository)

    def rename(self) -> None:
        """Renames the folder to a new name."""
        name = f"{self._folder}2"
        git(self._repository, "mv", self._folder, name)
        self._folder = name
        commit(self._repository)


def _lengthen(line: bytes) -> bytes:
    words = _WORD.findall(line)
    return (
        line.replace(max(words, key=len), max(words, key=len) + b"z", 1) if words else b"z" + line
    )
