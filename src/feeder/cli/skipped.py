"""The command `skipped`: the files that are not in the index, and why."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.config import Settings


@click.command(cls=ShortHelp, examples=("feeder skipped", "feeder skipped --reason secrets"))
@click.option("--reason", metavar="TEXT", help="Only files with this text in their reason.")
@options.wordless_options
def skipped(reason: str | None, **params: Any) -> None:
    """List the files that are not in the index, and why."""
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
        console.print_message(f"{len(files):,} files are not in the index. {note}")
