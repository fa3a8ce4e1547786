"""Writes the manual of `bench/documents.py` with each installed program."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from document_libraries import C_CODE, CHAPTERS, PYTHON_CODE, RAILS, REGISTERS, WORDS

HEADINGS = ("Install", "Power", "Registers", "Control", "Errors")
CHAPTER_HEADINGS = ("Install", "Registers", "Errors")
"""Headings of pandoc's slides; the others are lines in bold type on these slides."""
PAGES = 3
"""Each chapter (heading of level 1) begins a page."""
Rows = list[list[str]]
TABLES = (RAILS, REGISTERS)
CODE = (C_CODE, PYTHON_CODE)
NONE: tuple[()] = ()
MEDIA_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
PAGE_BREAKS = "<style>h1:not(:first-of-type) { break-before: page }</style>"


class Document(NamedTuple):
    """A document, the program that wrote it, and the expected contents."""

    program: str
    file: Path
    headings: tuple[str, ...] = HEADINGS
    tables: tuple[Rows, ...] = TABLES
    code: tuple[str, ...] = CODE
    pages: int | None = None


class MissingProgram(NamedTuple):
    """A program that is not installed, and the package that provides it."""

    program: str
    source: str


def documents_of_programs(folder: Path, python: str) -> Iterator[Document | MissingProgram]:
    """Yields the documents of each program; `python` is the interpreter with the libraries."""
    (folder / "manual.md").write_text(_markdown(), "utf-8")
    for program, requirement, source, writer in (
        ("pandoc", "pandoc", "pandoc", _pandoc),
        ("soffice", "pandoc", "libreoffice-writer, -calc and -impress", _office),
        ("pdflatex", "pdflatex", "texlive-latex-recommended", _latex),
        ("xelatex", "xelatex", "texlive-xetex", _latex),
        ("chromium", "pandoc", "chromium", _chromium),
    ):
        missing = [name for name in (program, requirement) if not shutil.which(name)]
        yield from (
            [MissingProgram(program, f"Debian: {source}")] if missing else writer(folder, program)
        )
    yield from _with_libraries(folder, python)


def _pandoc(folder: Path, _: str) -> Iterator[Document]:
    for suffix in ("docx", "odt", "epub", "rtf", "rst", "adoc", "org", "html", "ipynb"):
        file = folder / f"pandoc.{suffix}"
        language = {"adoc": "asciidoc"}.get(suffix, suffix)
        _run("pandoc", "-s", folder / "manual.md", "-t", language, "-o", file)
        yield Document("pandoc", file)
    slides = folder / "pandoc.pptx"
    _run("pandoc", folder / "manual.md", "-o", slides)
    yield Document("pandoc", slides, CHAPTER_HEADINGS, code=NONE, pages=PAGES)


def _office(folder: Path, _: str) -> Iterator[Document]:
    """Converts pandoc's text and slides, and a workbook that has only cells, with LibreOffice."""
    office, book = folder / "office", folder / "book.ods"
    _write_workbook(book)
    text = Document("LibreOffice", folder / "pandoc.docx")
    slides = Document(
        "LibreOffice", folder / "pandoc.pptx", CHAPTER_HEADINGS, code=NONE, pages=PAGES
    )
    sheets = Document("LibreOffice", book, NONE, code=NONE)
    first = sheets._replace(tables=TABLES[:1])
    """A CSV has only the first sheet."""
    for source, suffixes in (
        *((text, ("docx", "odt", "rtf", "pdf")), (slides, ("pptx", "odp"))),
        *((sheets, ("xlsx", "xls", "ods")), (first, ("csv",))),
    ):
        for suffix in suffixes:
            _run("soffice", "--headless", "--convert-to", suffix, source.file, "--outdir", office)
            yield source._replace(file=office / f"{source.file.stem}.{suffix}")


def _latex(folder: Path, program: str) -> Iterator[Document]:
    """Writes PDFs with bookmarks (pdflatex) and without (xelatex); the first code is numbered."""
    source = folder / f"{program}.tex"
    links = r"\usepackage{hyperref}" if program == "pdflatex" else r"\usepackage{fontspec}"
    source.write_text(_tex(links), "utf-8")
    for _ in range(2):  # bookmarks need a second run
        _run(program, "-interaction=batchmode", f"-output-directory={folder}", source)
    yield Document(program, source.with_suffix(".pdf"), pages=PAGES)


