"""Where are the headings, tables and code of reStructuredText, AsciiDoc and org-mode?"""

import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from feeder.parse.extract import Part
from feeder.parse.sections import BLOCK_MIN

NAME_LIMIT = 120
LEVELS = 8

_RULE = re.compile(r"([=\-`:.'\"~^_*+#<>!$%&,/;?@])\1{2,}\s*")
_DIRECTIVE = re.compile(r"\s*\.\. (code|code-block|sourcecode|literalinclude|highlight)::")
_TABLE_DIRECTIVE = re.compile(r"\s*\.\. (table|list-table|csv-table)::")
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*")
_COLUMNS = re.compile(r"\s*=+(?:\s+=+)+\s*")
_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|```\w*|\|={3,}|/{4,}|\+{4,}|<{4,}|={4,}|\*{4,}|_{4,})\s*")
_ORG_HEADING = re.compile(r"(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING)\s+)?(?:\[#\w\]\s+)?(\S.*)")
_ORG_TAGS = re.compile(r"\s+:[\w@#%:]+:\s*$")
_ORG_BEGIN = re.compile(r"\s*#\+begin_(src|example)\b", re.IGNORECASE)
_ORG_END = re.compile(r"\s*#\+end_(src|example)\b", re.IGNORECASE)


class Found(NamedTuple):
    """What lies on lines `first` to `last`, from 0: a heading with its level, or a block."""

    first: int
    last: int
    level: int = 0
    name: str = ""
    node_type: str = "doc_section"


def headed(language: str, text: bytes) -> tuple[list[Part], dict[int, int]]:
    """The parts of a text by its lines, and the lines on which its paragraphs begin."""
    rows = text.split(b"\n")
    starts = [0, *accumulate(len(row) + 1 for row in rows)]
    lines = [row.decode("utf-8", "replace") for row in rows]
    parts = [_part(found, lines, starts) for found in _FINDERS[language](lines)]
    begins = {
        number + 1: 0
        for number, line in enumerate(lines)
        if line.strip() and not (number and lines[number - 1].strip())
    }
    return [part for part in parts if part], begins


def _part(found: Found, lines: list[str], starts: list[int]) -> Part | None:
    start, end = starts[found.first], starts[found.last + 1] - 1
    if found.level:
        return Part(start, min(found.level, LEVELS), "doc_section", found.name[:NAME_LIMIT])
    own = lines[found.first : found.last + 1]
    if found.node_type == "doc_codeblock":
        is_large = len("\n".join(own).strip("\n")) >= BLOCK_MIN
        return Part(start, 0, found.node_type, end=end) if is_large else None
    rows = map(str.strip, own)
    head = next((row for row in rows if sum(map(str.isalnum, row)) > 0), None)
    return Part(start, 0, found.node_type, end=end, signature=head)


def _restructured(lines: list[str]) -> Iterator[Found]:
    """Levels are in the order in which their marks first occur."""
    marks: list[str] = []
    at = 0
    while at < len(lines):
        if (last := _rst_block_end(lines, at)) is not None:
            yield last
            at = last.last + 1
            continue
        over = at > 0 and bool(_RULE.fullmatch(lines[at - 1]))
        if _is_rst_heading(lines, at):
            mark = lines[at + 1][0] + ("^" if over and lines[at - 1][0] == lines[at + 1][0] else "")
            if mark not in marks:
                marks.append(mark)
            first = at - 1 if len(mark) > 1 else at
            yield Found(first, at + 1, marks.index(mark) + 1, lines[at].strip())
            at += 1
        at += 1


def _is_rst_heading(lines: list[str], at: int) -> bool:
    title = lines[at].strip()
    if at + 1 == len(lines) or not title or _RULE.fullmatch(title):
        return False
    rule = lines[at + 1].rstrip()
    return bool(_RULE.fullmatch(rule)) and len(rule) >= min(len(title), 4)


def _rst_block_end(lines: list[str], at: int) -> Found | None:
    """The block that begins on a line: literal text, a directive with code, a table."""
    line = lines[at]
    if _DIRECTIVE.match(line):
        return Found(at, _indented_end(lines, at), node_type="doc_codeblock")
    if _TABLE_DIRECTIVE.match(line):
        return Found(at, _indented_end(lines, at), node_type="doc_table")
    if line.rstrip().endswith("::") and not line.lstrip().startswith(".. "):
        end = _indented_end(lines, at)
        return Found(at + 1, end, node_type="doc_codeblock") if end > at else None
    if _GRID.fullmatch(line) or _COLUMNS.fullmatch(line):
        end = at
        is_grid = "+" in line
        while end + 1 < len(lines) and lines[end + 1].strip():
            end += 1
            is_last = not is_grid and _COLUMNS.fullmatch(lines[end]) and end > at + 2
            if is_last and (end + 1 == len(lines) or not lines[end + 1].strip()):
                break
        return Found(at, end, node_type="doc_table") if end > at + 1 else None
    return None


def _indented_end(lines: list[str], at: int) -> int:
    """The last line that is further in than the one at `at`, with blank ones between."""
    depth = _indent(lines[at])
    end = at
    for number in range(at + 1, len(lines)):
        if lines[number].strip():
            if _indent(lines[number]) <= depth:
                break
            end = number
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _asciidoc(lines: list[str]) -> Iterator[Found]:
    at = 0
    while at < len(lines):
        if fence := _ADOC_FENCE.fullmatch(lines[at]):
            end = _fence_end(lines, at, fence[1])
            if fence[1].startswith("|"):
                yield Found(at, end, node_type="doc_table")
            elif fence[1][0] in "-.`":
                yield Found(at, end, node_type="doc_codeblock")
            at = end if fence[1][0] in "-.`|/+" else at
        elif heading := _ADOC_HEADING.fullmatch(lines[at]):
            yield Found(at, at, len(heading[1]), heading[2])
        at += 1


def _fence_end(lines: list[str], at: int, fence: str) -> int:
    mark = "```" if fence.startswith("`") else fence
    return next(
        (end for end in range(at + 1, len(lines)) if lines[end].rstrip() == mark), len(lines) - 1
    )


def _org(lines: list[str]) -> Iterator[Found]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if heading := _ORG_HEADING.fullmatch(line):
            yield Found(at, at, len(heading[1]), _ORG_TAGS.sub("", heading[2]).strip())
        elif _ORG_BEGIN.match(line):
            ends = (end for end in range(at + 1, len(lines)) if _ORG_END.match(lines[end]))
            end = next(ends, len(lines) - 1)
            yield Found(at, end, node_type="doc_codeblock")
            at = end
        elif line.lstrip().startswith("|"):
            end = at
            while end + 1 < len(lines) and lines[end + 1].lstrip().startswith("|"):
                end += 1
            if end > at:
                yield Found(at, end, node_type="doc_table")
            at = end
        at += 1


_FINDERS: dict[str, Callable[[list[str]], Iterator[Found]]] = {
    "restructuredtext": _restructured,
    "asciidoc": _asciidoc,
    "org": _org,
}
LANGUAGES = frozenset(_FINDERS)
