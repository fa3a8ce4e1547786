"""In which shape does an answer leave the program?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder.cli import console
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.search.answers import Page


class OutputOptions(NamedTuple):
    """What the options of showing say; `lines` are None for all."""

    lines: int | None = None
    offset: int = 0
    form: str = "text"
    files: bool = False
    explain: bool = False
    color: str = "auto"

    @classmethod
    def from_params(cls, params: dict[str, Any]) -> OutputOptions:
        """Takes its options out of those that were said."""
        lines, full = params.pop("lines"), params.pop("full")
        return cls(None if full else lines, *(params.pop(name) for name in cls._fields[1:]))


def print_page(page: Page, output: OutputOptions, settings: Settings, root: Path) -> None:
    """The answer on stdout; what it says of itself on stderr where stdout is for a program."""
    from feeder.cli import rendering
    from feeder.cli.terminal import MAX_LINE_COLUMNS, stdout_terminal

    is_full = output.lines is None
    if settings.json:
        console.print_result(settings, page.as_json(), ())
    elif output.files:
        _print_lines(page, settings, rendering.render_paths(page, root))
    elif output.form == "vimgrep":
        longest = None if is_full else MAX_LINE_COLUMNS
        _print_lines(page, settings, rendering.render_vimgrep(page, root, longest))
    else:
        look = rendering.Style(stdout_terminal(output.color, full_lines=is_full), output.explain)
        console.print_rendered(rendering.render_hits(page, look))


def _print_lines(page: Page, settings: Settings, lines: Iterable[str]) -> None:
    from feeder.cli.rendering import omitted_hits

    console.print_result(settings, None, lines)
    if not settings.quiet:
        for said in filter(None, [*omitted_hits(page), *page.notes, page.note]):
            console.print_message(said)
