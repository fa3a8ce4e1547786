"""`FoundDefinition`: a definition as an answer shows it."""

from typing import NamedTuple

from feeder.snippets.outline import MEMBER_TYPE
from feeder.store.hits import Hit

LOCAL_TYPE = "local"
"""The type of a local variable or parameter, which the index has no node of."""


class FoundDefinition(NamedTuple):
    """A node or member that defines the name, `resolved` if the position cannot mean another one.

    A member is a constant or field, which has one line and no node of its own.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    node_type: str
    resolved: bool

    @property
    def place(self) -> str:
        """The path with the lines, of a member with its line."""
        last = "" if self.node_type in {MEMBER_TYPE, LOCAL_TYPE} else f"-{self.end_line}"
        return f"{self.path}:{self.start_line}{last}"


def found_definition(hit: Hit, *, resolved: bool) -> FoundDefinition:
    """The definition in a node."""
    return FoundDefinition(
        hit.path, hit.start_line, hit.end_line, hit.symbol or "", hit.node_type, resolved
    )
