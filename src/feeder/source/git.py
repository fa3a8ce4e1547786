"""What does git say of a repository? Names are bytes, ended by NUL."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError
from feeder.source import paths
from feeder.source.blobs import missing_object_error, read_available_blobs
from feeder.source.git_command import (
    GitResult,
    NoRepositoryError,
    check_result,
    git_output,
    is_bare_error,
    run_git,
)

REGULAR_MODE, SYMLINK_MODE, SUBMODULE_MODE, SPECIAL_MODE = "100644", "120000", "160000", "000000"
"""Modes; git has none for devices and the like, for which zeros stand here."""
_FOLDER_MODE = b"040000"
ABSENT_SIZE = -1
"""The size of contents that are not here."""

_REV_PARSE = ("rev-parse", "-q", "--verify", "--end-of-options")
_UNSAFE_PATH = re.compile(rb"(?:^|/)(?:\.{0,2}|\.git)(?:/|\Z)", re.IGNORECASE)


class GitFile(NamedTuple):
    """A listed file: git's mode in octal digits, its id of the contents, and bytes."""

    name: bytes
    mode: str
    blob: str
    size: int


def is_regular(mode: str) -> bool:
    """Whether the mode is a regular file's, executable or not."""
    return mode.startswith("100")


def find_root(path: Path) -> Path | None:
    """The working tree that holds the path, or the bare repository; None outside of git.

    Raises UserError for a bare repository among the files of another one: a commit may bring it,
    with settings that name programs for git to start.
    """
    folder = path if path.is_dir() else path.parent
    try:
        top = run_git(folder, "-c", "safe.bareRepository=explicit", "rev-parse", "--show-toplevel")
    except NoRepositoryError:
        return None
    if not is_bare_error(top):
        return _path_from_output(folder, top)
    bare = _path_from_output(folder, run_git(folder, "rev-parse", "--absolute-git-dir"))
    if bare.name != ".git" and (outer := find_root(bare.parent)):
        raise UserError(
            f"{bare} is a repository without a working tree among the files of {outer}. "
            "Move it out of there first."
        )
    return bare


def _path_from_output(folder: Path, result: GitResult) -> Path:
    return Path(os.fsdecode(check_result(folder, result).removesuffix(b"\n")))


def commit_id(repository: Path, revision: str) -> str | None:
    """The commit's full id; None when there is no such commit here."""
    if "\0" in revision:
        return None
    found = run_git(repository, *_REV_PARSE, f"{revision}^{{commit}}")
    return found.stdout.decode().strip() if found.returncode == 0 else None


def head_commit_or_none(folder: Path) -> str | None:
    """The id of HEAD; None before the first commit and outside of git."""
    try:
        return commit_id(folder, "HEAD")
    except NoRepositoryError:
        return None


def head_ids(repository: Path) -> tuple[str, str]:
    """The ids of HEAD and of its root tree; raises UserError before the first commit."""
    tip = commit_id(repository, "HEAD")
    if tip is None:
        raise UserError(f"{repository} has no commit at HEAD. Commit something first.")
    return tip, git_output(repository, *_REV_PARSE, f"{tip}^{{tree}}").decode().strip()


def has_tree(repository: Path, tree: str) -> bool:
    """Whether a tree of this id is here."""
    return run_git(repository, "cat-file", "-e", f"{tree}^{{tree}}").returncode == 0


class RepositoryLayout(NamedTuple):
    """What a repository is like, and where its objects and the index of its working tree are."""

    is_bare: bool
    object_format: str
    objects: Path
    index_file: Path


def repository_layout(repository: Path) -> RepositoryLayout:
    """What there is to know of a repository, by one question; its index need not be there."""
    wanted = ("--is-bare-repository", "--show-object-format", "--path-format=absolute")
    out = git_output(
        repository, "rev-parse", *wanted, "--git-path", "objects", "--git-path", "index"
    )
    bare, object_format, places = out.split(b"\n", 2)
    middle = places.rindex(b"/objects\n") + len(b"/objects")
    objects, index = places[:middle], places[middle:].strip(b"\n")
    paths = (Path(os.fsdecode(place)) for place in (objects, index))
    return RepositoryLayout(bare == b"true", object_format.decode(), *paths)


def object_ids(repository: Path, revisions: Sequence[str]) -> list[str]:
    """The ids of what these are, by one question; empty for what there is not."""
    asked = "".join(f"{revision}\n" for revision in revisions).encode()
    rows = git_output(
        repository, "cat-file", "--batch-check=%(objectname)", stdin=asked
    ).splitlines()
    return ["" if row.endswith(b" missing") else row.decode() for row in rows]


def matching_settings(repository: Path, pattern: str) -> list[tuple[str, str]]:
    """The settings whose names match, each with its value, in the order in which they count."""
    answer = run_git(repository, "config", "-z", "--get-regexp", pattern)
    rows = answer.stdout.split(b"\0")[:-1]
    pairs = (os.fsdecode(row).partition("\n") for row in rows)
    return [(name, value) for name, _, value in pairs]


def folder_tree_id(repository: Path, commit: str, path: str) -> str:
    """The id of the tree at a folder of a commit; raises UserError where there is none."""
    row = git_output(
        repository, "ls-tree", "-d", "-z", "--full-tree", commit, "--", paths.unescape_path(path)
    )
    mode, _, rest = row.rstrip(b"\0").partition(b" ")
    if mode != _FOLDER_MODE:
        raise UserError(f"There is no folder {path} in {commit[:10]}. Mend --path.")
    return rest.split()[1].decode()


def tree_id_at(repository: Path, commit: str, path: str) -> str | None:
    """The id of a commit's folder, its root for no path; None where there is none of the two."""
    found = run_git(repository, *_REV_PARSE, commit.encode() + b":" + paths.unescape_path(path))
    return found.stdout.decode().strip() if found.returncode == 0 else None


