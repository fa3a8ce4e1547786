"""How does a page of hypertext become blocks? By its elements; nothing in it is run or fetched."""

from html.parser import HTMLParser

from feeder.parse.extract.document_writer import DocumentWriter
from feeder.parse.extract.flowing import FlowWriter, ParagraphStyle

_HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED_TAGS = frozenset({"script", "style", "head", "template"})
_BLOCK_TAGS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div"),
        *("dl", "dt", "figcaption", "figure", "footer", "form", "header", "hr", "li", "main"),
        *("nav", "ol", "p", "section", "summary", "ul"),
    ]
)


def write_html(writer: DocumentWriter, text: str) -> None:
    """Writes what a page says."""
    page = _HtmlHandler(writer)
    page.feed(text)
    page.close()
    page.finish()


class _HtmlHandler(HTMLParser):
    """Gathers words until a block ends."""

    def __init__(self, writing: DocumentWriter) -> None:
        super().__init__()
        self._flow = FlowWriter(writing)
        self._words: list[str] = []
        self._style = ParagraphStyle()
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED_TAGS:
            self._hidden += 1
        elif tag in _HEADING_LEVELS:
            self._begin_block(ParagraphStyle(_HEADING_LEVELS[tag]))
        elif tag == "pre":
            self._begin_block(ParagraphStyle(is_code=True))
        elif tag == "br":
            self._words.append("\n")
        elif tag == "table":
            self._begin_block(ParagraphStyle())
            self._flow.begin_table()
        elif tag == "tr":
            self._end_block()
            self._flow.begin_row()
        elif tag in ("td", "th"):
            self._end_block()
            self._flow.begin_cell()
        elif tag in _BLOCK_TAGS and not self._style.is_code:
            self._begin_block(ParagraphStyle())

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED_TAGS:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "table":
            self._end_block()
            self._flow.end_table()
        elif (
            tag == "pre"
            or tag in _HEADING_LEVELS
            or (tag in _BLOCK_TAGS and not self._style.is_code)
        ):
            self._begin_block(ParagraphStyle())

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._words.append(data if self._style.is_code else " ".join(data.split("\n")))

    def finish(self) -> None:
        """Writes what is left."""
        self._end_block()
        while self._flow.is_in_table:
            self._flow.end_table()
        self._flow.flush()

    def _begin_block(self, style: ParagraphStyle) -> None:
        self._end_block()
        self._style = style

    def _end_block(self) -> None:
        text = "".join(self._words)
        self._words = []
        if text.strip():
            self._flow.paragraph(text.strip("\n") if self._style.is_code else text, self._style)
