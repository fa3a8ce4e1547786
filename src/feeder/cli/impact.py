"""The command `impact`: what a change touches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings
from feeder.corpus.index_status import IndexStatus, index_status
from feeder.errors import UserError
from feeder.escaping import count_of
from feeder.progress import ProgressReporter
from feeder.source import git

if TYPE_CHECKING:
    from feeder.impact.changed_nodes import Change
    from feeder.impact.touched import Impact

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
    help="Print only the paths of test files: changed ones, then others that reach the change. "
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

    To run only the affected tests, or none if there are none:

    \b
    tests=$(feeder impact --tests -q) &&
    (IFS=$(printf '\\n\\r'); pytest $(echo "$tests")) || [ $? -eq 5 ]
    """
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.impact.changed_nodes import read_change
    from feeder.impact.impact import find_impact
    from feeder.impact.sections import impact_summary

    if ref and base:
        raise UserError("REF and --base both name a commit.", "Use only one of them.")
    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        progress = ProgressReporter(quiet=settings.quiet)
        change = read_change(
            corpus.base,
            corpus.repo,
            settings,
            ref or base,
            working_tree=working_tree,
            progress=progress,
        )
        whole = find_impact(index, change, tests_only=tests_only, progress=progress)
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
        console.print_message(impact_summary(whole))
    # --quiet hides notes, but a list for a test runner is never incomplete in silence
    for limit_note in () if settings.json else whole.limits:
        console.print_message(limit_note)
    if not settings.json and not settings.quiet:
        for hint in _hints(corpus.base, change, ref or base, status):
            console.print_message(hint)
        if tests_only and len(shown.tests) < len(whole.tests):
            count = len(whole.tests)
            console.print_message(
                f"Only the first {len(shown.tests):,} are listed. For all: -n {count}"
            )
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


def _hints(root: Path, change: Change, ref: str | None, status: IndexStatus) -> Iterator[str]:
    """Says why nothing differs from `ref`, and that edits on disk were not compared."""
    head = git.commit_id(root, "HEAD") or ""
    if ref and not change.paths and not change.is_on_disk and change.base == head:
        ahead = git.ahead_behind(root, head, ref)
        if ahead and ahead[1]:
            yield (
                f"{ref} is {count_of(ahead[1], 'commit')} ahead of HEAD, and impact lists what "
                f"HEAD changes. To list what {ref} changes, check it out and run: "
                f"feeder impact {head[:7]}"
            )
        else:
            parent = git.commit_id(root, "HEAD^")
            hint = " To list what that commit changes: feeder impact" if parent else ""
            yield f"Both are the same commit.{hint}"
    if not change.is_on_disk and status.working and status.seen:
        yield (
            "Uncommitted changes were not compared. To compare the files on disk: "
            "feeder impact --working-tree"
        )
