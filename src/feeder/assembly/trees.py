"""Which tree is compared with the index?"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from feeder.assembly.opening import Place, Store, feeding
from feeder.config import Settings
from feeder.errors import UserError
from feeder.run.feed import SyncContext
from feeder.tree import Sizes, Tree


@contextmanager
def compared(store: Store, settings: Settings) -> Iterator[SyncContext]:
    """A run over the tree that the index says it equals: HEAD's, or the working tree as it is.

    Raises UserError where the index is of a commit and git finds none.
    """
    meta, key = store.index.read_state_of([]).meta, store.index.meta_key
    tree = tree_of(store.place, settings, working=bool(meta.get(key("working"))))
    base = store.place.base
    if meta.get(key("tree")) and not tree.root_tree_id and (base / ".git").exists():
        raise UserError(
            f"The index is of the commit {meta.get(key('head'), '')[:7]}, and git finds no commit "
            f"at HEAD of {base}. Mend the repository: git -C {quote(str(base))} status"
        )
    with feeding(store, tree, settings, dry_run=False) as feed:
        yield feed


def tree_of(place: Place, settings: Settings, *, working: bool = False) -> Tree:
    """HEAD where there is a repository with a commit, else the folder as it lies there.

    With `working` the working tree, which an index equals that says so.
    """
    from feeder.tree import git

    if working and git.find_root(place.base):
        return working_tree_of(place, settings)
    if git.find_root(place.base) and git.commit_id(place.base, "HEAD"):
        return commit_of(place, settings)
    return folder_at(place, [place.base], settings)


def commit_of(place: Place, settings: Settings) -> Tree:
    """HEAD, or one folder of it."""
    from feeder.tree.commit import Commit

    return Commit(place.base, subfolder=settings.path, sizes=_sizes(settings))


def working_tree_of(place: Place, settings: Settings, *, writes: bool = True) -> Tree:
    """The working tree as it lies there now, or one folder of it.

    What it takes to look at it is kept for the next time, beside the index, where the run `writes`.
    Raises UserError for an index at Cloudflare, for shards, and where there is no working tree.
    """
    from feeder.assembly.local import index_file
    from feeder.cloudflare.credentials import choice
    from feeder.store.folder import create_index_folder, working_tree_folder
    from feeder.tree.working import WorkingTree

    if choice(settings).is_cloud:
        raise UserError(
            "An index at Cloudflare is a team's, and equals a commit. Leave --working-tree out, or "
            "index the working tree on this machine with: --store local"
        )
    if settings.shard:
        raise UserError(
            "Shards share a commit, and a working tree is one machine's. Leave --shard out."
        )
    index = index_file(place.base, settings)
    folder = working_tree_folder(index)
    if writes and settings.db is None:
        create_index_folder(folder.parent)
    if writes:
        create_index_folder(folder)
    own = [index.with_name(f"{index.stem}.")] if settings.db else []
    limits = settings.path, _sizes(settings)
    kept = folder if folder.is_dir() else None
    return WorkingTree(place.base, kept, subfolder=limits[0], sizes=limits[1], own_prefixes=own)


def folder_at(place: Place, paths: Sequence[Path], settings: Settings) -> Tree:
    """The files at these paths as they lie there; those that are gone are not in it.

    Raises UserError for paths in a repository where no file lies.
    """
    from feeder.tree import git
    from feeder.tree.folder import Folder

    if paths and git.find_root(place.base) and git.is_bare(place.base):
        raise UserError(f"{place.base} has no working tree. Index its HEAD with: feeder sync")
    there = [path for path in paths if os.path.lexists(path)]
    return Folder(place.base, there, sizes=_sizes(settings))


def _sizes(settings: Settings) -> Sizes:
    return Sizes(settings.max_file_bytes, settings.max_document_bytes)
