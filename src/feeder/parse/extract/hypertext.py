"""How does a page of hypertext become blocks? By its elements; nothing in it is run or fetched."""

from html.parser import HTMLParser

from feeder.parse.extract.flowing import Flow, Style
from feeder.parse.extract.writing import Writing

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = frozenset({"script", "style", "head", "template"})
_BLOCKS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div"),
        *("dl", "dt", "figcaption", "figure", "footer", "form", "header", "hr", "li", "main"),
        *("nav", "ol", "p", "section", "summary", "ul"),
    ]
)


def write(writing: Writing, text: str) -> None:
    """Writes what a page says."""
    page = _Page(writing)
    page.feed(text)
    page.close()
    page.finish()


class _Page(HTMLParser):
    """Gathers words until a block ends."""

    def __init__(self, writing: Writing) -> None:
        super().__init__()
        self._flow = Flow(writing)
        self._words: list[str] = []
        self._style = Style()
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag in _HEADINGS:
            self._begin(Style(_HEADINGS[tag]))
        elif tag == "pre":
            self._begin(Style(is_code=True))
        elif tag == "br":
            self._words.append("\n")
        elif tag == "table":
            self._begin(Style())
            self._flow.table()
        elif tag == "tr":
            self._end()
            self._flow.row()
        elif tag in ("td", "th"):
            self._end()
            self._flow.cell()
        elif tag in _BLOCKS and not self._style.is_code:
            self._begin(Style())

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "table":
            self._end()
            self._flow.table_end()
        elif tag == "pre" or tag in _HEADINGS or (tag in _BLOCKS and not self._style.is_code):
            self._begin(Style())

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._words.append(data if self._style.is_code else " ".join(data.split("\n")))

    def finish(self) -> None:
        """Writes what is left."""
        self._end()
        while self._flow.is_in_table:
            self._flow.table_end()
        self._flow.flush()

    def _begin(self, style: Style) -> None:
        self._end()
        self._style = style

    def _end(self) -> None:
        text = "".join(self._words)
        self._words = []
        if text.strip():
            self._flow.paragraph(text.strip("\n") if self._style.is_code else text, self._style)
