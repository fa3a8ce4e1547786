"""Writes the manual of `bench/documents.py` with each installed program."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from document_libraries import CHAPTERS, MAIN, RAILS, REGISTERS, STOP, WORDS

HEADINGS = ("Install", "Power", "Registers", "Control", "Errors")
CHAPTER_HEADINGS = ("Install", "Registers", "Errors")
"""Headings of pandoc's slides; the others are lines in bold type on these slides."""
PAGES = 3
"""Each chapter (heading of level 1) begins a page."""
Rows = list[list[str]]
TABLES = (RAILS, REGISTERS)
CODE = (MAIN, STOP)
NONE: tuple[()] = ()
KIND = "application/vnd.oasis.opendocument.spreadsheet"
BROKEN = "<style>h1:not(:first-of-type) { break-before: page }</style>"


class Made(NamedTuple):
    """A document, the program that wrote it, and the expected contents."""

    by: str
    place: Path
    headings: tuple[str, ...] = HEADINGS
    tables: tuple[Rows, ...] = TABLES
    code: tuple[str, ...] = CODE
    pages: int | None = None


class Missing(NamedTuple):
    """A program that is not installed, and the package that provides it."""

    by: str
    source: str


def made(folder: Path, python: str) -> Iterator[Made | Missing]:
    """Yields the documents of each program; `python` is the interpreter with the libraries."""
    (folder / "manual.md").write_text(_markdown(), "utf-8")
    for program, needed, source, makes in (
        ("pandoc", "pandoc", "pandoc", _pandoc),
        ("soffice", "pandoc", "libreoffice-writer, -calc and -impress", _office),
        ("pdflatex", "pdflatex", "texlive-latex-recommended", _latex),
        ("xelatex", "xelatex", "texlive-xetex", _latex),
        ("chromium", "pandoc", "chromium", _chromium),
    ):
        absent = [one for one in (program, needed) if not shutil.which(one)]
        yield from [Missing(program, f"Debian: {source}")] if absent else makes(folder, program)
    yield from _by_python(folder, python)


def _pandoc(folder: Path, _: str) -> Iterator[Made]:
    for ending in ("docx", "odt", "epub", "rtf", "rst", "adoc", "org", "html", "ipynb"):
        place = folder / f"pandoc.{ending}"
        language = {"adoc": "asciidoc"}.get(ending, ending)
        _run("pandoc", "-s", folder / "manual.md", "-t", language, "-o", place)
        yield Made("pandoc", place)
    slides = folder / "pandoc.pptx"
    _run("pandoc", folder / "manual.md", "-o", slides)
    yield Made("pandoc", slides, CHAPTER_HEADINGS, code=NONE, pages=PAGES)


def _office(folder: Path, _: str) -> Iterator[Made]:
    """Converts pandoc's text and slides, and a workbook that has only cells, with LibreOffice."""
    into, book = folder / "office", folder / "book.ods"
    _write_workbook(book)
    text = Made("LibreOffice", folder / "pandoc.docx")
    slides = Made("LibreOffice", folder / "pandoc.pptx", CHAPTER_HEADINGS, code=NONE, pages=PAGES)
    sheets = Made("LibreOffice", book, NONE, code=NONE)
    first = sheets._replace(tables=TABLES[:1])
    """A CSV has only the first sheet."""
    for source, endings in (
        *((text, ("docx", "odt", "rtf", "pdf")), (slides, ("pptx", "odp"))),
        *((sheets, ("xlsx", "xls", "ods")), (first, ("csv",))),
    ):
        for ending in endings:
            _run("soffice", "--headless", "--convert-to", ending, source.place, "--outdir", into)
            yield source._replace(place=into / f"{source.place.stem}.{ending}")


def _latex(folder: Path, program: str) -> Iterator[Made]:
    """Writes PDFs with bookmarks (pdflatex) and without (xelatex); the first code is numbered."""
    source = folder / f"{program}.tex"
    links = r"\usepackage{hyperref}" if program == "pdflatex" else r"\usepackage{fontspec}"
    source.write_text(_tex(links), "utf-8")
    for _ in range(2):  # bookmarks need a second run
        _run(program, "-interaction=batchmode", f"-output-directory={folder}", source)
    yield Made(program, source.with_suffix(".pdf"), pages=PAGES)


