"""How long does the program take to say something at all?"""

from speed.bench import Bench

PART = "start"
TIMES = 10
"""A start is short, and so is looked at more often than the rest."""


def measure(bench: Bench) -> None:
    """`wall_s` of `--help` and `--version`, of each program in turn."""
    for argument in ("--help", "--version"):
        bench.say(f"start: {argument}")
        for program in bench.programs:
            program.timed(argument)  # the files of a first start come from the disk
        for _ in range(TIMES):
            for program, figures in bench.programs.items():
                figures.add(PART, argument, {"wall_s": program.timed(argument).wall_s})
