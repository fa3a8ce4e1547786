"""Checks what a run needs.

Entry point: `checks.run_checks(settings)` yields `Finding`s. `doctor` never writes to an index.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from feeder.config import Settings


class Finding(NamedTuple):
    """The result of a check. It contains no secrets, since people show it to others."""

    name: str
    says: str
    remedy: str = ""
    """The command or step that helps; empty if nothing is wrong."""
    stops: bool = False
    """True if a run would end with an error."""
    absent: bool = False
    """Set for something optional that is not installed."""


CheckFunction = Callable[[Settings], Iterable[Finding]]
"""Yields findings; raises FeederError where it cannot check, which would end a run too."""
