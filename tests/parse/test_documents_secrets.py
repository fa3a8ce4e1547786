"""Do secrets stay out of what documents call their parts? Such names need not stand in the text."""

import pytest

from parse import papers
from parse.papers import Line, p, parsed, tbl

pytestmark = pytest.mark.needs("documents")

TOKEN = "AKIA" + "QYLPMN5HNM4OXKZ2"
NAMED = f"Key {TOKEN}"
TEXT = "Some words that follow here."
ROWS = [["name", TOKEN], ["one", "two"], ["three", "four"]]
PAGE = f"<h1>{NAMED}</h1><p>{TEXT}</p><table><tr><th>{TOKEN}</th></tr><tr><td>1</td></tr></table>"
FILES: dict[str, bytes] = {
    "head.docx": papers.docx(p(NAMED, "Heading1") + p(TEXT)),
    "table.docx": papers.docx(p(TEXT) + tbl(ROWS)),
    "slide.pptx": papers.pptx([papers.shape(NAMED, "title") + papers.shape(TEXT)]),
    "head.odt": papers.odt(
        f'<text:h text:outline-level="1">{NAMED}</text:h><text:p>{TEXT}</text:p>'
    ),
    "head.epub": papers.epub([PAGE]),
    "head.mhtml": papers.mhtml(("Content-Type: text/html", PAGE.encode())),
    "head.rtf": papers.rtf(
        rf"{{\stylesheet{{\s1 heading 1;}}}}\pard\s1 {NAMED}\par\pard {TEXT}\par"
    ),
    "called.xlsx": papers.xlsx({TOKEN: [["a", "b"], ["c", "d"]]}),
    "table.xlsx": papers.xlsx({"Sheet": ROWS}),
    "marked.pdf": papers.pdf([[Line(TEXT)], [Line("Another page.")]], [(NAMED, 0), ("Two", 1)]),
    "head.rst": f"{NAMED}\n{'=' * len(NAMED)}\n\n{TEXT}\n".encode(),
    "head.adoc": f"== {NAMED}\n\n{TEXT}\n".encode(),
    "head.org": f"* {NAMED}\n{TEXT}\n".encode(),
    "head.csv": "\n".join(",".join(row) for row in ROWS).encode(),
    "head.md": f"# {NAMED}\n\n{TEXT}\n".encode(),
    "head.html": PAGE.encode(),
}


@pytest.mark.parametrize("path", FILES)
def test_no_node_says_a_secret(path: str) -> None:
    """Neither its text nor what it is called; an `x` for each letter stands in its place."""
    nodes = parsed(path, FILES[path]).nodes
    assert TOKEN not in repr(nodes)
    assert "x" * len(TOKEN) in repr(nodes)
