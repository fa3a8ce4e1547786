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

LEVEL_LIMIT = 8


_UNDERLINE = re.compile(r"([=\-`:.'\"~^_*+#<>!$%&,/;?@])\1{2,}\s*")

_CODE_DIRECTIVE = re.compile(r"\s*\.\. (code|code-block|sourcecode|literalinclude|highlight)::")

_TABLE_DIRECTIVE = re.compile(r"\s*\.\. (table|list-table|csv-table)::")

_GRID_BORDER = re.compile(r"\s*\+(?:[-=]+\+)+\s*")

_SIMPLE_TABLE_BORDER = re.compile(r"\s*=+(?:\s+=+)+\s*")

_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*")

_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|```\w*|\|={3,}|/{4,}|\+{4,}|<{4,}|={4,}|\*{4,}|_{4,})\s*")

_ORG_HEADING = re.compile(r"(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING)\s+)?(?:\[#\w\]\s+)?(\S.*)")

_ORG_TAGS = re.compile(r"\s+:[\w@#%:]+:\s*$")

_ORG_BEGIN = re.compile(r"\s*#\+begin_(src|example)\b", re.IGNORECASE)

_ORG_END = re.compile(r"\s*#\+end_(src|example)\b", re.IGNORECASE)


class LineElement(NamedTuple):
    """What lies on lines `first` to `last`, from 0: a heading with its level, or a block."""

    first: int
    last: int
    level: int = 0
    name: str = ""
    node_type: str = "doc_section"


def markup_elements(language: str, text: bytes) -> tuple[list[DocumentElement], dict[int, int]]:
    """The parts of a text by its lines, and the lines on which its paragraphs begin."""
    rows = text.split(b"\n")
    starts = [0, *accumulate(len(row) + 1 for row in rows)]
    lines = [row.decode("utf-8", "replace") for row in rows]
    parts = [_document_element(found, lines, starts) for found in _SCANNERS[language](lines)]
    begins = {
        number + 1: 0
        for number, line in enumerate(lines)
        if line.strip() and not (number and lines[number - 1].strip())
    }
    return [part for part in parts if part], begins


def _document_element(
    element: LineElement, lines: list[str], starts: list[int]
) -> DocumentElement | None:
    start, end = starts[element.first], starts[element.last + 1] - 1
    if element.level:
        return DocumentElement(
            start, min(element.level, LEVEL_LIMIT), "doc_section", element.name[:NAME_LIMIT]
        )
    own = lines[element.first : element.last + 1]
    if element.node_type == "doc_codeblock":
        is_large = len("\n".join(own).strip("\n")) >= BLOCK_MIN
        return DocumentElement(start, 0, element.node_type, end=end) if is_large else None
    rows = map(str.strip, own)
    head = next((row for row in rows if sum(map(str.isalnum, row)) > 0), None)
    return DocumentElement(start, 0, element.node_type, end=end, signature=head)


def _rst_elements(lines: list[str]) -> Iterator[LineElement]:
    """Levels are in the order in which their marks first occur."""
    marks: list[str] = []
    at = 0
    while at < len(lines):
        if (last := _rst_block(lines, at)) is not None:
            yield last
            at = last.last + 1
            continue
        over = at > 0 and bool(_UNDERLINE.fullmatch(lines[at - 1]))
        if _is_rst_heading(lines, at):
            mark = lines[at + 1][0] + ("^" if over and lines[at - 1][0] == lines[at + 1][0] else "")
            if mark not in marks:
                marks.append(mark)
            first = at - 1 if len(mark) > 1 else at
            yield LineElement(first, at + 1, marks.index(mark) + 1, lines[at].strip())
            at += 1
        at += 1


def _is_rst_heading(lines: list[str], index: int) -> bool:
    title = lines[index].strip()
    if index + 1 == len(lines) or not title or _UNDERLINE.fullmatch(title):
        return False
    rule = lines[index + 1].rstrip()
    return bool(_UNDERLINE.fullmatch(rule)) and len(rule) >= min(len(title), 4)


def _rst_block(lines: list[str], index: int) -> LineElement | None:
    """The block that begins on a line: literal text, a directive with code, a table."""
    line = lines[index]
    if _CODE_DIRECTIVE.match(line):
        return LineElement(index, _indented_block_end(lines, index), node_type="doc_codeblock")
    if _TABLE_DIRECTIVE.match(line):
        return LineElement(index, _indented_block_end(lines, index), node_type="doc_table")
    if line.rstrip().endswith("::") and not line.lstrip().startswith(".. "):
        end = _indented_block_end(lines, index)
        return LineElement(index + 1, end, node_type="doc_codeblock") if end > index else None
    if _GRID_BORDER.fullmatch(line) or _SIMPLE_TABLE_BORDER.fullmatch(line):
        end = index
        is_grid = "+" in line
        while end + 1 < len(lines) and lines[end + 1].strip():
            end += 1
            is_last = not is_grid and _SIMPLE_TABLE_BORDER.fullmatch(lines[end]) and end > index + 2
            if is_last and (end + 1 == len(lines) or not lines[end + 1].strip()):
                break
        return LineElement(index, end, node_type="doc_table") if end > index + 1 else None
    return None


def _indented_block_end(lines: list[str], index: int) -> int:
    """The last line that is further in than the one at `at`, with blank ones between."""
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
    at = 0
    while at < len(lines):
        if fence := _ADOC_FENCE.fullmatch(lines[at]):
            end = _fence_end(lines, at, fence[1])
            if fence[1].startswith("|"):
                yield LineElement(at, end, node_type="doc_table")
            elif fence[1][0] in "-.`":
                yield LineElement(at, end, node_type="doc_codeblock")
            at = end if fence[1][0] in "-.`|/+" else at
        elif heading := _ADOC_HEADING.fullmatch(lines[at]):
            yield LineElement(at, at, len(heading[1]), heading[2])
        at += 1


