"""Where are the rows of a file of separated values? Each range of them is a sheet of its own."""

import csv
from collections.abc import Iterator
from itertools import accumulate

from feeder.parse.extract import Part
from feeder.parse.extract.ranges import letters, ranges

LANGUAGES = frozenset({"csv", "tsv"})
_SEPARATORS = ",;\t|"


def separated(text: bytes) -> list[Part]:
    """A part for each range of rows, called as a spreadsheet would (`A1:F40`).

    None where the rows cannot be read: its lines then are one text.
    """
    lines = text.decode("utf-8", "replace").split("\n")
    head = next(filter(str.strip, lines), "")
    separator = max(_SEPARATORS, key=head.count)
    try:
        rows = [row for row in _rows(lines, separator) if any(lines[row[0] : row[1] + 1])]
    except csv.Error:
        return []
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    written = ["\n".join(lines[first : last + 1]) for first, last, _ in rows]
    width = max((columns for *_, columns in rows), default=1)
    return [
        Part(
            starts[rows[first][0]],
            0,
            "sheet",
            f"A{first + 1}:{letters(max(width, 1) - 1)}{last + 1}",
            starts[rows[last][1] + 1] - 1,
            head.strip(),
        )
        for first, last in ranges(written)
    ]


def _rows(lines: list[str], separator: str) -> Iterator[tuple[int, int, int]]:
    """The first and the last line of each row, counted from 0, and its columns."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    first = 0
    for row in reader:
        yield first, min(reader.line_num, len(lines)) - 1, len(row)
        first = reader.line_num
