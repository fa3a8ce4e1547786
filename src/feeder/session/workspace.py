"""Finds the base folder, repository name and branch of an index, and the source tree to compare
with it: a commit, the working tree or a folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from feeder.cloudflare.credentials import choose_store
from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import UserError
from feeder.source import Sizes, Tree

if TYPE_CHECKING:
    from feeder.source.git import Checkout

INDEX_FILE = "index.db"
"""Name of an index in its default folder."""


@dataclass
class Workspace:
    """The base folder of an index, with the names of its repository and branch."""

    base: Path
    repo: str
    branch: str
    index_file: Path | None = None
    """The index on this machine, if the caller has just found it and checked its folder."""


def index_file(base: Path, settings: Settings) -> Path:
    """Returns the path of a base folder's index, which need not exist."""
    from feeder.store.index_folder import checked_index_folder

    return settings.db or checked_index_folder(base) / INDEX_FILE


def workspace_for(base: Path, settings: Settings, checkout: Checkout | None = None) -> Workspace:
    """Returns the workspace of a base folder, named by the settings, its remote or its folder.

    `checkout` is the repository at `base`, if the caller has just read it.
    """
    from feeder.source import git

    checkout = checkout or git.read_checkout(base)
    repo, branch = settings.repo, settings.branch
    if checkout is not None:
        repo = repo or git.origin_slug(checkout.root)
        branch = branch or checkout.branch or git.default_branch(checkout.root)
    return Workspace(base, repo or _folder_name(base, settings), branch or "HEAD")


def _folder_name(base: Path, settings: Settings) -> str:
    """The name of a repository without a remote: its folder's name.

    A linked worktree has the name of its main one, whose index it can then copy, unless its index
    has another name already: node ids contain it. In an index at Cloudflare or at --db, which may
    be that of the main worktree too, each has its own name.
    """
    own = _escaped_name(base) or "root"
    # a linked worktree and a submodule have a file there
    if not (base / ".git").is_file() or settings.db is not None or choose_store(settings).is_cloud:
        return own
    from feeder.source import git
    from feeder.store.recorded_meta import read_meta

    folder = git.main_worktree_folder(base)
    try:
        file = index_file(base, settings)
        is_named = file.is_file() and f"{own}:run" in read_meta(file)
    except UserError:  # the command that opens the index reports it
        return own
    return own if folder is None or is_named else _escaped_name(folder) or own


def _escaped_name(folder: Path) -> str:
    from feeder.source.paths import escape_name

    return escape_name(os.fsencode(folder.name))


def current_workspace(settings: Settings) -> Workspace:
    """Returns the workspace of the settings' directory."""
    return _find_workspace(settings)[0]


def find_workspace(settings: Settings) -> tuple[Workspace, Checkout | None]:
    """Returns the workspace of the settings' directory, with its local index's file if it is not at
    Cloudflare, and the repository around it, if there is one.
    """
    workspace, checkout = _find_workspace(settings)
    if not choose_store(settings).is_cloud:
        workspace.index_file = index_file(workspace.base, settings)
    return workspace, checkout


def _find_workspace(settings: Settings) -> tuple[Workspace, Checkout | None]:
    from feeder.source import git

    directory = settings.directory.resolve()
    checkout = git.read_checkout(directory)
    base = checkout.root.resolve() if checkout else _folder_with_index(directory)
    return workspace_for(base, settings, checkout), checkout


def base_folder(directory: Path) -> Path:
    """Returns the repository's root, else the folder above with an index, else the directory."""
    from feeder.source import git

    directory = directory.resolve()
    repository = git.find_root(directory)
    return repository.resolve() if repository else _folder_with_index(directory)


def _folder_with_index(directory: Path) -> Path:
    """Returns the nearest folder above that has an index, else the directory itself."""
    folders = (directory, *directory.parents)
    return next((folder for folder in folders if (folder / INDEX_FOLDER).is_dir()), directory)


def common_base_folder(paths: Sequence[Path], settings: Settings) -> Path:
    """Returns the base folder of files to process: the working directory's if they are in
    it, so that a search finds the index; else their repository's root or common folder.
    """
    from feeder.source import git
    from feeder.source.folder import common_base

    existing = [path for path in paths if os.path.lexists(path)]
    current = base_folder(settings.directory)
    if (current / INDEX_FOLDER).is_dir() or not existing:
        return current
    common = common_base(existing).resolve()
    if ".git" in common.parts:  # not a repository of its own: refused later
        common = Path(*common.parts[: common.parts.index(".git")])
    is_below = common.is_relative_to(current) and git.find_root(common) is None
    return current if is_below else base_folder(common)


def repository_of(settings: Settings) -> Path:
    """Returns the root of the repository around the directory; raises UserError without one."""
    return checkout_of(settings).root.resolve()


