"""Who else asks an index? Programs, by a protocol: the tools they get, and how fresh those are."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Tell = Callable[[str], None]
"""Who is told what a call is doing, for those that wait for it."""
CALLS = 4
"""That run beside each other; more wait."""


class Said(NamedTuple):
    """What a tool answers: a text for a model; an error says what to change."""

    text: str
    is_error: bool = False


class Look(NamedTuple):
    """What was found before an answer: the root tree that the files were since the question.

    It is empty where nobody has looked since. `says` is what a reader has to know beside the age
    that answers tell of the index; None for nothing.
    """

    tree: str = ""
    says: str | None = None


class Toolbox(Protocol):
    """The tools that a server has."""

    @property
    def listed(self) -> Sequence[Mapping[str, Any]]:
        """Each as `tools/list` shows it, the same for everybody, in one order."""

    def call(self, name: str, arguments: Mapping[str, Any], tell: Tell) -> Said:
        """What a tool of the list answers."""


class Freshness(Protocol):
    """Looks, before each answer, whether what is asked about has moved on."""

    def before_answer(self, tell: Tell) -> Look:
        """Makes the index, or brings it on, as far as that is to be waited for."""


class AsItIs:
    """A `Freshness` that leaves the index as it is: answers say how old that is."""

    def before_answer(self, tell: Tell) -> Look:
        """Nothing is looked at."""
        return Look()
