"""Office and other documents: extraction of text with headings, tables and code."""

from collections import Counter

import pytest

from feeder.parse.extract.formats import extract_document
from feeder.parse.splitting import NODE_LIMIT
from parse import documents as docs
from parse.documents import Line, docx, outline, p, parsed, tbl

pytestmark = pytest.mark.needs("documents")

LONG = "The watchdog resets the unit when nobody has fed it for a second, as the table below says. "


def test_docx_sections_follow_style_ids_in_any_language() -> None:
    body = p("Manual", "Titel") + p("Registers", "berschrift1") + p(LONG * 2)
    body += p("Control", "berschrift2") + p(LONG * 2)
    assert outline("m.docx", docx(body)) == [
        ("doc_section", "Manual", 1, 11),
        ("doc_section", "Manual > Registers", 3, 11),
        ("doc_section", "Manual > Registers > Control", 8, 11),
    ]


def test_table_is_a_node_with_its_header_as_signature() -> None:
    rows = [("Name", "Offset"), ("CTRL", "0x00"), ("STAT", "0x04")]
    [_, table] = parsed("m.docx", docx(p("Registers", "berschrift1") + tbl(rows))).nodes
    assert (table.node_type, table.logical_path) == ("doc_table", "Registers")
    assert table.text == "Name | Offset\nCTRL | 0x00\nSTAT | 0x04"
    assert table.signature == "Name | Offset"


def test_each_part_of_a_long_table_has_the_header() -> None:
    rows = [("Name", "Offset"), *((f"REGISTER {n}", f"0x{n:04}") for n in range(400))]
    pieces = parsed("m.docx", docx(tbl(rows))).nodes
    assert len(pieces) > 2
    assert {piece.signature for piece in pieces} == {"Name | Offset"}
    assert "\n".join(piece.text for piece in pieces).count("REGISTER") == 400


def test_table_up_to_the_limit_is_not_split() -> None:
    rows = [("Name", "Use"), *((f"R{n}", LONG[:80]) for n in range(30))]
    [table] = parsed("m.docx", docx(tbl(rows))).nodes
    assert 2500 < len(table.text) <= NODE_LIMIT


def test_paragraph_up_to_the_limit_is_not_split() -> None:
    long = "Alpha " + LONG * 28
    body = p("Short text before it. " * 20) + p(long) + p("And behind it. " * 40)
    texts = [" ".join(node.text.split()) for node in parsed("m.docx", docx(body)).nodes]
    assert sum(" ".join(long.split()) in text for text in texts) == 1


def test_consecutive_code_paragraphs_are_one_block() -> None:
    body = p(LONG) + p("int main(void) {", "Quelltext") + p("    return 0;", "Quelltext")
    body += p("}", "Quelltext") + p(LONG)
    assert [
        (node.node_type, node.text)
        for node in parsed("m.docx", docx(body)).nodes
        if node.node_type == "doc_codeblock"
    ] == [("doc_codeblock", "int main(void) {\n    return 0;\n}")]


def test_deleted_and_repeated_text_is_left_out() -> None:
    body = "<w:p><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del>"
    body += "<w:r><w:t>stays</w:t></w:r></w:p>"
    body += f"<x:AlternateContent xmlns:x='x'><x:Choice>{p('once')}</x:Choice>"
    body += f"<x:Fallback>{p('once')}</x:Fallback></x:AlternateContent>"
    text = extract_document("docx", docx(body)).text.decode()
    assert text.split() == ["stays", "once"]


def test_notes_are_at_the_end() -> None:
    notes = f"<w:footnotes {docs.W}><w:footnote>{p('Below 5 V.')}</w:footnote></w:footnotes>"
    text = extract_document("docx", docx(p("Power it."), footnotes=notes)).text.decode()
    assert text == "Power it.\n\nBelow 5 V.\n"


def test_slides_are_pages_in_the_order_of_the_presentation() -> None:
    slides = [
        docs.shape("Roadmap", "title") + docs.shape(LONG * 2) + docs.shape("7", "sldNum"),
        docs.shape("Budget", "title") + docs.shape(LONG * 2),
    ]
    found = parsed("s.pptx", docs.pptx(slides)).nodes
    assert [(node.node_type, node.logical_path) for node in found] == [
        ("doc_section", "p. 1 > Roadmap"),
        ("doc_section", "p. 2 > Budget"),
    ]
    assert "7" not in found[0].text


