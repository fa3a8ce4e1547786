"""The service behind both servers: runs tool calls and queries on the index of a directory,
after refreshing it. Opens nothing and imports nothing heavy before the first call, so that
`feeder mcp` lists its tools within 0.2 s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import feeder
from feeder import escaping as harmless
from feeder.config import Settings
from feeder.errors import FeederError, UserError
from feeder.mcp import NoRefresh, ProgressCallback, Refresher, RefreshResult, ToolResult
from feeder.mcp.formatting import commands_to_tools
from feeder.mcp.protocol import McpServer
from feeder.mcp.tool_schemas import (
    INPUT_SCHEMAS,
    INSTRUCTIONS,
    TOOL_DEFINITIONS,
    validate_arguments,
)

if TYPE_CHECKING:
    from feeder.mcp.index_pool import IndexPool
    from feeder.mcp.tools import Tool
    from feeder.search.open_index import SearchIndex
    from feeder.source import Tree


Result = TypeVar("Result")


class IndexService:
    """The tools of `catalogue.py` over the index of a directory.

    Neither that nor a model is touched before the first call, or before `warm`.
    """

    definitions = TOOL_DEFINITIONS

    def __init__(self, settings: Settings, refresher: Refresher | None = None) -> None:
        self.settings = settings
        self._refresher = refresher or NoRefresh()
        self._lock = Lock()

    @property
    def mcp_server(self) -> McpServer:
        """What the protocol is spoken for."""
        return McpServer("feeder", feeder.__version__, INSTRUCTIONS, self)

    def call(
        self, name: str, arguments: Mapping[str, Any], on_progress: ProgressCallback
    ) -> ToolResult:
        """What the tool answers; what the user or the model has to change is an answer too."""
        try:
            said = validate_arguments(name, INPUT_SCHEMAS[name], arguments)
            return self.run_on_index(
                lambda opened, says: _load_tool(name)(opened, said, says), on_progress
            )
        except (FeederError, OSError) as exc:
            return ToolResult(harmless.escape_line(commands_to_tools(str(exc))), is_error=True)

    def run_on_index(
        self, work: Callable[[SearchIndex, str | None], Result], on_progress: ProgressCallback
    ) -> Result:
        """What `work` makes of the index as it is now, and of what is to be said of it first.

        Raises UserError where there is none.
        """
        on_progress("opening the index")
        look = self._refresher.refresh(on_progress)
        with self.index_pool.borrow() as opened:
            on_progress("looking")
            corpus = opened.corpus._replace(seen_tree=look.tree)
            return work(opened._replace(corpus=corpus), look.note)

    def warm_up(self) -> None:
        """Makes the first answer quick."""
        self.index_pool.warm_up()

    def close(self) -> None:
        """Closes what was opened, and is not in use."""
        if "_index_pool" in self.__dict__:
            self.index_pool.close()

    @property
    def index_pool(self) -> IndexPool:
        """The index; opened by the first who asks."""
        with self._lock:
            return self._index_pool

    @cached_property
    def _index_pool(self) -> IndexPool:
        from feeder.mcp.index_pool import IndexPool

        return IndexPool(self.settings)


def _load_tool(name: str) -> Tool:
    from feeder.mcp.tools import TOOLS

    return TOOLS[name]


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
        from feeder.session.workspace import commit_tree, current_workspace, working_tree
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
