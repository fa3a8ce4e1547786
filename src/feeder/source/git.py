"""Facts about a git repository: its root, HEAD, commits, branches, remote and settings."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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
from feeder.source.remote_urls import github_slug_from_url, slug_from_url, web_address

_FOLDER_MODE = b"040000"


_BRANCHES = b"refs/heads/"


_ONLY_NAMED_BARE = ("-c", "safe.bareRepository=explicit")
"""A setting with which git finds no bare repository above a folder."""


_REV_PARSE = ("rev-parse", "-q", "--verify", "--end-of-options")


_LAYOUT_OPTIONS = (
    *("--is-bare-repository", "--show-object-format", "--path-format=absolute"),
    *("--git-path", "objects", "--git-path", "index"),
)


_GIT_FOLDERS = ("--path-format=absolute", "--git-dir", "--git-common-dir")
"""Options of `rev-parse` for the folders of `_HeadFiles`."""


_CHECKOUT_ROWS = 10
"""Lines that git prints for a checkout without a line break in a path."""


class RepositoryLayout(NamedTuple):
    """The format of a repository, and the paths of its objects and of its index."""

    is_bare: bool
    object_format: str
    objects: Path
    index_file: Path


class Checkout(NamedTuple):
    """A repository and its HEAD: the ids of commit and root tree, and the branch.

    `root` is that of the working tree, or the bare repository. Before the first commit there are no
    ids; a detached HEAD has no branch. The layout is there if it took no further git process.
    """

    root: Path
    commit: str | None
    tree: str | None
    branch: str | None
    layout: RepositoryLayout | None = None


def read_checkout(folder: Path) -> Checkout | None:
    """The repository around a folder and its HEAD, usually from one git process; None outside.

    If HEAD's files show the commit, `head_commit_or_none` of the root then needs no git process.
    Raises UserError as `find_root` does.
    """
    head = ("HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD")
    places = ("--show-toplevel", *_GIT_FOLDERS, *_LAYOUT_OPTIONS)
    try:
        result = run_git(folder, *_ONLY_NAMED_BARE, "rev-parse", *head, *places)
    except NoRepositoryError:
        return None
    rows = result.stdout.split(b"\n")[:-1] if result.returncode == 0 else []
    if len(rows) == _CHECKOUT_ROWS and (rows[2] == b"HEAD" or rows[2].startswith(_BRANCHES)):
        commit, tree, ref, top, git_dir, common_dir, *layout = rows
        top_folder = Path(os.fsdecode(top))
        files = _HeadFiles(Path(os.fsdecode(git_dir)), Path(os.fsdecode(common_dir)))
        state = files.state()
        # the state is read after the commit, so it counts only if it has the commit's id itself
        if state and commit in (row.strip() for row in state[:2] if isinstance(row, bytes)):
            _known_heads[top_folder] = _KnownHead(files, state, commit.decode())
        return Checkout(
            top_folder,
            commit.decode(),
            tree.decode(),
            None if ref == b"HEAD" else paths.escape_name(ref.removeprefix(_BRANCHES)),
            _parse_layout(b"\n".join(layout)),
        )
    # a bare repository, one without a commit, a HEAD at a ref that is no branch, or a line break
    # in a path
    root = find_root(folder)
    if root is None:
        return None
    ids = _head_ids(root) or (None, None)
    return Checkout(root, ids[0], ids[1], current_branch(root))


def find_root(path: Path) -> Path | None:
    """The root of the working tree around a path, or the bare repository; None outside of git.

    Raises UserError for a bare repository inside another working tree: a commit may bring it, with
    settings that make git start programs.
    """
    folder = path if path.is_dir() else path.parent
    try:
        top = run_git(folder, *_ONLY_NAMED_BARE, "rev-parse", "--show-toplevel")
    except NoRepositoryError:
        return None
    if not is_bare_error(top):
        return _path_from_output(folder, top)
    bare = _path_from_output(folder, run_git(folder, "rev-parse", "--absolute-git-dir"))
    if bare.name != ".git" and (outer := find_root(bare.parent)):
        raise UserError(
            f"{bare} is a bare repository inside the working tree of {outer}, and its settings "
            "could start programs.",
            "Move it elsewhere first.",
        )
    return bare


def _path_from_output(folder: Path, result: GitResult) -> Path:
    return Path(os.fsdecode(check_result(folder, result).removesuffix(b"\n")))


def commit_id(repository: Path, revision: str) -> str | None:
    """The full id of a commit; None if the repository does not have it."""
    if "\0" in revision:
        return None
    result = run_git(repository, *_REV_PARSE, f"{revision}^{{commit}}")
    return result.stdout.decode().strip() if result.returncode == 0 else None


def unknown_commit_error(repository: Path, revision: str) -> UserError:
    """Returns the error for a commit that the repository does not have."""
    problem = f"There is no commit {revision!r} in {repository}."
    if commit_id(repository, "HEAD") is None:
        return UserError(problem, "HEAD has no commit yet: commit something first.")
    return UserError(
        problem, "Correct the name, or get the commit with git fetch if only the remote has it."
    )


class _HeadFiles(NamedTuple):
    """The folders of a repository that have the files which say what HEAD is."""

    git_dir: Path
    common_dir: Path

    def state(self) -> tuple[object, ...] | None:
        """The contents of these files; None if they alone do not show whether HEAD has moved."""
        head = _read_or_none(self.git_dir / "HEAD")
        if head is None or not head.startswith(_SYMBOLIC_REF):
            return (head,) if head else None
        ref = os.fsdecode(head.removeprefix(_SYMBOLIC_REF).strip())
        loose = _read_or_none(self.common_dir / ref)
        if loose and loose.startswith(_SYMBOLIC_REF):
            return None
        stores = (self.common_dir / "packed-refs", self.common_dir / "reftable/tables.list")
        return (head, loose, *map(file_version, stores))


class _KnownHead(NamedTuple):
    files: _HeadFiles
    state: tuple[object, ...] | None
    commit: str | None


_SYMBOLIC_REF = b"ref: "

_known_heads: dict[Path, _KnownHead] = {}
"""HEAD by folder: a server needs it for each answer, and a git process takes several ms."""


def head_commit_or_none(folder: Path) -> str | None:
    """The id of HEAD; None before the first commit and outside of git.

    Starts git only if HEAD's files have changed since the last call for this folder.
    """
    cached = _known_heads.get(folder)
    # the state is read before the commit: a change in between is seen by the next call
    state = cached.files.state() if cached else None
    if cached and state and cached.state == state:
        return cached.commit
    try:
        result = run_git(folder, "rev-parse", "-q", "HEAD^{commit}", *_GIT_FOLDERS)
        if result.returncode:
            return commit_id(folder, "HEAD")
    except NoRepositoryError:
        return None
    commit, *folders = os.fsdecode(result.stdout).splitlines()
    if len(folders) == 2:  # no line break in a path
        _known_heads[folder] = _KnownHead(_HeadFiles(*map(Path, folders)), state, commit)
    return commit


def _read_or_none(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def file_version(file: Path) -> tuple[int, int, int] | None:
    """Changes when a file is written or replaced; None if there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def head_ids(repository: Path) -> tuple[str, str]:
    """The ids of HEAD and of its root tree; raises UserError before the first commit."""
    ids = _head_ids(repository)
    if ids is None:
        if is_bare(repository):
            raise UserError(
                f"{repository} is a bare repository without commits.", "Push a commit to it first."
            )
        remedy = "Commit something first, or index the files: feeder sync --working-tree"
        raise UserError(f"{repository} has no commit at HEAD.", remedy)
    return ids


