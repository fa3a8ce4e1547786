"""Which of the words on the command line are the question's?"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

_QUERY_WORD_MARK = "\0"
"""Before a word that begins as an option does; no argument of a program has it."""
_QUERY_WORD = re.compile(r"-(?!-|[A-Za-z]\d*\Z).|--[^=\s]*\s")


class QueryCommand(click.Command):
    """A command whose `-word` is a word to be left out, and no bundle of options.

    Of what has one dash only a single letter is an option, alone or with a number behind it; and
    none has a space in it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Marks the words that are none of this command's options."""
        with_values = {name for option in self.params for name in _option_names(option)}
        marked, is_value = [], False
        for at, arg in enumerate(args):
            if arg == "--":
                marked += args[at:]
                break
            is_word = not is_value and _QUERY_WORD.match(arg)
            marked.append(f"{_QUERY_WORD_MARK}{arg}" if is_word else arg)
            is_value = arg in with_values
        return super().parse_args(ctx, marked)


def _option_names(option: click.Parameter) -> list[str]:
    """The names of an option that takes a value."""
    takes_one = isinstance(option, click.Option) and not option.is_flag and not option.count
    return [*option.opts, *option.secondary_opts] if takes_one else []


def join_words(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str:
    """The question that the words are together."""
    return " ".join(word.removeprefix(_QUERY_WORD_MARK) for word in words)


def query_argument(command: Command) -> Command:
    """All words that are no options, as one question."""
    return click.argument("query", nargs=-1, required=True, callback=join_words)(command)
