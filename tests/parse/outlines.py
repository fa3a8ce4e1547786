"""How the tests write down the nodes that a file has."""

from pathlib import Path
from textwrap import dedent

from feeder.nodes import Node
from feeder.parse.files import parse_file
from parsing import grammars

SAMPLES = Path(__file__).parent / "samples"
GRAMMARS = grammars()


def sample(name: str) -> list[Node]:
    """The nodes of a file in `samples`."""
    return parse_file(GRAMMARS, name, (SAMPLES / name).read_bytes()).nodes


def nodes_of(path: str, text: str) -> list[Node]:
    """The nodes of a text, indented like the test that holds it."""
    return parse_file(GRAMMARS, path, dedent(text).lstrip("\n").encode()).nodes


def outline(nodes: list[Node]) -> list[str]:
    """Each node as `type symbol start:end`, a dash for no symbol."""
    return [f"{n.node_type} {n.symbol or '-'} {n.start_line}:{n.end_line}" for n in nodes]


def rows(text: str) -> list[str]:
    """An expected outline, one node a line, columns apart as one likes."""
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def only(nodes: list[Node], symbol: str) -> Node:
    """The one node with a symbol."""
    (node,) = (node for node in nodes if node.symbol == symbol)
    return node
