"""Measures how much of the headings, tables, code and pages of other programs' documents is parsed.

    python bench/documents.py [--python PYTHON]

Prints a table with a row for each document. Each installed program writes the same manual, whose
contents are known; missing programs are listed. From Debian: pandoc, LibreOffice, LaTeX, Chromium.
From PyPI, in the environment that --python names: python-docx, python-pptx, reportlab, openpyxl,
and jupyter with ipykernel; in the environment of this program: playwright.
"""

import argparse
import html
import re
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent

from document_programs import Document, MissingProgram, Rows, documents_of_programs

from feeder.parse.worker_pool import WorkerPool

HEAD = (
    "| made by | kind | headings | tables | code | pages | seconds |\n|---|---|---|---|---|---|---|"
)
_TABLES = ("doc_table", "sheet")
_PROSE = ("doc_page", "doc_section", "md_section", "doc_table", "sheet")
_DEPTH = 9
_TAG = re.compile(r"<[^<>]*>")


def row(document: Document, workers: WorkerPool) -> str:
    """Returns the table row of a document: found and expected headings, tables, code and pages."""
    started = time.monotonic()
    [parsed] = workers.parse([(document.file.name, document.file.read_bytes())])
    took_s = time.monotonic() - started
    first_cells = f"| {document.program} | {document.file.suffix[1:]} |"
    if parsed.skip:
        return f"{first_cells} {parsed.skip} | | | | |"
    nodes = parsed.nodes
    names = {name for node in nodes for name in (node.logical_path or "").split(" > ")}
    headings = (any(name.endswith(title) for name in names) for title in document.headings)
    tables = [_plain(node.text) for node in nodes if node.node_type in _TABLES]
    code = "\n".join(_plain(node.text) for node in nodes if node.node_type not in _PROSE)
    pages = {name for name in names if name.startswith("p. ")}
    counts = (
        _share(headings, document.headings),
        _share(
            (any(_has_rows(text, rows) for text in tables) for rows in document.tables),
            document.tables,
        ),
        _share((_has_code(code, lines) for lines in document.code), document.code),
        f"{len(pages)} of {document.pages}" if document.pages else str(len(pages) or ""),
    )
    return f"{first_cells} {' | '.join(counts)} | {took_s:.2f} |"


def _share(matches: Iterable[bool], expected: tuple[object, ...]) -> str:
    return f"{sum(matches)} of {len(expected)}" if expected else ""


def _plain(text: str) -> str:
    """Removes the tags of a text that is HTML source."""
    return html.unescape(_TAG.sub("", text)) if text.lstrip().startswith("<") else text


def _has_code(text: str, code: str) -> bool:
    """Returns True if the text contains the code at any indentation."""
    return any(indent(code, " " * depth) in text for depth in range(_DEPTH))


def _has_rows(text: str, rows: Rows) -> bool:
    """Returns True if the text is exactly the cells of these rows, in order."""
    return re.findall(r"\w+", text) == [word for row in rows for word in row]


def main() -> int:
    """Prints the table and the missing programs. Returns 1 if no document could be made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--python", default=sys.executable, help="Python with the document libraries."
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, WorkerPool(count=1) as workers:
        list(workers.parse([("a.md", b"")]))  # start the worker before timing
        print(HEAD)
        documents = list(documents_of_programs(Path(folder), args.python))
        rows = [row(document, workers) for document in documents if isinstance(document, Document)]
    print(*rows, sep="\n")
    missing = [document for document in documents if isinstance(document, MissingProgram)]
    print(
        *(f"missing: {program} ({source})" for program, source in missing),
        sep="\n",
        file=sys.stderr,
    )
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
