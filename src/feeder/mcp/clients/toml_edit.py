"""Reads TOML and edits single values in it, keeping comments, order and line ends.

Implements the same functions as `feeder.jsonc`.
"""

import tomllib
from typing import Any

_BOM = "\ufeff"


def loads(text: str) -> dict[str, Any]:
    """Parses the text; raises ValueError with the position if it is not TOML."""
    return tomllib.loads(text.removeprefix(_BOM))


def set_value(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with the value at the path: in place of the old one, else in a table at the end."""
    import tomlkit

    document: Any = tomlkit.parse(_normalize(text))
    node = document
    for key in path[:-1]:
        node = node.get(key, {})
    if path[-1] in node:
        node[path[-1]] = value
        return _restore_format(text, tomlkit.dumps(document))
    return _restore_format(text, _append_table(document, path, value))


def remove_value(text: str, path: tuple[str, ...]) -> str:
    """The text without the value at the path; raises KeyError if there is none."""
    import tomlkit

    document: Any = tomlkit.parse(_normalize(text))
    node = document
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return _restore_format(text, tomlkit.dumps(document))


def _append_table(document: Any, path: tuple[str, ...], value: Any) -> str:
    """The text with a table at the end; with an inline table if the parent is inline."""
    import tomlkit

    before = tomlkit.dumps(document)
    gap = "" if not before.strip() else "\n" if before.endswith("\n") else "\n\n"
    after = before + gap + tomlkit.dumps(_nested_table(path, value))
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        node = document
        for key in path[:-1]:
            node = node[key]
        inline = tomlkit.inline_table()
        inline.update(value)
        node[path[-1]] = inline
        return tomlkit.dumps(document)
    return after


def _nested_table(path: tuple[str, ...], value: Any) -> Any:
    import tomlkit

    table: Any = tomlkit.table()
    table.update(value)
    for key in reversed(path):
        outer: Any = tomlkit.table(is_super_table=True) if key != path[0] else tomlkit.document()
        outer[key] = table
        table = outer
    return table


def _normalize(text: str) -> str:
    """The text without a byte order mark, and with LF for CRLF if all lines end so."""
    plain = text.removeprefix(_BOM)
    return plain.replace("\r\n", "\n") if _is_crlf(plain) else plain


def _restore_format(text: str, after: str) -> str:
    """`after` with the byte order mark and the line ends of `text`."""
    mark = _BOM if text.startswith(_BOM) else ""
    return mark + (after.replace("\n", "\r\n") if _is_crlf(text) else after)


def _is_crlf(text: str) -> bool:
    return 0 < text.count("\n") == text.count("\r\n")
