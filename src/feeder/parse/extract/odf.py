"""What does an ODT or ODP say? Headings, paragraphs, tables, code and slides, in their order."""

from feeder.parse.extract import Extract
from feeder.parse.extract.archive import Archive
from feeder.parse.extract.flowing import Flow, Style
from feeder.parse.extract.writing import PAGE, Writing
from feeder.parse.extract.xml import Attributes, walk

_HIDDEN = frozenset(
    {"tracked-changes", "annotation", "note-citation", "page-number", "page-thumbnail"}
)
"""What was deleted, what was said of the text, and numbers of notes."""
_CODE = ("preformatted", "code", "listing")
_REPEATED = 100
"""Blanks or empty cells that are written at most."""


def odf(archive: Archive, *, is_slides: bool) -> Extract:
    """The text of a document or presentation; a slide is a page."""
    writing = Writing("odp" if is_slides else "odt")
    content = _Content(writing)
    if "styles.xml" in archive.names:
        walk(archive.read("styles.xml"), _Styles(content.parents))
    walk(archive.read("content.xml"), content)
    content.flow.flush()
    return writing.extract()


class _Styles:
    """What each style is called and which it comes from: `Elements`."""

    def __init__(self, parents: dict[str, str]) -> None:
        self._parents = parents

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "style" and "name" in attributes:
            self._parents[attributes["name"]] = attributes.get("parent-style-name", "")

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _Content:
    """Writes the text: `Elements`. A paragraph can lie in another, as a note."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self.flow = Flow(writing)
        self.parents: dict[str, str] = {}
        self._styles = _Styles(self.parents)
        self._paragraphs: list[tuple[list[str], Style]] = []
        self._hidden = 0
        self._pages = 0
        self._is_title = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name in _HIDDEN:
            self._hidden += 1
        if self._hidden:
            return
        match name:
            case "style":
                self._styles.start(name, attributes)
            case "h":
                level = attributes.get("outline-level", "1")
                self._paragraphs.append(([], Style(1 + int(level) if level.isdecimal() else 2)))
            case "p":
                self._paragraphs.append(([], self._style(attributes.get("style-name", ""))))
            case "s":
                count = attributes.get("c", "1")
                self._write(" " * min(_REPEATED, int(count) if count.isdecimal() else 1))
            case "tab":
                self._write("\t")
            case "line-break":
                self._write("\n")
            case "page":
                self._page()
            case "frame":
                self._is_title = attributes.get("class") == "title"
            case _:
                self._start_in_table(name)

    def _start_in_table(self, name: str) -> None:
        match name:
            case "table":
                self.flow.table()
            case "table-row":
                self.flow.row()
            case "table-cell" | "covered-table-cell":
                self.flow.cell()

    def end(self, name: str) -> None:
        if name in _HIDDEN:
            self._hidden -= 1
        elif self._hidden:
            return
        elif name in ("p", "h") and self._paragraphs:
            words, style = self._paragraphs.pop()
            self.flow.paragraph("".join(words), style)
        elif name == "table":
            self.flow.table_end()
        elif name == "frame":
            self._is_title = False

    def text(self, text: str) -> None:
        # blanks in a row count as one, line ends too: others are elements of their own
        if self._paragraphs and not self._hidden:
            self._write(text.replace("\n", " "))

    def _write(self, text: str) -> None:
        if self._paragraphs:
            self._paragraphs[-1][0].append(text)

    def _page(self) -> None:
        self.flow.flush()
        self._pages += 1
        self._writing.page(self._pages)

    def _style(self, name: str) -> Style:
        if self._is_title:
            return Style(PAGE + 1)
        seen: set[str] = set()
        while name and name not in seen:
            seen.add(name)
            plain = name.replace("_20_", " ").casefold()
            if plain == "title":
                return Style(1)
            if any(word in plain for word in _CODE):
                return Style(is_code=True)
            name = self.parents.get(name, "")
        return Style()
