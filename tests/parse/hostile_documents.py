"""Documents that attack their reader; each function takes the largest size allowed."""

import zlib
from collections.abc import Callable
from typing import NamedTuple

from parse import documents as docs
from parse.documents import Line, docx, p, pdf, rtf, xlsx

PAGE = [Line("One page.")]


class Hostile(NamedTuple):
    """A file name and the content of a document."""

    path: str
    content: bytes


def zip_bomb(size: int) -> Hostile:
    """A DOCX with a member that unpacks to 100 times its packed size."""
    return Hostile("bomb.docx", docx(p("word " * (20 * size))))


def entities(_: int) -> Hostile:
    """XML entities that expand exponentially ("billion laughs")."""
    said = ['<!ENTITY a0 "ha">', *(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))]
    body = f"<!DOCTYPE w [{''.join(said)}]><w:document {docs.W}><w:p><w:t>&a9;</w:t></w:p>"
    members = {"word/document.xml": f"{body}</w:document>"}
    return Hostile("laughs.docx", docs.archive(members))


def outside(_: int) -> Hostile:
    """An XML entity that refers to a local file."""
    body = '<!DOCTYPE w [<!ENTITY f SYSTEM "file:///etc/hostname">]>'
    body += f"<w:document {docs.W}><w:p><w:t>&f;</w:t></w:p></w:document>"
    return Hostile("outside.docx", docs.archive({"word/document.xml": body}))


def deep(size: int) -> Hostile:
    """Deeply nested elements."""
    depth = size // 20
    return Hostile("deep.docx", docx("<w:x>" * depth + p("Deep.") + "</w:x>" * depth))


def tables_in_tables(size: int) -> Hostile:
    """A table nested in each cell."""
    depth = size // 60
    body = "<w:tbl><w:tr><w:tc>" * depth + p("Inside.") + "</w:tc></w:tr></w:tbl>" * depth
    return Hostile("tables.docx", docx(body))


def styles_in_a_ring(_: int) -> Hostile:
    """Styles that inherit from each other in a cycle."""
    styles = "".join(
        f'<w:style w:styleId="{one}"><w:basedOn w:val="{other}"/></w:style>'
        for one, other in (("a", "b"), ("b", "a"))
    )
    body = docx(p("Round.", "a"), styles=f"<w:styles {docs.W}>{styles}</w:styles>")
    return Hostile("ring.docx", body)


