"""Reads the cells of Jupyter notebooks: their sources, and on which lines of the file these are."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from msgspec import Struct, field

_FORMATS = (4, 5)
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_LINE_END = re.compile(r"\r\n?|\n")
_INVALID_CHARACTERS = re.compile("[\0\ud800-\udfff]")
"""Characters that JSON can express but UTF-8 text or nodes cannot hold."""


class _InvalidNotebookError(Exception):
    """The file is JSON, but not a notebook."""


class Cell(NamedTuple):
    """The kind of a cell, and the byte range of its source in the notebook's text."""

    kind: str
    start: int
    end: int


class Notebook(Struct):
    """The sources of a notebook's cells.

    `lines` are their lines, with a blank one after each cell. `line_ranges` has the first and last
    line of the file for each of them. `extension` is a file extension of the code's language.
    """

    extension: str
    lines: list[str] = field(default_factory=list)
    line_ranges: list[tuple[int, int]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)

    @property
    def text(self) -> bytes:
        """The text that is indexed: all lines."""
        return "\n".join(self.lines).encode()


def parse_notebook(content: bytes) -> Notebook | None:
    """Parses a notebook; None if the file is not one of nbformat 4 or 5."""
    text = content.decode("utf-8", "replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("nbformat") not in _FORMATS:
        return None
    notebook = Notebook(_code_extension(document.get("metadata")))
    offset = 0
    try:
        for kind, strings in _cell_sources(text):
            first = len(notebook.lines)
            _append_cell(notebook, strings)
            size = len("\n".join(notebook.lines[first:]).encode())
            notebook.cells.append(Cell(kind, offset, offset + size))
            offset += size + 2
            notebook.lines.append("")
            notebook.line_ranges.append(notebook.line_ranges[-1])
    except (_InvalidNotebookError, RecursionError):  # deeper than `loads` goes, by a frame or two
        return None
    return notebook


def notebook_source_lines(content: bytes, first: int, last: int) -> list[tuple[int, str]] | None:
    """The lines of cells on lines `first` to `last` of a notebook's file, with their numbers.

    None if the file is not a notebook.
    """
    notebook = parse_notebook(content)
    return None if notebook is None else lines_between(notebook, first, last)


def lines_between(notebook: Notebook, first: int, last: int) -> list[tuple[int, str]]:
    """The lines of cells on lines `first` to `last` of the file, with their numbers."""
    lines = [
        (start, line)
        for line, (start, end) in zip(notebook.lines, notebook.line_ranges, strict=True)
        if first <= start and end <= last
    ]
    while lines and not lines[-1][1]:
        lines.pop()
    return lines


def _code_extension(metadata: object) -> str:
    """The file extension of a notebook's language, from the notebook's metadata."""
    language = _object_member(metadata, "language_info")
    extension = language.get("file_extension")
    if isinstance(extension, str) and extension.strip("."):
        return extension.strip(".")
    kernel = _object_member(metadata, "kernelspec")
    name = language.get("name") or kernel.get("language") or "python"
    return "py" if name == "python" else str(name)


def _object_member(value: object, key: str) -> dict[str, Any]:
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def _cell_sources(text: str) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The kind of each cell and the strings of its source, each with its line in the file."""
    line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    cells, cells_offset = _find_member(text, 0, "cells")
    if not isinstance(cells, list):
        raise _InvalidNotebookError
    for _, cell, cell_offset in _iter_values(text, cells, cells_offset):
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
            raise _InvalidNotebookError
        source, offset = _find_member(text, cell_offset, "source")
        strings = [(source, offset)]
        if isinstance(source, list):
            strings = [(string, at) for _, string, at in _iter_values(text, source, offset)]
        if not all(isinstance(string, str) for string, _ in strings):
            raise _InvalidNotebookError
        if "".join(string for string, _ in strings).strip():
            lines = [(string, bisect_right(line_starts, at)) for string, at in strings]
            yield cell["cell_type"], lines


def _find_member(text: str, offset: int, name: str) -> tuple[Any, int]:
    """The value of the last member with this name in the object at `offset`, and its offset."""
    offset = _skip_space(text, offset)
    object_, _end = _DECODER.raw_decode(text, offset)
    members = [(value, at) for key, value, at in _iter_values(text, object_, offset) if key == name]
    if not members:
        raise _InvalidNotebookError
    return members[-1]


def _iter_values(text: str, value: object, offset: int) -> Iterator[tuple[str | None, Any, int]]:
    """The key, value and offset of each value in the object or array `value` at `offset`."""
    if not isinstance(value, dict | list):
        raise _InvalidNotebookError
    key = None
    offset = _skip_space(text, offset + 1)
    while text[offset] not in "}]":
        if isinstance(value, dict):
            key, end = _DECODER.raw_decode(text, offset)
            offset = _skip_space(text, _skip_space(text, end) + 1)
        inner, end = _DECODER.raw_decode(text, offset)
        yield key, inner, offset
        offset = _skip_space(text, end)
        if text[offset] == ",":
            offset = _skip_space(text, offset + 1)


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _append_cell(notebook: Notebook, strings: list[tuple[str, int]]) -> None:
    """Appends the lines of a cell; a line made of several strings spans the lines of all."""
    is_continued = False
    for string, row in strings:
        for index, part in enumerate(_LINE_END.split(_INVALID_CHARACTERS.sub("\ufffd", string))):
            if index or not is_continued:
                notebook.lines.append(part)
                notebook.line_ranges.append((row, row))
            elif part:
                first = notebook.line_ranges[-1][0] if notebook.lines[-1] else row
                notebook.lines[-1] += part
                notebook.line_ranges[-1] = (first, row)
            is_continued = True
    while not notebook.lines[-1].strip():
        notebook.lines.pop()
        notebook.line_ranges.pop()
