"""Help of a command on one screen: its own options and examples; `--help-all` lists all options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from feeder.cli.lazy_group import LazyGroup
from feeder.cli.options import option_section

_ALL_KEY = "feeder.help_all"


def _print_all(context: click.Context, _: click.Parameter, is_requested: bool) -> None:
    if is_requested and not context.resilient_parsing:
        context.meta[_ALL_KEY] = True
        click.echo(context.get_help())
        context.exit()


class ShortHelp(click.Command):
    """A command whose help shows two examples and its own options.

    The options that commands share are listed by `--help-all`, in sections.
    """

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.examples = examples
        self._help_all = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_all,
            help="Show all options and exit.",
        )

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Adds `--help-all`, hidden for a command whose help lists all options."""
        self._help_all.hidden = not any(map(_section, self.params))
        *params, help_option = super().get_params(ctx)
        return [*params, self._help_all, help_option]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the description and the examples."""
        super().format_help_text(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the command's own options; with `--help-all` the shared ones too."""
        sections: dict[str, list[tuple[str, str]]] = {"": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                sections.setdefault(_section(parameter), []).append(record)
        own = sections.pop("")
        with formatter.section("Options"):
            formatter.write_dl(own)
        if ctx.meta.get(_ALL_KEY):
            for title, records in sections.items():
                with formatter.section(title):
                    formatter.write_dl(records)
        elif sections:
            titles = ", ".join(title[0].lower() + title[1:] for title in sections)
            formatter.write_paragraph()
            # `--help-all` stays whole: textwrap would cut it at its hyphens
            more = f"More options ({titles}): {ctx.command_path} --help\N{NON-BREAKING HYPHEN}all"
            with_hyphens = click.HelpFormatter(width=formatter.width)
            with_hyphens.write_text(more)
            formatter.write(with_hyphens.getvalue().replace("\N{NON-BREAKING HYPHEN}", "-"))


class ShortHelpGroup(ShortHelp, LazyGroup):
    """A group of commands with short help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options, then the commands."""
        ShortHelp.format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)


def _section(parameter: click.Parameter) -> str:
    return option_section(parameter) if isinstance(parameter, click.Option) else ""
