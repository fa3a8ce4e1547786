"""Extracts text from RTF: paragraphs, headings, tables, code and notes.

Small libraries for RTF return the text only, without the styles of paragraphs.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from feeder.parse.extract import ExtractedDocument
from feeder.parse.extract.document_writer import (
    DocumentWriter,
    FlowWriter,
    ParagraphStyle,
    style_by_name,
)

MAX_NAME_BYTES = 200
"""Maximum bytes of a font or style name that are read."""

_CHARSETS = {
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}

_CODE_PAGES = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}

_MONOSPACED_FONT = re.compile(r"courier|consolas|menlo|monaco|mono\b", re.IGNORECASE)

BODY_TEXT, NOTE_TEXT, FONT_TABLE, STYLE_SHEET, SKIPPED = (
    "body",
    "note",
    "fonts",
    "styles",
    "nowhere",
)

_SKIPPED_GROUPS = frozenset(
    [
        *("colortbl", "fldinst", "footer", "footerf", "footerl", "footerr", "header", "headerf"),
        *("headerl", "headerr", "info", "listoverridetable", "listtable", "nonesttables"),
        *("objdata", "pict", "revtbl", "sp", "tc", "tcn", "xe"),
    ]
)

_DESTINATIONS = {
    "fonttbl": FONT_TABLE,
    "stylesheet": STYLE_SHEET,
    "footnote": NOTE_TEXT,
    "shptxt": NOTE_TEXT,
    **dict.fromkeys(_SKIPPED_GROUPS, SKIPPED),
}
"""The destination of a group's text by its first word; other groups marked `*` are skipped."""

_READ_IGNORABLE = frozenset({"shpinst"})

_CHARACTER_WORDS = {
    "tab": "\t",
    **dict.fromkeys(["line", "page", "column", "nestrow"], "\n"),
    **dict.fromkeys(["emspace", "enspace", "qmspace", "nestcell"], " "),
    "emdash": "\u2014",
    "endash": "\u2013",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
}

_SYMBOLS = {"~": " ", "_": "-", "{": "{", "}": "}", "\\": "\\"}

_TOKEN = re.compile(
    rb"(?P<text>[^\\{}\r\n]+)"
    rb"|(?P<word>\\([a-zA-Z]{1,32})(-?\d{1,10})? ?)"
    rb"|\\'(?P<byte>[0-9a-fA-F]{2})"
    rb"|\\(?P<sign>[^a-zA-Z'])"
    rb"|(?P<brace>[{}])"
    rb"|[\r\n\\]"
)


def extract_rtf(content: bytes) -> ExtractedDocument:
    """Extracts a document, also a truncated one; notes and text boxes follow their paragraph."""
    writer = DocumentWriter("rtf")
    reader = _RtfReader(FlowWriter(writer))
    for token in tokenize(content):
        match token.lastgroup:
            case "text":
                reader.text(token[0])
            case "byte":
                reader.text(bytes([int(token["byte"], 16)]))
            case "word":
                reader.word(token[3].decode(), None if token[4] is None else int(token[4]))
            case "sign":
                reader.symbol(token["sign"].decode("latin-1"))
            case "brace":
                reader.brace(opens=token[0] == b"{")
    reader.finish()
    return writer.result()


class _GroupState(NamedTuple):
    """The settings of a group; the end of the group restores those of the outer one."""

    destination: str = BODY_TEXT
    style: ParagraphStyle = ParagraphStyle()
    font: int | None = None
    is_in_table: bool = False
    is_hidden: bool = False
    fallback_length: int = 1
    """Characters after a Unicode character that replace it in programs without Unicode."""


