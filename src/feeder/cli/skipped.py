"""The command `skipped`: the files that are not in the index and why, or the masked secrets."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.config import Settings
from feeder.errors import UserError
from feeder.escaping import count_of


@click.command(
    cls=ShortHelp,
    examples=("feeder skipped", "feeder skipped --reason secrets", "feeder skipped --masked"),
)
@click.option("--reason", metavar="TEXT", help="Only files with this text in their reason.")
@click.option("--masked", is_flag=True, help="List the lines with a masked secret instead.")
@options.wordless_options
def skipped(reason: str | None, masked: bool, **params: Any) -> None:
    """List the files that are not in the index, and why.

    A secret in an indexed file is masked: only its line is listed, never the secret.
    """
    if masked:
        if reason:
            raise UserError("--reason is of files that were skipped.", "Leave out --masked.")
        _list_masked(Settings(**params))
        return
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.corpus.skipped_files import DEFAULT_REMEDY, SKIP_REMEDIES
    from feeder.store.inventory import all_skipped_files

    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        files = all_skipped_files(index.corpus.database, index.corpus.repo)
        note = index.corpus.status().note
    files = [(path, why) for path, why in files if (reason or "").lower() in why.lower()]
    lines = []
    for why, group in groupby(files, key=lambda file: file[1]):
        lines.append(f"{why}: {SKIP_REMEDIES.get(why, DEFAULT_REMEDY)}")
        lines += [f"  {path}" for path, _ in group]
    facts = [{"path": path, "reason": why} for path, why in files]
    console.print_result(settings, facts, lines)
    if not settings.quiet and not settings.json:
        verb = "is" if len(files) == 1 else "are"
        console.print_message(f"{count_of(len(files), 'file')} {verb} not in the index. {note}")


def _list_masked(settings: Settings) -> None:
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.corpus.masked_secrets import masked_lines

    with open_fresh_index(settings) as index:
        found = list(masked_lines(index.corpus))
        note = index.corpus.status().note
    lines = [f"{path}:{line}" for path, line in found]
    console.print_result(settings, [one._asdict() for one in found], lines)
    if not settings.quiet and not settings.json:
        verb = "has" if len(found) == 1 else "have"
        console.print_message(f"{count_of(len(found), 'line')} {verb} a masked secret. {note}")
