"""Edits one value of a TOML text and keeps its comments and layout; the counterpart of `jsonc`
for wrangler.toml.
"""

from typing import Any


def loads(text: str) -> dict[str, Any]:
    """Parses a TOML text; raises ValueError if it is invalid."""
    import tomllib

    return tomllib.loads(text)


def set_value(text: str, path: tuple[str | int, ...], value: Any) -> str:
    """Returns the text with the value at `path` replaced, or added after its siblings.

    Only the last key may be missing; a list is a list of tables.
    """
    import tomlkit

    document = tomlkit.parse(text)
    if len(path) == 1 and path[0] not in document and not isinstance(value, dict | list):
        return _insert_top_level_key(text, f"{tomlkit.key(str(path[0])).as_string()} = ", value)
    node: Any = document
    for key in path[:-1]:
        node = node[key]
    last = path[-1]
    if isinstance(last, int) and last == len(node):
        is_inline = isinstance(node, tomlkit.items.Array)
        table = tomlkit.inline_table() if is_inline else tomlkit.table()
        table.update(value)
        if not is_inline:
            table.add(tomlkit.nl())
        node.append(table)
    elif isinstance(value, list):
        document.add(tomlkit.nl())
        node[last] = tomlkit.item(value)
    else:
        node[last] = value
    return tomlkit.dumps(document)


def _insert_top_level_key(text: str, key: str, value: Any) -> str:
    """Inserts after the last top-level key, before the comments of the first table."""
    import tomlkit

    lines = text.splitlines(keepends=True)
    at = next((at for at, _ in enumerate(lines) if _is_table_header(lines, at)), len(lines))
    while at and lines[at - 1].lstrip()[:1] in ("", "#"):
        at -= 1
    eol = "\r\n" if "\r\n" in text else "\n"
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += eol
    return "".join([*lines[:at], key, tomlkit.item(value).as_string(), eol, *lines[at:]])


def _is_table_header(lines: list[str], line_index: int) -> bool:
    """Tells a table's first line from a line inside an array or a string."""
    if not lines[line_index].lstrip().startswith("["):
        return False
    try:
        loads("".join(lines[:line_index]))
    except ValueError:
        return False
    return True


def list_opening(name: str) -> str:
    """Returns the first line of a list of tables."""
    return f"[[{name}]]"
