"""Writes the manual of `bench/documents.py` with one library; run by the Python that has it."""

import shutil
import subprocess
import sys
from pathlib import Path
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
C_CODE = """\
int main(void) {
    if (!power_is_good()) {
        return 1;
    }
    start_clock(CTRL, 25, INTERNAL);
    while (has_work()) {
        feed_watchdog();
        step(DATA, STAT, sizeof(DATA));
    }
    return stop(0, 30);
}"""
PYTHON_CODE = """\
def stop(unit, seconds):
    if unit.is_running:
        unit.drain(seconds)
        for motor in unit.motors:
            motor.halt()
    unit.watchdog.feed()
    unit.log("stopped", seconds)
    return unit.errors_since_start()"""
CHAPTERS: list[tuple[int, str, list[list[str]] | None, str | None]] = [
    (1, "Install", None, None),
    (2, "Power", RAILS, None),
    (1, "Registers", None, None),
    (2, "Control", REGISTERS, C_CODE),
    (1, "Errors", None, PYTHON_CODE),
]


def python_docx(file: str) -> None:
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
    document.save(file)


def python_pptx(file: str) -> None:
    from pptx import Presentation
    from pptx.util import Inches

    slides = Presentation()
    for _, name, table, code in CHAPTERS:
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = name
        slide.placeholders[1].text = "\n".join(filter(None, (WORDS, code)))
        if table:
            sides = (Inches(1), Inches(4), Inches(6), Inches(2))
            grid = slide.shapes.add_table(len(table), len(table[0]), *sides).table
            for row, cells in enumerate(table):
                for column, text in enumerate(cells):
                    grid.cell(row, column).text = text
    slides.save(file)


def reportlab(file: str) -> None:
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
    SimpleDocTemplate(file).build(story)


def openpyxl(file: str) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for name, table in (("Rails", RAILS), ("Registers", REGISTERS)):
        sheet = book.create_sheet(name)
        for row in table:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(file)


def jupyter(file: str) -> None:
    """Writes an executed notebook, and its HTML export beside it.

    The notebook's language is Python: a cell writes the C code to a file.
    """
    from nbformat import v4, write

    cells = []
    for level, name, table, code in CHAPTERS:
        rows = [f"| {' | '.join(row)} |" for row in table or ()]
        rows[1:1] = ["|---|---|---|"] if table else []
        prose = "\n".join(["#" * level + f" {name}", "", WORDS, "", *rows])
        cells.append(v4.new_markdown_cell(prose))
        if code:
            magic = "%%writefile main.c\n" if code == C_CODE else ""
            cells.append(v4.new_code_cell(magic + code))
    cells.append(v4.new_code_cell("print(stop.__name__)"))
    write(v4.new_notebook(cells=cells), file)
    convert = [sys.executable, "-m", "jupyter", "nbconvert", "--log-level=ERROR"]
    subprocess.run([*convert, "--to=notebook", "--execute", "--inplace", file], check=True)
    subprocess.run([*convert, "--to=html", file], check=True)


def playwright(file: str) -> None:
    """Saves the page beside it as one MHTML file, with Chromium."""
    from playwright.sync_api import sync_playwright

    page = Path(file).with_name("page.html")
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page()
        tab.goto(page.as_uri())
        session = tab.context.new_cdp_session(tab)
        snapshot = session.send("Page.captureSnapshot", {"format": "mhtml"})
        Path(file).write_text(snapshot["data"], "utf-8", newline="")
        browser.close()


MAKERS = {
    "python-docx": python_docx,
    "python-pptx": python_pptx,
    "reportlab": reportlab,
    "openpyxl": openpyxl,
    "jupyter": jupyter,
    "playwright": playwright,
}

if __name__ == "__main__":
    MAKERS[sys.argv[1]](sys.argv[2])