def many_cells(size: int) -> Hostile:
    """A sheet with as many numbers as fit."""
    rows = [[float(n)] * 10 for n in range(size // 20)]
    return Hostile("cells.xlsx", xlsx({"Data": rows}))


def far_cell(_: int) -> Hostile:
    """Two cells in opposite corners of the largest possible sheet."""
    sheet = (
        f'<worksheet {docs.MAIN}><sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData></worksheet>'
    )
    return Hostile("far.xlsx", xlsx({"Far": []}, sheet=sheet))


def page_in_itself(_: int) -> Hostile:
    """A PDF page tree that contains itself."""
    return Hostile("ring.pdf", pdf([PAGE]).replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]"))


def bookmarks_in_a_ring(_: int) -> Hostile:
    """PDF bookmarks that follow each other in a cycle."""
    made = pdf([PAGE, PAGE], [("One", 0), ("Two", 1)])
    return Hostile("marks.pdf", made.replace(b"(Two) /Parent 3 0 R", b"(Two) /Next 9 0 R  "))


def form_in_itself(_: int) -> Hostile:
    """A PDF form that draws itself."""
    form = (
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>"
        " /Length 5 >>\nstream\n/X Do\nendstream"
    )
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 7 0 R"
        " /Resources << /XObject << /X 6 0 R >> >> >>"
    )
    return Hostile(
        "form.pdf",
        docs.pdf_of(
            [
                "<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
                "<< >>",
                "<< >>",
                page,
                form,
                "<< /Length 5 >>\nstream\n/X Do\nendstream",
            ]
        ),
    )


def packed_page(size: int) -> Hostile:
    """A page whose content stream unpacks to 1,000 times its packed size."""
    drawing = zlib.compress(b"BT /F0 9 Tf (a) Tj ET\n" * (40 * size // 22), 9).decode("latin-1")
    stream = f"<< /Length {len(drawing)} /Filter /FlateDecode >>\nstream\n{drawing}\nendstream"
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        " /Resources << /Font << /F0 3 0 R >> >> >>"
    )
    return Hostile(
        "packed.pdf",
        docs.pdf_of(
            [
                "<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
                "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
                page,
                stream,
            ]
        ),
    )


def many_pages(size: int) -> Hostile:
    """Pages that contain exactly as much text as is allowed."""
    page = [Line("The same again and again on each of them.", y=800 - 11 * n) for n in range(70)]
    return Hostile("pages.pdf", pdf([page] * (size // 6000)))


def font_without_map(_: int) -> Hostile:
    """A PDF font without a mapping from glyph numbers to characters."""
    made = pdf([PAGE])
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    other = b"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H  >>"[: len(font)]
    return Hostile("font.pdf", made.replace(font, other.ljust(len(font))))


def locked_pdf(_: int) -> Hostile:
    """A PDF that is protected by a password."""
    lock = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >> /ID [<00> <00>]"
    said = f"/Root 1 0 R {lock.format('ab' * 32)} >>".encode()
    return Hostile("locked.pdf", pdf([PAGE]).replace(b"/Root 1 0 R >>", said))


def locked_office(_: int) -> Hostile:
    """An Office document with a password, which is no ZIP archive."""
    return Hostile("locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4096)


def half(_: int) -> Hostile:
    """The first half of a document."""
    made = docx(p("It ends in the mid"))
    return Hostile("half.docx", made[: len(made) // 2])


def damaged_member(_: int) -> Hostile:
    """A valid archive with one corrupt member."""
    made = bytearray(docx(p("Words that will not come out. " * 99)))
    made[60:90] = b"\xff" * 30
    return Hostile("damaged.docx", bytes(made))


def no_document(_: int) -> Hostile:
    """An archive that is no Office document."""
    return Hostile("other.docx", docs.archive({"a.txt": "text"}))


def pictures(_: int) -> Hostile:
    """A PDF without text."""
    return Hostile("pictures.pdf", pdf([[]]))


def groups_in_groups(size: int) -> Hostile:
    """An RTF with deeply nested groups."""
    return Hostile("deep.rtf", rtf("{" * size + "Deep."))


def bytes_without_end(_: int) -> Hostile:
    """An RTF with a picture that declares 10^10 bytes."""
    return Hostile("picture.rtf", rtf(r"Before.{\pict\bin9999999999 and behind}"))


def characters(size: int) -> Hostile:
    """An RTF that consists of numeric character escapes."""
    return Hostile("numbers.rtf", rtf(r"\u65 ?" * (size // 6)))


def name_without_end(size: int) -> Hostile:
    """An RTF with an unterminated font name."""
    return Hostile("font.rtf", rtf(r"{\fonttbl{\f0 " + r"a\b " * (size // 4)))


def half_of_groups(_: int) -> Hostile:
    """The first half of an RTF."""
    made = rtf(r"{\b It ends }" + "in the mid " * 20)
    return Hostile("half.rtf", made[: len(made) // 2])


def parts_in_parts(size: int) -> Hostile:
    """An MHTML page nested in itself many times."""
    whole = docs.mhtml(("Content-Type: text/html", b"<p>Inside.</p>"), boundary="0")
    inner = whole.partition(b"\r\n")[2]
    for depth in range(1, size // 2_000):
        head = f'Content-Type: multipart/related; boundary="{depth}"\r\n\r\n--{depth}\r\n'
        inner = head.encode() + inner
    return Hostile("parts.mhtml", b"MIME-Version: 1.0\r\n" + inner)


KINDS: dict[str, Callable[[int], Hostile]] = {
    (made.__doc__ or "").rstrip("."): made
    for made in (
        *(zip_bomb, entities, outside, deep, tables_in_tables, styles_in_a_ring, many_cells),
        *(far_cell, page_in_itself, bookmarks_in_a_ring, form_in_itself, packed_page, many_pages),
        *(font_without_map, locked_pdf, locked_office, half, damaged_member, no_document, pictures),
        *(groups_in_groups, bytes_without_end, characters, name_without_end, half_of_groups),
        parts_in_parts,
    )
}
