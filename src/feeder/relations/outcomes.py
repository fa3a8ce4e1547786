"""The outcome of resolving a site: it refers to a definition, it may, or it means something else.

Only `Outcome.ELSEWHERE` leaves a site out of an answer, and it names its evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, StrEnum
from typing import NamedTuple

from feeder.relations.modules import Definition


class Outcome(Enum):
    """The relation of a site to a definition."""

    RESOLVED = 1
    POSSIBLE = 2
    ELSEWHERE = 3


class Reason(StrEnum):
    """The reason why a site is only possible."""

    COMPETING = "several definitions compete"
    RECEIVER = "the type of the receiver is unknown"
    BASE = "the base may be declared in another file"
    INTERFACE = "the index cannot tell whether the type implements the interface"
    MODULE = "the module may or may not export the definition"
    OUTER_SCOPE = "the name before it may be an outer type or a package"


class Evidence(StrEnum):
    """The thing that a site means instead of the definition."""

    ANOTHER_DEFINITION = "another definition of this name"
    ANOTHER_LANGUAGE = "a name of a language that cannot refer to the definition"
    ANOTHER_MODULE = "a name of another module"
    ANOTHER_NAME = "another name"
    ANOTHER_TYPE = "a member of another type"
    BASE_MEMBER = "a member of the base"
    BUILT_IN = "a member of a built-in type"
    DEPENDENCY = "a name of a dependency or of the standard library"
    FIELD = "a field, not a method"
    LOCAL = "a local variable, a parameter or text"
    NO_MEMBER = "a name that is no member, since it has no receiver"
    NOT_FUNCTION = "a type or a field, not a function"
    OWN_BLOCK = "a block of the definition itself"
    NOT_VISIBLE = "a name that the file neither declares nor imports"


class Resolution(NamedTuple):
    """The outcome for a site, with the reason or evidence; None where it is resolved.

    `definition` is the definition that the site refers to instead, where the index has it.
    """

    outcome: Outcome
    because: Reason | Evidence | None = None
    definition: Definition | None = None

    @property
    def is_resolved(self) -> bool:
        """True if the site refers to the definition."""
        return self.outcome is Outcome.RESOLVED

    @property
    def is_elsewhere(self) -> bool:
        """True if the site means something else."""
        return self.outcome is Outcome.ELSEWHERE


RESOLVED = Resolution(Outcome.RESOLVED)


def possible(reason: Reason) -> Resolution:
    """A site that may refer to the definition."""
    return _POSSIBLE[reason]


def elsewhere(evidence: Evidence, definition: Definition | None = None) -> Resolution:
    """A site that means something else."""
    if definition:
        return Resolution(Outcome.ELSEWHERE, evidence, definition)
    return _ELSEWHERE[evidence]


def resolved_if(condition: bool, reason: Reason) -> Resolution:
    """RESOLVED if a condition holds, otherwise possible."""
    return RESOLVED if condition else _POSSIBLE[reason]


def surest(resolutions: Iterable[Resolution]) -> Resolution:
    """The resolution that says most for the definition: resolved, then possible, then elsewhere.

    `[elsewhere, possible]` → possible. There must be at least one.
    """
    return min(resolutions, key=lambda one: one.outcome.value)


# sites are many, and most have the same few resolutions
_POSSIBLE = {reason: Resolution(Outcome.POSSIBLE, reason) for reason in Reason}
_ELSEWHERE = {evidence: Resolution(Outcome.ELSEWHERE, evidence) for evidence in Evidence}
