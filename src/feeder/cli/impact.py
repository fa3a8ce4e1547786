"""The command `impact`: what a change touches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings
from feeder.corpus.index_status import index_status
from feeder.errors import UserError
from feeder.escaping import count_of

if TYPE_CHECKING:
    from feeder.impact.impact import Impact

MAX_LIMIT = 1_000
"""Entries of each list."""

DEFAULT_LIMIT = 20
"""Entries of each list that are shown."""

NO_TESTS = 5
"""The exit code with `--tests` if there is no test to run, as pytest's for no tests collected."""


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder impact",
        "feeder impact main --tests",
    ),
)
@click.argument("ref", metavar="[REF]", required=False)
@click.option(
    "--base",
    metavar="REF",
    help="Same as the argument REF: compare with the merge base of HEAD and this commit. Default: "
    "HEAD's first parent, or HEAD with --working-tree.",
)
@click.option("--working-tree", is_flag=True, help="Compare the files on disk instead of HEAD.")
@click.option(
    "--tests",
    "tests_only",
    is_flag=True,
    help="Print only the paths of test files: changed ones, then those that reach the change. "
    f"Exit {NO_TESTS} if there are none.",
)
@click.option(
    "-n",
    "--limit",
    type=WholeNumber(1, MAX_LIMIT),
    default=None,
    help=f"Maximum number of entries per list. Default: {DEFAULT_LIMIT}; with --tests, all. "
    "Test files that the change edits are always listed.",
)
@options.wordless_options
def impact(
    ref: str | None,
    base: str | None,
    working_tree: bool,
    tests_only: bool,
    limit: int | None,
    **params: Any,
) -> None:
    """List what a change touches, and the tests to run.

    Lists callers, overriding members, tests, documents and similar code.

    To run only these tests, or none:

    \b
    tests=$(feeder impact --tests -q) &&
    (IFS=$(printf '\\n\\r'); pytest $(echo "$tests")) || [ $? -eq 5 ]
    """
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.impact.changed_nodes import read_change
    from feeder.impact.impact import find_impact

    if ref and base:
        raise UserError("REF and --base both name a commit.", "Give only one of them.")
    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        change = read_change(
            corpus.base, corpus.repo, settings, ref or base, working_tree=working_tree
        )
        whole = find_impact(index, change, tests_only=tests_only)
        default = len(whole.tests) if tests_only else DEFAULT_LIMIT
        shown = whole.first(corpus, limit or default)
        is_empty = not (whole.tests and (tests_only or whole.references))
        status = index_status(corpus, is_empty=is_empty, searched=corpus.scope)
    if tests_only and not settings.json:
        console.print_result(settings, None, [test.path for test in shown.tests])
    else:
        totals = {"totals": whole.counts, "at_least": whole.at_least}
        facts = {**shown.as_json(), **totals, "index": status.as_json()}
        console.print_result(settings, facts, _lines(shown, whole))
    if not settings.json and not settings.quiet:
        console.print_message(_summary(whole))
        if tests_only and len(shown.tests) < len(whole.tests):
            count = len(whole.tests)
            console.print_message(f"The first {len(shown.tests):,} are listed: -n {count} for all.")
        if status.note:
            console.print_message(status.note)
    if tests_only and not whole.tests:
        click.get_current_context().exit(NO_TESTS)


def _lines(shown: Impact, whole: Impact) -> Iterator[str]:
    from feeder.impact.sections import impact_sections

    for at, section in enumerate(impact_sections(shown, whole)):
        yield from [""] if at else []
        yield section.title
        yield from (f"  {'  '.join(parts)}" for parts in section.lines)
        if section.omitted:
            yield f"  … {section.omitted:,} more"


def _summary(whole: Impact) -> str:
    base = whole.change.base[:7]
    if not whole.change.paths:
        return f"No file differs from {base}."
    at_least = "at least " if whole.at_least else ""
    counts = whole.counts
    return (
        f"Compared with {base}: {count_of(counts['changed'], 'node')} changed; {at_least}"
        f"{count_of(counts['references'], 'reference')}, {count_of(counts['tests'], 'test file')}."
    )
