"""The MCP server: answers coding agents' tool calls from an index, over stdio or HTTP. Start
reading with `service.py`, which joins tools, index and refreshing; `protocol.py` handles
messages. This module holds the interfaces that the parts share. `mcp` never imports `web`, and
only `http.py` imports a web framework.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

ProgressCallback = Callable[[str], None]
"""Who is told what a call is doing, for those that wait for it."""

MAX_CONCURRENT_CALLS = 4
"""That run beside each other; more wait."""


class ToolResult(NamedTuple):
    """What a tool answers: a text for a model; an error says what to change."""

    text: str
    is_error: bool = False


class RefreshResult(NamedTuple):
    """What was found before an answer: the root tree that the files were since the question.

    It is empty where nobody has looked since. `says` is what a reader has to know beside the age
    that answers tell of the index; None for nothing.
    """

    tree: str = ""
    note: str | None = None


class ToolProvider(Protocol):
    """The tools that a server has."""

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """Each as `tools/list` shows it, the same for everybody, in one order."""

    def call(
        self, name: str, arguments: Mapping[str, Any], on_progress: ProgressCallback
    ) -> ToolResult:
        """What a tool of the list answers."""


class Refresher(Protocol):
    """Looks, before each answer, whether what is asked about has moved on."""

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Makes the index, or brings it on, as far as that is to be waited for."""


class NoRefresh:
    """A `Freshness` that leaves the index as it is: answers say how old that is."""

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Nothing is looked at."""
        return RefreshResult()


RETRY_SOON = "ask again soon."

VECTORS_IN_PROGRESS = "vectors are being made."

UPDATE_IN_PROGRESS = "brings the index on at this moment."
"""How a sentence ends that says that the index is followed up without the one who asks."""
