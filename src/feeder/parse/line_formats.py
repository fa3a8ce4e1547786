"""Finds headings, code blocks and tables in formats that are read line by line without a
grammar: reStructuredText, AsciiDoc, org-mode, CSV and TSV.
"""

import csv
import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from feeder.parse.extract import DocumentElement
from feeder.parse.sections import BLOCK_MIN
from feeder.parse.splitting import column_letters, row_ranges

NAME_LIMIT = 120
"""Maximum characters of a heading; the rest is cut."""

LEVEL_LIMIT = 8
"""Maximum level of a heading; deeper ones count as this level."""

SEPARATED_LANGUAGES = frozenset({"csv", "tsv"})

_DELIMITERS = ",;\t|"

_UNDERLINE = re.compile(r"([=\-`:.'\"~^_*+#<>!$%&,/;?@])\1{2,}\s*")

_CODE_DIRECTIVE = re.compile(r"\s*\.\. (code|code-block|sourcecode|literalinclude|highlight)::")

_TABLE_DIRECTIVE = re.compile(r"\s*\.\. (table|list-table|csv-table)::")

_GRID_RULE = re.compile(r"\s*\+(?:[-=]+\+)+\s*")

_SIMPLE_TABLE_RULE = re.compile(r"\s*=+(?:\s+=+)+\s*")

_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*")

_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|```\w*|\|={3,}|/{4,}|\+{4,}|<{4,}|={4,}|\*{4,}|_{4,})\s*")

_ORG_HEADING = re.compile(r"(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING)\s+)?(?:\[#\w\]\s+)?(\S.*)")

_ORG_TAGS = re.compile(r"\s+:[\w@#%:]+:\s*$")

_ORG_BEGIN = re.compile(r"\s*#\+begin_(src|example)\b", re.IGNORECASE)

_ORG_END = re.compile(r"\s*#\+end_(src|example)\b", re.IGNORECASE)


class LineElement(NamedTuple):
    """A heading with its level, or a block, on lines `first` to `last`, counted from 0."""

    first: int
    last: int
    level: int = 0
    name: str = ""
    node_type: str = "doc_section"


def markup_elements(language: str, text: bytes) -> tuple[list[DocumentElement], dict[int, int]]:
    """The elements of a text in a markup language, and its paragraph starts as split points."""
    raw_lines = text.split(b"\n")
    line_starts = [0, *accumulate(len(line) + 1 for line in raw_lines)]
    lines = [line.decode("utf-8", "replace") for line in raw_lines]
    scanned = _SCANNERS[language](lines)
    elements = [_document_element(element, lines, line_starts) for element in scanned]
    split_points = {
        number + 1: 0
        for number, line in enumerate(lines)
        if line.strip() and not (number and lines[number - 1].strip())
    }
    return [element for element in elements if element], split_points


def separated_elements(text: bytes) -> list[DocumentElement]:
    """An element for each range of rows, named as in a spreadsheet (`A1:F40`).

    Empty if the rows cannot be parsed; the text is then one chunk.
    """
    lines = text.decode("utf-8", "replace").split("\n")
    header = next(filter(str.strip, lines), "")
    delimiter = max(_DELIMITERS, key=header.count)
    try:
        rows = [row for row in _csv_rows(lines, delimiter) if any(lines[row[0] : row[1] + 1])]
    except csv.Error:
        return []
    line_starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    row_texts = ["\n".join(lines[first : last + 1]) for first, last, _ in rows]
    width = max((columns for *_, columns in rows), default=1)
    last_column = column_letters(max(width, 1) - 1)
    return [
        DocumentElement(
            line_starts[rows[first][0]],
            0,
            "sheet",
            f"A{first + 1}:{last_column}{last + 1}",
            line_starts[rows[last][1] + 1] - 1,
            header.strip(),
        )
        for first, last in row_ranges(row_texts)
    ]


def _document_element(
    element: LineElement, lines: list[str], starts: list[int]
) -> DocumentElement | None:
    start, end = starts[element.first], starts[element.last + 1] - 1
    if element.level:
        return DocumentElement(
            start, min(element.level, LEVEL_LIMIT), "doc_section", element.name[:NAME_LIMIT]
        )
    own_lines = lines[element.first : element.last + 1]
    if element.node_type == "doc_codeblock":
        is_large = len("\n".join(own_lines).strip("\n")) >= BLOCK_MIN
        return DocumentElement(start, 0, element.node_type, end=end) if is_large else None
    rows = map(str.strip, own_lines)
    header = next((row for row in rows if any(map(str.isalnum, row))), None)
    return DocumentElement(start, 0, element.node_type, end=end, signature=header)


def _rst_elements(lines: list[str]) -> Iterator[LineElement]:
    """Yields headings and blocks; a heading's level is the order in which its mark first occurs."""
    marks: list[str] = []
    index = 0
    while index < len(lines):
        if block := _rst_block(lines, index):
            yield block
            index = block.last + 1
            continue
        if _is_rst_heading(lines, index):
            mark = lines[index + 1][0]
            has_overline = (
                index > 0
                and lines[index - 1][:1] == mark
                and _UNDERLINE.fullmatch(lines[index - 1])
            )
            if has_overline:
                mark += "^"
            if mark not in marks:
                marks.append(mark)
            first = index - 1 if has_overline else index
            yield LineElement(first, index + 1, marks.index(mark) + 1, lines[index].strip())
            index += 1
        index += 1


def _is_rst_heading(lines: list[str], index: int) -> bool:
    title = lines[index].strip()
    if index + 1 == len(lines) or not title or _UNDERLINE.fullmatch(title):
        return False
    rule = lines[index + 1].rstrip()
    return bool(_UNDERLINE.fullmatch(rule)) and len(rule) >= min(len(title), 4)


def _rst_block(lines: list[str], index: int) -> LineElement | None:
    """The block that begins on a line: literal text, a directive with code or a table."""
    line = lines[index]
    if _CODE_DIRECTIVE.match(line):
        return LineElement(index, _indented_block_end(lines, index), node_type="doc_codeblock")
    if _TABLE_DIRECTIVE.match(line):
        return LineElement(index, _indented_block_end(lines, index), node_type="doc_table")
    if line.rstrip().endswith("::") and not line.lstrip().startswith(".. "):
        end = _indented_block_end(lines, index)
        return LineElement(index + 1, end, node_type="doc_codeblock") if end > index else None
    if _GRID_RULE.fullmatch(line) or _SIMPLE_TABLE_RULE.fullmatch(line):
        end = index
        while end + 1 < len(lines) and lines[end + 1].strip():
            end += 1
        return LineElement(index, end, node_type="doc_table") if end > index + 1 else None
    return None


def _indented_block_end(lines: list[str], index: int) -> int:
    """The last line that is indented more than line `index`, across blank lines."""
    depth = _indent(lines[index])
    end = index
    for number in range(index + 1, len(lines)):
        if lines[number].strip():
            if _indent(lines[number]) <= depth:
                break
            end = number
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _asciidoc_elements(lines: list[str]) -> Iterator[LineElement]:
    index = 0
    while index < len(lines):
        if fence := _ADOC_FENCE.fullmatch(lines[index]):
            end = _fence_end(lines, index, fence[1])
            if fence[1].startswith("|"):
                yield LineElement(index, end, node_type="doc_table")
            elif fence[1][0] in "-.`":
                yield LineElement(index, end, node_type="doc_codeblock")
            index = end if fence[1][0] in "-.`|/+" else index
        elif heading := _ADOC_HEADING.fullmatch(lines[index]):
            yield LineElement(index, index, len(heading[1]), heading[2])
        index += 1


