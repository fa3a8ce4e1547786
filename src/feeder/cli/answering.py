"""In which shape does an answer leave the program?"""

from __future__ import annotations

from collections.abc import Iterable
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
    from feeder.cli.painting import LONGEST, terminal

    is_full = shape.lines is None
    if settings.json:
        console.result(settings, page.as_json(), ())
    elif shape.files:
        _show_places(page, settings, showing.as_files(page, base))
    elif shape.form == "vimgrep":
        longest = None if is_full else LONGEST
        _show_places(page, settings, showing.as_vimgrep(page, base, longest))
    else:
        look = showing.Look(terminal(shape.color, whole=is_full), shape.explain)
        console.painted(showing.as_text(page, look))


def _show_places(page: Page, settings: Settings, places: Iterable[str]) -> None:
    from feeder.cli.showing import left_out

    console.result(settings, None, places)
    if not settings.quiet:
        for said in filter(None, [*left_out(page), *page.notes, page.note]):
            console.tell(said)
