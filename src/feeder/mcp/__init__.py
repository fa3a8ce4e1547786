"""The MCP server: answers coding agents' tool calls from an index, over stdio or HTTP.

Start reading with `service.py`, which joins tools, index and refreshing; `protocol.py` handles
messages. This module holds the interfaces that the parts share. `mcp` never imports `web`, and
only `http.py` imports a web framework.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from feeder.notes import Note

ProgressCallback = Callable[[str], None]
"""Called with a short text while a call runs; raises an exception when the call was cancelled."""

MAX_CONCURRENT_CALLS = 4
"""Calls that run at the same time; further calls wait."""


class ToolResult(NamedTuple):
    """The answer of a tool: text for a language model; the text of an error says what to change."""

    text: str
    is_error: bool = False


class RefreshResult(NamedTuple):
    """The outcome of a refresh.

    `tree` is the root tree that the files had since the call began; empty if nobody checked since.
    `note` says why the index may be behind the files; None if there is nothing to say.
    """

    tree: str = ""
    note: Note | None = None


class IndexingProgress(NamedTuple):
    """The progress of the update of an index that is running.

    `step` is what it does, with `done` of `total` files; `total` is 0 until the files are known.
    `seconds_left` is an estimate for this step, None while there is none. Without `has_index`
    nothing can be searched yet.
    """

    has_index: bool
    step: str = ""
    done: int = 0
    total: int = 0
    nodes: int = 0
    seconds_left: float | None = None


class ToolProvider(Protocol):
    """The tools that a server offers."""

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """The tools as `tools/list` shows them, in an order that never changes."""

    def call(
        self, name: str, arguments: Mapping[str, Any], on_progress: ProgressCallback
    ) -> ToolResult:
        """Runs the tool of that name, which is one of `definitions`."""


class Refresher(Protocol):
    """Brings the index up to date before an answer."""

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Updates or creates the index, and waits only as long as an answer may wait."""

    def begin(self) -> IndexingProgress | None:
        """Begins an update unless the index was checked just now, and does not wait for it.

        Returns how far it is; None if none is running.
        """


class NoRefresh(Refresher):
    """A refresher that leaves the index as it is."""

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Returns an empty result."""
        return RefreshResult()

    def begin(self) -> None:
        """Begins nothing."""
