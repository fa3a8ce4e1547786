"""Indexes a folder of 200 mixed documents outside git and reports what was skipped, and why.

    python bench/mixed.py [--python PYTHON]

The folder contains the documents of `bench/documents.py` by all installed programs, those of
`bench/hostile_documents.py`, and generated ones of each kind: whole, truncated, empty and with a
wrong extension. Ten facts are in ten kinds of documents, and each is searched for.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from document_programs import Document, documents_of_programs  # noqa: E402  # what follows is of tests/

from parse import documents as docs  # noqa: E402
from parse.hostile_documents import KINDS  # noqa: E402

COUNT = 200
SIZE = 200_000
"""Approximate bytes of the hostile documents."""
NAMES = (
    "Übersicht der Größen",
    "設計書 第2版",
    "отчёт за год",
    "launch 🚀 plan",
    "cafe\u0301",
    "a 'b' #1",
)


class Fact(NamedTuple):
    """A sentence that only one document contains, and the query for it."""

    sentence: str
    query: str


FACTS = {
    "pdf": Fact("Spare fuses lie in the grey box behind the boiler.", "where are the spare fuses"),
    "docx": Fact("Visitors sign at the gate and wear a helmet.", "what do visitors have to wear"),
    "pptx": Fact("Training gets forty thousand euros next year.", "budget for training"),
    "odt": Fact("The lease of the warehouse ends in March 2031.", "end of the warehouse's lease"),
    "xlsx": Fact("Ball bearing 6204 on shelf C4", "shelf of the ball bearing 6204"),
    "epub": Fact("The lighthouse keeper fed the gulls with bread.", "who fed the gulls"),
    "mhtml": Fact("The ferry does not run in November.", "does the ferry run in November"),
    "csv": Fact("Zürich office at Bahnhofstrasse 12", "address of the Zürich office"),
    "rst": Fact("Calibrate the scale with two kilograms.", "how is the scale calibrated"),
    "ipynb": Fact("Outliers above three sigma are dropped.", "which outliers are dropped"),
}


def _pdf(sentence: str) -> bytes:
    return docs.pdf([[docs.Line(sentence.encode("ascii", "replace").decode())]])


def _notebook(sentence: str) -> bytes:
    cell = {"cell_type": "markdown", "metadata": {}, "source": [f"# Notes\n\n{sentence}"]}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    ).encode()


def _page(sentence: str) -> bytes:
    return f"<html><body><h1>Notes</h1><p>{sentence}</p></body></html>".encode()


WRITERS: dict[str, Callable[[str], bytes]] = {
    "pdf": _pdf,
    "docx": lambda sentence: docs.docx(docs.p(sentence)),
    "pptx": lambda sentence: docs.pptx([docs.shape(sentence)]),
    "odt": lambda sentence: docs.odt(f"<text:p>{sentence}</text:p>"),
    "odp": lambda sentence: docs.odt(
        f"<draw:page><text:p>{sentence}</text:p></draw:page>", "presentation"
    ),
    "xlsx": lambda sentence: docs.xlsx({"Stock": [["Part"], [sentence]]}),
    "epub": lambda sentence: docs.epub([f"<h1>Notes</h1><p>{sentence}</p>"]),
    "mhtml": lambda sentence: docs.mhtml(
        ("Content-Type: text/html; charset=latin-1", _page(sentence))
    ),
    "csv": lambda sentence: f"id,what\n1,{sentence}\n".encode(),
    "tsv": lambda sentence: f"id\twhat\n1\t{sentence}\n".encode(),
    "html": _page,
    "md": lambda sentence: f"# Notes\n\n{sentence}\n".encode(),
    "rst": lambda sentence: f"Notes\n=====\n\n{sentence}\n".encode(),
    "adoc": lambda sentence: f"= Notes\n\n{sentence}\n".encode(),
    "org": lambda sentence: f"* Notes\n{sentence}\n".encode(),
    "txt": lambda sentence: f"{sentence}\n".encode(),
    "ipynb": _notebook,
}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(200)


def documents(folder: Path, python: str) -> Iterator[tuple[str, bytes]]:
    """Yields names and contents; ends with an endless supply of plain documents."""
    for document in documents_of_programs(folder, python):
        if isinstance(document, Document):
            name = document.file.relative_to(folder).with_name(
                f"{document.program} {document.file.name}"
            )
            yield f"made/{name}", document.file.read_bytes()
    for kind in KINDS.values():
        hostile = kind(SIZE)
        yield f"hostile/{kind.__name__}.{hostile.path.rpartition('.')[2]}", hostile.content
    for number, (suffix, write) in enumerate(WRITERS.items()):
        content = write(f"Half of a note, number {number}.")
        yield f"half/{suffix}.{suffix}", content[: len(content) // 2]
        yield f"empty/{suffix}.{suffix}", b""
    for suffix in ("pdf", "docx", "xlsx", "epub", "mht"):
        yield f"wrong/picture.{suffix}", PICTURE
        yield f"wrong/words.{suffix}", b"Only some words.\n"
    yield "wrong/a pdf.docx", _pdf("The PDF is called a DOCX.")
    yield "wrong/a docx.pdf", WRITERS["docx"]("The DOCX is called a PDF.")
    yield "wrong/a pdf.txt", _pdf("The PDF is called a text.")
    yield "wrong/a docx", WRITERS["docx"]("The DOCX has no ending.")
    yield "wrong/a sheet.pdf", WRITERS["xlsx"]("The sheet is called a PDF.")
    for suffix, fact in FACTS.items():
        yield _fact_path(suffix, fact), WRITERS[suffix](fact.sentence)
    number = 0
    while True:
        for suffix, write in WRITERS.items():
            sentence = f"Note {number}: valve {number * 7} of hall {number % 9} was seen to."
            yield f"plain/{NAMES[number % len(NAMES)]} {number}.{suffix}", write(sentence)
            number += 1


def _fact_path(suffix: str, fact: Fact) -> str:
    """Returns the path of the file with the fact; it shares no word with the query."""
    return f"facts/{fact.query[:3]}.{suffix}"


def feeder(folder: Path, *line: str) -> str:
    """Runs `feeder` and returns its output; exit code 1 is expected, as files are damaged."""
    environment = {"FEEDER_MODEL": "static", **os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    command = [sys.executable, "-m", "feeder", *line, "--db", str(folder / "index.db")]
    done = subprocess.run(
        command, cwd=folder / "all", env=environment, capture_output=True, check=False
    )
    if done.returncode > 1:
        raise SystemExit(done.stderr.decode())
    return done.stdout.decode()


def result_row(folder: Path, suffix: str, fact: Fact) -> str:
    """Returns the table row of a query: the rank of the expected file among five hits."""
    hits = json.loads(feeder(folder, "search", fact.query, "-n", "5", "--json"))["hits"]
    paths = [hit["path"] for hit in hits]
    rank = next((n for n, path in enumerate(paths, 1) if path == _fact_path(suffix, fact)), None)
    return f"| {fact.query} | {suffix} | {rank or 'not'} | {paths[0] if paths else ''} |"


def main() -> int:
    """Prints the skip reasons and the table. Returns 1 if a file is not among five hits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--python", default=sys.executable, help="Python with the document libraries."
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "work").mkdir()
        for _, (name, content) in zip(
            range(COUNT), documents(folder / "work", args.python), strict=False
        ):
            path = folder / "all" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        started = time.monotonic()
        report = json.loads(feeder(folder, "process", "--path", ".", "--json"))
        took_s = time.monotonic() - started
        skipped = Counter(report["skipped"].values())
        print(
            f"{report['files_processed']} processed, {skipped.total()} skipped, in {took_s:.1f} s"
        )
        print(*(f"{count} {reason}" for reason, count in skipped.most_common()), sep="\n")
        rows = [result_row(folder, suffix, fact) for suffix, fact in FACTS.items()]
        print("| query | kind | rank | first hit |\n|---|---|---|---|")
        print(*rows, sep="\n")
    return 1 if any("| not |" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
