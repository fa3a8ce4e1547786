"""In which shape does an answer leave the program?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder.cli import console
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.search.answers import Page


class Shape(NamedTuple):
    """What the options of showing say; `lines` are None for all."""

    lines: int | None = None
    offset: int = 0
    form: str = "text"
    files: bool = False
    explain: bool = False
    color: str = "auto"

    @classmethod
    def of(cls, said: dict[str, Any]) -> Shape:
        """Takes its options out of those that were said."""
        lines, full = said.pop("lines"), said.pop("full")
        return cls(None if full else lines, *(said.pop(name) for name in cls._fields[1:]))


def show_page(page: Page, shape: Shape, settings: Settings, base: Path) -> None:
    """The answer on stdout; what it says of itself on stderr where stdout is for a program."""
    from feeder.cli import showing
    from feeder.cli.painting import terminal

    if settings.json:
        console.result(settings, page.as_json(), ())
    elif shape.files or shape.form == "vimgrep":
        lines = showing.as_files if shape.files else showing.as_vimgrep
        console.result(settings, None, lines(page, base))
        if page.note and not settings.quiet:
            console.tell(page.note)
    else:
        look = showing.Look(terminal(shape.color), shape.explain)
        console.painted(showing.as_text(page, look))
