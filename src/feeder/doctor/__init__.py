"""Checks what a run needs.

Entry point: `checks.run_checks(settings)` yields `Finding`s. `doctor` never writes to an index.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from feeder.config import Settings


class Finding(NamedTuple):
    """What was seen of a thing; with a remedy something is wrong, which may stop a run.

    What is `absent` is one that no run needs unless it is asked for. No secret is in it: it is
    shown to others.
    """

    name: str
    says: str
    remedy: str = ""
    stops: bool = False
    absent: bool = False


CheckFunction = Callable[[Settings], Iterable[Finding]]
"""Raises FeederError where it cannot look, which stops a run too."""
