"""Reads the indexed text of a notebook from its JSON, independently of the parser."""

import json
import re
from typing import Any

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def sources(path: str, text: str) -> str | None:
    """The concatenated sources of a notebook's cells; None for other files."""
    if not path.endswith(".ipynb"):
        return None
    try:
        notebook = json.loads(text)
        cells = [_source(cell) for cell in _list(notebook["cells"])]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return clean("\n".join(cells)) if notebook.get("nbformat") in (4, 5) else None


def _source(cell: dict[str, Any]) -> str:
    if not isinstance(cell["cell_type"], str):
        raise TypeError
    source = cell["source"]
    return source if isinstance(source, str) else "".join(_list(source))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def clean(text: str) -> str:
    """Normalizes line ends to newlines and replaces invalid characters by U+FFFD."""
    return _NO_TEXT.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def read_line(line: str) -> str:
    """Decodes the JSON strings on a line."""
    said = (json.loads(string, strict=False) for string in _STRING.findall(line))
    return clean("".join(said))
