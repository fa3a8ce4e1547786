"""Finds the base folder, repository name and branch of an index, and the source tree to compare
with it: a commit, the working tree or a folder.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from feeder.cloudflare.credentials import choose_store
from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import UserError
from feeder.source import Sizes, Tree


@dataclass
class Workspace:
    """Where the files are that an index is about: its base folder and what it calls them."""

    base: Path
    repo: str
    branch: str


def workspace_for(base: Path, settings: Settings) -> Workspace:
    """Names a base folder: as the settings say, else as its remote does, else by its own name."""
    from feeder.source import git
    from feeder.source.paths import escape_name

    repository = git.find_root(base)
    repo, branch = settings.repo, settings.branch
    if repository is not None:
        repo = repo or git.origin_slug(repository)
        branch = branch or git.current_branch(repository) or git.default_branch(repository)
    name = escape_name(os.fsencode(base.name)) or "root"
    return Workspace(base, repo or name, branch or "HEAD")


def current_workspace(settings: Settings) -> Workspace:
    """The place that the settings' directory lies in."""
    return workspace_for(base_folder(settings.directory), settings)


def base_folder(directory: Path) -> Path:
    """The repository's root, else the folder above that has an index, else the directory itself."""
    from feeder.source import git

    directory = directory.resolve()
    if repository := git.find_root(directory):
        return repository.resolve()
    for folder in (directory, *directory.parents):
        if (folder / INDEX_FOLDER).is_dir():
            return folder
    return directory


def common_base_folder(paths: Sequence[Path], settings: Settings) -> Path:
    """The base of files to process: their repository's root, else the directory that holds them.

    That is the one that the program runs in, where it can be, so that a search finds the index.
    """
    from feeder.source import git
    from feeder.source.folder import common_base

    there = [path for path in paths if os.path.lexists(path)]
    known = base_folder(settings.directory)
    if (known / INDEX_FOLDER).is_dir() or not there:
        return known
    common = common_base(there).resolve()
    if ".git" in common.parts:  # not a repository of its own: to be refused
        common = Path(*common.parts[: common.parts.index(".git")])
    is_below = common.is_relative_to(known) and git.find_root(common) is None
    return known if is_below else base_folder(common)


def repository_of(settings: Settings) -> Path:
    """The repository that the directory is in; raises UserError where there is none."""
    from feeder.source import git

    repository = git.find_root(settings.directory.resolve())
    if repository is None:
        raise UserError(
            f"{settings.directory.resolve()} is in no git repository. "
            "Go into one, or index files as they lie there with: feeder process --path ."
        )
    return repository.resolve()


def has_index(workspace: Workspace, settings: Settings) -> bool:
    """Whether there is an index of a place; of one at Cloudflare only a request can tell."""
    from feeder.session.backends import index_file

    return choose_store(settings).is_cloud or index_file(workspace.base, settings).exists()


def indexed_tree(workspace: Workspace, settings: Settings, *, working: bool = False) -> Tree:
    """HEAD where there is a repository with a commit, else the folder as it lies there.

    With `working` the working tree, which an index equals that says so.
    """
    from feeder.source import git

    if working and git.find_root(workspace.base):
        return working_tree(workspace, settings)
    if git.find_root(workspace.base) and git.commit_id(workspace.base, "HEAD"):
        return commit_tree(workspace, settings)
    return folder_tree(workspace, [workspace.base], settings)


def commit_tree(workspace: Workspace, settings: Settings) -> Tree:
    """HEAD, or one folder of it."""
    from feeder.source.git_trees import Commit

    return Commit(workspace.base, subfolder=settings.path, sizes=_size_limits(settings))


def working_tree(workspace: Workspace, settings: Settings, *, writes: bool = True) -> Tree:
    """The working tree as it lies there now, or one folder of it.

    What it takes to look at it is kept for the next time, beside the index, where the run `writes`.
    Raises UserError for an index at Cloudflare, for shards, and where there is no working tree.
    """
    from feeder.cloudflare.credentials import choose_store
    from feeder.session.backends import index_file
    from feeder.source.git_trees import WorkingTree
    from feeder.store.index_folder import create_index_folder, working_tree_folder

    if choose_store(settings).is_cloud:
        raise UserError(
            "An index at Cloudflare is a team's, and equals a commit. Leave --working-tree out, or "
            "index the working tree on this machine with: --store local"
        )
    if settings.shard:
        raise UserError(
            "Shards share a commit, and a working tree is one machine's. Leave --shard out."
        )
    index = index_file(workspace.base, settings)
    folder = working_tree_folder(index)
    if writes and settings.db is None:
        create_index_folder(folder.parent)
    if writes:
        create_index_folder(folder)
    own = [index.with_name(f"{index.stem}.")] if settings.db else []
    limits = settings.path, _size_limits(settings)
    kept = folder if folder.is_dir() else None
    return WorkingTree(workspace.base, kept, subfolder=limits[0], sizes=limits[1], own_prefixes=own)


def folder_tree(workspace: Workspace, paths: Sequence[Path], settings: Settings) -> Tree:
    """The files at these paths as they lie there; those that are gone are not in it.

    Raises UserError for paths in a repository where no file lies.
    """
    from feeder.source import git
    from feeder.source.folder import Folder

    if paths and git.find_root(workspace.base) and git.is_bare(workspace.base):
        raise UserError(f"{workspace.base} has no working tree. Index its HEAD with: feeder sync")
    there = [path for path in paths if os.path.lexists(path)]
    return Folder(workspace.base, there, sizes=_size_limits(settings))


def _size_limits(settings: Settings) -> Sizes:
    return Sizes(settings.max_file_bytes, settings.max_document_bytes)