def test_odt_has_headings_tables_and_spaces() -> None:
    body = '<text:h text:outline-level="1">Clock</text:h>'
    body += f"<text:p>a<text:s text:c='3'/>b</text:p><text:p>{LONG}</text:p>"
    cells = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{''.join(cells.format(cell) for cell in row)}</table:table-row>"
        for row in (("Name", "Hz"), ("slow", "10"))
    )
    found = parsed("m.odt", docs.odt(f"{body}<table:table>{rows}</table:table>")).nodes
    assert [(node.node_type, node.logical_path) for node in found] == [
        ("doc_section", "Clock"),
        ("doc_table", "Clock"),
    ]
    assert "a   b" in found[0].text
    assert found[1].text == "Name | Hz\nslow | 10"


def test_odp_slides_are_sections_named_by_their_titles() -> None:
    frame = '<draw:frame presentation:class="{}"><text:p>{}</text:p></draw:frame>'
    slides = "".join(
        f"<draw:page>{frame.format('title', title)}{frame.format('outline', LONG * 2)}</draw:page>"
        for title in ("Clock", "Power")
    )
    found = outline("talk.odp", docs.odt(slides, "presentation"))
    assert [(node_type, path) for node_type, path, *_ in found] == [
        ("doc_section", "p. 1 > Clock"),
        ("doc_section", "p. 2 > Power"),
    ]


def test_workbook_has_row_ranges_with_the_header_of_their_sheet() -> None:
    prices: list[tuple[str | float, ...]] = [
        ("Article", "Price"),
        *((f"Widget {n}", n + 0.5) for n in range(300)),
    ]
    found = parsed("p.xlsx", docs.xlsx({"Prices": prices, "Rates": [("VAT", 20)]})).nodes
    assert found[0].logical_path == f"Prices!A1:B{len(found[0].text.split(chr(10)))}"
    assert found[-2].logical_path.endswith("B301")  # type: ignore[union-attr]
    assert found[-1].logical_path == "Rates!A1:B1"
    assert {node.signature for node in found[:-1]} == {"Article | Price"}
    assert all(node.node_type == "sheet" and len(node.text) <= 1500 for node in found)
    rows = "\n".join(node.text for node in found[:-1]).split("\n")
    assert rows == ["Article | Price", *(f"Widget {n} | {n}.5" for n in range(300))]


def test_epub_is_read_in_spine_order() -> None:
    chapters = [
        f"<!DOCTYPE html><html><body><h1>One &amp; all</h1><p>{LONG}&nbsp;{LONG}</p></body></html>",
        f"<body><h1>Two</h1><pre>x = 1\n  y = 2</pre><script>no()</script><p>{LONG * 2}</p></body>",
    ]
    found = parsed("b.epub", docs.epub(chapters)).nodes
    assert [(node.node_type, node.logical_path) for node in found] == [
        ("doc_section", "One & all"),
        ("doc_section", "Two"),
        ("doc_codeblock", "Two"),
    ]
    assert found[2].text == "x = 1\n  y = 2"
    assert "no()" not in "".join(node.text for node in found)


@pytest.mark.parametrize("charset", ["idna", "zlib", "none-such"])
def test_frame_with_an_unknown_encoding_is_read_as_utf8(charset: str) -> None:
    page = docs.mhtml((f"Content-Type: text/html; charset={charset}", b"<p>Caf\xc3\xa9 \xff</p>"))
    [node] = parsed("page.mhtml", page).nodes
    assert node.text == "Caf\u00e9 \ufffd"


def test_saved_web_page_is_read_with_its_frames() -> None:
    coded = "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable"
    picture = ("Content-Type: image/png\r\nContent-Transfer-Encoding: base64", b"aGVsbG8=")
    frame = ("Content-Type: text/html; charset=iso-8859-1", b"<p>Gr\xfc\xdfe</p>")
    page = (
        coded,
        b"<h1>Caf=C3=A9</h1><table><tr><th>a<td>b<tr><td>1<td>2</table><p>Two =\r\nlines",
    )
    found = parsed("page.mhtml", docs.mhtml(page, picture, frame)).nodes
    assert [(node.node_type, node.logical_path, node.text) for node in found] == [
        ("doc_section", "Caf\u00e9", "Caf\u00e9\nTwo lines\n\nGr\u00fc\u00dfe"),
        ("doc_table", "Caf\u00e9", "a | b\n1 | 2"),
    ]