class _RtfReader:
    """Interprets the tokens and writes paragraphs as they end."""

    def __init__(self, flow: FlowWriter) -> None:
        self._flow = flow
        self._tables = FontStyleTables()
        self._state = _GroupState()
        self._state_stack: list[_GroupState] = []
        self._paragraph = _Paragraph()
        self._paragraph_stack: list[_Paragraph] = []
        self._notes: list[str] = []
        self._is_ignorable = False
        self._fallback_left = 0

    def brace(self, *, opens: bool) -> None:
        """Begins or ends a group."""
        self._fallback_left, self._is_ignorable = 0, False
        if opens:
            self._state_stack.append(self._state)
        elif self._state_stack:
            inner, self._state = self._state, self._state_stack.pop()
            if inner.destination == NOTE_TEXT != self._state.destination:
                self._notes.append(self._paragraph.take_text())
                self._paragraph = self._paragraph_stack.pop()

    def text(self, raw: bytes) -> None:
        """Adds text in the encoding of its font."""
        destination = self._state.destination
        skipped = min(self._fallback_left, len(raw))
        self._fallback_left -= skipped
        if destination in (FONT_TABLE, STYLE_SHEET):
            self._tables.text(raw, of_fonts=destination == FONT_TABLE)
        elif destination != SKIPPED and not self._state.is_hidden:
            self._paragraph.add_bytes(raw[skipped:], *self._tables.font_encoding(self._state.font))

    def symbol(self, character: str) -> None:
        """Interprets a control symbol."""
        if character == "*":
            self._is_ignorable = True
        elif self._fallback_left:
            self._fallback_left -= 1
        elif character in "\r\n":
            self.word("par", None)
        elif character in _SYMBOLS:
            self._add_text(_SYMBOLS[character])

    def word(self, word: str, number: int | None) -> None:
        """Interprets a control word."""
        is_ignorable, self._is_ignorable = self._is_ignorable, False
        default = SKIPPED if is_ignorable and word not in _READ_IGNORABLE else ""
        destination = _DESTINATIONS.get(word, default)
        if self._fallback_left:
            self._fallback_left -= 1
        elif self._state.destination == SKIPPED:
            return
        elif destination:
            self._begin_destination(destination)
        elif self._state.destination in (FONT_TABLE, STYLE_SHEET):
            self._tables.word(word, number or 0)
        elif word in _CHARACTER_WORDS:
            self._add_text(_CHARACTER_WORDS[word])
        elif word == "u":
            self._add_text(chr((number or 0) & 0xFFFF))
            self._fallback_left = self._state.fallback_length
        elif word in ("par", "sect", "cell", "row"):
            self._end_paragraph(word)
        else:
            self._apply_property(word, number or 0, is_on=number != 0)

    def finish(self) -> None:
        """Writes the last paragraph, and those of groups that are not closed."""
        self._end_paragraph("sect")
        while self._state_stack:
            self.brace(opens=False)
        self._end_paragraph("sect")
        self._update_table(in_table=False)
        self._flow.flush()

    def _begin_destination(self, destination: str) -> None:
        if destination == NOTE_TEXT != self._state.destination:
            self._paragraph_stack.append(self._paragraph)
            self._paragraph = _Paragraph()
        self._state = self._state._replace(destination=destination)

    def _apply_property(self, word: str, number: int, *, is_on: bool) -> None:
        """Changes the settings of the current group."""
        state = self._state
        match word:
            case "pard":
                state = state._replace(style=ParagraphStyle(), is_in_table=False)
            case "s":
                state = state._replace(style=self._tables.styles.get(number, ParagraphStyle()))
            case "outlinelevel" if not state.style.level:
                state = state._replace(style=outline_style(number))
            case "intbl":
                state = state._replace(is_in_table=True)
            case "plain":
                state = state._replace(font=None, is_hidden=False)
            case "f":
                state = state._replace(font=number)
            case "v" | "deleted":
                state = state._replace(is_hidden=is_on)
            case "uc":
                state = state._replace(fallback_length=max(0, number))
            case _:
                self._tables.document_property(word, number)
        self._state = state

    def _add_text(self, text: str) -> None:
        if self._state.destination in (BODY_TEXT, NOTE_TEXT) and not self._state.is_hidden:
            self._paragraph.add_text(text)

    def _end_paragraph(self, word: str) -> None:
        """Ends a paragraph, and with `cell` or `row` also its table cell or row."""
        if self._state.destination == NOTE_TEXT:
            self._paragraph.add_text("\n")
            return
        self._update_table(in_table=self._state.is_in_table or word in ("cell", "row"))
        self._write_paragraph()
        if word == "row":
            self._flow.begin_row()
        if word in ("cell", "row"):
            self._flow.begin_cell()

    def _write_paragraph(self) -> None:
        style = self._state.style
        _, is_monospaced = self._tables.font_encoding(self._state.font)
        if self._paragraph.is_monospaced(is_monospaced) and not style.level:
            style = ParagraphStyle(is_code=True)
        self._flow.paragraph(self._paragraph.take_text(), style)
        for note in self._notes:
            self._flow.paragraph(note, ParagraphStyle())
        self._notes = []

    def _update_table(self, *, in_table: bool) -> None:
        """Begins a table before its first paragraph, and ends it before the next one outside."""
        if in_table and not self._flow.is_in_table:
            self._flow.begin_table()
            self._flow.begin_row()
            self._flow.begin_cell()
        elif self._flow.is_in_table and not in_table:
            self._flow.end_table()


