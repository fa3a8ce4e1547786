"""Facts about a git repository: its root, HEAD, commits, branches, remote and settings."""

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from feeder.errors import UserError
from feeder.source import paths
from feeder.source.git_command import (
    GitResult,
    NoRepositoryError,
    check_result,
    git_output,
    is_bare_error,
    run_git,
)

_SCP_URL = re.compile(r"(?:[^/@]+@)?(?P<host>\[[^]/]+\]|[^/:\[]{2,}):(?P<path>.+)", re.DOTALL)


def slug_from_url(url: str) -> str | None:
    """`owner/name` from a remote's URL, whatever credentials are in it; None for a folder's."""
    scheme, separator, _ = url.partition("://")
    if separator:
        path = "" if scheme == "file" else _url_path(url)
    else:
        match = _SCP_URL.fullmatch(url)
        path = match["path"] if match else ""
    return path.strip("/").removesuffix(".git").strip("/") or None


def github_slug_from_url(url: str) -> str | None:
    """`owner/name` of a remote at GitHub, as HTTPS or ssh write it; None for any other."""
    host = _url_host(url) if "://" in url else _scp_host(url)
    return slug_from_url(url) if host == "github.com" else None


def _url_host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _scp_host(url: str) -> str | None:
    match = _SCP_URL.fullmatch(url)
    return match["host"].lower() if match else None


def _url_path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


_FOLDER_MODE = b"040000"


_REV_PARSE = ("rev-parse", "-q", "--verify", "--end-of-options")


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
    return slug_from_url(url) if url else None


def origin_github_slug(repository: Path) -> str | None:
    """`owner/name` of origin where that is at GitHub."""
    return github_slug_from_url(
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


def _output_line(repository: Path, *arguments: str) -> str | None:
    """A line of text, None where git has nothing to say."""
    answer = run_git(repository, *arguments)
    if answer.returncode == 1 and not answer.stderr:
        return None
    return paths.escape_name(check_result(repository, answer).removesuffix(b"\n"))