def _head_ids(repository: Path) -> tuple[str, str] | None:
    result = run_git(repository, "rev-parse", "-q", "HEAD^{commit}", "HEAD^{tree}")
    if result.returncode:
        return None
    commit, tree = result.stdout.decode().split()
    return commit, tree


def other_worktrees(folder: Path) -> list[Path]:
    """The roots of the other worktrees of a repository, the main one first; they may be gone.

    Empty outside of git. A bare repository that has worktrees is one of them.
    """
    try:
        own = find_root(folder)
        listed = git_output(folder, "worktree", "list", "--porcelain") if own else b""
    except NoRepositoryError:
        return []
    prefix = b"worktree "
    rows = [row.removeprefix(prefix) for row in listed.split(b"\n") if row.startswith(prefix)]
    roots = [Path(os.fsdecode(row)) for row in rows]
    return [root for root in roots if own and root.resolve() != own.resolve()]


def main_worktree_folder(worktree: Path) -> Path | None:
    """The folder of the repository that a linked worktree belongs to; None for any other.

    It is the folder with `.git`, or a bare repository.
    """
    output = git_output(worktree, "rev-parse", "--absolute-git-dir", "--git-common-dir")
    own, common = (Path(worktree, os.fsdecode(row)).resolve() for row in output.splitlines())
    if own == common:
        return None
    return common.parent if common.name.startswith(".") else common


