"""Click options of the commands that show hits: filters, paging, format, and the query log."""

from collections.abc import Callable
from typing import Any

import click

from feeder.cli.option_types import Command, WholeNumber, add_options, env_option
from feeder.config import Settings
from feeder.errors import UserError


def _repeatable_option(
    *names: str, metavar: str, help: str, shell_complete: Any = None
) -> Callable[[Command], Command]:
    """An option that can be given more than once, with the name of the first."""
    name = names[0].lstrip("-").replace("-", "_")
    return click.option(
        *names, name, multiple=True, metavar=metavar, help=help, shell_complete=shell_complete
    )


def complete_path(*arguments: Any) -> list[Any]:
    """Lets the shell offer files and folders; for `shell_complete`."""
    from feeder.cli.completion import complete_path

    return complete_path(*arguments)


def _complete_symbol(*arguments: Any) -> list[Any]:
    from feeder.cli.completion import complete_symbol

    return complete_symbol(*arguments)


def symbol_argument(name: str, metavar: str) -> Callable[[Command], Command]:
    """The argument that names a symbol or a place."""
    return click.argument(name, metavar=metavar, shell_complete=_complete_symbol)


def _complete_language(*arguments: Any) -> list[Any]:
    from feeder.cli.completion import complete_language

    return complete_language(*arguments)


def node_filter_options(command: Command) -> Command:
    """Adds the options that filter the nodes of a repository."""
    return add_options(
        command,
        _repeatable_option(
            *("--path", "-g"),
            metavar="GLOB",
            help="Only this file, folder or glob.",
            shell_complete=complete_path,
        ),
        _repeatable_option(
            *("--language", "--lang", "-t"),
            metavar="LANG",
            help="Only this language, such as go or c++.",
            shell_complete=_complete_language,
        ),
        _repeatable_option(
            "--node-type", "--type", metavar="TYPE", help="Only this node type, such as method."
        ),
        _repeatable_option(
            "--category", metavar="NAME", help="Only code, docs, config, tests or your own."
        ),
        tests_option,
    )


tests_option = click.option(
    "--tests", type=click.Choice(["yes", "no", "only"]), help="Include tests: yes, no or only."
)


null_option = click.option("-0", "--null", is_flag=True, help="With -l, end each path with NUL.")


def check_null_option(*, null: bool, files: bool) -> None:
    """Raises UserError for -0 without the option -l, which it belongs to."""
    if null and not files:
        raise UserError("-0 works only with -l, which prints paths.", "Add -l.")


def filter_options(command: Command) -> Command:
    """Adds the options that filter a search or prefer results."""
    return node_filter_options(
        add_options(
            command,
            click.option("--all-repos", is_flag=True, help="Search all repositories of the index."),
            _repeatable_option(
                "--prefer", metavar="WHAT", help="Rank a folder, lang:X or repo:X higher."
            ),
        )
    )


line_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "vimgrep"]),
    default="text",
    help="`vimgrep` prints path:line:column:text.",
)


limit_option = click.option(
    "-n",
    "--limit",
    metavar="N",
    type=WholeNumber(1, 100),
    default=10,
    help="Maximum number of hits to show.",
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
            metavar="N",
            type=WholeNumber(0),
            default=6,
            help="Number of lines to show for each hit.",
        ),
        click.option("--full", is_flag=True, help="Show all lines of each hit."),
        click.option(
            "--offset", metavar="N", type=WholeNumber(0), default=0, help="Skip the first N hits."
        ),
        line_format_option,
        click.option("-l", "--files", is_flag=True, help="Print only paths."),
        null_option,
        click.option("--explain", is_flag=True, help="Show how each score is calculated."),
        color_option,
    )


color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Use colors; NO_COLOR turns them off.",
)
