"""Measures the start of the program."""

from speed.bench import Bench

PART = "start"
TIMES = 10
"""Starts are short, so they are measured more often than the rest."""


def measure(bench: Bench) -> None:
    """Measures `wall_s` of `--help` and `--version`, with each program in turn."""
    for argument in ("--help", "--version"):
        bench.print_progress(f"start: {argument}")
        for program in bench.programs:
            program.timed(argument)  # fill the disk cache
        for _ in range(TIMES):
            for program, figures in bench.programs.items():
                figures.add(PART, argument, {"wall_s": program.timed(argument).wall_s})