def current_branch(repository: Path) -> str | None:
    """The branch that is checked out; None when HEAD is detached."""
    return _output_line(repository, "symbolic-ref", "-q", "--short", "HEAD")


def is_branch_name(repository: Path, name: str) -> bool:
    """Whether git allows a branch to be called so."""
    return run_git(repository, "check-ref-format", f"refs/heads/{name}").returncode == 0


def default_branch(repository: Path) -> str | None:
    """The branch that origin's HEAD names, where the clone knows it."""
    name = _output_line(repository, "symbolic-ref", "-q", "--short", "refs/remotes/origin/HEAD")
    return name.removeprefix("origin/") if name else None


def origin_slug(repository: Path) -> str | None:
    """`owner/name` of origin; None without such a remote."""
    url = _output_line(repository, "config", "--get", "remote.origin.url")
    return paths.slug_from_url(url) if url else None


def origin_github_slug(repository: Path) -> str | None:
    """`owner/name` of origin where that is at GitHub."""
    return paths.github_slug_from_url(
        _output_line(repository, "config", "--get", "remote.origin.url") or ""
    )


def is_bare(repository: Path) -> bool:
    """Whether it has no working tree."""
    return git_output(repository, "rev-parse", "--is-bare-repository").strip() == b"true"


def is_shallow(repository: Path) -> bool:
    """Whether history was cut off when it was fetched, as CI checkouts do."""
    return git_output(repository, "rev-parse", "--is-shallow-repository").strip() == b"true"


def merge_base(repository: Path, one: str, other: str) -> str | None:
    """The best common ancestor, as far as the history that is here tells."""
    return _output_line(repository, "merge-base", one, other)


def ahead_behind(repository: Path, first: str, second: str) -> tuple[int, int] | None:
    """How many commits only the first has, and how many only the other; None where one is not here.

    A shallow clone counts what it has.
    """
    counting = ("rev-list", "--left-right", "--count", f"{first}...{second}", "--")
    answer = run_git(repository, *counting)
    if answer.returncode:
        return None
    left, right = answer.stdout.split()
    return int(left), int(right)


def object_format(repository: Path) -> str:
    """`sha1` or `sha256`: how this repository names contents."""
    return git_output(repository, "rev-parse", "--show-object-format").decode().strip()


def blob_id(contents: bytes, object_format: str) -> str:
    """The id that git gives to a file of these contents, stored as they are."""
    return hashlib.new(object_format, b"blob %d\0%b" % (len(contents), contents)).hexdigest()


def ls_tree(repository: Path, commit: str, *, is_partial: bool = False) -> list[GitFile]:
    """Every file of a commit, in the order of their names' bytes; a submodule's size is 0.

    Raises UserError for a name that git would not check out, for one that is there twice, and for
    contents that are not here; in a `partial` clone their size is `ABSENT`.
    """
    rows = git_output(repository, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    files = [_parse_row(repository, row, is_partial=is_partial) for row in rows.split(b"\0")[:-1]]
    if len({file.name for file in files}) < len(files):
        [(twice, _)] = Counter(file.name for file in files).most_common(1)
        raise _unsafe_path_error(f"{paths.escape_name(twice)!r} twice")
    return files


def files_named(
    repository: Path, commit: str, file_names: Sequence[bytes]
) -> list[tuple[bytes, str]]:
    """The regular files of a commit that have one of these names, in any folder, and their blobs.

    No sizes are asked for, which take git longer than the listing itself.
    """
    rows = git_output(repository, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    found = []
    for row in rows:
        if row.endswith(tuple(file_names)):
            head, _, name = row.partition(b"\t")
            mode, _, blob = head.decode().split()
            if is_regular(mode) and name.rpartition(b"/")[2] in file_names:
                found.append((name, blob))
    return found


def read_files(repository: Path, commit: str, file_names: Sequence[bytes]) -> dict[bytes, bytes]:
    """The contents of a commit's regular files at these names, as far as they are here.

    Names that no file can have are not asked for: of a place outside, git would refuse to speak.
    """
    file_names = [
        name for name in file_names if not _UNSAFE_PATH.search(name) and b"\0" not in name
    ]
    if not file_names:
        return {}
    rows = git_output(repository, "ls-tree", "-z", "--full-tree", commit, "--", *file_names)
    found = {}
    for row in rows.split(b"\0")[:-1]:
        head, _, name = row.partition(b"\t")
        mode, _, blob = head.decode().split()
        if is_regular(mode):
            found[name] = blob
    contents = zip(found, read_available_blobs(repository, [*found.values()]), strict=True)
    return {name: text for name, text in contents if text is not None}


def _parse_row(repository: Path, row: bytes, *, is_partial: bool) -> GitFile:
    head, _, name = row.partition(b"\t")
    if _UNSAFE_PATH.search(name):
        raise _unsafe_path_error(repr(paths.escape_name(name)))
    mode, _, blob, size = head.split()
    if size == b"BAD":
        if not is_partial:
            raise missing_object_error(repository, blob.decode())
        size = b"%d" % ABSENT_SIZE
    return GitFile(name, mode.decode(), blob.decode(), 0 if size == b"-" else int(size))


def _unsafe_path_error(path: str) -> UserError:
    return UserError(
        f"The commit holds the path {path}, which git would not check out. "
        "Remove it from the repository."
    )


def _output_line(repository: Path, *arguments: str) -> str | None:
    """A line of text, None where git has nothing to say."""
    answer = run_git(repository, *arguments)
    if answer.returncode == 1 and not answer.stderr:
        return None
    return paths.escape_name(check_result(repository, answer).removesuffix(b"\n"))
