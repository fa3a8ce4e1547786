"""Who takes a call to the index that is asked? The tools over one directory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import feeder
from feeder import escaping as harmless
from feeder.config import Settings
from feeder.errors import FeederError
from feeder.mcp import NoRefresh, ProgressCallback, Refresher, ToolResult
from feeder.mcp.arguments import validate_arguments
from feeder.mcp.protocol import McpServer
from feeder.mcp.remedies import commands_to_tools
from feeder.mcp.tool_schemas import INPUT_SCHEMAS, INSTRUCTIONS, TOOL_DEFINITIONS

if TYPE_CHECKING:
    from feeder.mcp.index_pool import IndexPool, OpenIndex
    from feeder.mcp.tools import Tool
    from feeder.web.validation import IndexValidation

Result = TypeVar("Result")


class IndexService:
    """The tools of `catalogue.py` over the index of a directory.

    Neither that nor a model is touched before the first call, or before `warm`.
    """

    definitions = TOOL_DEFINITIONS

    def __init__(self, settings: Settings, refresher: Refresher | None = None) -> None:
        self._settings = settings
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
        self, work: Callable[[OpenIndex, str | None], Result], on_progress: ProgressCallback
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
        if "_library" in self.__dict__:
            self.index_pool.close()

    @property
    def index_pool(self) -> IndexPool:
        """The index; opened by the first who asks."""
        with self._lock:
            return self._index_pool

    @property
    def validation(self) -> IndexValidation:
        """The checks of the index; nothing is looked at before they begin."""
        with self._lock:
            return self._validation

    @cached_property
    def _validation(self) -> IndexValidation:
        from feeder.web.validation import IndexValidation

        return IndexValidation(self._settings)

    @cached_property
    def _index_pool(self) -> IndexPool:
        from feeder.mcp.index_pool import IndexPool

        return IndexPool(self._settings)


def _load_tool(name: str) -> Tool:
    from feeder.mcp.tools import TOOLS

    return TOOLS[name]
