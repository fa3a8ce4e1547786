"""Decides which files are skipped and why, from `.feederignore`, `.gitattributes`, `.noindex`,
names and sizes; git itself evaluates the patterns, in a temporary repository.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from feeder.errors import UserError
from feeder.private_files import temporary_folder
from feeder.source import Entry, Sizes, SkipReason, file_types, git, git_files, paths
from feeder.source.git_command import check_result, git_output, run_git
from feeder.source.git_files import Listing, list_files
from feeder.source.paths import escape_name

_RULES_VERSION = 1
"""Incremented when this module decides otherwise than before, for the same lists of names."""

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

RULES_TIMEOUT_S = 60.0
"""Time limit for git to evaluate patterns: one with twenty `*` can take days."""

_PORTABLE_SETTINGS = (
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", f"core.excludesFile={os.devnull}"),
    *("-c", "core.ignoreCase=false"),
    *("-c", "core.protectHFS=false"),
    *("-c", "core.protectNTFS=false"),
)
"""Settings that make the result depend on the tree only, not on the machine."""

_GITIGNORE = b".gitignore"

_NONE_IGNORED = 1
"""The exit code of `git check-ignore` if no file is ignored."""

_LIST_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--")

# check-ignore treats names that begin with ./ literally, but rejects --literal-pathspecs
_CHECK_IGNORE = ("--no-literal-pathspecs", "check-ignore", "-z", "--stdin")


def limits_digest(sizes: Sizes) -> str:
    """16 hex digits over the size limits and name lists: the rules that are not in a tree."""
    limits = _RULES_VERSION, tuple(sizes), file_types.CLASSIFICATION_FINGERPRINT
    return hashlib.sha256(repr(limits).encode()).hexdigest()[:16]


def rule_file_candidates(names: Iterable[bytes]) -> set[bytes]:
    """The paths at which a rule file would apply to one of these files."""
    folders = {b""}
    for name in names:
        folder = name.rpartition(b"/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition(b"/")[0]
    return {(folder + b"/" + name).removeprefix(b"/") for folder in folders for name in RULE_FILES}


class ExclusionRules:
    """The exclusion rules of a tree: its rule files, as contents by path, and the size limits."""

    def __init__(self, rule_files: Mapping[bytes, bytes], sizes: Sizes) -> None:
        self._sizes = sizes
        self._rule_files = rule_files
        self._ignore_files = self._rule_files_named(_IGNORE_FILE)
        self._noindex_folders = {
            paths.escape_name(name.rpartition(b"/")[0])
            for name in self._rule_files_named(_NOINDEX_FILE)
        }
        self._folder_reasons: dict[str, SkipReason | None] = {}
        # most .gitattributes are about line ends: git need not evaluate them
        attributes = self._rule_files_named(_ATTRIBUTES_FILE)
        self._attribute_files = attributes if b"linguist-" in b"".join(attributes.values()) else {}

    def _rule_files_named(self, rule_file: str) -> dict[bytes, bytes]:
        suffix = b"/" + rule_file.encode()
        return {
            name: contents
            for name, contents in self._rule_files.items()
            if (b"/" + name).endswith(suffix)
        }

    @property
    def digest(self) -> str:
        """16 hex digits over rule files, size limits and name lists; equal for equal decisions."""
        rules = (
            _RULES_VERSION,
            tuple(self._sizes),
            file_types.CLASSIFICATION_FINGERPRINT,
            sorted(self._rule_files.items()),
        )
        return hashlib.sha256(repr(rules).encode()).hexdigest()[:16]

    def entries(self, files: Sequence[git_files.GitFile]) -> list[Entry]:
        """The entries of files, each with the first skip reason that applies."""
        names = [file.name for file in files]
        ignored: set[bytes] = set()
        attributes: _AttributeValues = {}
        if self._ignore_files:
            ignored = ignored_files(names, _IGNORE_FILE, self._ignore_files)
        if self._attribute_files:
            attributes = attribute_values(names, _LINGUIST_ATTRIBUTES, self._attribute_files)
        entries = []
        for file in files:
            path = paths.escape_name(file.name)
            skip = self._skip_reason(file, path, file.name in ignored, attributes)
            entries.append(Entry(path, file.blob, file.size, skip))
        return entries

    def _skip_reason(
        self, file: git_files.GitFile, path: str, ignored: bool, attribute_values: _AttributeValues
    ) -> SkipReason | None:
        by_name = file_types.skip_reason(path)
        is_generated = attribute_values.get((file.name, _GENERATED_ATTRIBUTE))
        is_vendored = attribute_values.get((file.name, _VENDORED_ATTRIBUTE))
        if is_generated is False and by_name in _GENERATED_REASONS:
            by_name = None
        reasons = (
            _SKIP_BY_MODE.get(file.mode),
            self._folder_reason(path.rpartition("/")[0]),
            by_name if by_name is SkipReason.SECRET else None,
            SkipReason.IGNORED if ignored else None,
            SkipReason.VENDORED if is_vendored else None,
            SkipReason.MARKED_GENERATED if is_generated else None,
            by_name,
            SkipReason.TOO_LARGE if self._is_too_large(path, file.size) else None,
        )
        return next(filter(None, reasons), None)

    def _is_too_large(self, path: str, size: int) -> bool:
        return size > min(self._sizes) and size > file_types.size_limit(path, self._sizes)

    def _folder_reason(self, folder: str) -> SkipReason | None:
        if folder not in self._folder_reasons:
            self._folder_reasons[folder] = self._ancestor_reason(folder.split("/"))
        return self._folder_reasons[folder]

    def _ancestor_reason(self, folders: list[str]) -> SkipReason | None:
        if _OWN_FOLDER in folders:
            return SkipReason.OWN_FILE
        if not self._noindex_folders:
            return None
        ancestors = ("/".join(folders[:depth]) for depth in range(len(folders) + 1))
        return SkipReason.NOINDEX if not self._noindex_folders.isdisjoint(ancestors) else None


def placeholder_id(reason: SkipReason, object_format: str) -> str:
    """The id that stands in a snapshot for a file that is skipped for this reason and not read."""
    return git.blob_id(f"feeder: {reason.value}".encode(), object_format)


def exclusion_cause(base: Path, folder: Path) -> str:
    """The reason why a folder has no files to index, as a clause.

    It names the first ignore rule that excludes one.
    """
    if git.find_root(base) is None:
        return ".gitignore excludes all of its files"
    relative = os.fsencode(folder.resolve().relative_to(base.resolve()))
    first, _, _ = git_output(base, *_LIST_IGNORED, relative).partition(b"\0")
    if not first:
        return "it has no files"
    rule = git_output(base, *_CHECK_IGNORE, "-v", stdin=b"./%b\0" % first)
    source, line, pattern, _ = rule.split(b"\0", 3)
    return (
        f"line {line.decode()} of {escape_name(source)} excludes its files ({escape_name(pattern)})"
    )


def unversioned_files(folder: Path, paths: Sequence[bytes]) -> Listing:
    """The files below these paths of a folder outside of git, without those .gitignore excludes.

    The name of a nested repository ends with `/`.
    """
    with _temporary_repository({}) as repository:
        location = (f"--git-dir={repository / '.git'}", "--work-tree=.")
        listing = ("ls-files", "-z", "--others", "--exclude-per-directory=.gitignore", "--")
        return list_files(folder, *location, *listing, *paths)


def ignored_files(
    files: Iterable[bytes],
    rule_file: str,
    rules: Mapping[bytes, bytes],
    timeout_s: float = RULES_TIMEOUT_S,
) -> set[bytes]:
    """The files that ignore files named `rule_file` exclude; `rules` are their contents by path.

    git evaluates the patterns, as those of .gitignore. Raises UserError if that takes too long, and
    for a rule file in a folder that has the path of another one.
    """
    _reject_rules_below_rules(rules)
    renamed = {name.removesuffix(rule_file.encode()) + _GITIGNORE: rules[name] for name in rules}
    with _temporary_repository(renamed) as repository, _rules_timeout(rule_file, timeout_s):
        command = (*_PORTABLE_SETTINGS, *_CHECK_IGNORE, "--no-index")
        listed = b"".join(b"./%b\0" % name for name in files)
        result = run_git(repository, *command, stdin=listed, timeout_s=timeout_s)
    if result.returncode == _NONE_IGNORED:
        return set()
    out = check_result(repository, result)
    return {name.removeprefix(b"./") for name in out.split(b"\0")[:-1]}


def attribute_values(
    files: Iterable[bytes],
    attribute_names: Sequence[str],
    rules: Mapping[bytes, bytes],
    timeout_s: float = RULES_TIMEOUT_S,
) -> dict[tuple[bytes, str], bool]:
    """The values of attributes by file and name; `rules` are the .gitattributes contents by path.

    Unspecified values are left out; all others except `false` are true. Raises UserError if git
    takes too long.
    """
    with _temporary_repository(rules) as repository, _rules_timeout(".gitattributes", timeout_s):
        command = (*_PORTABLE_SETTINGS, "check-attr", "-z", "--stdin", *attribute_names)
        listed = b"".join(b"%b\0" % name for name in files)
        out = git_output(repository, *command, stdin=listed, timeout_s=timeout_s)
    fields = iter(out.split(b"\0")[:-1])
    return {
        (name, attribute.decode()): value not in (b"unset", b"false")
        for name, attribute, value in zip(fields, fields, fields, strict=True)
        if value != b"unspecified"
    }


@contextmanager
def _temporary_repository(rules: Mapping[bytes, bytes]) -> Iterator[Path]:
    """A temporary repository with only the rule files in its working tree."""
    with temporary_folder() as folder:
        # what gitrepository-layout(5) requires: a process less than `git init`
        for part in ("objects", "refs"):
            (folder / ".git" / part).mkdir(parents=True)
        (folder / ".git" / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        for name, contents in rules.items():
            _write_rule_file(folder / os.fsdecode(name), name, contents)
        yield folder


def _write_rule_file(path: Path, name: bytes, contents: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
    except OSError as exc:
        shown = paths.escape_name(name[:200])
        raise UserError(
            f"The rule file {shown!r} cannot be copied to a temporary folder ({exc.strerror}).",
            "Rename it or its folders.",
        ) from exc


def _reject_rules_below_rules(rules: Mapping[bytes, bytes]) -> None:
    """Raises UserError if a rule file is a folder of another one, as git checks out only one."""
    for name in rules:
        folder = name
        while folder := folder.rpartition(b"/")[0]:
            if folder in rules:
                shown, outer = paths.escape_name(name[:200]), paths.escape_name(folder[:200])
                raise UserError(
                    f"The rule file {shown!r} cannot be read: {outer!r} is a file, too.",
                    "Rename it or its folders.",
                )


@contextmanager
def _rules_timeout(rule_file: str, timeout_s: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError as exc:
        raise UserError(
            f"git needs more than {timeout_s:g} s to evaluate the patterns of {rule_file}.",
            "Write the patterns with fewer *.",
        ) from exc
