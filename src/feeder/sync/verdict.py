"""What does a validation say? Its checks, what has to be made anew, and what mends it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from feeder.store.forgetting import Damage

MAX_SHOWN_DIFFERENCES = 20
"""Of each check; --json has all."""
REPAIR_COMMAND = "feeder validate --repair"


class Check(NamedTuple):
    """One question: its figures, and what differs, in words."""

    name: str
    figures: dict[str, int]
    differences: list[str]

    @property
    def passed(self) -> bool:
        return not self.differences


class ValidationResult(NamedTuple):
    """All checks of one validation, and in `notes` what they did not look at.

    `advice` is what mends the differences; `repaired` where they were asked again after a repair.
    """

    checks: list[Check]
    damage: Damage
    notes: Sequence[str] = ()
    advice: str = ""
    repaired: bool = False

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def _remedy(self) -> str:
        if self.repaired and self.advice.startswith(REPAIR_COMMAND):
            return "a repair has not mended it. Delete the index and make it anew"
        return self.advice

    def lines(self) -> Iterator[str]:
        """A line a check with its figures, the first differences, and the notes."""
        for check in self.checks:
            figures = ", ".join(f"{name} {count}" for name, count in check.figures.items())
            said = f"{check.name}: {figures}" if figures else check.name
            yield f"{'ok  ' if check.passed else 'FAIL'} {said}"
            yield from (f"       {line}" for line in check.differences[:MAX_SHOWN_DIFFERENCES])
            if (more := len(check.differences) - MAX_SHOWN_DIFFERENCES) > 0:
                yield f"       and {more} more"
        yield from self.notes
        yield "The index is right." if self.passed else f"The index is not right: {self._remedy}"

    def as_json(self) -> dict[str, Any]:
        """`passed`, the checks with their figures and differences, and the notes."""
        return {
            "passed": self.passed,
            "checks": [{**check._asdict(), "passed": check.passed} for check in self.checks],
            "notes": list(self.notes),
        }
