"""How does a line come onto a terminal? No wider, in colours, and with nothing in it that acts."""

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from shutil import get_terminal_size
from typing import NamedTuple

from feeder import shown

PLAIN, DIM, BOLD, MARKED = "", "2", "1", "1;31"
PATH, LINES = "35", "32"
KINDS = (
    ("Token.Comment", "2"),
    ("Token.Literal.String", "32"),
    ("Token.Literal.Number", "36"),
    ("Token.Keyword", "34"),
    ("Token.Name.Function", "33"),
    ("Token.Name.Class", "33"),
    ("Token.Name.Tag", "34"),
    ("Token.Generic.Heading", "1"),
    ("Token.Generic.Subheading", "1"),
)
"""Kinds of words as Pygments calls them, and their colours: those that every terminal has."""
LEXERS = {"svelte": "html", "notebook": "python", "yaml": "yaml"}
LEXED_CHARS = 50_000
"""Of a longer text only its words are marked."""
LONGEST = 400
"""Columns of a line of a file where no terminal limits it: a minified one is a whole program."""
TAB = 4
CUT = "…"


class Cell(NamedTuple):
    """A character as it is shown, how many columns it takes, and its colour."""

    text: str
    width: int
    style: str


class Terminal(NamedTuple):
    """Where lines go: in colours or not, and how wide it is; None where nothing limits a line.

    Lines of files are `longest` columns there, None for as long as they are.
    """

    colours: bool = False
    width: int | None = None
    longest: int | None = LONGEST

    def line(self, cells: Iterable[Cell]) -> str:
        """The cells as one line; cut at its end where it would be wider than the terminal."""
        return self._inked(_cut(list(cells), self.width))

    def code(
        self, gutter: str, text: str, marks: Sequence[tuple[int, int]], styles: Sequence[str] = ()
    ) -> str:
        """A line of a file behind its number: its first mark is seen, however long the line is."""
        room = self.longest if self.width is None else max(1, self.width - len(gutter))
        if not self.colours and self.width is None and len(text) <= (room or len(text)):
            return gutter + shown.escape_line(text)
        before = cells(gutter, DIM)
        start, end = _reach(text, marks, room)
        marked = {at for first, last in marks for at in range(first, last)}
        body: list[Cell] = []
        for at in range(start, end):
            style = MARKED if at in marked else styles[at] if at < len(styles) else PLAIN
            body += _cells_of(text[at], style, _columns(body) if self.width else None)
        if start:
            body = [Cell(CUT, 1, DIM), *body]
        if end < len(text):
            body.append(Cell(CUT, 1, DIM))
        return self._inked([*before, *_cut(body, room)])

    def wrapped(self, text: str) -> list[str]:
        """A text in as many lines as the terminal needs for it."""
        from textwrap import wrap

        return (
            wrap(shown.escape_line(text), self.width) if self.width else [shown.escape_line(text)]
        )

    def _inked(self, row: Iterable[Cell]) -> str:
        runs = groupby(row, key=lambda cell: cell.style if self.colours else PLAIN)
        return "".join(_ink("".join(cell.text for cell in run), style) for style, run in runs)


def terminal(color: str, *, whole: bool = False) -> Terminal:
    """Standard output, as `--color` and `NO_COLOR` want it; only a terminal has a width.

    Elsewhere lines that are wanted `whole` are not cut.
    """
    is_terminal = sys.stdout.isatty()
    wanted = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    colours = color == "always" or (color == "auto" and wanted)
    width = get_terminal_size().columns if is_terminal else None
    return Terminal(colours, width, None if whole else LONGEST)


def cells(text: str, style: str = PLAIN) -> list[Cell]:
    """The cells of a text of one line."""
    return [cell for character in text for cell in _cells_of(character, style)]


def styles_of(lines: Sequence[str], language: str | None) -> list[list[str]]:
    """A colour for each character of each line, as far as the language is known."""
    # its types are in a package of their own, and two calls do not pay for one
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    text = "\n".join(lines)
    if not language or len(text) > LEXED_CHARS:
        return [[] for _ in lines]
    try:
        lexer = get_lexer_by_name(LEXERS.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [[] for _ in lines]
    styles = [
        style for kind, part in lexer.get_tokens(text) for style in [_style(kind)] * len(part)
    ]
    return list(_by_line(styles, lines))


def _by_line(styles: list[str], lines: Sequence[str]) -> Iterator[list[str]]:
    at = 0
    for line in lines:
        yield styles[at : at + len(line)]
        at += len(line) + 1


def _style(kind: object) -> str:
    name = str(kind)
    return next((style for beginning, style in KINDS if name.startswith(beginning)), PLAIN)


def _reach(text: str, marks: Sequence[tuple[int, int]], room: int | None) -> tuple[int, int]:
    """What of a line is looked at: of one that does not fit, what is around its first mark."""
    if room is None or _columns(_some(text, room + 1)) <= room:
        return 0, len(text)
    first, last = marks[0] if marks else (0, 0)
    if not marks or _columns(_some(text[:last], room + 1)) < room:
        return 0, min(len(text), room + 1)
    used = 1 + _columns(_some(text[first:], room))
    start = _back(text, first, max(room // 3, room - used))
    return start, min(len(text), start + room + 1)


def _back(text: str, at: int, columns: int) -> int:
    """The first place before `at` from which no more than so many columns lead there."""
    while at and (columns := columns - _columns(cells(text[at - 1]))) >= 0:
        at -= 1
    return at


def _some(text: str, count: int) -> list[Cell]:
    return cells(text[:count])


def _cut(row: list[Cell], width: int | None) -> list[Cell]:
    """As many cells as fit, the last one a sign where more would follow."""
    if width is None or _columns(row) <= width:
        return row
    kept, columns = [], 0
    for cell in row:
        columns += cell.width
        if columns > width - 1:
            break
        kept.append(cell)
    return [*kept, Cell(CUT, 1, DIM)]


def _columns(row: Iterable[Cell]) -> int:
    return sum(cell.width for cell in row)


def _cells_of(character: str, style: str, column: int | None = None) -> Iterator[Cell]:
    """A character, or what is shown instead of it; a tab is blanks where its column is known."""
    if character == "\t" and column is not None:
        yield from [Cell(" ", 1, style)] * (TAB - column % TAB)
    elif character == "\t":
        yield Cell(character, TAB, style)
    else:
        for one in shown.escape_line(character):
            yield Cell(one, _width(one), style)


def _width(character: str) -> int:
    """Columns: two for letters of East Asia and emoji, none for what stands on another letter."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _ink(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style else text
