"""Secrets in names of a document's parts are masked; such names may not be in its text."""

import pytest

from parse import documents as docs
from parse.documents import Line, p, parsed, tbl

pytestmark = pytest.mark.needs("documents")

TOKEN = "AKIA" + "QYLPMN5HNM4OXKZ2"
NAMED = f"Key {TOKEN}"
TEXT = "Some words that follow here."
ROWS = [["name", TOKEN], ["one", "two"], ["three", "four"]]
PAGE = f"<h1>{NAMED}</h1><p>{TEXT}</p><table><tr><th>{TOKEN}</th></tr><tr><td>1</td></tr></table>"
FILES: dict[str, bytes] = {
    "head.docx": docs.docx(p(NAMED, "Heading1") + p(TEXT)),
    "table.docx": docs.docx(p(TEXT) + tbl(ROWS)),
    "slide.pptx": docs.pptx([docs.shape(NAMED, "title") + docs.shape(TEXT)]),
    "head.odt": docs.odt(f'<text:h text:outline-level="1">{NAMED}</text:h><text:p>{TEXT}</text:p>'),
    "head.epub": docs.epub([PAGE]),
    "head.mhtml": docs.mhtml(("Content-Type: text/html", PAGE.encode())),
    "head.rtf": docs.rtf(rf"{{\stylesheet{{\s1 heading 1;}}}}\pard\s1 {NAMED}\par\pard {TEXT}\par"),
    "called.xlsx": docs.xlsx({TOKEN: [["a", "b"], ["c", "d"]]}),
    "table.xlsx": docs.xlsx({"Sheet": ROWS}),
    "marked.pdf": docs.pdf([[Line(TEXT)], [Line("Another page.")]], [(NAMED, 0), ("Two", 1)]),
    "head.rst": f"{NAMED}\n{'=' * len(NAMED)}\n\n{TEXT}\n".encode(),
    "head.adoc": f"== {NAMED}\n\n{TEXT}\n".encode(),
    "head.org": f"* {NAMED}\n{TEXT}\n".encode(),
    "head.csv": "\n".join(",".join(row) for row in ROWS).encode(),
    "head.md": f"# {NAMED}\n\n{TEXT}\n".encode(),
    "head.html": PAGE.encode(),
}


@pytest.mark.parametrize("path", FILES)
def test_no_node_contains_a_secret(path: str) -> None:
    """Neither its text nor its logical path; each character is replaced by `x`."""
    nodes = parsed(path, FILES[path]).nodes
    assert TOKEN not in repr(nodes)
    assert "x" * len(TOKEN) in repr(nodes)
