"""The command that measures how well an index answers."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.cli.measured import Measured
    from feeder.search.questions import JudgedQuery


@click.command()
@click.argument("questions", type=click.File("rb"))
@click.option(
    "--against",
    metavar="OPTIONS",
    help="Measure once more with these options instead, such as '--model words', and compare.",
)
@options.reading
def evaluate(questions: IO[bytes], against: str | None, **said: Any) -> None:
    """Measure how well the index answers: questions with what is right; - reads stdin.

    A line of the file is a question:

    \b
    {"query": "how is a cart emptied",
     "answers": ["src/cart.py", "src/cart.py:12-40", "src/cart.py#Cart.clear",
                 {"path": "src/cart.py", "start_line": 12, "end_line": 40},
                 {"symbol": "acme.Cart.clear"}],
     "group": "carts"}

    An answer is a file, lines of it or a symbol; a hit of the file, on one of the lines or of that
    name is right. Lines are those of the commit that is indexed. A symbol may be the last parts of
    a name. The group may be left out.
    """
    from feeder.cli.measured import as_json, as_text, compared, compared_as_json
    from feeder.search.questions import parse_judgments

    settings = Settings(**said)
    other = _instead(settings, against) if against is not None else None
    asked = parse_judgments(questions.read(), questions.name)
    first = _measured(settings, asked)
    if other is None:
        _say_what_lacks(settings, first)
        console.result(settings, as_json(first), as_text(first))
    else:
        second = _measured(other, asked)
        _say_what_lacks(settings, first, second)
        console.result(settings, compared_as_json(first, second), compared(first, second))


def _measured(settings: Settings, questions: list[JudgedQuery]) -> Measured:
    """Puts the questions to the index that the settings mean."""
    from feeder.cli.measured import Measured
    from feeder.search.evaluation import run_evaluation
    from feeder.search.labels import missing_targets
    from feeder.search.trial import open_evaluated_index

    with open_evaluated_index(settings, console.tell) as index:
        lacking = missing_targets(index.database, index.repo, questions)
        asked = run_evaluation(questions, index.search)
    return Measured(index.repo, index.commit, index.models, asked, lacking)


def _say_what_lacks(settings: Settings, *measured: Measured) -> None:
    """Once, where two lack the same."""
    from feeder.cli.measured import absence
    from feeder.run.report import ProgressReporter

    for absent in dict.fromkeys(tuple(one.absent) for one in measured):
        if absent:
            ProgressReporter(quiet=settings.quiet).message(absence(absent))


def _instead(settings: Settings, text: str) -> Settings:
    """The settings with what is said instead; raises UserError where that is no such options."""
    command = options.instead(click.Command("--against", add_help_option=False))
    try:
        context = command.make_context("--against", shlex.split(text))
    except (ValueError, click.UsageError) as exc:
        why = exc.format_message() if isinstance(exc, click.UsageError) else str(exc)
        end = "" if why.endswith(("?", ".")) else "."
        raise UserError(
            f"--against {text!r}: {why}{end} Write it like --against '--model words'."
        ) from exc
    line = click.core.ParameterSource.COMMANDLINE
    said = {k: v for k, v in context.params.items() if context.get_parameter_source(k) is line}
    if not said:
        raise UserError("--against names no option. Write it like --against '--model words'.")
    return replace(settings, **said)
