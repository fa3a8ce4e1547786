"""Writes the manual of `bench/documents.py` by a library; run by a Python that has it."""

import sys
from typing import Any

WORDS = "The watchdog resets the unit when nobody has fed it for a second, as the table says. " * 3
RAILS = [
    *(["Rail", "Volt", "Use"], ["V1", "5", "logic"]),
    *(["V2", "3", "clock"], ["V3", "12", "motors"]),
]
REGISTERS = [
    *(["Name", "Offset", "Reset"], ["CTRL", "0x00", "0x1"]),
    *(["STAT", "0x04", "0x0"], ["DATA", "0x08", "0xFF"]),
]
MAIN = "int main(void) {\n    start();\n    return 0;\n}"
STOP = "def stop():\n    if running:\n        halt()"
CHAPTERS: list[tuple[int, str, list[list[str]] | None, str | None]] = [
    (1, "Install", None, None),
    (2, "Power", RAILS, None),
    (1, "Registers", None, None),
    (2, "Control", REGISTERS, MAIN),
    (1, "Errors", None, STOP),
]


def python_docx(place: str) -> None:
    from docx import Document

    document = Document()
    document.styles.add_style("Code", 1)
    for level, name, table, code in CHAPTERS:
        document.add_heading(name, level)
        document.add_paragraph(WORDS)
        for line in (code or "").split("\n") if code else []:
            document.add_paragraph(line, style="Code")
        if table:
            grid = document.add_table(len(table), len(table[0]))
            for row, cells in enumerate(table):
                for column, text in enumerate(cells):
                    grid.cell(row, column).text = text
    document.save(place)


def reportlab(place: str) -> None:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, Preformatted, SimpleDocTemplate, Table

    styles = getSampleStyleSheet()
    story: list[Any] = []
    for level, name, table, code in CHAPTERS:
        if level == 1 and story:
            story.append(PageBreak())
        story += [Paragraph(name, styles[f"Heading{level}"]), Paragraph(WORDS, styles["BodyText"])]
        story += [Preformatted(code, styles["Code"])] if code else []
        story += [Table(table)] if table else []
    SimpleDocTemplate(place).build(story)


def openpyxl(place: str) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for name, table in (("Rails", RAILS), ("Registers", REGISTERS)):
        sheet = book.create_sheet(name)
        for row in table:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(place)


if __name__ == "__main__":
    makers = {"python-docx": python_docx, "reportlab": reportlab, "openpyxl": openpyxl}
    makers[sys.argv[1]](sys.argv[2])
