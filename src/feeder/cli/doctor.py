"""The command that looks at all that a run needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.version import version
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.doctor import Finding


@click.command()
@options.doctor_options
def doctor(**said: Any) -> None:
    """Look at all that a run needs, and say what to do about what is wrong; exit 1 if it stops one.

    Nothing is written. What it says has no secret in it and may be shown to others.
    """
    from feeder.doctor.checks import run_checks

    settings = Settings(**said)
    found = list(run_checks(replace(settings, quiet=True)))
    stops = any(one.stops for one in found)
    facts = {
        "version": version(),
        "stops": stops,
        "findings": [one._asdict() for one in found],
    }
    console.print_result(settings, facts, [f"feeder {version()}", *_finding_lines(found)])
    if stops:
        raise SystemExit(1)


def _finding_lines(findings: list[Finding]) -> Iterator[str]:
    width = max(len(one.name) for one in findings)
    for one in findings:
        sign = "STOPS" if one.stops else "note" if one.remedy else "-" if one.absent else "ok"
        yield f"{sign:5}  {one.name:{width}}  {one.says}"
        if one.remedy:
            yield f"{'':5}  {'':{width}}  → {one.remedy}"
