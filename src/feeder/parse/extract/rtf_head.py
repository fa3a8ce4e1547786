"""What does the head of an RTF say? Its encodings, its fonts, its styles."""

import codecs
import re
from collections.abc import Mapping

from feeder.parse.extract.flowing import ParagraphStyle, style_by_name

MAX_NAME_BYTES = 200
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


class FontStyleTables:
    """Takes the words of fonts and styles in, each ended by a semicolon behind its name."""

    def __init__(self) -> None:
        self.styles: dict[int, ParagraphStyle] = {}
        self._code_page, self._default_font = "cp1252", 0
        self._encodings: dict[int, str] = {}
        self._monospaced_fonts: set[int] = set()
        self._properties: dict[str, int] = {}
        self._name = b""

    def word(self, word: str, number: int) -> None:
        """A word about a font or style."""
        self._properties[word] = number

    def text(self, raw: bytes, *, of_fonts: bool) -> None:
        """A part of its name, with which it may end."""
        self._name = (self._name + raw)[-MAX_NAME_BYTES:]
        if not raw.rstrip().endswith(b";"):
            return
        name, said = self._name.decode("latin-1").strip(" ;"), self._properties
        self._name, self._properties = b"", {}
        if of_fonts:
            self._add_font(name, said)
        else:
            level = said.get("outlinelevel", 9)
            self.styles[said.get("s", 0)] = style_by_name(name) or outline_style(level)

    def document_property(self, word: str, number: int) -> None:
        """A word about the whole document, or about nothing that is of use."""
        if word == "deff":
            self._default_font = number
        elif word == "ansicpg":
            self._code_page = _known_encoding(f"cp{number}")
        else:
            self._code_page = _CODE_PAGES.get(word, self._code_page)

    def font_encoding(self, font: int | None) -> tuple[str, bool]:
        """The encoding of a font, and whether it is a typewriter's and not that of all the text."""
        font = self._default_font if font is None else font
        is_typed = font in self._monospaced_fonts and font != self._default_font
        return self._encodings.get(font, self._code_page), is_typed

    def _add_font(self, name: str, properties: Mapping[str, int]) -> None:
        number = properties.get("f", 0)
        if encoding := _CHARSETS.get(properties.get("fcharset", 0)):
            self._encodings[number] = encoding
        if "fmodern" in properties or _MONOSPACED_FONT.search(name):
            self._monospaced_fonts.add(number)


def outline_style(level: int) -> ParagraphStyle:
    """A heading of a level from 0, as outlines count; 9 is none."""
    return ParagraphStyle(level + 2) if 0 <= level < 9 else ParagraphStyle()


def _known_encoding(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"
