"""Extracts rows from spreadsheets, in ranges such as `Sheet1!A1:F40`."""

import io
from collections.abc import Sequence

from python_calamine import CalamineError, CalamineWorkbook

from feeder.parse.extract import MAX_TEXT_BYTES, ExtractedDocument, UnreadableError, report_progress
from feeder.parse.extract.document_writer import DocumentWriter, join_row
from feeder.parse.splitting import column_letters, row_ranges

MAX_SHEET_CELLS = 2_000_000
"""Maximum cells of a sheet; one with more is probably data."""


def extract_spreadsheet(content: bytes) -> ExtractedDocument:
    """Extracts the values of a workbook, as they were last computed; no formulas."""
    writer = DocumentWriter("sheet")
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
        for name in report_progress("sheet", workbook.sheet_names):
            sheet = workbook.get_sheet_by_name(name)
            if sheet.height * sheet.width > MAX_SHEET_CELLS:
                raise UnreadableError(
                    f"a workbook with more than {MAX_SHEET_CELLS:,} cells in a sheet"
                )
            cells = sheet.to_python(skip_empty_area=True)
            rows = [list(map(format_cell, row)) for row in cells]
            write_rows(writer, name, rows, *(sheet.start or (0, 0)))
            if writer.size > MAX_TEXT_BYTES:
                break
    except CalamineError as exc:
        is_locked = "password" in str(exc).lower() or "encrypt" in str(exc).lower()
        reason = "an encrypted document" if is_locked else f"a damaged workbook: {exc}"
        raise UnreadableError(reason) from exc
    return writer.result()


def format_cell(value: object) -> str:
    """A cell's value as text; a whole number without decimals."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def write_rows(
    writer: DocumentWriter, name: str, rows: Sequence[Sequence[str]], row: int = 0, column: int = 0
) -> None:
    """Writes the rows of a sheet whose first cell is at `row` and `column`, counted from 0."""
    lines = [join_row(cells) for cells in rows]
    header = next(filter(None, lines), "")
    width = max((len(cells) for cells in rows), default=0)
    left, right = column_letters(column), column_letters(column + width - 1)
    for first, last in row_ranges(lines):
        cell_range = f"{left}{row + first + 1}:{right}{row + last + 1}"
        range_lines = [line for line in lines[first : last + 1] if line]
        if range_lines:
            writer.sheet(f"{name}!{cell_range}" if name else cell_range, range_lines, header)
