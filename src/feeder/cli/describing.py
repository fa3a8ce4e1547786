"""The options that say who writes a line on each method and class, and how many."""

import click

from feeder.cli.twins import env_option

_DESCRIPTION_OPTIONS = (
    env_option(
        "--describe",
        "Ask a language model for a line on each method and class: URL#name, a text model of "
        "Workers AI, or `off` to take the lines out; else none is asked.",
        metavar="MODEL",
    ),
    env_option(
        "--redescribe",
        "Ask again for lines that another model or prompt has made, or that were refused.",
        is_flag=True,
    ),
    env_option(
        "--max-descriptions",
        "Stop before more methods and classes than that are asked about; the next run goes on.",
        type=click.IntRange(1),
    ),
    env_option(
        "--max-description-tokens",
        "Stop when descriptions have taken so many tokens; the next run goes on.",
        type=click.IntRange(1),
    ),
)