def _fence_end(lines: list[str], index: int, fence: str) -> int:
    mark = "```" if fence.startswith("`") else fence
    return next(
        (end for end in range(index + 1, len(lines)) if lines[end].rstrip() == mark), len(lines) - 1
    )


def _org_elements(lines: list[str]) -> Iterator[LineElement]:
    index = 0
    while index < len(lines):
        line = lines[index]
        if heading := _ORG_HEADING.fullmatch(line):
            yield LineElement(index, index, len(heading[1]), _ORG_TAGS.sub("", heading[2]).strip())
        elif _ORG_BEGIN.match(line):
            ends = (end for end in range(index + 1, len(lines)) if _ORG_END.match(lines[end]))
            end = next(ends, len(lines) - 1)
            yield LineElement(index, end, node_type="doc_codeblock")
            index = end
        elif line.lstrip().startswith("|"):
            end = index
            while end + 1 < len(lines) and lines[end + 1].lstrip().startswith("|"):
                end += 1
            if end > index:
                yield LineElement(index, end, node_type="doc_table")
            index = end
        index += 1


_SCANNERS: dict[str, Callable[[list[str]], Iterator[LineElement]]] = {
    "restructuredtext": _rst_elements,
    "asciidoc": _asciidoc_elements,
    "org": _org_elements,
}

MARKUP_LANGUAGES = frozenset(_SCANNERS)


def _csv_rows(lines: list[str], delimiter: str) -> Iterator[tuple[int, int, int]]:
    """The first and last line of each row, counted from 0, and its number of columns."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    first = 0
    for row in reader:
        yield first, min(reader.line_num, len(lines)) - 1, len(row)
        first = reader.line_num
