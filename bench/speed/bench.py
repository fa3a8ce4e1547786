"""The context of every measurement: programs, number of runs, folders and results."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from speed.corpora import CORPORA, Unavailable, fetch
from speed.figures import Figures
from speed.program import Program


class Bench(NamedTuple):
    """Programs with their figures, and the settings of the measurements.

    `programs` are measured in turn. `scratch` is a temporary folder, `corpora` a cache folder.
    """

    programs: dict[Program, Figures]
    runs: int
    scratch: Path
    corpora: Path
    print_progress: Callable[[str], None]

    def corpus(self, name: str) -> Path:
        """Returns the repository of a corpus. Raises Unavailable."""
        [corpus] = [candidate for candidate in CORPORA if candidate.name == name]
        return fetch(corpus, self.corpora)

    def attempt(self, name: str, measure: Callable[[], None]) -> None:
        """Runs a measurement; a failure is recorded, and the other measurements go on."""
        try:
            measure()
        except (Unavailable, RuntimeError, subprocess.SubprocessError) as exc:
            self.fail(name, str(exc))

    def fail(self, name: str, reason: str) -> None:
        """Records why a measurement has no figures, or not all."""
        self.print_progress(f"{name}: {reason}")
        for figures in self.programs.values():
            figures.failed[name] = reason

    def add(self, part: str, subject: str, measured: dict[str, float]) -> None:
        """Adds a value for all programs, such as a lower bound."""
        for figures in self.programs.values():
            figures.add(part, subject, measured)

    @property
    def program(self) -> Program:
        """The measured program; a second one is only compared with it."""
        return next(iter(self.programs))

    @property
    def figures(self) -> Figures:
        """The figures of that program."""
        return self.programs[self.program]
