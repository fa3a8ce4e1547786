"""Which tools does a server of a directory have, and how fresh is what they answer?"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from feeder.config import Settings
from feeder.errors import UserError
from feeder.mcp import NoRefresh, ProgressCallback, Refresher, RefreshResult
from feeder.mcp.service import IndexService

if TYPE_CHECKING:
    from feeder.source import Tree


def index_service(settings: Settings, *, auto_refresh: bool) -> IndexService:
    """The tools, over an index that `follows` the working tree or is left as it is.

    Nothing is touched before a call.
    """
    return IndexService(settings, LazyRefresher(settings) if auto_refresh else NoRefresh())


class LazyRefresher:
    """A `Freshness` that finds out at the first answer what is to be followed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """What the files are then, where they are followed."""
        with self._lock:
            freshness = self._refresher
        return freshness.refresh(on_progress)

    @cached_property
    def _refresher(self) -> Refresher:
        """Of an index on this machine about a repository; any other is as its feeder left it."""
        from feeder.cloudflare.credentials import choose_store
        from feeder.mcp.index_refresh import IndexRefresher, RefreshTarget
        from feeder.session.session import current_workspace
        from feeder.session.workspace import commit_tree, working_tree
        from feeder.source import git

        settings = self._settings
        place = current_workspace(settings)
        if choose_store(settings).is_cloud or git.find_root(place.base) is None:
            return NoRefresh()
        tree_of = commit_tree if git.is_bare(place.base) else working_tree
        look = partial(tree_of, place, settings)
        return IndexRefresher(RefreshTarget(place, settings, lambda: _own_tree(place.base, look)))


def _own_tree(folder: Path, read_tree: Callable[[], Tree]) -> Tree:
    """The tree that a look finds; raises UserError where git finds another repository above."""
    from feeder.source import git

    root = git.find_root(folder)
    if root and root.resolve() != folder:
        raise UserError(f"{folder} is a folder of {root} by now. Put its .git back.")
    return read_tree()
