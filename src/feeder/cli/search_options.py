"""Click options of the commands that show hits: filters, paging, format, and the query log."""

from collections.abc import Callable

import click

from feeder.cli.options import Command, add_options, env_option
from feeder.config import Settings


def _repeatable_option(*names: str, help: str) -> Callable[[Command], Command]:
    """An option that can be given more than once."""
    return click.option(*names, names[0].lstrip("-").replace("-", "_"), multiple=True, help=help)


def node_filter_options(command: Command) -> Command:
    """Adds the options that filter the nodes of a repository."""
    return add_options(
        command,
        _repeatable_option(
            "--path",
            help="Search only this file, folder or glob, relative to the root or to this folder.",
        ),
        _repeatable_option("--language", help="Search only this language, such as python or c++."),
        _repeatable_option(
            "--node-type", "--type", help="Search only this node type, such as class or method."
        ),
        _repeatable_option(
            "--category",
            help="Search only `code`, `docs`, `config`, `tests`, or a category of your own.",
        ),
        click.option(
            "--tests",
            type=click.Choice(["yes", "no", "only"]),
            help="Include tests: yes, no or only.",
        ),
    )


def filter_options(command: Command) -> Command:
    """Adds the options that filter a search or prefer results."""
    return node_filter_options(
        add_options(
            command,
            click.option("--all-repos", is_flag=True, help="Search all repositories of the index."),
            _repeatable_option(
                "--prefer", help="Rank a folder, lang:X, repo:X or category:X higher."
            ),
        )
    )


line_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "vimgrep"]),
    default="text",
    help="Output format; `vimgrep` prints path:line:column:text, for editors.",
)


limit_option = click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    help="Number of hits to show.",
)


def query_log_option(command: Command) -> Command:
    """Adds the option that turns the query log off."""
    text = "Log queries in .feeder/queries.db, for `feeder queries`."
    log = env_option("--query-log/--no-query-log", text, default=Settings.query_log)
    return add_options(command, log)


def display_options(command: Command) -> Command:
    """Adds the options that set the format of a page of hits."""
    return add_options(
        command,
        click.option(
            "--lines",
            type=click.IntRange(0),
            default=6,
            show_default=True,
            help="Lines to show of each hit.",
        ),
        click.option("--full", is_flag=True, help="Show all lines of each hit."),
        click.option(
            "--offset", type=click.IntRange(0), default=0, help="Skip this many of the first hits."
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(["text", "vimgrep"]),
            default="text",
            help="Output format; `vimgrep` prints path:line:column:text, for editors.",
        ),
        click.option("-l", "--files", is_flag=True, help="Print only the paths of the files."),
        click.option("--explain", is_flag=True, help="Show how the score of each hit is made up."),
        color_option,
    )


color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Use colors; `auto` does on a terminal, unless NO_COLOR is set.",
)