def test_email_is_no_saved_web_page() -> None:
    letter = b"Subject: Hello\r\nContent-Type: text/plain\r\n\r\nSome words."
    assert parsed("letter.mht", letter).skip == "no page that a browser saved"


def test_pdf_has_pages_in_the_sections_of_its_bookmarks() -> None:
    pages = [
        [Line("Clock", y=750, size=16), Line("It ticks.", y=700)],
        [Line("and goes on.", y=750), Line("Power", y=700, size=16), Line("5 V.", y=650)],
    ]
    found = outline("m.pdf", docs.pdf(pages, [("Clock", 0), ("Power", 1)]))
    assert found == [
        ("doc_page", "Clock > p. 1", 1, 3),
        ("doc_page", "Clock > p. 2", 5, 5),
        ("doc_page", "Power > p. 2", 7, 9),
    ]


def test_without_bookmarks_larger_font_is_a_heading() -> None:
    page = [Line("Clock", y=780, size=18), *(Line(LONG[:60], y=740 - 12 * n) for n in range(8))]
    page.append(Line("Ticks", y=600, size=14))
    page += [Line(LONG[:60], y=560 - 12 * n) for n in range(8)]
    assert [path for _, path, *_ in outline("m.pdf", docs.pdf([page]))] == [
        "Clock > p. 1",
        "Clock > Ticks > p. 1",
    ]


def test_monospaced_font_is_code_with_its_indentation() -> None:
    code = ["def init():", "    start()", "    if x:", "        stop()"]
    page = [Line(LONG[:60], y=760 - 12 * n) for n in range(20)]
    page += [
        Line(line.strip(), 72 + 6 * (len(line) - len(line.lstrip())), 500 - 12 * n, "Courier")
        for n, line in enumerate(code)
    ]
    blocks = [node for node in parsed("m.pdf", docs.pdf([page])).nodes if "code" in node.node_type]
    assert [block.text for block in blocks] == ["\n".join(code)]


def test_aligned_cells_are_a_table() -> None:
    rows = [("Name", "Offset"), ("CTRL", "0x00"), ("STATUS", "0x04"), ("DATA", "0x08")]
    page = [Line(LONG[:60], y=760 - 12 * n) for n in range(4)]
    page += [
        Line(cell, 72 + 150 * m, 600 - 14 * n)
        for n, row in enumerate(rows)
        for m, cell in enumerate(row)
    ]
    [table] = [
        node for node in parsed("m.pdf", docs.pdf([page])).nodes if "table" in node.node_type
    ]
    assert table.text.split("\n") == [" | ".join(row) for row in rows]
    assert table.signature == "Name | Offset"


def test_document_format_is_recognized_by_content() -> None:
    [node] = parsed("m.pdf", docx(p("It is Word's."))).nodes
    assert node.language == "docx"
    assert parsed("m.docx", b"no archive at all").skip == "no docx by its first bytes"


def test_secrets_are_masked_without_changing_lines() -> None:
    token = "ghp_" + "a1B2" * 9
    body = p("Before") + p(f"token = {token}") + p("Behind")
    found = parsed("m.docx", docx(body))
    assert found.masked_count == 1
    assert token not in "".join(node.text for node in found.nodes)
    assert found.nodes[0].text.split("\n")[4] == "Behind"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("m.docx", docx(p("One", "berschrift1") + p(LONG * 40) + tbl([("a", "b")] * 300))),
        ("m.xlsx", docs.xlsx({"A": [("x" * 50, "y")] * 200, "B": [("long " * 900, 1)]})),
        ("m.pdf", docs.pdf([[Line(LONG[:70], y=800 - 11 * n) for n in range(70)]] * 4)),
    ],
)
def test_each_text_is_in_exactly_one_node(path: str, content: bytes) -> None:
    text = extract_document(path.rpartition(".")[2], content).text.decode()
    found = parsed(path, content).nodes
    said = Counter("".join("".join(node.text for node in found).split()))
    assert said == Counter("".join(text.split()))
    covered = {n for node in found for n in range(node.start_line, node.end_line + 1)}
    lines = enumerate(text.split("\n"), 1)
    assert not [n for n, line in lines if line.strip() and n not in covered]
    assert all(len(node.text) <= NODE_LIMIT for node in found)
