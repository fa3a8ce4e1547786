"""Parses TOML, and sets or removes one value while comments, order and line ends stay as they are.

Has the functions of `feeder.jsonc`.
"""

import tomllib
from typing import Any

_BOM = "\ufeff"
Key = str | int


def loads(text: str) -> dict[str, Any]:
    """Parses the text; raises ValueError with the position if it is not TOML."""
    return tomllib.loads(text.removeprefix(_BOM))


def set_value(text: str, path: tuple[Key, ...], value: Any) -> str:
    """Returns the text with the value at the path, replaced or appended after its siblings.

    A missing table is appended at the end of the text, a missing list as a list of tables.
    """
    import tomlkit

    plain = _normalize(text)
    document = tomlkit.parse(plain)
    *parents, last = path
    node: Any = document
    for key in parents:
        node = node.get(key, {}) if isinstance(key, str) else node[key]
    if isinstance(last, int) and last == len(node):
        _append_to_list(node, value)
    elif isinstance(last, int) or last in node:
        node[last] = value
    elif isinstance(value, dict):
        return _restore_format(text, _append_table(document, path, value))
    elif parents:
        node[last] = value
    elif isinstance(value, list):
        document.add(tomlkit.nl())
        document[str(last)] = tomlkit.item(value)
    else:
        assignment = f"{tomlkit.key(str(last)).as_string()} = {tomlkit.item(value).as_string()}\n"
        return _restore_format(text, _insert_top_level_line(plain, assignment))
    return _restore_format(text, tomlkit.dumps(document))


def remove_value(text: str, path: tuple[Key, ...]) -> str:
    """Returns the text without the value at the path; raises KeyError if there is none."""
    import tomlkit

    document: Any = tomlkit.parse(_normalize(text))
    node = document
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return _restore_format(text, tomlkit.dumps(document))


def list_opening(name: str) -> str:
    """Returns the first line of a list of tables."""
    return f"[[{name}]]"


def _append_to_list(node: Any, value: Any) -> None:
    import tomlkit

    is_inline = isinstance(node, tomlkit.items.Array)
    table = tomlkit.inline_table() if is_inline else tomlkit.table()
    table.update(value)
    if not is_inline:
        table.add(tomlkit.nl())
    node.append(table)


def _append_table(document: Any, path: tuple[Key, ...], value: Any) -> str:
    """Returns the text with a table at the end; with an inline table if the parent is inline."""
    import tomlkit

    before = tomlkit.dumps(document)
    gap = "" if not before.strip() else "\n" if before.endswith("\n") else "\n\n"
    header = ".".join(tomlkit.key(str(key)).as_string() for key in path)
    after = f"{before}{gap}[{header}]\n{tomlkit.dumps(value)}"
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        node = document
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = tomlkit.inline_table()
        node[path[-1]].update(value)
        return tomlkit.dumps(document)
    return after


def _insert_top_level_line(text: str, line: str) -> str:
    """Inserts after the last top-level key, before the comments of the first table."""
    lines = text.splitlines(keepends=True)
    at = next((at for at, _ in enumerate(lines) if _is_table_header(lines, at)), len(lines))
    while at and lines[at - 1].lstrip()[:1] in ("", "#"):
        at -= 1
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    return "".join([*lines[:at], line, *lines[at:]])


def _is_table_header(lines: list[str], line_index: int) -> bool:
    """Tells a table's first line from a line inside an array or a string."""
    if not lines[line_index].lstrip().startswith("["):
        return False
    try:
        loads("".join(lines[:line_index]))
    except ValueError:
        return False
    return True


def _normalize(text: str) -> str:
    """Returns the text without a byte order mark, and with LF for CRLF if all lines end so."""
    plain = text.removeprefix(_BOM)
    return plain.replace("\r\n", "\n") if _is_crlf(plain) else plain


def _restore_format(text: str, after: str) -> str:
    """Returns `after` with the byte order mark and the line ends of `text`."""
    mark = _BOM if text.startswith(_BOM) else ""
    return mark + (after.replace("\n", "\r\n") if _is_crlf(text) else after)


def _is_crlf(text: str) -> bool:
    return 0 < text.count("\n") == text.count("\r\n")
