"""Which files are kept out, and why, as far as it shows without reading them?"""

import hashlib
from collections.abc import Mapping, Sequence

from feeder.tree import Entry, Sizes, Skip, git, kinds, names, scratch

_VERSION = 1
"""Raised when this module decides otherwise than before; the lists of names count by themselves."""

_IGNORE, _ATTRIBUTES, _NOINDEX = ".feederignore", ".gitattributes", ".noindex"

_BY_MODE = {git.SYMLINK: Skip.SYMLINK, git.SUBMODULE: Skip.SUBMODULE, git.SPECIAL: Skip.SPECIAL}
_OWN_FOLDER = ".feeder"
_MADE_BY_PROGRAMS = (Skip.LOCK, Skip.MINIFIED, Skip.GENERATED)

_MARKS = ("linguist-generated", "linguist-vendored")
_GENERATED, _VENDORED = _MARKS
_Marks = Mapping[tuple[bytes, str], bool]

RULE_FILES = tuple(name.encode() for name in (_IGNORE, _ATTRIBUTES, _NOINDEX))


class Rules:
    """What decides skips in one tree: its rule files as name → contents, and limits of sizes."""

    def __init__(self, rule_files: Mapping[bytes, bytes], sizes: Sizes) -> None:
        self._sizes = sizes
        self._rule_files = rule_files
        self._ignores = self._named(_IGNORE)
        self._noindex = {names.escape(name.rpartition(b"/")[0]) for name in self._named(_NOINDEX)}
        self._folders: dict[str, Skip | None] = {}
        # Most .gitattributes are about line ends: these need no question to git.
        attributes = self._named(_ATTRIBUTES)
        self._attributes = attributes if b"linguist-" in b"".join(attributes.values()) else {}

    def _named(self, rule_file: str) -> dict[bytes, bytes]:
        ending = b"/" + rule_file.encode()
        return {n: text for n, text in self._rule_files.items() if (b"/" + n).endswith(ending)}

    @property
    def digest(self) -> str:
        """Equal for equal decisions: 16 hex digits over rule files, limits and lists."""
        rules = (_VERSION, tuple(self._sizes), kinds.FINGERPRINT, sorted(self._rule_files.items()))
        return hashlib.sha256(repr(rules).encode()).hexdigest()[:16]

    def entries(self, files: Sequence[git.File]) -> list[Entry]:
        """The files with the first reason that keeps each of them out."""
        asked = [file.name for file in files]
        ignored = scratch.ignored(asked, _IGNORE, self._ignores) if self._ignores else set()
        marks = scratch.attributes(asked, _MARKS, self._attributes) if self._attributes else {}
        found = []
        for file in files:
            path = names.escape(file.name)
            skip = self._skip(file, path, file.name in ignored, marks)
            found.append(Entry(path, file.blob, file.size, skip))
        return found

    def _skip(self, file: git.File, path: str, ignored: bool, marks: _Marks) -> Skip | None:
        kind = kinds.kind(path)
        generated = marks.get((file.name, _GENERATED))
        if generated is False and kind in _MADE_BY_PROGRAMS:
            kind = None
        reasons = (
            _BY_MODE.get(file.mode),
            self._of_folder(path.rpartition("/")[0]),
            kind if kind is Skip.SECRET else None,
            Skip.IGNORED if ignored else None,
            Skip.VENDORED if marks.get((file.name, _VENDORED)) else None,
            Skip.MARKED if generated else None,
            kind,
            Skip.LARGE if file.size > kinds.limit(path, self._sizes) else None,
        )
        return next(filter(None, reasons), None)

    def _of_folder(self, folder: str) -> Skip | None:
        if folder not in self._folders:
            self._folders[folder] = self._found_above(folder.split("/"))
        return self._folders[folder]

    def _found_above(self, folders: list[str]) -> Skip | None:
        if _OWN_FOLDER in folders:
            return Skip.OWN
        above = ("/".join(folders[:depth]) for depth in range(len(folders) + 1))
        return Skip.NOINDEX if not self._noindex.isdisjoint(above) else None
