"""Which tree is compared with the index?"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from feeder.config import Settings
from feeder.errors import UserError
from feeder.session.session import Session, Workspace, open_run
from feeder.source import Sizes, Tree
from feeder.sync.context import SyncContext


@contextmanager
def open_comparison(session: Session, settings: Settings) -> Iterator[SyncContext]:
    """A run over the tree that the index says it equals: HEAD's, or the working tree as it is.

    Raises UserError where the index is of a commit and git finds none.
    """
    meta, key = session.index.read_state_of([]).meta, session.index.meta_key
    tree = indexed_tree(session.workspace, settings, working=bool(meta.get(key("working"))))
    base = session.workspace.base
    if meta.get(key("tree")) and not tree.root_tree_id and (base / ".git").exists():
        raise UserError(
            f"The index is of the commit {meta.get(key('head'), '')[:7]}, and git finds no commit "
            f"at HEAD of {base}. Mend the repository: git -C {quote(str(base))} status"
        )
    with open_run(session, tree, settings, dry_run=False) as feed:
        yield feed


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
    from feeder.source.commit import Commit

    return Commit(workspace.base, subfolder=settings.path, sizes=_size_limits(settings))


def working_tree(workspace: Workspace, settings: Settings, *, writes: bool = True) -> Tree:
    """The working tree as it lies there now, or one folder of it.

    What it takes to look at it is kept for the next time, beside the index, where the run `writes`.
    Raises UserError for an index at Cloudflare, for shards, and where there is no working tree.
    """
    from feeder.cloudflare.credentials import choose_store
    from feeder.session.local import index_file
    from feeder.source.working import WorkingTree
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
