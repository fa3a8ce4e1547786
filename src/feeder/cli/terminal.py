"""Fits lines to the terminal: colors, width, cut marks, syntax highlighting."""

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
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
"""Pygments' token types with their ANSI codes, of the colors that every terminal has."""
LEXERS = {"svelte": "html", "notebook": "python", "yaml": "yaml"}
MAX_LEXED_CHARS = 50_000
"""Longer texts get no syntax highlighting."""
MAX_LINE_COLUMNS = 400
"""Longest line of a file where no terminal limits it: a minified line is a whole program."""
TAB_WIDTH = 4
MIN_NAME_COLUMNS = 12
"""Columns that are left of a name, however narrow the terminal is."""
ELLIPSIS = "…"


class Cell(NamedTuple):
    """A displayed character, its width in columns, and its ANSI style."""

    text: str
    width: int
    style: str


class Terminal(NamedTuple):
    """The properties of the output: colors, and the width in columns; None for unlimited.

    Without a width, lines of files are cut at `max_line_columns`; None for unlimited.
    """

    colours: bool = False
    width: int | None = None
    max_line_columns: int | None = MAX_LINE_COLUMNS

    def render_cells(self, cells: Iterable[Cell]) -> str:
        """Renders cells as one line, cut to the terminal's width."""
        return self._render(_truncate(list(cells), self.width))

    def render_code_line(
        self,
        gutter: str,
        text: str,
        highlights: Sequence[tuple[int, int]],
        styles: Sequence[str] = (),
    ) -> str:
        """Renders a line of a file after the gutter, cut so that the first highlight is visible.

        `highlights` are ranges of characters; `styles` has a style for each character.
        """
        columns = self.max_line_columns if self.width is None else max(1, self.width - len(gutter))
        if not self.colours and self.width is None and len(text) <= (columns or len(text)):
            return gutter + escaping.escape_line(text)
        before = to_cells(gutter, DIM)
        start, end = _visible_range(text, highlights, columns)
        highlighted = {at for first, last in highlights for at in range(first, last)}
        body: list[Cell] = []
        for at in range(start, end):
            style = MATCH if at in highlighted else styles[at] if at < len(styles) else PLAIN
            body += _character_cells(text[at], style, total_width(body) if self.width else None)
        if start:
            body = [Cell(ELLIPSIS, 1, DIM), *body]
        if end < len(text):
            body.append(Cell(ELLIPSIS, 1, DIM))
        return self._render([*before, *_truncate(body, columns)])

    def wrap(self, text: str) -> list[str]:
        """Wraps a text to the terminal's width."""
        from textwrap import wrap

        escaped = escaping.escape_line(text)
        return wrap(escaped, self.width) if self.width else [escaped]

    def _render(self, row: Iterable[Cell]) -> str:
        runs = groupby(row, key=lambda cell: cell.style if self.colours else PLAIN)
        return "".join(_ansi("".join(cell.text for cell in run), style) for style, run in runs)


def stdout_terminal(color: str, *, full_lines: bool = False) -> Terminal:
    """Returns the properties of stdout for `--color` and `NO_COLOR`; only a terminal has a width.

    With `full_lines`, lines are not cut elsewhere.
    """
    is_terminal = sys.stdout.isatty()
    by_default = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    colours = color == "always" or (color == "auto" and by_default)
    width = _terminal_columns() if is_terminal else None
    return Terminal(colours, width, None if full_lines else MAX_LINE_COLUMNS)


def _terminal_columns() -> int:
    from shutil import get_terminal_size  # loads archive formats, which a pipe does not need

    return get_terminal_size().columns


def to_cells(text: str, style: str = PLAIN) -> list[Cell]:
    """Turns a text of one line into cells."""
    if text.isascii() and text.isprintable():
        return [Cell(character, 1, style) for character in text]
    return [cell for character in text for cell in _character_cells(character, style)]


def highlight_code(lines: Sequence[str], language: str | None) -> list[list[str]]:
    """Returns a style for each character of each line; empty lists for unknown languages."""
    # its type stubs are another package, too much for two imports
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
    """Returns the range of characters to show: all, or those around the first highlight."""
    if width is None or total_width(_first_cells(text, width + 1)) <= width:
        return 0, len(text)
    first, last = highlights[0] if highlights else (0, 0)
    if not highlights or total_width(_first_cells(text[:last], width + 1)) < width:
        return 0, min(len(text), width + 1)
    used = 1 + total_width(_first_cells(text[first:], width))
    start = _step_back(text, first, max(width // 3, width - used))
    return start, min(len(text), start + width + 1)


def _step_back(text: str, at: int, columns: int) -> int:
    """Returns the first position at most `columns` columns before `at`."""
    while at and (columns := columns - total_width(to_cells(text[at - 1]))) >= 0:
        at -= 1
    return at


def _first_cells(text: str, count: int) -> list[Cell]:
    return to_cells(text[:count])


def _truncate(row: list[Cell], width: int | None) -> list[Cell]:
    """Cuts a row to the width, with an ellipsis at its end."""
    if width is None or total_width(row) <= width:
        return row
    fitting, columns = [], 0
    for cell in row:
        columns += cell.width
        if columns > width - 1:
            break
        fitting.append(cell)
    return [*fitting, Cell(ELLIPSIS, 1, DIM)]


def cut_middle(row: list[Cell], width: int) -> list[Cell]:
    """Cuts a row to the width, with an ellipsis in its middle.

    "middleware.ThrottleBacklog" in 12 columns → "middl…acklog"
    """
    if total_width(row) <= width:
        return row
    half = (width - 1) // 2
    first, last = row[:half], row[len(row) - (width - 1 - half) :]
    while total_width([*first, *last]) > width - 1:  # wide characters
        first, last = first[:-1], last[1:]
    return [*first, Cell(ELLIPSIS, 1, DIM), *last]


def total_width(row: Iterable[Cell]) -> int:
    """The columns that a row takes."""
    return sum(cell.width for cell in row)


def _character_cells(character: str, style: str, column: int | None = None) -> Iterator[Cell]:
    """Yields the cells of a character, escaped; a tab becomes spaces if its column is known."""
    if character == "\t" and column is not None:
        yield from [Cell(" ", 1, style)] * (TAB_WIDTH - column % TAB_WIDTH)
    elif character == "\t":
        yield Cell(character, TAB_WIDTH, style)
    else:
        for shown in escaping.escape_line(character):
            yield Cell(shown, _character_width(shown), style)


def _character_width(character: str) -> int:
    """Returns the width in columns: 2 for East Asian letters and emoji, 0 for combining marks."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _ansi(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style else text