def _chromium(folder: Path, _: str) -> Iterator[Made]:
    """Prints pandoc's page to PDF, and saves its DOM as HTML."""
    page = folder / "page.html"
    written = (folder / "pandoc.html").read_text("utf-8")
    page.write_text(written.replace("</head>", f"{BROKEN}</head>"), "utf-8")
    quietly = ("chromium", "--headless", "--no-sandbox", "--disable-gpu")
    printed = folder / "chromium.pdf"
    _run(*quietly, f"--print-to-pdf={printed}", page.as_uri())
    yield Made("Chromium's print", printed, pages=PAGES)
    saved = folder / "chromium.html"
    saved.write_bytes(_run(*quietly, "--dump-dom", page.as_uri()))
    yield Made("Chromium's page as saved", saved)


def _by_python(folder: Path, python: str) -> Iterator[Made | Missing]:
    """Writes documents with Python libraries, each in its own process."""
    script = Path(__file__).with_name("document_libraries.py")
    slides = {"code": NONE, "pages": len(HEADINGS)}
    for name, ending, by, said in (
        ("python-docx", "docx", python, {}),
        ("python-pptx", "pptx", python, slides),
        ("reportlab", "pdf", python, {"pages": PAGES}),
        ("openpyxl", "xlsx", python, {"headings": NONE, "code": NONE}),
        ("jupyter", "ipynb", python, {}),
        ("playwright", "mhtml", sys.executable, {}),
    ):
        place = folder / f"{name}.{ending}"
        done = subprocess.run([by, script, name, place], capture_output=True, check=False)
        if done.returncode:
            yield Missing(name, f"PyPI: {done.stderr.decode().strip().rpartition(chr(10))[2]}")
            continue
        yield Made("Chromium's page in one file" if name == "playwright" else name, place, **said)
        if name == "jupyter":
            yield Made("jupyter's page", place.with_suffix(".html"))


def _markdown() -> str:
    found = []
    for level, name, table, code in CHAPTERS:
        rows = [f"| {' | '.join(row)} |" for row in table or ()]
        rows[1:1] = ["|---|---|---|"] if table else []
        fenced = [f"```{'c' if code == MAIN else ''}", code, "```", ""] if code else []
        found += [f"{'#' * level} {name}", "", WORDS, "", *fenced, *rows, ""]
    return "\n".join(found)


def _tex(packages: str) -> str:
    """Returns the manual in LaTeX; the C code is a listing with line numbers."""
    found = [
        *(r"\documentclass{article}", r"\usepackage{listings}", packages),
        r"\lstset{numbers=left, basicstyle=\ttfamily, columns=fullflexible, keepspaces}",
        r"\begin{document}",
    ]
    for level, name, table, code in CHAPTERS:
        found += [r"\clearpage"] if level == 1 else []
        found += [rf"\{'sub' * (level - 1)}section{{{name}}}", WORDS, ""]
        kind = "lstlisting" if code == MAIN else "verbatim"
        found += [rf"\begin{{{kind}}}", code, rf"\end{{{kind}}}", ""] if code else []
        rows = (" & ".join(row) + r" \\" for row in table or ())
        found += [r"\begin{tabular}{lrl}", *rows, r"\end{tabular}", ""] if table else []
    return "\n".join((*found, r"\end{document}"))


def _write_workbook(place: Path) -> None:
    """Writes an OpenDocument spreadsheet with two sheets."""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = " ".join(f'xmlns:{one}="{urn}:{one}:1.0"' for one in ("office", "table", "text"))
    sheets = ""
    for name, table in (("Rails", RAILS), ("Registers", REGISTERS)):
        rows = (f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>" for row in table)
        sheets += f'<table:table table:name="{name}">{"".join(rows)}</table:table>'
    body = f"<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("mimetype", KIND)
        archive.writestr(
            "content.xml",
            f'<office:document-content {spaces} office:version="1.3">{body}'
            "</office:document-content>",
        )
        archive.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{urn}:manifest:1.0" m:version="1.3">'
            f'<m:file-entry m:full-path="/" m:media-type="{KIND}"/>'
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
