"""The command `completion`, and what the shell offers for values of options."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

from feeder.cli.command_help import ShortHelp
from feeder.config import Settings

MAX_SYMBOLS = 100
"""Symbols that are offered, the shortest first: a shell asks before it lists more."""


@click.command(
    cls=ShortHelp,
    examples=(
        'eval "$(feeder completion bash)"     # in ~/.bashrc; zsh: in ~/.zshrc',
        "feeder completion fish > ~/.config/fish/completions/feeder.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for Tab completion in a shell."""
    kind = get_completion_class(shell)
    assert kind  # click has one for each of the choices
    script = kind(context.find_root().command, {}, "feeder", "_FEEDER_COMPLETE").source()
    # click's script for fish cuts a description at its second comma
    click.echo(script.replace('string split ","', 'string split -m 1 ","'))


def complete_path(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Lets the shell offer files and folders."""
    return [CompletionItem(incomplete, type="file")]


def complete_language(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offers the languages that a file can have."""
    from feeder.parse.grammar_files import load_grammars

    languages = load_grammars(None).languages
    return [CompletionItem(name) for name in languages if name.startswith(incomplete.lower())]


def complete_symbol(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offers the symbols of the local index that begin with the text, else files.

    A shell shows no errors: without an index that can be read there are no symbols.
    """
    from feeder.errors import FeederError

    try:
        symbols = _indexed_symbols(context, incomplete) if incomplete else []
    except FeederError:
        symbols = []
    return [CompletionItem(symbol) for symbol in symbols] or complete_path(
        context, parameter, incomplete
    )


def _indexed_symbols(context: click.Context, start: str) -> list[str]:
    from pathlib import Path

    from feeder.session.workspace import index_file
    from feeder.source import git
    from feeder.store.symbol_completion import read_symbols_starting

    folder = (context.params.get("directory") or Path()).absolute()
    settings = Settings(folder, db=context.params.get("db"))
    file = index_file(git.find_root(folder) or folder, settings)
    return read_symbols_starting(file, start, MAX_SYMBOLS) if file.is_file() else []
