"""What does an RTF say? Its paragraphs, headings, tables, code and notes, in their order.

The libraries for it that are small give the text alone: which style a paragraph has is lost.
"""

from typing import NamedTuple

from feeder.parse.extract import Extract
from feeder.parse.extract.flowing import Flow, Style
from feeder.parse.extract.rtf_head import Head, outlined
from feeder.parse.extract.rtf_tokens import tokens
from feeder.parse.extract.writing import Writing

BODY, NOTE, FONTS, STYLES, NOWHERE = "body", "note", "fonts", "styles", "nowhere"
_LEFT_OUT = frozenset(
    [
        *("colortbl", "fldinst", "footer", "footerf", "footerl", "footerr", "header", "headerf"),
        *("headerl", "headerr", "info", "listoverridetable", "listtable", "nonesttables"),
        *("objdata", "pict", "revtbl", "sp", "tc", "tcn", "xe"),
    ]
)
_INTO = {
    "fonttbl": FONTS,
    "stylesheet": STYLES,
    "footnote": NOTE,
    "shptxt": NOTE,
    **dict.fromkeys(_LEFT_OUT, NOWHERE),
}
"""Where the text of a group goes that begins so; of others that are marked by a `*`, nowhere."""
_MARKED_AND_READ = frozenset({"shpinst"})
_CHARACTERS = {
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
_SIGNS = {"~": " ", "_": "-", "{": "{", "}": "}", "\\": "\\"}


class _State(NamedTuple):
    """What holds in a group, and again as before where it ends."""

    into: str = BODY
    style: Style = Style()
    font: int | None = None
    is_in_table: bool = False
    is_hidden: bool = False
    stand_ins: int = 1
    """Characters behind one of Unicode, for programs that know none."""


def rtf(content: bytes) -> Extract:
    """The text of a document, as far as it goes; notes and text boxes stand behind the paragraph
    that they are in."""
    writing = Writing("rtf")
    reader = _Reader(Flow(writing))
    for token in tokens(content):
        match token.lastgroup:
            case "text":
                reader.text(token[0])
            case "byte":
                reader.text(bytes([int(token["byte"], 16)]))
            case "word":
                reader.word(token[3].decode(), None if token[4] is None else int(token[4]))
            case "sign":
                reader.sign(token["sign"].decode("latin-1"))
            case "brace":
                reader.brace(opens=token[0] == b"{")
    reader.finish()
    return writing.extract()


class _Reader:
    """Writes paragraphs as they end."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._head = Head()
        self._state = _State()
        self._outer: list[_State] = []
        self._paragraph = _Paragraph()
        self._around: list[_Paragraph] = []
        self._notes: list[str] = []
        self._is_marked = False
        self._stands_in = 0

    def brace(self, *, opens: bool) -> None:
        """A group begins or ends."""
        self._stands_in, self._is_marked = 0, False
        if opens:
            self._outer.append(self._state)
        elif self._outer:
            inner, self._state = self._state, self._outer.pop()
            if inner.into == NOTE != self._state.into:
                self._notes.append(self._paragraph.ended())
                self._paragraph = self._around.pop()

    def text(self, raw: bytes) -> None:
        """Text, in the encoding of its font."""
        into = self._state.into
        passed = min(self._stands_in, len(raw))
        self._stands_in -= passed
        if into in (FONTS, STYLES):
            self._head.text(raw, of_fonts=into == FONTS)
        elif into != NOWHERE and not self._state.is_hidden:
            self._paragraph.add(raw[passed:], *self._head.face(self._state.font))

    def sign(self, sign: str) -> None:
        """A control symbol."""
        if sign == "*":
            self._is_marked = True
        elif self._stands_in:
            self._stands_in -= 1
        elif sign in "\r\n":
            self.word("par", None)
        elif sign in _SIGNS:
            self._say(_SIGNS[sign])

    def word(self, word: str, number: int | None) -> None:
        """A control word."""
        is_marked, self._is_marked = self._is_marked, False
        into = _INTO.get(word, NOWHERE if is_marked and word not in _MARKED_AND_READ else "")
        if self._stands_in:
            self._stands_in -= 1
        elif self._state.into == NOWHERE:
            return
        elif into:
            self._begin(into)
        elif self._state.into in (FONTS, STYLES):
            self._head.word(word, number or 0)
        elif word in _CHARACTERS:
            self._say(_CHARACTERS[word])
        elif word == "u":
            self._say(chr((number or 0) & 0xFFFF))
            self._stands_in = self._state.stand_ins
        elif word in ("par", "sect", "cell", "row"):
            self._end(word)
        else:
            self._set(word, number or 0, is_on=number != 0)

    def finish(self) -> None:
        """Writes what is left, of groups too that do not end."""
        self._end("sect")
        while self._outer:
            self.brace(opens=False)
        self._end("sect")
        self._place(in_table=False)
        self._flow.flush()

    def _begin(self, into: str) -> None:
        if into == NOTE != self._state.into:
            self._around.append(self._paragraph)
            self._paragraph = _Paragraph()
        self._state = self._state._replace(into=into)

    def _set(self, word: str, number: int, *, is_on: bool) -> None:
        """What holds from here on."""
        state = self._state
        match word:
            case "pard":
                state = state._replace(style=Style(), is_in_table=False)
            case "s":
                state = state._replace(style=self._head.styles.get(number, Style()))
            case "outlinelevel" if not state.style.level:
                state = state._replace(style=outlined(number))
            case "intbl":
                state = state._replace(is_in_table=True)
            case "plain":
                state = state._replace(font=None, is_hidden=False)
            case "f":
                state = state._replace(font=number)
            case "v" | "deleted":
                state = state._replace(is_hidden=is_on)
            case "uc":
                state = state._replace(stand_ins=max(0, number))
            case _:
                self._head.about_all(word, number)
        self._state = state

    def _say(self, text: str) -> None:
        if self._state.into in (BODY, NOTE) and not self._state.is_hidden:
            self._paragraph.say(text)

    def _end(self, what: str) -> None:
        """A paragraph ends, and maybe its cell or row."""
        if self._state.into == NOTE:
            self._paragraph.say("\n")
            return
        self._place(in_table=self._state.is_in_table or what in ("cell", "row"))
        self._write()
        if what == "row":
            self._flow.row()
        if what in ("cell", "row"):
            self._flow.cell()

    def _write(self) -> None:
        style = self._state.style
        _, is_typed = self._head.face(self._state.font)
        is_code = self._paragraph.is_typed(is_typed) and not style.level
        self._flow.paragraph(self._paragraph.ended(), Style(is_code=True) if is_code else style)
        for note in self._notes:
            self._flow.paragraph(note, Style())
        self._notes = []

    def _place(self, *, in_table: bool) -> None:
        """A table begins before the first paragraph in it, and ends before the first behind it."""
        if in_table and not self._flow.is_in_table:
            self._flow.table()
            self._flow.row()
            self._flow.cell()
        elif self._flow.is_in_table and not in_table:
            self._flow.table_end()


class _Paragraph:
    """Text as it comes; bytes of one encoding are read together, since some letters have two."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._raw = bytearray()
        self._encoding = ""
        self._faces: set[bool] = set()

    def add(self, raw: bytes, encoding: str, is_typed: bool) -> None:
        """Bytes, and whether they are set in a typewriter's face."""
        if encoding != self._encoding:
            self._read()
            self._encoding = encoding
        self._raw += raw
        if raw.strip():
            self._faces.add(is_typed)

    def say(self, text: str) -> None:
        """Characters, which may be halves of one."""
        self._read()
        self._parts.append(text)

    def is_typed(self, at_end: bool) -> bool:
        """Whether all of it is set in a typewriter's face; an empty one has that of its end."""
        return (self._faces or {at_end}) == {True}

    def ended(self) -> str:
        """The text, of which nothing is left here."""
        self._read()
        text = "".join(self._parts)
        self._parts, self._faces = [], set()
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _read(self) -> None:
        if self._raw:
            self._parts.append(self._raw.decode(self._encoding, "replace"))
            self._raw.clear()
