"""Who still has what was indexed? The repository, or what looks at its working tree have left."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from feeder.source import objects
from feeder.store import Database
from feeder.store.index_folder import working_tree_folder
from feeder.store.sqlite import SQLite


class Revision(NamedTuple):
    """The tree that an index equals: a commit, or a tree that `repository` has; empty for none."""

    repository: Path
    name: str


def snapshot_repositories(database: Database) -> list[Path]:
    """Repositories of ours beside an index, the newest first; none of one at Cloudflare."""
    if not isinstance(database, SQLite):
        return []
    return objects.private_repositories(working_tree_folder(Path(database.place)))


def indexed_revision(
    base: Path, database: Database, repo: str, meta: Mapping[str, str]
) -> Revision:
    """What the index says of itself; a working tree that is nowhere any more is none."""
    working = meta.get(f"{repo}:working", "")
    if not working:
        return Revision(base, meta.get(f"{repo}:head", ""))
    holder = objects.repository_with_tree(snapshot_repositories(database), working)
    return Revision(holder or base, working if holder else "")
