"""What does TOML say, and how is a value put into it while all else stays?"""

from typing import Any


def loads(text: str) -> dict[str, Any]:
    """What the text says; raises ValueError for what is no TOML."""
    import tomllib

    return tomllib.loads(text)


def put(text: str, path: tuple[str | int, ...], value: Any) -> str:
    """The text with a value at the path: in place of the one there, else behind its siblings.

    Only the last key may be missing; a list is one of tables.
    """
    import tomlkit

    document = tomlkit.parse(text)
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


def shown(kind: str) -> str:
    """How a list of tables begins."""
    return f"[[{kind}]]"
