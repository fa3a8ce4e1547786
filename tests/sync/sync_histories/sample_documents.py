"""Small documents of each kind: in two versions and damaged."""

from parse.documents import Line, docx, epub, odt, p, pdf, tbl, xlsx


def _manual(offset: str) -> bytes:
    return docx(p("Registers", "berschrift1") + tbl([("Name", "Offset"), ("CTRL", offset)]))


def _pages(text: str) -> bytes:
    return pdf([[Line("Registers", size=20), Line(text, y=660)]], [("Registers", 0)])


def _rst(text: str) -> bytes:
    return f"Guide\n=====\n\n{text}\n\nInstall\n-------\n\nUse a package.\n".encode()


WHOLE = (
    ("manual.docx", _manual("0x00")),
    ("manual.docx", _manual("0x04")),
    ("src/manual.pdf", _pages("How the device is started.")),
    ("src/manual.pdf", _pages("How the device is stopped.")),
    ("prices.xlsx", xlsx({"Prices": [("article", "price"), ("apple", 1.5)]})),
    ("prices.xlsx", xlsx({"Prices": [("article", "price"), ("apple", 2.5)]})),
    ("prices.csv", b"article,price\napple,1.5\n"),
    ("guide.rst", _rst("How to run the shop.")),
    ("guide.rst", _rst("How to close the shop.")),
    ("notes.odt", odt("<office:text><text:p>Ask first.</text:p></office:text>")),
    ("tale.epub", epub(["<html><body><h1>Once</h1><p>There was a shop.</p></body></html>"])),
)
DAMAGED = tuple((path, content[: len(content) // 2]) for path, content in WHOLE[:6:2])
PAPERS = (*WHOLE, *DAMAGED)
