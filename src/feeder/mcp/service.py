"""The service behind both servers: runs tool calls and queries on the index of a directory,
after refreshing it.

Opens nothing and imports nothing heavy before the first call, so that `feeder mcp` lists its
tools within 0.2 s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import feeder
from feeder.config import Settings
from feeder.errors import FeederError
from feeder.escaping import escape_line
from feeder.mcp import (
    IndexingProgress,
    NoRefresh,
    ProgressCallback,
    Refresher,
    RefreshResult,
    ToolProvider,
    ToolResult,
)
from feeder.mcp.protocol import McpServer
from feeder.mcp.tool_schemas import (
    INPUT_SCHEMAS,
    INSTRUCTIONS,
    TOOL_DEFINITIONS,
    validate_arguments,
)
from feeder.notes import Note

if TYPE_CHECKING:
    from feeder.mcp.index_pool import IndexPool
    from feeder.mcp.index_refresh import RefreshTimes
    from feeder.search.open_index import SearchIndex

Result = TypeVar("Result")


class IndexService(ToolProvider):
    """The tools of `tool_schemas` on the index of a directory.

    Opens neither the index nor a model before the first call, or before `warm_up`.
    """

    definitions = TOOL_DEFINITIONS

    def __init__(self, settings: Settings, refresher: Refresher | None = None) -> None:
        self.settings = settings
        self._refresher = refresher or NoRefresh()
        self._lock = Lock()

    @property
    def mcp_server(self) -> McpServer:
        """The MCP server that offers these tools."""
        return McpServer("feeder", feeder.__version__, INSTRUCTIONS, self)

    def call(
        self, name: str, arguments: Mapping[str, Any], on_progress: ProgressCallback
    ) -> ToolResult:
        """Runs a tool. An error that the user or the model can mend is an answer, too."""
        try:
            validated = validate_arguments(name, INPUT_SCHEMAS[name], arguments)
            return self.run_on_index(partial(_run_tool, name, validated), on_progress)
        except (FeederError, OSError) as exc:
            from feeder.mcp.remedies import error_for_agent

            return ToolResult(escape_line(error_for_agent(exc)), is_error=True)

    def run_on_index(
        self, work: Callable[[SearchIndex, Note | None], Result], on_progress: ProgressCallback
    ) -> Result:
        """Refreshes the index, and calls `work` with the open index and the freshness note.

        Raises UserError if there is no index.
        """
        from feeder.corpus.absence import with_absence_notes

        on_progress("opening the index")
        refreshed = self._refresher.refresh(on_progress)
        with self.index_pool.borrow() as index:
            on_progress("searching")
            corpus = index.corpus._replace(seen_tree=refreshed.tree)
            with with_absence_notes(corpus, refreshed.note):
                return work(index._replace(corpus=corpus), refreshed.note)

    def begin_refresh(self) -> IndexingProgress | None:
        """Begins to update the index and does not wait; returns how far that is, None if done."""
        return self._refresher.begin()

    def warm_up(self) -> None:
        """Opens the index and its models, so that the first answer is fast."""
        self.index_pool.warm_up()

    def close(self) -> None:
        """Closes all open indexes that are not in use."""
        if "_index_pool" in self.__dict__:  # the cached property: nothing is opened to be closed
            self.index_pool.close()

    @property
    def index_pool(self) -> IndexPool:
        """The open indexes; created at the first access."""
        with self._lock:
            return self._index_pool

    @cached_property
    def _index_pool(self) -> IndexPool:
        from feeder.mcp.index_pool import IndexPool

        return IndexPool(self.settings)


def _run_tool(
    name: str, arguments: Mapping[str, Any], index: SearchIndex, freshness_note: Note | None
) -> ToolResult:
    from feeder.mcp.tools import TOOLS

    return TOOLS[name](index, arguments, freshness_note)


def index_service(settings: Settings, *, auto_refresh: bool) -> IndexService:
    """The service of a directory; with `auto_refresh` its index follows the working tree."""
    return IndexService(settings, LazyRefresher(settings) if auto_refresh else NoRefresh())


class LazyRefresher(Refresher):
    """Chooses the refresher of a directory at the first call, as that needs heavy imports."""

    def __init__(self, settings: Settings, times: RefreshTimes | None = None) -> None:
        self._settings = settings
        self._times = times
        self._lock = Lock()

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Refreshes the index, if it is a local one; outside of git a missing one is made."""
        return self._locked_refresher().refresh(on_progress)

    def begin(self) -> IndexingProgress | None:
        """Begins an update of a local index; outside of git a missing one is made."""
        return self._locked_refresher().begin()

    def _locked_refresher(self) -> Refresher:
        with self._lock:
            return self._refresher

    @cached_property
    def _refresher(self) -> Refresher:
        from feeder.mcp.index_refresh import FolderRefresher, IndexRefresher
        from feeder.session.index_update import refresh_target

        target = refresh_target(self._settings)
        if target is None:
            return NoRefresh()
        return (FolderRefresher if target.is_folder else IndexRefresher)(target, self._times)