def _fence_end(lines: list[str], index: int, fence: str) -> int:
    mark = "```" if fence.startswith("`") else fence
    return next(
        (end for end in range(index + 1, len(lines)) if lines[end].rstrip() == mark), len(lines) - 1
    )


def _org_elements(lines: list[str]) -> Iterator[LineElement]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if heading := _ORG_HEADING.fullmatch(line):
            yield LineElement(at, at, len(heading[1]), _ORG_TAGS.sub("", heading[2]).strip())
        elif _ORG_BEGIN.match(line):
            ends = (end for end in range(at + 1, len(lines)) if _ORG_END.match(lines[end]))
            end = next(ends, len(lines) - 1)
            yield LineElement(at, end, node_type="doc_codeblock")
            at = end
        elif line.lstrip().startswith("|"):
            end = at
            while end + 1 < len(lines) and lines[end + 1].lstrip().startswith("|"):
                end += 1
            if end > at:
                yield LineElement(at, end, node_type="doc_table")
            at = end
        at += 1


_SCANNERS: dict[str, Callable[[list[str]], Iterator[LineElement]]] = {
    "restructuredtext": _rst_elements,
    "asciidoc": _asciidoc_elements,
    "org": _org_elements,
}

MARKUP_LANGUAGES = frozenset(_SCANNERS)


SEPARATED_LANGUAGES = frozenset({"csv", "tsv"})

_DELIMITERS = ",;\t|"


def separated_elements(text: bytes) -> list[DocumentElement]:
    """A part for each range of rows, called as a spreadsheet would (`A1:F40`).

    None where the rows cannot be read: its lines then are one text.
    """
    lines = text.decode("utf-8", "replace").split("\n")
    head = next(filter(str.strip, lines), "")
    separator = max(_DELIMITERS, key=head.count)
    try:
        rows = [row for row in _csv_rows(lines, separator) if any(lines[row[0] : row[1] + 1])]
    except csv.Error:
        return []
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    written = ["\n".join(lines[first : last + 1]) for first, last, _ in rows]
    width = max((columns for *_, columns in rows), default=1)
    return [
        DocumentElement(
            starts[rows[first][0]],
            0,
            "sheet",
            f"A{first + 1}:{column_letters(max(width, 1) - 1)}{last + 1}",
            starts[rows[last][1] + 1] - 1,
            head.strip(),
        )
        for first, last in row_ranges(written)
    ]


def _csv_rows(lines: list[str], delimiter: str) -> Iterator[tuple[int, int, int]]:
    """The first and the last line of each row, counted from 0, and its columns."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    first = 0
    for row in reader:
        yield first, min(reader.line_num, len(lines)) - 1, len(row)
        first = reader.line_num