class _Paragraph:
    """The text of a paragraph; adjacent bytes of one encoding are decoded together."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._raw = bytearray()
        self._encoding = ""
        self._monospaced: set[bool] = set()

    def add_bytes(self, raw: bytes, encoding: str, is_monospaced: bool) -> None:
        """Adds bytes in an encoding, and whether their font is monospaced."""
        if encoding != self._encoding:
            self._decode_pending()
            self._encoding = encoding
        self._raw += raw
        if raw.strip():
            self._monospaced.add(is_monospaced)

    def add_text(self, text: str) -> None:
        """Adds characters, which may be halves of surrogate pairs."""
        self._decode_pending()
        self._parts.append(text)

    def is_monospaced(self, at_end: bool) -> bool:
        """True if all its text is monospaced; for an empty paragraph, if its end is."""
        return (self._monospaced or {at_end}) == {True}

    def take_text(self) -> str:
        """Returns the text and empties the paragraph."""
        self._decode_pending()
        text = "".join(self._parts)
        self._parts, self._monospaced = [], set()
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _decode_pending(self) -> None:
        if self._raw:
            self._parts.append(self._raw.decode(self._encoding, "replace"))
            self._raw.clear()


class FontStyleTables:
    """The font table and the style sheet; an entry is words and a name that ends with `;`."""

    def __init__(self) -> None:
        self.styles: dict[int, ParagraphStyle] = {}
        self._code_page, self._default_font = "cp1252", 0
        self._encodings: dict[int, str] = {}
        self._monospaced_fonts: set[int] = set()
        self._properties: dict[str, int] = {}
        self._name = b""

    def word(self, word: str, number: int) -> None:
        """Adds a control word of the current entry."""
        self._properties[word] = number

    def text(self, raw: bytes, *, of_fonts: bool) -> None:
        """Adds a part of the current entry's name; a semicolon ends the entry."""
        self._name = (self._name + raw)[-MAX_NAME_BYTES:]
        if not raw.rstrip().endswith(b";"):
            return
        name, properties = self._name.decode("latin-1").strip(" ;"), self._properties
        self._name, self._properties = b"", {}
        if of_fonts:
            self._add_font(name, properties)
        else:
            level = properties.get("outlinelevel", 9)
            self.styles[properties.get("s", 0)] = style_by_name(name) or outline_style(level)

    def document_property(self, word: str, number: int) -> None:
        """Applies a control word about the whole document; ignores others."""
        if word == "deff":
            self._default_font = number
        elif word == "ansicpg":
            self._code_page = _known_encoding(f"cp{number}")
        else:
            self._code_page = _CODE_PAGES.get(word, self._code_page)

    def font_encoding(self, font: int | None) -> tuple[str, bool]:
        """The encoding of a font, and whether it is monospaced and not the document's default."""
        font = self._default_font if font is None else font
        is_monospaced = font in self._monospaced_fonts and font != self._default_font
        return self._encodings.get(font, self._code_page), is_monospaced

    def _add_font(self, name: str, properties: Mapping[str, int]) -> None:
        number = properties.get("f", 0)
        if encoding := _CHARSETS.get(properties.get("fcharset", 0)):
            self._encodings[number] = encoding
        if "fmodern" in properties or _MONOSPACED_FONT.search(name):
            self._monospaced_fonts.add(number)


def outline_style(level: int) -> ParagraphStyle:
    """A heading style for an outline level from 0; level 9 is plain text."""
    return ParagraphStyle(level + 2) if 0 <= level < 9 else ParagraphStyle()


def _known_encoding(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"


def tokenize(content: bytes) -> Iterator[re.Match[bytes]]:
    """Yields the tokens; skips the binary data after `\\bin`."""
    offset = 0
    while offset < len(content):
        for match in _TOKEN.finditer(content, offset):
            yield match
            offset = match.end()
            if match[3] == b"bin":
                offset += max(0, int(match[4] or 0))
                break
