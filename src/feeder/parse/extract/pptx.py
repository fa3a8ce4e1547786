"""What do the slides of a PPTX say, in their order, with what the speaker is to say?"""

import posixpath

from feeder.parse.extract import Extract
from feeder.parse.extract.archive import Archive
from feeder.parse.extract.flowing import Flow, Style
from feeder.parse.extract.writing import PAGE, Writing
from feeder.parse.extract.xml import Attributes, walk

PRESENTATION = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_LEFT_OUT = frozenset({"sldNum", "dt", "ftr", "hdr"})
"""Placeholders for what is the same on every slide."""


def pptx(archive: Archive) -> Extract:
    """The text of a presentation; a slide is a page, and its title a section in it."""
    writing = Writing("pptx")
    shown = _Relations(archive, PRESENTATION)
    order = _Order()
    walk(archive.read(PRESENTATION), order)
    for number, id_ in enumerate(order.ids, 1):
        slide = shown.by_id.get(id_)
        if slide in archive.names:
            writing.page(number)
            _write(writing, archive, slide)
    return writing.extract()


def _write(writing: Writing, archive: Archive, slide: str) -> None:
    """A slide, and its notes behind it."""
    notes = _Relations(archive, slide).by_kind.get("notesSlide")
    for name in filter(None, (slide, notes)):
        if name in archive.names:
            shapes = _Shapes(Flow(writing), is_slide=name == slide)
            walk(archive.read(name), shapes)
            shapes.flow.flush()


class _Order:
    """The slides by the ids of their relations: `Elements`."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "sldId":
            # `r:id` beside `id`: the latter is a number
            self.ids += [one for one in attributes.values() if not one.isdecimal()][:1]

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _Relations:
    """The members that one is related to, by id and by kind: `Elements`."""

    def __init__(self, archive: Archive, member: str) -> None:
        self._folder, name = posixpath.split(member)
        self.by_id: dict[str, str] = {}
        self.by_kind: dict[str, str] = {}
        relations = f"{self._folder}/_rels/{name}.rels"
        if relations in archive.names:
            walk(archive.read(relations), self)

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            target = posixpath.join(self._folder, attributes.get("Target", ""))
            place = posixpath.normpath(target).lstrip("/")
            self.by_id[attributes.get("Id", "")] = place
            self.by_kind[attributes.get("Type", "").rpartition("/")[2]] = place

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _Shapes:
    """Writes what is on a slide: `Elements`."""

    def __init__(self, flow: Flow, *, is_slide: bool) -> None:
        self.flow = flow
        self._is_slide = is_slide
        self._placeholder = ""
        self._words: list[str] = []
        self._is_text = False

    def start(self, name: str, attributes: Attributes) -> None:
        match name:
            case "sp":
                self._placeholder = ""
            case "ph":
                self._placeholder = attributes.get("type", "body")
            case "p":
                self._words = []
            case "t":
                self._is_text = True
            case "br":
                self._words.append("\n")
            case "tbl":
                self.flow.table()
            case "tr":
                self.flow.row()
            case "tc":
                self.flow.cell()

    def end(self, name: str) -> None:
        match name:
            case "t":
                self._is_text = False
            case "p":
                self._paragraph("".join(self._words))
            case "sp":
                self._placeholder = ""
            case "tbl":
                self.flow.table_end()

    def text(self, text: str) -> None:
        if self._is_text:
            self._words.append(text)

    def _paragraph(self, text: str) -> None:
        if self._placeholder in _LEFT_OUT:
            return
        is_title = self._is_slide and self._placeholder in _TITLES
        self.flow.paragraph(text, Style(PAGE + 1 if is_title else 0))
