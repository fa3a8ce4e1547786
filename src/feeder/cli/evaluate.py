"""The command `evaluate`: measures search quality with queries whose answers are known."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.cli.evaluation_report import Evaluation
    from feeder.search.judgments import JudgedQuery


@click.command()
@click.argument("questions", type=click.File("rb"))
@click.option(
    "--against",
    metavar="OPTIONS",
    help="Measure once more with these options instead, such as '--model words', and compare.",
)
@options.read_options
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
    from feeder.cli.evaluation_report import (
        comparison_json,
        comparison_text,
        evaluation_json,
        evaluation_text,
    )
    from feeder.search.judgments import parse_judgments

    settings = Settings(**said)
    other = _override_settings(settings, against) if against is not None else None
    asked = parse_judgments(questions.read(), questions.name)
    first = _run_evaluation(settings, asked)
    if other is None:
        _print_missing_answers(settings, first)
        console.print_result(settings, evaluation_json(first), evaluation_text(first))
    else:
        second = _run_evaluation(other, asked)
        _print_missing_answers(settings, first, second)
        console.print_result(
            settings, comparison_json(first, second), comparison_text(first, second)
        )


def _run_evaluation(settings: Settings, queries: list[JudgedQuery]) -> Evaluation:
    """Puts the questions to the index that the settings mean."""
    from feeder.cli.evaluation_report import Evaluation
    from feeder.search.evaluation import open_evaluated_index, run_evaluation
    from feeder.search.judgments import missing_targets

    with open_evaluated_index(settings, console.print_message) as index:
        lacking = missing_targets(index.database, index.repo, queries)
        asked = run_evaluation(queries, index.search)
    return Evaluation(index.repo, index.commit, index.models, asked, lacking)


def _print_missing_answers(settings: Settings, *measured: Evaluation) -> None:
    """Once, where two lack the same."""
    from feeder.cli.evaluation_report import describe_missing_answers
    from feeder.progress import ProgressReporter

    for absent in dict.fromkeys(tuple(one.missing_answers) for one in measured):
        if absent:
            ProgressReporter(quiet=settings.quiet).message(describe_missing_answers(absent))


def _override_settings(settings: Settings, text: str) -> Settings:
    """The settings with what is said instead; raises UserError where that is no such options."""
    command = options.override_options(click.Command("--against", add_help_option=False))
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
