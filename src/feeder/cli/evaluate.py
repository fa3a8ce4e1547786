"""The command `evaluate`: measures search quality with queries whose answers are known."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.cli.evaluation_report import Evaluation
    from feeder.evaluation.judgments import JudgedQuery


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder evaluate queries.jsonl",
        "feeder evaluate - < queries.jsonl",
    ),
)
@click.argument("file", metavar="FILE", type=click.File("rb"))
@click.option(
    "--against",
    metavar="OPTIONS",
    help="Measure again with other options, such as '--model words', and compare.",
)
@options.read_options
def evaluate(file: IO[bytes], against: str | None, **params: Any) -> None:
    """Measure search quality with queries and their answers. FILE may be - for stdin.

    Each line is a query with its answers, as a JSON object:

    \b
    {"query": "how is a cart emptied", "answers": ["src/cart.py#Cart.clear"]}
    {"query": "cart", "answers": ["src/cart.py:12-40", "a.py"], "group": "carts"}
    {"query": "total", "answers": [{"symbol": "acme.Cart.total"}]}

    An answer is a file, lines of a file in the indexed commit, or a symbol (the end of its
    name is enough). A hit counts if it is in the file, contains one of the lines, or is or contains
    the symbol. The group is optional.
    """
    from feeder.cli.evaluation_report import (
        comparison_json,
        comparison_text,
        evaluation_json,
        evaluation_text,
    )
    from feeder.evaluation.judgments import parse_judgments

    settings = Settings(**params)
    other = _override_settings(settings, against) if against is not None else None
    queries = parse_judgments(file.read(), file.name)
    first = _run_evaluation(settings, queries)
    if other is None:
        _print_missing_answers(settings, first)
        console.print_result(settings, evaluation_json(first), evaluation_text(first))
    else:
        second = _run_evaluation(other, queries)
        _print_missing_answers(settings, first, second)
        console.print_result(
            settings, comparison_json(first, second), comparison_text(first, second)
        )


def _run_evaluation(settings: Settings, queries: list[JudgedQuery]) -> Evaluation:
    """Runs the queries on the index that the settings choose."""
    from feeder.cli.evaluation_report import Evaluation
    from feeder.evaluation.evaluation import open_evaluated_index, run_evaluation
    from feeder.evaluation.judgments import missing_targets

    with open_evaluated_index(settings, console.print_message) as index:
        missing = missing_targets(index.database, index.repo, queries)
        outcomes = run_evaluation(queries, index.search)
    return Evaluation(index.repo, index.commit, index.models, outcomes, missing)


def _print_missing_answers(settings: Settings, *measured: Evaluation) -> None:
    """Prints the answers missing in the indexes; once if both lack the same."""
    from feeder.cli.evaluation_report import describe_missing_answers
    from feeder.progress import ProgressReporter

    for missing in dict.fromkeys(tuple(evaluation.missing_answers) for evaluation in measured):
        if missing:
            ProgressReporter(quiet=settings.quiet).message(describe_missing_answers(missing))


def _override_settings(settings: Settings, text: str) -> Settings:
    """Returns the settings with the options in `text`; raises UserError for invalid ones."""
    command = options.override_options(click.Command("--against", add_help_option=False))
    try:
        context = command.make_context("--against", shlex.split(text))
    except (ValueError, click.UsageError) as exc:
        reason = exc.format_message() if isinstance(exc, click.UsageError) else str(exc)
        end = "" if reason.endswith(("?", ".")) else "."
        raise UserError(
            f"--against {text!r}: {reason}{end} Write it like --against '--model words'."
        ) from exc
    line = click.core.ParameterSource.COMMANDLINE
    overrides = {k: v for k, v in context.params.items() if context.get_parameter_source(k) is line}
    if not overrides:
        raise UserError("--against has no option.", "Write it like --against '--model words'.")
    return replace(settings, **overrides)
