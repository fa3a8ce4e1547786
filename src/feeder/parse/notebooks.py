"""What do the cells of a notebook say, and on which lines of its file?"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

from feeder.nodes import Node
from feeder.parse.embedded import Host, Region, embed
from feeder.parse.grammars import Grammars
from feeder.parse.layout import lay_out
from feeder.parse.reading import read_part
from feeder.parse.sections import sections

LANGUAGE = "notebook"

_FORMATS = (4, 5)
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_LINE_END = re.compile(r"\r\n?|\n")
_UNCLEAN = re.compile("[\0\ud800-\udfff]")
"""What JSON can write and text cannot hold."""
_MAGIC = re.compile(rb"^[ \t]*[%!?].*|^.*\?$", re.MULTILINE)
"""Lines for the kernel, which are none of its language."""


class Cell(NamedTuple):
    """The kind of a cell, and where in the notebook's text its source stands, in bytes."""

    kind: str
    start: int
    end: int


@dataclass(slots=True)
class Notebook:
    """The sources of a notebook's cells and nothing else of it.

    `lines` are their lines, a blank one behind each cell, `rows` the first and the last line of the
    file that each of them is on; `ending` is that of a file in the language of the code.
    """

    ending: str
    lines: list[str] = field(default_factory=list)
    rows: list[tuple[int, int]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)

    @property
    def text(self) -> bytes:
        """The lines as the text that is indexed."""
        return "\n".join(self.lines).encode()


def open_notebook(content: bytes) -> Notebook | None:
    """The notebook that a file holds; None if it is none of nbformat 4."""
    text = content.decode("utf-8", "replace")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict) or whole.get("nbformat") not in _FORMATS:
        return None
    notebook = Notebook(_ending(whole.get("metadata")))
    at = 0
    try:
        for kind, strings in _sources(text):
            before = len(notebook.lines)
            _add(notebook, strings)
            size = len("\n".join(notebook.lines[before:]).encode())
            notebook.cells.append(Cell(kind, at, at + size))
            at += size + 2
            notebook.lines.append("")
            notebook.rows.append(notebook.rows[-1])
    except (_OtherShapeError, RecursionError):  # deeper than `loads` goes, by a frame or two
        return None
    return notebook


def nodes(grammars: Grammars, notebook: Notebook, host: Host) -> list[Node]:
    """The nodes of a notebook, as of one text of sections with code in them."""
    (source, text, _), markdown = host, grammars.grammar("markdown")
    prose = (source.range(*cell[1:]) for cell in notebook.cells if cell.kind == "markdown")
    trees = (read_part(markdown, text, part) for part in prose)
    whole = sections(source, trees, markdown.query, "chunk")
    code = [cell[1:] for cell in notebook.cells if cell.kind == "code"]
    regions = [Region(part, part, notebook.ending) for part in code]
    shown = _MAGIC.sub(lambda match: b" " * len(match[0]), text)
    parts = embed(grammars, host._replace(text=shown), whole, regions)
    return placed(lay_out(source, whole, LANGUAGE, parts), notebook)


def placed(found: Iterable[Node], notebook: Notebook) -> list[Node]:
    """Nodes of a notebook's text with the lines of its file."""
    rows = notebook.rows
    return [
        node._replace(
            start_line=rows[node.start_line - 1][0],
            end_line=rows[node.end_line - 1][1],
            members=tuple(one._replace(line=rows[one.line - 1][0]) for one in node.members),
        )
        for node in found
    ]


def source_lines(content: bytes, first: int, last: int) -> list[tuple[int, str]] | None:
    """What lines of a notebook's file hold of its cells' sources, each with its line of the file.

    None where it is no notebook.
    """
    notebook = open_notebook(content)
    if notebook is None:
        return None
    shown = [
        (start, line)
        for line, (start, end) in zip(notebook.lines, notebook.rows, strict=True)
        if first <= start and end <= last
    ]
    while shown and not shown[-1][1]:
        shown.pop()
    return shown


class _OtherShapeError(Exception):
    """The file is JSON, but its cells are not those of a notebook."""


def _ending(metadata: object) -> str:
    language, kernel = _object(metadata, "language_info"), _object(metadata, "kernelspec")
    ending = language.get("file_extension")
    if isinstance(ending, str) and ending.strip("."):
        return ending.strip(".")
    name = language.get("name") or kernel.get("language") or "python"
    return "py" if name == "python" else str(name)


def _object(value: object, key: str) -> dict[str, Any]:
    inside = value.get(key) if isinstance(value, dict) else None
    return inside if isinstance(inside, dict) else {}


def _sources(text: str) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The kind of each cell and the strings of its source, each with its line in the file."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    cells, place = _member(text, 0, "cells")
    if not isinstance(cells, list):
        raise _OtherShapeError
    for _, cell, at in _inside(text, cells, place):
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
            raise _OtherShapeError
        source, place = _member(text, at, "source")
        strings = [(source, place)]
        if isinstance(source, list):
            strings = [(string, at) for _, string, at in _inside(text, source, place)]
        if not all(isinstance(string, str) for string, _ in strings):
            raise _OtherShapeError
        if "".join(string for string, _ in strings).strip():
            yield cell["cell_type"], [(one, bisect_right(starts, at)) for one, at in strings]


def _member(text: str, at: int, wanted: str) -> tuple[Any, int]:
    """The last member of this name in the object at `at`, and where its value begins."""
    at = _behind_space(text, at)
    value, _end = _DECODER.raw_decode(text, at)
    found = [(one, place) for key, one, place in _inside(text, value, at) if key == wanted]
    if not found:
        raise _OtherShapeError
    return found[-1]


def _inside(text: str, value: object, at: int) -> Iterator[tuple[str | None, Any, int]]:
    """The members or items of the object or array that begins at `at`: key, value, its begin."""
    if not isinstance(value, dict | list):
        raise _OtherShapeError
    key = None
    at = _behind_space(text, at + 1)
    while text[at] not in "}]":
        if isinstance(value, dict):
            key, end = _DECODER.raw_decode(text, at)
            at = _behind_space(text, _behind_space(text, end) + 1)
        one, end = _DECODER.raw_decode(text, at)
        yield key, one, at
        at = _behind_space(text, end)
        if text[at] == ",":
            at = _behind_space(text, at + 1)


def _behind_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _add(notebook: Notebook, strings: list[tuple[str, int]]) -> None:
    """Adds the lines of a cell; what several strings make up is on all of their lines."""
    is_open = False
    for string, row in strings:
        for index, part in enumerate(_LINE_END.split(_UNCLEAN.sub("\ufffd", string))):
            if index or not is_open:
                notebook.lines.append(part)
                notebook.rows.append((row, row))
            elif part:
                first = notebook.rows[-1][0] if notebook.lines[-1] else row
                notebook.lines[-1] += part
                notebook.rows[-1] = (first, row)
            is_open = True
    while not notebook.lines[-1].strip():
        notebook.lines.pop()
        notebook.rows.pop()
