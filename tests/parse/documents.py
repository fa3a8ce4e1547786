"""Small documents that are built byte by byte, without a library."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from feeder.parse import ParsedFile
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
OFFICE = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
)


def parsed(path: str, content: bytes) -> ParsedFile:
    """Parses a document."""
    return parse_file(load_grammars(), path, content)


def outline(path: str, content: bytes) -> list[tuple[str, str | None, int, int]]:
    """Returns type, logical path, first and last line of each node."""
    found = parsed(path, content)
    assert found.skip is None, found.skip
    return [
        (node.node_type, node.logical_path, node.start_line, node.end_line) for node in found.nodes
    ]


def archive(members: Mapping[str, str | bytes]) -> bytes:
    """A compressed ZIP archive with these members."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as into:
        for name, content in members.items():
            into.writestr(name, content)
    return made.getvalue()


STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{id_}"><w:name w:val="{name}"/></w:style>'
    for id_, name in (
        ("Titel", "Title"),
        ("berschrift1", "heading 1"),
        ("berschrift2", "heading 2"),
        ("Quelltext", "Source Code"),
    )
)


def docx(body: str, **more: str) -> bytes:
    """A DOCX with this body, and with styles that have German names."""
    return archive(
        {
            "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {W}>{STYLES}</w:styles>",
            **{f"word/{name}.xml": content for name, content in more.items()},
        }
    )


def p(text: str, style: str = "") -> str:
    """A paragraph of a DOCX."""
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def tbl(rows: Iterable[Iterable[str]]) -> str:
    """A table of a DOCX."""
    cells = ("".join(f"<w:tc>{p(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def pptx(slides: Sequence[str]) -> bytes:
    """A PPTX; the slide files are numbered in the reverse of their order."""
    count = len(slides)
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(count))
    targets = "".join(
        f'<Relationship Id="rId{n}" Type="x/slide" Target="slides/slide{count - n}.xml"/>'
        for n in range(count)
    )
    return archive(
        {
            "ppt/presentation.xml": f"<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst>"
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": f"<Relationships {RELATIONS}>{targets}"
            "</Relationships>",
            **{
                f"ppt/slides/slide{count - n}.xml": f"<p:sld {P} {A}>{slide}</p:sld>"
                for n, slide in enumerate(slides)
            },
        }
    )


def shape(text: str, placeholder: str = "") -> str:
    """A text shape of a slide."""
    kind = f'<p:nvPr><p:ph type="{placeholder}"/></p:nvPr>' if placeholder else ""
    return f"<p:sp>{kind}<a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p></p:sp>"


def odt(body: str, kind: str = "text") -> bytes:
    """An ODT with this body, or an ODP if the kind is `presentation`."""
    return archive(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": "<manifest/>",
            "content.xml": f"<office:document-content {OFFICE}>{body}</office:document-content>",
        }
    )


def rtf(body: str) -> bytes:
    """An RTF with this body."""
    return rf"{{\rtf1\ansi\deff0 {body}}}".encode("ascii")


def xlsx(sheets: Mapping[str, Sequence[Sequence[str | float]]], sheet: str = "") -> bytes:
    """An XLSX with inline strings. `sheet` overrides the XML of all sheets."""
    names = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, 1)
    )
    targets = "".join(
        f'<Relationship Id="rId{n}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        f'relationships/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    return archive(
        {
            "_rels/.rels": f'<Relationships {RELATIONS}><Relationship Id="rId1" '
            'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
            'officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f"<workbook {MAIN} {R}><sheets>{names}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f"<Relationships {RELATIONS}>{targets}</Relationships>",
            **{
                f"xl/worksheets/sheet{n}.xml": sheet
                or f"<worksheet {MAIN}><sheetData>{_rows(rows)}</sheetData></worksheet>"
                for n, rows in enumerate(sheets.values(), 1)
            },
        }
    )


def _rows(rows: Sequence[Sequence[str | float]]) -> str:
    return "".join(
        f'<row r="{n}">{"".join(_cell(n, m, value) for m, value in enumerate(row))}</row>'
        for n, row in enumerate(rows, 1)
    )


def _cell(row: int, column: int, value: str | float) -> str:
    place = f"{chr(ord('A') + column)}{row}"
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def epub(chapters: Sequence[str]) -> bytes:
    """An EPUB; the chapter files are named in the reverse of their order."""
    count = len(chapters)
    items = "".join(f'<item id="c{n}" href="{count - n}.xhtml"/>' for n in range(count))
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(count))
    return archive(
        {
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="book/p.opf"/>'
            "</rootfiles></container>",
            "book/p.opf": f"<package><manifest>{items}</manifest><spine>{order}</spine></package>",
            **{f"book/{count - n}.xhtml": text for n, text in enumerate(chapters)},
        }
    )


def mhtml(*parts: tuple[str, bytes], boundary: str = "----Part") -> bytes:
    """A web page as a browser saves it (MHTML); each part has headers."""
    whole = f'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="{boundary}"\r\n\r\n'
    for head, content in parts:
        whole += f"\r\n--{boundary}\r\n{head}\r\n\r\n{content.decode('latin-1')}"
    return f"{whole}\r\n--{boundary}--\r\n".encode("latin-1")


class Line(NamedTuple):
    """A line of a PDF page: text, position in points, font."""

    text: str
    x: int = 72
    y: int = 700
    font: str = "Helvetica"
    size: int = 10


def pdf(pages: Sequence[Sequence[Line]], bookmarks: Sequence[tuple[str, int]] = ()) -> bytes:
    """A PDF with these lines on its pages; bookmarks name their page from 0."""
    fonts = sorted({line.font for page in pages for line in page} | {"Helvetica"})
    named = {font: f"F{n}" for n, font in enumerate(fonts)}
    first_font, first_page = 4, 4 + len(fonts)
    first_mark = first_page + 2 * len(pages)
    resources = " ".join(f"/F{n} {first_font + n} 0 R" for n in range(len(fonts)))
    kids = " ".join(f"{first_page + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Outlines 3 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        _marks(first_mark, len(bookmarks)),
        *(f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} >>" for font in fonts),
    ]
    for n, page in enumerate(pages):
        stream = "\n".join(_drawn(line, named[line.font]) for line in page)
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Contents {first_page + 2 * n + 1} 0 R /Resources << /Font << {resources} >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    for n, (title, on) in enumerate(bookmarks):
        after = f"/Next {first_mark + n + 1} 0 R " if n + 1 < len(bookmarks) else ""
        objects.append(
            f"<< /Title ({title}) /Parent 3 0 R {after}/Dest [{first_page + 2 * on} 0 R /Fit] >>"
        )
    return pdf_of(objects)


def _marks(first: int, count: int) -> str:
    range_ = f" /First {first} 0 R /Last {first + count - 1} 0 R /Count {count}" if count else ""
    return f"<< /Type /Outlines{range_} >>"


def _drawn(line: Line, font: str) -> str:
    text = line.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{font} {line.size} Tf {line.x} {line.y} Td ({text}) Tj ET"


def pdf_of(objects: Sequence[str]) -> bytes:
    """A PDF with these objects, numbered from 1; the first is the catalogue."""
    made = bytearray(b"%PDF-1.4\n")
    places = []
    for n, one in enumerate(objects, 1):
        places.append(len(made))
        made += f"{n} 0 obj\n{one}\nendobj\n".encode("latin-1")
    table = len(made)
    made += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    made += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    made += (
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF".encode()
    )
    return bytes(made)
