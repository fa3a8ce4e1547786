"""A file's nodes in the form in which tests say what they expect."""

from collections import Counter
from functools import cache

from feeder.nodes import Node, node_ids
from feeder.parse.files import parse_file
from feeder.parse.grammars import Grammars, load_grammars
from feeder.parse.layout import NODE_LIMIT

Outline = list[tuple[str, str | None, int, int]]


@cache
def grammars() -> Grammars:
    """The shipped grammars, compiled once."""
    return load_grammars()


def nodes(path: str, text: str | bytes) -> list[Node]:
    """The nodes of a file."""
    content = text if isinstance(text, bytes) else text.encode()
    return parse_file(grammars(), path, content).nodes


def outline(path: str, text: str | bytes) -> Outline:
    """Type, logical path, first and last line of each node."""
    return [(n.node_type, n.logical_path, n.start_line, n.end_line) for n in nodes(path, text)]


def texts(path: str, text: str | bytes) -> dict[str | None, str]:
    """The text of each node by its logical path, for files in which no two have the same."""
    return {node.logical_path: node.text for node in nodes(path, text)}


def check_laws(path: str, text: str, found: list[Node]) -> None:
    """Every character is in one node, every line within a node's; sizes and ids are in order."""
    indexed = "".join(node.text for node in found)
    assert _visible(indexed) == _visible(text), "each visible character is in exactly one node"
    covered = {line for node in found for line in range(node.start_line, node.end_line + 1)}
    lines = text.split("\n")
    missing = [n for n, line in enumerate(lines, 1) if line.strip() and n not in covered]
    assert not missing, f"lines {missing} are in no node"
    assert all(1 <= n.start_line <= n.end_line <= len(lines) for n in found)
    assert all(node.text.strip() and len(node.text) <= NODE_LIMIT for node in found)
    assert len(set(node_ids("acme/shop", path, found))) == len(found)


def _visible(text: str) -> Counter[str]:
    return Counter("".join(text.split()))
