"""Decides which files are skipped and why, from `.feederignore`, `.gitattributes`, `.noindex`,
names and sizes; git itself evaluates the patterns, in a temporary repository.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from feeder.errors import UserError
from feeder.source import Entry, Sizes, SkipReason, file_types, git, git_files, paths
from feeder.source.git_command import git_output
from feeder.source.paths import escape_name

RULES_TIMEOUT_S = 60.0
"""One pattern of twenty `*` can keep git busy for days."""


_PORTABLE_SETTINGS = (
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "core.ignoreCase=false"),
    *("-c", "core.protectHFS=false"),
    *("-c", "core.protectNTFS=false"),
)
"""The answer depends on the tree, not on whose machine gives it."""


_EMPTY_BLOB = b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def unversioned_files(folder: Path, paths: Sequence[bytes]) -> list[bytes]:
    """The names below these paths of a folder outside of git, less the .gitignored ones.

    A repository inside ends with `/`.
    """
    with _temporary_repository({}) as beside:
        there = (f"--git-dir={beside / '.git'}", "--work-tree=.")
        listing = ("ls-files", "-z", "--others", "--exclude-per-directory=.gitignore", "--")
        return git_output(folder, *there, *listing, *paths).split(b"\0")[:-1]


def ignored_files(
    files: Iterable[bytes],
    rule_file: str,
    rules: Mapping[bytes, bytes],
    timeout_s: float = RULES_TIMEOUT_S,
) -> set[bytes]:
    """Those of the files that ignore files of this name exclude; `rules` are their contents.

    git itself answers, so folders, order and negation count as in .gitignore. Raises UserError for
    rules that take too long.
    """
    with _temporary_repository(rules) as scratch, _rules_timeout(rule_file, timeout_s):
        index = b"".join(b"100644 %b 0\t%b\0" % (_EMPTY_BLOB, name) for name in files)
        git_output(scratch, *_PORTABLE_SETTINGS, "update-index", "-z", "--index-info", stdin=index)
        listing = ("ls-files", "-z", "-i", "-c", f"--exclude-per-directory={rule_file}")
        out = git_output(scratch, *_PORTABLE_SETTINGS, *listing, timeout_s=timeout_s)
    return set(out.split(b"\0")[:-1])


def attribute_values(
    files: Iterable[bytes],
    attribute_names: Sequence[str],
    rules: Mapping[bytes, bytes],
    timeout_s: float = RULES_TIMEOUT_S,
) -> dict[tuple[bytes, str], bool]:
    """What .gitattributes files say of these attributes; `rules` are their contents.

    A file and attribute that no rule speaks of are left out; any value but `false` is true. Raises
    UserError for rules that take too long.
    """
    with _temporary_repository(rules) as scratch, _rules_timeout(".gitattributes", timeout_s):
        question = (*_PORTABLE_SETTINGS, "check-attr", "-z", "--stdin", *attribute_names)
        listed = b"".join(b"%b\0" % name for name in files)
        out = git_output(scratch, *question, stdin=listed, timeout_s=timeout_s)
    fields = iter(out.split(b"\0")[:-1])
    return {
        (name, attribute.decode()): value not in (b"unset", b"false")
        for name, attribute, value in zip(fields, fields, fields, strict=True)
        if value != b"unspecified"
    }


@contextmanager
def _temporary_repository(rules: Mapping[bytes, bytes]) -> Iterator[Path]:
    """A repository of the moment, whose working tree holds these files alone."""
    with TemporaryDirectory(prefix="feeder-") as folder:
        git_output(Path(folder), "init", "-q", "--template=", "--object-format=sha1")
        for name, contents in rules.items():
            _write_rule_file(Path(folder, os.fsdecode(name)), name, contents)
        yield Path(folder)


def _write_rule_file(place: Path, name: bytes, contents: bytes) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(contents)
    except OSError as exc:
        shown = paths.escape_name(name[:200])
        raise UserError(
            f"The rules in {shown!r} cannot be followed ({exc.strerror}). Rename its folders."
        ) from exc


@contextmanager
def _rules_timeout(rule_file: str, timeout_s: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError as exc:
        raise UserError(
            f"The rules in {rule_file} take longer than {timeout_s:g} s. "
            "Write their patterns with fewer *."
        ) from exc


_RULES_VERSION = 1
"""Raised when this module decides otherwise than before; the lists of names count by themselves."""


_IGNORE_FILE, _ATTRIBUTES_FILE, _NOINDEX_FILE = ".feederignore", ".gitattributes", ".noindex"


_SKIP_BY_MODE = {
    git_files.SYMLINK_MODE: SkipReason.SYMLINK,
    git_files.SUBMODULE_MODE: SkipReason.SUBMODULE,
    git_files.SPECIAL_MODE: SkipReason.SPECIAL,
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

    def entries(self, files: Sequence[git_files.GitFile]) -> list[Entry]:
        """The files with the first reason that keeps each of them out."""
        asked = [file.name for file in files]
        ignored = (
            ignored_files(asked, _IGNORE_FILE, self._ignore_files) if self._ignore_files else set()
        )
        marks = (
            attribute_values(asked, _LINGUIST_ATTRIBUTES, self._attribute_files)
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
        self, file: git_files.GitFile, path: str, ignored: bool, attribute_values: _AttributeValues
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


_LIST_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--")

# it takes names as they are, but refuses to be told so
_CHECK_IGNORE = ("--no-literal-pathspecs", "check-ignore", "-v", "-z", "--stdin")


def exclusion_cause(base: Path, folder: Path) -> str:
    """The rule of git that excludes what lies there, the first of several; a clause."""
    if git.find_root(base) is None:
        return "no file lies there that .gitignore does not exclude"
    below = os.fsencode(folder.resolve().relative_to(base.resolve()))
    first, _, _ = git_output(base, *_LIST_IGNORED, below).partition(b"\0")
    if not first:
        return "no file lies there"
    rule = git_output(base, *_CHECK_IGNORE, stdin=b"./%b\0" % first)
    source, line, pattern, _ = rule.split(b"\0", 3)
    return (
        f"line {line.decode()} of {escape_name(source)} excludes what lies there "
        f"({escape_name(pattern)})"
    )


def placeholder_id(reason: SkipReason, object_format: str) -> str:
    """The id, of nothing, that stands for a file which is kept out unread."""
    return git.blob_id(f"feeder: {reason.value}".encode(), object_format)
