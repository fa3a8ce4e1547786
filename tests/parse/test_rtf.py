"""RTF as Word, LibreOffice, pandoc and TextEdit write it: styles, tables and encodings."""

import pytest

from feeder.parse.extract.formats import extract_document
from parse.documents import outline, parsed, rtf

pytestmark = pytest.mark.needs("documents")

LONG = "The watchdog resets the unit when nobody has fed it for a second, as the table below says. "
STYLES = r"""{\stylesheet{\snext0 Normal;}
{\s1\sbasedon0\snext0\fs32\b heading 1;}{\s2 Heading 2;}{\*\cs15 heading 9;}
{\s7\outlinelevel1 berschrift 2;}{\s20 Source Code;}{\s80 Title;}}"""
FONTS = r"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fmodern Courier New;}{\f2\fcharset128 Ry;}}"


def text(body: str) -> str:
    """Extracts the text of a document with this body."""
    return extract_document("rtf", rtf(body)).text.decode().rstrip("\n")


def test_headings_are_recognized_by_style_names() -> None:
    body = rf"{STYLES}\pard\plain \s80\qc{{Manual}}\par \pard\plain \s1{{Regis}}{{ters}}"
    body += rf"\par \pard\plain {LONG * 2}\par\pard\plain\s2 Control\par\pard\plain {LONG * 2}\par"
    assert outline("m.rtf", rtf(body)) == [
        ("doc_section", "Manual", 1, 11),
        ("doc_section", "Manual > Registers", 3, 11),
        ("doc_section", "Manual > Registers > Control", 8, 11),
    ]


@pytest.mark.parametrize("expected", [r"\s7", r"\outlinelevel1"])
def test_headings_are_recognized_by_outline_levels(expected: str) -> None:
    body = rf"{STYLES}{{\pard \ql {expected} Control\par}}{{\pard {LONG * 2}\par}}"
    assert outline("m.rtf", rtf(body)) == [("doc_section", "Control", 1, 4)]


LIBREOFFICE = r"\trowd\cellx1\cellx2\pard\intbl{A}\cell\pard\intbl{B}\cell\row\pard"
PANDOC = (
    r"{\trowd\cellx1\cellx2\intbl{{{\pard\intbl A\par}\cell}{{\pard\intbl B\par}\cell}}\intbl\row}"
)
TEXTEDIT = (
    "\\itap1\\trowd\\cellx1\n\\pard\\intbl\\itap1 A\\cell\n\\pard\\intbl\\itap1 B\\cell \\row"
)


@pytest.mark.parametrize("row", [LIBREOFFICE, PANDOC, TEXTEDIT])
def test_rows_of_cells_are_a_table(row: str) -> None:
    body = rf"{{\pard\outlinelevel0 Kinds\par}}{row}{row}\pard After.\par"
    before, table = parsed("m.rtf", rtf(body)).nodes
    assert (table.node_type, table.text, table.signature) == ("doc_table", "A | B\nA | B", "A | B")
    assert table.logical_path == "Kinds"
    assert before.text.endswith("After.")


def test_cell_with_several_paragraphs_and_a_table() -> None:
    body = (
        r"\pard\intbl One\par two\cell\pard\intbl\itap2 in\nestcell ner\nestcell{\*\nesttableprops"
    )
    body += r"\trowd\nestrow}{\nonesttables\par}\pard\intbl .\cell\row\pard\intbl 3\cell 4\cell\row"
    assert text(body) == "One two | in ner .\n3 | 4"


@pytest.mark.parametrize(
    "body",
    [
        rf"{STYLES}\pard\s20 int a;\line   a++;\par",
        rf"{FONTS}\pard\f1 int a;\line {{\b   a++;}}\par",
        rf"{FONTS}\pard\f1 int a;\par   a++;\par\pard\plain\par",
    ],
)
def test_code_is_recognized_by_style_or_monospaced_font(body: str) -> None:
    [node] = parsed("m.rtf", rtf(rf"{body}\pard\plain Text.\par")).nodes[1:]
    assert (node.node_type, node.text) == ("doc_codeblock", "int a;\n  a++;")


def test_wholly_monospaced_document_is_no_code() -> None:
    fonts = r"\deff1{\fonttbl{\f1\fmodern Courier;}}"
    assert [one[0] for one in outline("m.rtf", rtf(rf"{fonts}\pard\f1 A letter.\par"))] == [
        "doc_section"
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\u8220\'93quote\u8221\'94", "“quote”"),
        (r"\uc2\u26085\'93\'fa\u26412?? x", "日本 x"),
        (r"\uc0 \u55357\uc1 \u56832\'3f.", "😀."),
        (r"\u-10179?\u-8704?", "😀"),
        (r"12\u8209\_13\u160\~V", "12\u201113\u00a0V"),
        (r"{\uc0 \u228 {b}}\u246 oc", "äböc"),
        (r"\ansicpg1251 \'cc\'e8\'f0", "Мир"),
        (r"{\fonttbl\f2\fnil\fcharset128 Ry;}{\f2 \'93\'fa\'96\'7b}", "日本"),
        (FONTS + r"\f2 \'93\'fa\'96\'7b\f0 \'e9", "日本é"),
        (r"a\~b\_c\-d\emdash\{\}\\", "a b-cd\u2014{}\\"),
        (r"\ansicpg99999 caf\'e9", "café"),
        ("one\\\ntwo", "one\n\ntwo"),
        ("long\r\n word", "long word"),
        (r"lone\u55357? half", "lone\ufffd half"),
    ],
)
def test_characters_are_decoded(body: str, expected: str) -> None:
    assert text(body) == expected


def test_destinations_without_text_are_left_out() -> None:
    body = r"{\info{\title T}}{\*\generator G;}{\header H\par}{\colortbl;\red1;}{\*\unknown{\b u}}"
    body += r"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}{\pict\pngblip 00ff}{\deleted gone}"
    body += r"{\v hidden}{\v0 .}"
    assert text(body) == "link."


def test_notes_and_text_boxes_follow_their_paragraph() -> None:
    body = r"Power it.{\super\chftn}{\*\footnote\chftn\pard\plain Below\par 5 V.}{\shp{\*\shpinst"
    body += r"{\sp{\sn x}{\sv 1}}{\shptxt\pard Boxed.\par}}} Now.\par\pard Next."
    assert text(body) == "Power it. Now.\n\nBelow\n5 V.\n\nBoxed.\n\nNext."


def test_binary_pictures_are_skipped() -> None:
    assert text(r"a{\pict\bin5 }}{{\}b") == "ab"


def test_truncated_document_is_read_to_its_end() -> None:
    half = rtf(rf"{STYLES}\pard\s1 One\par Two{{\b  th")[:-1]
    assert extract_document("rtf", half).text == b"One\n\nTwo th\n"
    half = rtf(r"Power it{\footnote\pard Below")[:-1]
    assert extract_document("rtf", half).text == b"Power it\n\nBelow\n"


def test_rtf_is_recognized_by_its_first_bytes() -> None:
    assert parsed("m.rtf", b"Plain text.").skip == "no rtf by its first bytes"
    assert parsed("m.docx", rtf("Saved under another name.")).nodes[0].language == "rtf"
