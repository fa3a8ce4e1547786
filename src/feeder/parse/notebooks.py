"""Reads Jupyter notebooks: the sources of their cells, the lines of the file that each stands
on, and their nodes.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

from feeder.nodes import Node
from feeder.parse.embedded import HostFile, Region, add_regions
from feeder.parse.grammars import Grammars
from feeder.parse.layout import layout_nodes
from feeder.parse.sections import section_tree
from feeder.parse.syntax_tree import parse_range

LANGUAGE = "notebook"

_FORMATS = (4, 5)
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_LINE_END = re.compile(r"\r\n?|\n")
_INVALID_CHARACTERS = re.compile("[\0\ud800-\udfff]")
"""What JSON can write and text cannot hold."""
_MAGIC_LINE = re.compile(rb"^[ \t]*[%!?].*|^.*\?$", re.MULTILINE)
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

    extension: str
    lines: list[str] = field(default_factory=list)
    line_ranges: list[tuple[int, int]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)

    @property
    def text(self) -> bytes:
        """The lines as the text that is indexed."""
        return "\n".join(self.lines).encode()


def parse_notebook(content: bytes) -> Notebook | None:
    """The notebook that a file holds; None if it is none of nbformat 4."""
    text = content.decode("utf-8", "replace")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict) or whole.get("nbformat") not in _FORMATS:
        return None
    notebook = Notebook(_code_extension(whole.get("metadata")))
    at = 0
    try:
        for kind, strings in _cell_sources(text):
            before = len(notebook.lines)
            _append_cell(notebook, strings)
            size = len("\n".join(notebook.lines[before:]).encode())
            notebook.cells.append(Cell(kind, at, at + size))
            at += size + 2
            notebook.lines.append("")
            notebook.line_ranges.append(notebook.line_ranges[-1])
    except (_InvalidNotebookError, RecursionError):  # deeper than `loads` goes, by a frame or two
        return None
    return notebook


def notebook_nodes(grammars: Grammars, notebook: Notebook, host: HostFile) -> list[Node]:
    """The nodes of a notebook, as of one text of sections with code in them."""
    (source, text, _), markdown = host, grammars.grammar("markdown")
    prose = (source.range(*cell[1:]) for cell in notebook.cells if cell.kind == "markdown")
    trees = (parse_range(markdown, text, part) for part in prose)
    whole = section_tree(source, trees, markdown.query, "chunk")
    code = [cell[1:] for cell in notebook.cells if cell.kind == "code"]
    regions = [Region(part, part, notebook.extension) for part in code]
    shown = _MAGIC_LINE.sub(lambda match: b" " * len(match[0]), text)
    parts = add_regions(grammars, host._replace(text=shown), whole, regions)
    return with_file_lines(layout_nodes(source, whole, LANGUAGE, parts), notebook)


def with_file_lines(nodes: Iterable[Node], notebook: Notebook) -> list[Node]:
    """Nodes of a notebook's text with the lines of its file."""
    rows = notebook.line_ranges
    return [
        node._replace(
            start_line=rows[node.start_line - 1][0],
            end_line=rows[node.end_line - 1][1],
            members=tuple(one._replace(line=rows[one.line - 1][0]) for one in node.members),
        )
        for node in nodes
    ]


def notebook_source_lines(content: bytes, first: int, last: int) -> list[tuple[int, str]] | None:
    """What lines of a notebook's file hold of its cells' sources, each with its line of the file.

    None where it is no notebook.
    """
    notebook = parse_notebook(content)
    if notebook is None:
        return None
    shown = [
        (start, line)
        for line, (start, end) in zip(notebook.lines, notebook.line_ranges, strict=True)
        if first <= start and end <= last
    ]
    while shown and not shown[-1][1]:
        shown.pop()
    return shown


class _InvalidNotebookError(Exception):
    """The file is JSON, but its cells are not those of a notebook."""


def _code_extension(metadata: object) -> str:
    language, kernel = (
        _object_member(metadata, "language_info"),
        _object_member(metadata, "kernelspec"),
    )
    ending = language.get("file_extension")
    if isinstance(ending, str) and ending.strip("."):
        return ending.strip(".")
    name = language.get("name") or kernel.get("language") or "python"
    return "py" if name == "python" else str(name)


def _object_member(value: object, key: str) -> dict[str, Any]:
    inside = value.get(key) if isinstance(value, dict) else None
    return inside if isinstance(inside, dict) else {}


def _cell_sources(text: str) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The kind of each cell and the strings of its source, each with its line in the file."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    cells, place = _find_member(text, 0, "cells")
    if not isinstance(cells, list):
        raise _InvalidNotebookError
    for _, cell, at in _iter_values(text, cells, place):
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
            raise _InvalidNotebookError
        source, place = _find_member(text, at, "source")
        strings = [(source, place)]
        if isinstance(source, list):
            strings = [(string, at) for _, string, at in _iter_values(text, source, place)]
        if not all(isinstance(string, str) for string, _ in strings):
            raise _InvalidNotebookError
        if "".join(string for string, _ in strings).strip():
            yield cell["cell_type"], [(one, bisect_right(starts, at)) for one, at in strings]


def _find_member(text: str, offset: int, name: str) -> tuple[Any, int]:
    """The last member of this name in the object at `at`, and where its value begins."""
    offset = _skip_space(text, offset)
    value, _end = _DECODER.raw_decode(text, offset)
    found = [(one, place) for key, one, place in _iter_values(text, value, offset) if key == name]
    if not found:
        raise _InvalidNotebookError
    return found[-1]


def _iter_values(text: str, value: object, offset: int) -> Iterator[tuple[str | None, Any, int]]:
    """The members or items of the object or array that begins at `at`: key, value, its begin."""
    if not isinstance(value, dict | list):
        raise _InvalidNotebookError
    key = None
    offset = _skip_space(text, offset + 1)
    while text[offset] not in "}]":
        if isinstance(value, dict):
            key, end = _DECODER.raw_decode(text, offset)
            offset = _skip_space(text, _skip_space(text, end) + 1)
        one, end = _DECODER.raw_decode(text, offset)
        yield key, one, offset
        offset = _skip_space(text, end)
        if text[offset] == ",":
            offset = _skip_space(text, offset + 1)


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _append_cell(notebook: Notebook, strings: list[tuple[str, int]]) -> None:
    """Adds the lines of a cell; what several strings make up is on all of their lines."""
    is_open = False
    for string, row in strings:
        for index, part in enumerate(_LINE_END.split(_INVALID_CHARACTERS.sub("\ufffd", string))):
            if index or not is_open:
                notebook.lines.append(part)
                notebook.line_ranges.append((row, row))
            elif part:
                first = notebook.line_ranges[-1][0] if notebook.lines[-1] else row
                notebook.lines[-1] += part
                notebook.line_ranges[-1] = (first, row)
            is_open = True
    while not notebook.lines[-1].strip():
        notebook.lines.pop()
        notebook.line_ranges.pop()
