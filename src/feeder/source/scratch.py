"""What would git say of files that are in no repository, or of rules that are in no file?"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from feeder.errors import UserError
from feeder.source import paths
from feeder.source.git_command import git_output

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
