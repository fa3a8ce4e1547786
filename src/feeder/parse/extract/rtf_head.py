"""What does the head of an RTF say? Its encodings, its fonts, its styles."""

import codecs
import re
from collections.abc import Mapping

from feeder.parse.extract.flowing import Style, style_called

NAME_BYTES = 200
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
_PAGES = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_TYPEWRITER = re.compile(r"courier|consolas|menlo|monaco|mono\b", re.IGNORECASE)


class Head:
    """Takes the words of fonts and styles in, each ended by a semicolon behind its name."""

    def __init__(self) -> None:
        self.styles: dict[int, Style] = {}
        self._page, self._default = "cp1252", 0
        self._encodings: dict[int, str] = {}
        self._typewriters: set[int] = set()
        self._said: dict[str, int] = {}
        self._name = b""

    def word(self, word: str, number: int) -> None:
        """A word about a font or style."""
        self._said[word] = number

    def text(self, raw: bytes, *, of_fonts: bool) -> None:
        """A part of its name, with which it may end."""
        self._name = (self._name + raw)[-NAME_BYTES:]
        if not raw.rstrip().endswith(b";"):
            return
        name, said = self._name.decode("latin-1").strip(" ;"), self._said
        self._name, self._said = b"", {}
        if of_fonts:
            self._font(name, said)
        else:
            level = said.get("outlinelevel", 9)
            self.styles[said.get("s", 0)] = style_called(name) or outlined(level)

    def about_all(self, word: str, number: int) -> None:
        """A word about the whole document, or about nothing that is of use."""
        if word == "deff":
            self._default = number
        elif word == "ansicpg":
            self._page = _known(f"cp{number}")
        else:
            self._page = _PAGES.get(word, self._page)

    def face(self, font: int | None) -> tuple[str, bool]:
        """The encoding of a font, and whether it is a typewriter's and not that of all the text."""
        font = self._default if font is None else font
        is_typed = font in self._typewriters and font != self._default
        return self._encodings.get(font, self._page), is_typed

    def _font(self, name: str, said: Mapping[str, int]) -> None:
        number = said.get("f", 0)
        if encoding := _CHARSETS.get(said.get("fcharset", 0)):
            self._encodings[number] = encoding
        if "fmodern" in said or _TYPEWRITER.search(name):
            self._typewriters.add(number)


def outlined(level: int) -> Style:
    """A heading of a level from 0, as outlines count; 9 is none."""
    return Style(level + 2) if 0 <= level < 9 else Style()


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"
