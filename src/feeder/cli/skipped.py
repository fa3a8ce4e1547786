"""The command `skipped`: the files that are not in the index and why, and the lines of indexed
files that are masked or could not be parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.config import Settings
from feeder.corpus.index_status import index_status
from feeder.errors import UserError
from feeder.escaping import count_of

if TYPE_CHECKING:
    from feeder.search.open_index import SearchIndex


@click.command(
    cls=ShortHelp,
    examples=("feeder skipped", "feeder skipped --reason secrets", "feeder skipped --unparsed"),
)
@click.option("--reason", metavar="TEXT", help="List only files whose reason contains this text.")
@click.option("--masked", is_flag=True, help="Instead, list lines with a masked secret.")
@click.option("--unparsed", is_flag=True, help="Instead, list lines that could not be parsed.")
@options.wordless_options
def skipped(reason: str | None, masked: bool, unparsed: bool, **params: Any) -> None:
    """List the files that are not in the index, and why.

    --masked and --unparsed list lines of indexed files instead.
    """
    if bool(reason) + masked + unparsed > 1:
        raise UserError(
            "--reason, --masked and --unparsed list different things.", "Use one of them."
        )
    if masked or unparsed:
        (_list_masked if masked else _list_unparsed)(Settings(**params))
        return
    from feeder.corpus.skipped_files import DEFAULT_REMEDY, SKIP_REMEDIES
    from feeder.store.inventory import all_skipped_files

    settings = Settings(**params)
    with _open_index(settings) as index:
        files = all_skipped_files(index.corpus.database, index.corpus.repo)
        note = index_status(index.corpus).note
    total = len(files)
    files = [(path, why) for path, why in files if (reason or "").lower() in why.lower()]
    lines = []
    for why, group in groupby(files, key=lambda file: file[1]):
        lines.append(f"{why[:1].upper()}{why[1:]}. {SKIP_REMEDIES.get(why, DEFAULT_REMEDY)}")
        lines += [f"  {path}" for path, _ in group]
    facts = [{"path": path, "reason": why} for path, why in files]
    console.print_result(settings, facts, lines)
    if not settings.quiet and not settings.json:
        console.print_message(f"{_counted(len(files), total, reason or '')} {note}".strip())


@contextmanager
def _open_index(settings: Settings) -> Iterator[SearchIndex]:
    """Opens the index; raises UserError if it does not have the repository."""
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.store.inventory import missing_repository

    with open_fresh_index(settings) as index:
        if missing := missing_repository(index.corpus.database, index.corpus.repo):
            raise UserError(*missing)
        yield index


def _counted(shown: int, total: int, reason: str) -> str:
    if not total:
        return "No file was skipped."
    if not reason:
        return f"{count_of(shown, 'file')} {'is' if shown == 1 else 'are'} not in the index."
    counted = f"{count_of(shown, 'file')} {'was' if shown == 1 else 'were'} skipped"
    if not shown:
        counted = "No file was skipped"
    others = f"{total - shown:,} {'was' if total - shown == 1 else 'were'}"
    return f"{counted} for a reason that contains '{reason}'; {others} skipped for other reasons."


def _list_masked(settings: Settings) -> None:
    from feeder.corpus.masked_secrets import masked_lines

    with _open_index(settings) as index:
        found = list(masked_lines(index.corpus))
        note = index_status(index.corpus).note
    lines = [f"{path}:{line}" for path, line in found]
    console.print_result(settings, [masked._asdict() for masked in found], lines)
    if not settings.quiet and not settings.json:
        verb = "has" if len(found) == 1 else "have"
        counted = count_of(len(found), "line") if found else "No line"
        console.print_message(f"{counted} {verb if found else 'has'} a masked secret. {note}")


def _list_unparsed(settings: Settings) -> None:
    from feeder.line_ranges import count_lines, encode_ranges
    from feeder.notes import unparsed_text
    from feeder.store.unread_files import unparsed_files

    with _open_index(settings) as index:
        files = unparsed_files(index.corpus.database, index.corpus.repo)
        note = index_status(index.corpus).note
    ranges = [(path, lines) for path, all_lines in files for lines in all_lines]
    facts = [
        {"path": path, "start_line": first, "end_line": last} for path, (first, last) in ranges
    ]
    console.print_result(
        settings, facts, [f"{path}:{encode_ranges([lines])}" for path, lines in ranges]
    )
    if not settings.quiet and not settings.json:
        total = count_lines(lines for _, lines in ranges)
        counted = (
            f"{unparsed_text(len(files), total)}." if files else "There are no unparsed lines."
        )
        console.print_message(f"{counted} {note}")