def checkout_of(settings: Settings) -> Checkout:
    """Returns the repository around the directory; raises UserError without one."""
    from feeder.source import git

    checkout = git.read_checkout(settings.directory.resolve())
    if checkout is None:
        raise UserError(
            f"{settings.directory.resolve()} is not in a git repository.",
            "Change to a repository, or index the files as they are: feeder process --path .",
        )
    return checkout


def missing_index(file: Path, settings: Settings) -> tuple[str, str]:
    """Returns the problem that there is no index, and the remedy."""
    from feeder.source import git

    command = creation_command(settings)
    if git.find_root(settings.directory.resolve()):
        return f"There is no index at {file}.", f"Make one with: {command}"
    return (
        f"There is no index at {file}, and the folder is not in a git repository.",
        f"Change to a repository, or index the folder as it is: {command}",
    )


def creation_command(settings: Settings) -> str:
    """Returns the command that makes the missing index on this machine, at the place that the
    settings name.
    """
    from feeder.source import git

    options = [f" -C {quote(os.fspath(settings.directory))}"] if settings.directory.parts else []
    options += [f" --db {quote(os.fspath(settings.db))}"] if settings.db else []
    options += [" --store local"] if settings.store == "local" else []
    place = "".join(options)
    checkout = git.read_checkout(settings.directory.resolve())
    if checkout is None:
        return f"feeder process --path .{place}"
    has_commit = git.head_commit_or_none(settings.directory.resolve()) is not None
    return f"feeder sync{'' if has_commit else ' --working-tree'}{place}"


def has_index(workspace: Workspace, settings: Settings) -> bool:
    """Returns whether the workspace has an index; at Cloudflare that is assumed."""
    return choose_store(settings).is_cloud or index_file(workspace.base, settings).exists()


def indexed_tree(workspace: Workspace, settings: Settings, *, working: bool = False) -> Tree:
    """Returns the source tree to compare with an index: HEAD, or the folder without a commit.

    With `working`, for a working-tree index, the working tree.
    """
    from feeder.source import git

    if working and git.find_root(workspace.base):
        return working_tree(workspace, settings)
    if git.find_root(workspace.base) and git.commit_id(workspace.base, "HEAD"):
        return commit_tree(workspace, settings)
    return folder_tree(workspace, [workspace.base], settings)


def commit_tree(workspace: Workspace, settings: Settings, checkout: Checkout | None = None) -> Tree:
    """Returns HEAD, or the one folder of it that the settings name.

    `checkout` has HEAD's ids, if the caller has just read them.
    """
    from feeder.source.git_trees import Commit

    head = (checkout.commit, checkout.tree) if checkout else (None, None)
    return Commit(workspace.base, *head, subfolder=settings.path, sizes=_size_limits(settings))


def working_tree(
    workspace: Workspace,
    settings: Settings,
    checkout: Checkout | None = None,
    *,
    writes: bool = True,
) -> Tree:
    """Returns the working tree as it is now, or the one folder of it that the settings name.

    A run that `writes` stores what it read beside the index, which makes the next run faster.
    `checkout` is the repository, if the caller has just read it. Raises UserError for an index at
    Cloudflare, for shards, and without a working tree.
    """
    from feeder.cloudflare.credentials import choose_store
    from feeder.source.git_trees import WorkingTree
    from feeder.store.index_folder import create_index_folder, working_tree_folder

    if choose_store(settings).is_cloud:
        raise UserError(
            "An index at Cloudflare is shared, so it can only be made from a commit.",
            "Leave out --working-tree, or index the working tree on this machine: --store local",
        )
    if settings.shard:
        raise UserError(
            "A working tree cannot be split into shards, which run on several machines.",
            "Leave out --shard.",
        )
    index = index_file(workspace.base, settings)
    folder = working_tree_folder(index)
    if writes and settings.db is None:
        create_index_folder(folder.parent)
    if writes:
        create_index_folder(folder)
    own = [index.with_name(f"{index.stem}.")] if settings.db else []
    return WorkingTree(
        workspace.base,
        folder if folder.is_dir() else None,
        subfolder=settings.path,
        sizes=_size_limits(settings),
        own_prefixes=own,
        checkout=checkout,
    )


def folder_tree(workspace: Workspace, paths: Sequence[Path], settings: Settings) -> Tree:
    """Returns the files at these paths as they are on disk, less those that do not exist.

    Raises UserError for a bare repository.
    """
    from feeder.source import git
    from feeder.source.folder import Folder

    if paths and git.find_root(workspace.base) and git.is_bare(workspace.base):
        raise UserError(
            f"{workspace.base} has no working tree.", "Index its HEAD with: feeder sync"
        )
    existing = [path for path in paths if os.path.lexists(path)]
    return Folder(workspace.base, existing, sizes=_size_limits(settings))


def _size_limits(settings: Settings) -> Sizes:
    return Sizes(settings.max_file_bytes, settings.max_document_bytes)
