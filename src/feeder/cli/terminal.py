"""Fits lines to the terminal: colors, width, cut marks, syntax highlighting."""

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from shutil import get_terminal_size
from typing import NamedTuple

from feeder import escaping

PLAIN, DIM, BOLD, MATCH = "", "2", "1", "1;31"
PATH_STYLE, LINE_STYLE = "35", "32"
TOKEN_STYLES = (
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
MAX_LEXED_CHARS = 50_000
"""Of a longer text only its words are marked."""
MAX_LINE_COLUMNS = 400
"""Columns of a line of a file where no terminal limits it: a minified one is a whole program."""
TAB_WIDTH = 4
ELLIPSIS = "…"


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
    max_line_columns: int | None = MAX_LINE_COLUMNS

    def render_cells(self, cells: Iterable[Cell]) -> str:
        """The cells as one line; cut at its end where it would be wider than the terminal."""
        return self._render(_truncate(list(cells), self.width))

    def render_code_line(
        self,
        gutter: str,
        text: str,
        highlights: Sequence[tuple[int, int]],
        styles: Sequence[str] = (),
    ) -> str:
        """A line of a file behind its number: its first mark is seen, however long the line is."""
        room = self.max_line_columns if self.width is None else max(1, self.width - len(gutter))
        if not self.colours and self.width is None and len(text) <= (room or len(text)):
            return gutter + escaping.escape_line(text)
        before = to_cells(gutter, DIM)
        start, end = _visible_range(text, highlights, room)
        marked = {at for first, last in highlights for at in range(first, last)}
        body: list[Cell] = []
        for at in range(start, end):
            style = MATCH if at in marked else styles[at] if at < len(styles) else PLAIN
            body += _character_cells(text[at], style, _total_width(body) if self.width else None)
        if start:
            body = [Cell(ELLIPSIS, 1, DIM), *body]
        if end < len(text):
            body.append(Cell(ELLIPSIS, 1, DIM))
        return self._render([*before, *_truncate(body, room)])

    def wrap(self, text: str) -> list[str]:
        """A text in as many lines as the terminal needs for it."""
        from textwrap import wrap

        return (
            wrap(escaping.escape_line(text), self.width)
            if self.width
            else [escaping.escape_line(text)]
        )

    def _render(self, row: Iterable[Cell]) -> str:
        runs = groupby(row, key=lambda cell: cell.style if self.colours else PLAIN)
        return "".join(_ansi("".join(cell.text for cell in run), style) for style, run in runs)


def stdout_terminal(color: str, *, full_lines: bool = False) -> Terminal:
    """Standard output, as `--color` and `NO_COLOR` want it; only a terminal has a width.

    Elsewhere lines that are wanted `whole` are not cut.
    """
    is_terminal = sys.stdout.isatty()
    wanted = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    colours = color == "always" or (color == "auto" and wanted)
    width = get_terminal_size().columns if is_terminal else None
    return Terminal(colours, width, None if full_lines else MAX_LINE_COLUMNS)


def to_cells(text: str, style: str = PLAIN) -> list[Cell]:
    """The cells of a text of one line."""
    return [cell for character in text for cell in _character_cells(character, style)]


def highlight_code(lines: Sequence[str], language: str | None) -> list[list[str]]:
    """A colour for each character of each line, as far as the language is known."""
    # its types are in a package of their own, and two calls do not pay for one
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    text = "\n".join(lines)
    if not language or len(text) > MAX_LEXED_CHARS:
        return [[] for _ in lines]
    try:
        lexer = get_lexer_by_name(LEXERS.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [[] for _ in lines]
    styles = [
        style
        for kind, part in lexer.get_tokens(text)
        for style in [_style_of_token(kind)] * len(part)
    ]
    return list(_split_by_line(styles, lines))


def _split_by_line(styles: list[str], lines: Sequence[str]) -> Iterator[list[str]]:
    at = 0
    for line in lines:
        yield styles[at : at + len(line)]
        at += len(line) + 1


def _style_of_token(kind: object) -> str:
    name = str(kind)
    return next((style for beginning, style in TOKEN_STYLES if name.startswith(beginning)), PLAIN)


def _visible_range(
    text: str, highlights: Sequence[tuple[int, int]], width: int | None
) -> tuple[int, int]:
    """What of a line is looked at: of one that does not fit, what is around its first mark."""
    if width is None or _total_width(_first_cells(text, width + 1)) <= width:
        return 0, len(text)
    first, last = highlights[0] if highlights else (0, 0)
    if not highlights or _total_width(_first_cells(text[:last], width + 1)) < width:
        return 0, min(len(text), width + 1)
    used = 1 + _total_width(_first_cells(text[first:], width))
    start = _step_back(text, first, max(width // 3, width - used))
    return start, min(len(text), start + width + 1)


def _step_back(text: str, at: int, columns: int) -> int:
    """The first place before `at` from which no more than so many columns lead there."""
    while at and (columns := columns - _total_width(to_cells(text[at - 1]))) >= 0:
        at -= 1
    return at


def _first_cells(text: str, count: int) -> list[Cell]:
    return to_cells(text[:count])


def _truncate(row: list[Cell], width: int | None) -> list[Cell]:
    """As many cells as fit, the last one a sign where more would follow."""
    if width is None or _total_width(row) <= width:
        return row
    kept, columns = [], 0
    for cell in row:
        columns += cell.width
        if columns > width - 1:
            break
        kept.append(cell)
    return [*kept, Cell(ELLIPSIS, 1, DIM)]


def _total_width(row: Iterable[Cell]) -> int:
    return sum(cell.width for cell in row)


def _character_cells(character: str, style: str, column: int | None = None) -> Iterator[Cell]:
    """A character, or what is shown instead of it; a tab is blanks where its column is known."""
    if character == "\t" and column is not None:
        yield from [Cell(" ", 1, style)] * (TAB_WIDTH - column % TAB_WIDTH)
    elif character == "\t":
        yield Cell(character, TAB_WIDTH, style)
    else:
        for one in escaping.escape_line(character):
            yield Cell(one, _character_width(one), style)


def _character_width(character: str) -> int:
    """Columns: two for letters of East Asia and emoji, none for what stands on another letter."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _ansi(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style else text
