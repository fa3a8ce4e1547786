"""Extracts rows from spreadsheets, in ranges such as `Sheet1!A1:F40`."""

import io
from collections.abc import Sequence
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook

from feeder.parse.extract import MAX_TEXT_BYTES, ExtractedDocument, UnreadableError, report_progress
from feeder.parse.extract.document_writer import DocumentWriter, join_row
from feeder.parse.splitting import column_letters, row_ranges

MAX_SHEET_CELLS = 2_000_000
"""Of one sheet: what has more is data."""


def extract_spreadsheet(content: bytes) -> ExtractedDocument:
    """The text of a workbook; values as they were last computed, no formulas."""
    writing = DocumentWriter("sheet")
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
        for name in report_progress("sheet", workbook.sheet_names):
            sheet = workbook.get_sheet_by_name(name)
            if sheet.height * sheet.width > MAX_SHEET_CELLS:
                raise UnreadableError(
                    f"a workbook with more than {MAX_SHEET_CELLS:,} cells in a sheet"
                )
            rows = sheet.to_python(skip_empty_area=True)
            write_rows(
                writing, name, [list(map(format_cell, row)) for row in rows], *_first_cell(sheet)
            )
            if writing.size > MAX_TEXT_BYTES:
                break
    except CalamineError as exc:
        is_locked = "password" in str(exc).lower() or "encrypt" in str(exc).lower()
        said = "an encrypted document" if is_locked else f"a damaged workbook: {exc}"
        raise UnreadableError(said) from exc
    return writing.result()


def _first_cell(sheet: Any) -> tuple[int, int]:
    return sheet.start or (0, 0)


def format_cell(value: object) -> str:
    """A cell's value as people write it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def write_rows(
    writer: DocumentWriter, name: str, rows: Sequence[Sequence[str]], row: int = 0, column: int = 0
) -> None:
    """Writes the rows of a sheet, whose first cell is at `row` and `column`, counted from 0."""
    lines = [join_row(cells) for cells in rows]
    head = next(filter(None, lines), "")
    width = max((len(cells) for cells in rows), default=0)
    for first, last in row_ranges(lines):
        left, right = column_letters(column), column_letters(column + width - 1)
        found = f"{left}{row + first + 1}:{right}{row + last + 1}"
        some = [line for line in lines[first : last + 1] if line]
        if some:
            writer.sheet(f"{name}!{found}" if name else found, some, head)
