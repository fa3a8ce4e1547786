"""The command `completion`, and what the shell offers for values of options."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

from feeder.cli.command_help import ShortHelp


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
    click.echo(kind(context.find_root().command, {}, "feeder", "_FEEDER_COMPLETE").source())


def complete_path(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Lets the shell offer files and folders."""
    return [CompletionItem(incomplete, type="file")]


def complete_language(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offers the languages that a file can have."""
    from feeder.parse.grammars import load_grammars

    languages = load_grammars(None).languages
    return [CompletionItem(name) for name in languages if name.startswith(incomplete.lower())]