def count_differing_files(repository: Path, one: str, other: str) -> int | None:
    """The number of files that differ between two commits; None if one is not available."""
    command = ("diff-tree", "-r", "--no-renames", "--name-only", "-z", "--end-of-options")
    result = run_git(repository, *command, one, other)
    return result.stdout.count(b"\0") if result.returncode == 0 else None


def commit_time(repository: Path, commit: str) -> int:
    """The time of a commit, in seconds since 1970; raises UserError if there is no such commit."""
    shown = git_output(repository, "show", "-s", "--format=%ct", "--end-of-options", commit)
    return int(shown)


def has_tree(repository: Path, tree: str) -> bool:
    """True if the repository has a tree with this id."""
    return run_git(repository, "cat-file", "-e", f"{tree}^{{tree}}").returncode == 0


def repository_layout(repository: Path) -> RepositoryLayout:
    """The layout of a repository, from one git process; the index need not exist."""
    return _parse_layout(git_output(repository, "rev-parse", *_LAYOUT_OPTIONS))


def _parse_layout(output: bytes) -> RepositoryLayout:
    bare, object_format, both_paths = output.split(b"\n", 2)
    middle = both_paths.rindex(b"/objects\n") + len(b"/objects")
    objects, index = both_paths[:middle], both_paths[middle:].strip(b"\n")
    paths = (Path(os.fsdecode(path)) for path in (objects, index))
    return RepositoryLayout(bare == b"true", object_format.decode(), *paths)


def object_ids(repository: Path, revisions: Sequence[str]) -> list[str]:
    """The ids of several revisions, from one git process; empty for those that do not exist."""
    stdin = "".join(f"{revision}\n" for revision in revisions).encode()
    out = git_output(repository, "cat-file", "--batch-check=%(objectname)", stdin=stdin)
    return ["" if row.endswith(b" missing") else row.decode() for row in out.splitlines()]


def matching_settings(repository: Path, pattern: str) -> list[tuple[str, str]]:
    """The settings whose names match a pattern, with their values; later ones override."""
    result = run_git(repository, "config", "-z", "--get-regexp", pattern)
    rows = result.stdout.split(b"\0")[:-1]
    pairs = (os.fsdecode(row).partition("\n") for row in rows)
    return [(name, value) for name, _, value in pairs]


def folder_tree_id(repository: Path, commit: str, path: str) -> str:
    """The tree id of a folder of a commit; raises UserError if there is no such folder."""
    row = git_output(
        repository, "ls-tree", "-d", "-z", "--full-tree", commit, "--", paths.unescape_path(path)
    )
    mode, _, rest = row.rstrip(b"\0").partition(b" ")
    if mode != _FOLDER_MODE:
        raise UserError(f"Commit {commit[:10]} has no folder {path}.", "Correct --path.")
    return rest.split()[1].decode()


