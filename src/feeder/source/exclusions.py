"""Which files are kept out, and why, as far as it shows without reading them?"""

import hashlib
from collections.abc import Mapping, Sequence

from feeder.source import Entry, Sizes, SkipReason, file_types, git, paths, scratch

_RULES_VERSION = 1
"""Raised when this module decides otherwise than before; the lists of names count by themselves."""

_IGNORE_FILE, _ATTRIBUTES_FILE, _NOINDEX_FILE = ".feederignore", ".gitattributes", ".noindex"

_SKIP_BY_MODE = {
    git.SYMLINK_MODE: SkipReason.SYMLINK,
    git.SUBMODULE_MODE: SkipReason.SUBMODULE,
    git.SPECIAL_MODE: SkipReason.SPECIAL,
}
_OWN_FOLDER = ".feeder"
_GENERATED_REASONS = (SkipReason.LOCK, SkipReason.MINIFIED, SkipReason.GENERATED)

_LINGUIST_ATTRIBUTES = ("linguist-generated", "linguist-vendored")
_GENERATED_ATTRIBUTE, _VENDORED_ATTRIBUTE = _LINGUIST_ATTRIBUTES
_AttributeValues = Mapping[tuple[bytes, str], bool]

RULE_FILES = tuple(name.encode() for name in (_IGNORE_FILE, _ATTRIBUTES_FILE, _NOINDEX_FILE))


class ExclusionRules:
    """What decides skips in one tree: its rule files as name → contents, and limits of sizes."""

    def __init__(self, rule_files: Mapping[bytes, bytes], sizes: Sizes) -> None:
        self._sizes = sizes
        self._rule_files = rule_files
        self._ignore_files = self._rule_files_named(_IGNORE_FILE)
        self._noindex_folders = {
            paths.escape_name(name.rpartition(b"/")[0])
            for name in self._rule_files_named(_NOINDEX_FILE)
        }
        self._folder_reasons: dict[str, SkipReason | None] = {}
        # Most .gitattributes are about line ends: these need no question to git.
        attributes = self._rule_files_named(_ATTRIBUTES_FILE)
        self._attribute_files = attributes if b"linguist-" in b"".join(attributes.values()) else {}

    def _rule_files_named(self, rule_file: str) -> dict[bytes, bytes]:
        ending = b"/" + rule_file.encode()
        return {n: text for n, text in self._rule_files.items() if (b"/" + n).endswith(ending)}

    @property
    def digest(self) -> str:
        """Equal for equal decisions: 16 hex digits over rule files, limits and lists."""
        rules = (
            _RULES_VERSION,
            tuple(self._sizes),
            file_types.CLASSIFICATION_FINGERPRINT,
            sorted(self._rule_files.items()),
        )
        return hashlib.sha256(repr(rules).encode()).hexdigest()[:16]

    def entries(self, files: Sequence[git.GitFile]) -> list[Entry]:
        """The files with the first reason that keeps each of them out."""
        asked = [file.name for file in files]
        ignored = (
            scratch.ignored_files(asked, _IGNORE_FILE, self._ignore_files)
            if self._ignore_files
            else set()
        )
        marks = (
            scratch.attribute_values(asked, _LINGUIST_ATTRIBUTES, self._attribute_files)
            if self._attribute_files
            else {}
        )
        found = []
        for file in files:
            path = paths.escape_name(file.name)
            skip = self._skip_reason(file, path, file.name in ignored, marks)
            found.append(Entry(path, file.blob, file.size, skip))
        return found

    def _skip_reason(
        self, file: git.GitFile, path: str, ignored: bool, attribute_values: _AttributeValues
    ) -> SkipReason | None:
        kind = file_types.skip_reason(path)
        generated = attribute_values.get((file.name, _GENERATED_ATTRIBUTE))
        if generated is False and kind in _GENERATED_REASONS:
            kind = None
        reasons = (
            _SKIP_BY_MODE.get(file.mode),
            self._folder_reason(path.rpartition("/")[0]),
            kind if kind is SkipReason.SECRET else None,
            SkipReason.IGNORED if ignored else None,
            SkipReason.VENDORED if attribute_values.get((file.name, _VENDORED_ATTRIBUTE)) else None,
            SkipReason.MARKED_GENERATED if generated else None,
            kind,
            SkipReason.TOO_LARGE if file.size > file_types.size_limit(path, self._sizes) else None,
        )
        return next(filter(None, reasons), None)

    def _folder_reason(self, folder: str) -> SkipReason | None:
        if folder not in self._folder_reasons:
            self._folder_reasons[folder] = self._ancestor_reason(folder.split("/"))
        return self._folder_reasons[folder]

    def _ancestor_reason(self, folders: list[str]) -> SkipReason | None:
        if _OWN_FOLDER in folders:
            return SkipReason.OWN_FILE
        above = ("/".join(folders[:depth]) for depth in range(len(folders) + 1))
        return SkipReason.NOINDEX if not self._noindex_folders.isdisjoint(above) else None
