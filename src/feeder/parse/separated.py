"""Where are the rows of a file of separated values? Each range of them is a sheet of its own."""

import csv
from collections.abc import Iterator
from itertools import accumulate

from feeder.parse.extract import DocumentElement
from feeder.parse.ranges import column_letters, row_ranges

SEPARATED_LANGUAGES = frozenset({"csv", "tsv"})
_DELIMITERS = ",;\t|"


def separated_elements(text: bytes) -> list[DocumentElement]:
    """A part for each range of rows, called as a spreadsheet would (`A1:F40`).

    None where the rows cannot be read: its lines then are one text.
    """
    lines = text.decode("utf-8", "replace").split("\n")
    head = next(filter(str.strip, lines), "")
    separator = max(_DELIMITERS, key=head.count)
    try:
        rows = [row for row in _csv_rows(lines, separator) if any(lines[row[0] : row[1] + 1])]
    except csv.Error:
        return []
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    written = ["\n".join(lines[first : last + 1]) for first, last, _ in rows]
    width = max((columns for *_, columns in rows), default=1)
    return [
        DocumentElement(
            starts[rows[first][0]],
            0,
            "sheet",
            f"A{first + 1}:{column_letters(max(width, 1) - 1)}{last + 1}",
            starts[rows[last][1] + 1] - 1,
            head.strip(),
        )
        for first, last in row_ranges(written)
    ]


def _csv_rows(lines: list[str], delimiter: str) -> Iterator[tuple[int, int, int]]:
    """The first and the last line of each row, counted from 0, and its columns."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    first = 0
    for row in reader:
        yield first, min(reader.line_num, len(lines)) - 1, len(row)
        first = reader.line_num
