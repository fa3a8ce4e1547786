"""What every measurement is given: the programs, how often, where, and where the figures go."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from speed.corpora import CORPORA, Unavailable, fetched
from speed.figures import Figures
from speed.program import Program


class Bench(NamedTuple):
    """`programs` are measured in turn, each with figures of its own; the floors go to all of them.

    `scratch` is a folder that is gone at the end, `corpora` one that is kept.
    """

    programs: dict[Program, Figures]
    runs: int
    scratch: Path
    corpora: Path
    say: Callable[[str], None]

    def corpus(self, name: str) -> Path:
        """The repository of a corpus; raises Unavailable."""
        [corpus] = [one for one in CORPORA if one.name == name]
        return fetched(corpus, self.corpora)

    def attempt(self, name: str, work: Callable[[], None]) -> None:
        """Does it; what cannot be measured is named, and the rest goes on."""
        try:
            work()
        except (Unavailable, RuntimeError, subprocess.SubprocessError) as exc:
            self.fail(name, str(exc))

    def fail(self, name: str, reason: str) -> None:
        """Notes why something has no figures, or not all."""
        self.say(f"{name}: {reason}")
        for figures in self.programs.values():
            figures.failed[name] = reason

    def add(self, part: str, subject: str, measured: dict[str, float]) -> None:
        """The same value for all programs: a floor."""
        for figures in self.programs.values():
            figures.add(part, subject, measured)

    @property
    def program(self) -> Program:
        """The one that is asked about; another one is only compared with it."""
        return next(iter(self.programs))

    @property
    def figures(self) -> Figures:
        """Those of that program."""
        return self.programs[self.program]