def tree_id_at(repository: Path, commit: str, path: str) -> str | None:
    """The tree id of a commit's folder, or of its root for an empty path; None if not found."""
    result = run_git(repository, *_REV_PARSE, commit.encode() + b":" + paths.unescape_path(path))
    return result.stdout.decode().strip() if result.returncode == 0 else None


def current_branch(repository: Path) -> str | None:
    """The branch that is checked out; None when HEAD is detached."""
    return _output_line(repository, "symbolic-ref", "-q", "--short", "HEAD")


def is_branch_name(repository: Path, name: str) -> bool:
    """True if git accepts a branch name."""
    return run_git(repository, "check-ref-format", f"refs/heads/{name}").returncode == 0


def default_branch(repository: Path) -> str | None:
    """The branch of origin's HEAD; None if the clone does not know it."""
    name = _output_line(repository, "symbolic-ref", "-q", "--short", "refs/remotes/origin/HEAD")
    return name.removeprefix("origin/") if name else None


def origin_slug(repository: Path) -> str | None:
    """`owner/name` of origin; None without such a remote."""
    url = _output_line(repository, "config", "--get", "remote.origin.url")
    return slug_from_url(url) if url else None


def origin_github_slug(repository: Path) -> str | None:
    """`owner/name` of origin if that is at GitHub, else None."""
    return github_slug_from_url(
        _output_line(repository, "config", "--get", "remote.origin.url") or ""
    )


def origin_web_address(repository: Path, commit: str) -> str | None:
    """The address of a commit's files at origin's host, else None."""
    return web_address(
        _output_line(repository, "config", "--get", "remote.origin.url") or "", commit
    )


def is_bare(repository: Path) -> bool:
    """True if it has no working tree."""
    return git_output(repository, "rev-parse", "--is-bare-repository").strip() == b"true"


def is_shallow(repository: Path) -> bool:
    """True if the repository is a shallow clone, as in most CI checkouts."""
    return git_output(repository, "rev-parse", "--is-shallow-repository").strip() == b"true"


def merge_base(repository: Path, one: str, other: str) -> str | None:
    """The best common ancestor in the available history; None if there is none."""
    return _output_line(repository, "merge-base", one, other)


def is_ancestor(repository: Path, older: str, newer: str) -> bool:
    """True if the available history shows that a commit is an ancestor of another, or the same.

    In a shallow clone, False may mean that the history in between was not fetched.
    """
    return run_git(repository, "merge-base", "--is-ancestor", older, newer).returncode == 0


def ahead_behind(repository: Path, first: str, second: str) -> tuple[int, int] | None:
    """The numbers of commits that only the first and only the second has; None if one is missing.

    In a shallow clone, the numbers of the available commits.
    """
    command = ("rev-list", "--left-right", "--count", f"{first}...{second}", "--")
    result = run_git(repository, *command)
    if result.returncode:
        return None
    left, right = result.stdout.split()
    return int(left), int(right)


def object_format(repository: Path) -> str:
    """The hash of the repository's object ids: `sha1` or `sha256`."""
    return git_output(repository, "rev-parse", "--show-object-format").decode().strip()


def blob_id(contents: bytes, object_format: str) -> str:
    """The id that git gives to a file with these contents."""
    return hashlib.new(object_format, b"blob %d\0%b" % (len(contents), contents)).hexdigest()


def _output_line(repository: Path, *arguments: str) -> str | None:
    """git's output as one line of text; None if git reports that there is no value."""
    result = run_git(repository, *arguments)
    if result.returncode == 1 and not result.stderr:
        return None
    return paths.escape_name(check_result(repository, result).removesuffix(b"\n"))
