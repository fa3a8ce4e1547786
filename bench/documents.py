"""Documents made by other programs: what of their headings, tables, code and pages is found?

Each program that is on this machine makes one of the same manual, of which all is counted by hand.
From Debian: pandoc, LibreOffice, Chromium; from PyPI, into the environment that this runs in or one
that --python names: openpyxl, python-docx, python-pptx, reportlab.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from feeder.nodes import Node
from feeder.parse.workers import Workers

WORDS = "The watchdog resets the unit when nobody has fed it for a second, as the table says. " * 3
HEADINGS = ("Install", "Power", "Registers", "Control", "Errors")
TABLES, CODE, PAGES = 2, 2, 3
CHAPTERS = f"""
# Install

{WORDS}

## Power

{WORDS}

| Rail | Volt | Use    |
|------|------|--------|
| V1   | 5    | logic  |
| V2   | 3    | clock  |
| V3   | 12   | motors |

# Registers

{WORDS}

## Control

{WORDS}

```c
int main(void) {{
    start();
    return 0;
}}
```

| Name | Offset | Reset |
|------|--------|-------|
| CTRL | 0x00   | 0x1   |
| STAT | 0x04   | 0x0   |
| DATA | 0x08   | 0xFF  |

# Errors

{WORDS}

```
def stop():
    if running:
        halt()
```
"""
PRINTED = "<style>h1:not(:first-of-type) { break-before: page }</style>"
HEAD = (
    "| made by | kind | headings of 5 | tables of 2 | code of 2 | pages | seconds |\n"
    "|---|---|---|---|---|---|---|"
)


class Made(NamedTuple):
    """A document, by which program, and its pages where they are known."""

    by: str
    place: Path
    pages: int | None = None


def made(folder: Path, python: str) -> Iterator[Made]:
    """A document by each program that is here."""
    source = folder / "manual.md"
    source.write_text(CHAPTERS, "utf-8")
    if shutil.which("pandoc"):
        for ending in ("docx", "odt", "epub", "rtf", "rst", "asciidoc", "org"):
            place = folder / f"pandoc.{ {'asciidoc': 'adoc'}.get(ending, ending) }"
            _run("pandoc", "-s", source, "-t", ending, "-o", place)
            yield Made("pandoc", place)
    if shutil.which("soffice"):
        for ending in ("docx", "odt", "rtf", "pdf"):
            _run("soffice", "--headless", "--convert-to", ending, folder / "pandoc.docx",
                 "--outdir", folder / "office")  # fmt: skip
            yield Made("LibreOffice", folder / "office" / f"pandoc.{ending}")
    if shutil.which("chromium") and shutil.which("pandoc"):
        page = folder / "page.html"
        _run("pandoc", "-s", source, "--metadata", "title= ", "-o", page)
        page.write_text(page.read_text("utf-8").replace("</head>", f"{PRINTED}</head>"), "utf-8")
        place = folder / "chromium.pdf"
        _run("chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={place}",
             page.as_uri())  # fmt: skip
        yield Made("Chromium's print", place, PAGES)
    yield from _by_python(folder, python)


def _by_python(folder: Path, python: str) -> Iterator[Made]:
    """By libraries, each in a process of its own; one that is not installed makes nothing."""
    script = Path(__file__).with_name("documents_python.py")
    for name, ending in (("python-docx", "docx"), ("reportlab", "pdf"), ("openpyxl", "xlsx")):
        place = folder / f"{name}.{ending}"
        done = subprocess.run([python, script, name, place], stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            yield Made(name, place, PAGES if ending == "pdf" else None)


def _run(*line: str | Path) -> None:
    subprocess.run(
        line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=True
    )


def row(one: Made, workers: Workers) -> str:
    """A line of the table."""
    began = time.monotonic()
    [parsed] = workers.parse([(one.place.name, one.place.read_bytes())])
    took_s = time.monotonic() - began
    if parsed.skip:
        return f"| {one.by} | {one.place.suffix[1:]} | {parsed.skip} | | | | |"
    nodes = parsed.nodes
    headings = {name for node in nodes for name in (node.logical_path or "").split(" > ")}
    pages = {name for name in headings if name.startswith("p. ")}
    found = sum(any(name.endswith(one) for name in headings) for one in HEADINGS)
    tables = _runs(nodes, lambda node: node.node_type in ("doc_table", "sheet"))
    code = _runs(nodes, lambda node: node.node_type == "doc_codeblock")
    said = f"{len(pages)} of {one.pages}" if one.pages else "" if not pages else str(len(pages))
    return (
        f"| {one.by} | {one.place.suffix[1:]} | {found} | {tables} | {code} | {said} "
        f"| {took_s:.2f} |"
    )


def _runs(nodes: list[Node], wanted: Callable[[Node], bool]) -> int:
    return sum(map(wanted, nodes))


def main() -> int:
    """Prints the table; 1 where a program that is here makes something that is not read."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--python", default=sys.executable, help="Which has the libraries.")
    given = options.parse_args()
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder, Workers(count=1) as workers:
        list(workers.parse([("a.md", b"")]))  # its start is not the first document's
        rows = [row(one, workers) for one in made(Path(folder), given.python)]
    print(*rows, sep="\n")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