def _chromium(folder: Path, _: str) -> Iterator[Document]:
    """Prints pandoc's page to PDF, and saves its DOM as HTML."""
    page = folder / "page.html"
    html = (folder / "pandoc.html").read_text("utf-8")
    page.write_text(html.replace("</head>", f"{PAGE_BREAKS}</head>"), "utf-8")
    headless = ("chromium", "--headless", "--no-sandbox", "--disable-gpu")
    printed = folder / "chromium.pdf"
    _run(*headless, f"--print-to-pdf={printed}", page.as_uri())
    yield Document("Chromium's print", printed, pages=PAGES)
    saved = folder / "chromium.html"
    saved.write_bytes(_run(*headless, "--dump-dom", page.as_uri()))
    yield Document("Chromium's page as saved", saved)


def _with_libraries(folder: Path, python: str) -> Iterator[Document | MissingProgram]:
    """Writes documents with Python libraries, each in its own process."""
    script = Path(__file__).with_name("document_libraries.py")
    slides = {"code": NONE, "pages": len(HEADINGS)}
    for name, suffix, program, expected in (
        ("python-docx", "docx", python, {}),
        ("python-pptx", "pptx", python, slides),
        ("reportlab", "pdf", python, {"pages": PAGES}),
        ("openpyxl", "xlsx", python, {"headings": NONE, "code": NONE}),
        ("jupyter", "ipynb", python, {}),
        ("playwright", "mhtml", sys.executable, {}),
    ):
        file = folder / f"{name}.{suffix}"
        done = subprocess.run([program, script, name, file], capture_output=True, check=False)
        if done.returncode:
            yield MissingProgram(
                name, f"PyPI: {done.stderr.decode().strip().rpartition(chr(10))[2]}"
            )
            continue
        yield Document(
            "Chromium's page in one file" if name == "playwright" else name, file, **expected
        )
        if name == "jupyter":
            yield Document("jupyter's page", file.with_suffix(".html"))


def _markdown() -> str:
    lines = []
    for level, name, table, code in CHAPTERS:
        rows = [f"| {' | '.join(row)} |" for row in table or ()]
        rows[1:1] = ["|---|---|---|"] if table else []
        code_block = [f"```{'c' if code == C_CODE else ''}", code, "```", ""] if code else []
        lines += [f"{'#' * level} {name}", "", WORDS, "", *code_block, *rows, ""]
    return "\n".join(lines)


def _tex(packages: str) -> str:
    """Returns the manual in LaTeX; the C code is a listing with line numbers."""
    lines = [
        *(r"\documentclass{article}", r"\usepackage{listings}", packages),
        r"\lstset{numbers=left, basicstyle=\ttfamily, columns=fullflexible, keepspaces}",
        r"\begin{document}",
    ]
    for level, name, table, code in CHAPTERS:
        lines += [r"\clearpage"] if level == 1 else []
        lines += [rf"\{'sub' * (level - 1)}section{{{name}}}", WORDS, ""]
        kind = "lstlisting" if code == C_CODE else "verbatim"
        lines += [rf"\begin{{{kind}}}", code, rf"\end{{{kind}}}", ""] if code else []
        rows = (" & ".join(row) + r" \\" for row in table or ())
        lines += [r"\begin{tabular}{lrl}", *rows, r"\end{tabular}", ""] if table else []
    return "\n".join((*lines, r"\end{document}"))


def _write_workbook(file: Path) -> None:
    """Writes an OpenDocument spreadsheet with two sheets."""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = " ".join(
        f'xmlns:{prefix}="{urn}:{prefix}:1.0"' for prefix in ("office", "table", "text")
    )
    sheets = ""
    for name, table in (("Rails", RAILS), ("Registers", REGISTERS)):
        rows = (f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>" for row in table)
        sheets += f'<table:table table:name="{name}">{"".join(rows)}</table:table>'
    body = f"<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", MEDIA_TYPE)
        archive.writestr(
            "content.xml",
            f'<office:document-content {spaces} office:version="1.3">{body}'
            "</office:document-content>",
        )
        archive.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{urn}:manifest:1.0" m:version="1.3">'
            f'<m:file-entry m:full-path="/" m:media-type="{MEDIA_TYPE}"/>'
            '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>',
        )


def _cell(text: str) -> str:
    return (
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
    )


def _run(*line: str | Path) -> bytes:
    """Runs a program and returns its output. Raises CalledProcessError."""
    return subprocess.run(
        line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=180, check=True
    ).stdout
