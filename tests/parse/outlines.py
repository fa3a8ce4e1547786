"""Notations for the expected nodes of a file, and the properties that all nodes have."""

import json
from collections import Counter
from pathlib import Path
from textwrap import dedent

from feeder.nodes import Node, node_ids
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.splitting import NODE_LIMIT
from parse.notebook_cells import sources

LANGUAGES_FOLDER = Path(__file__).parents[2] / "languages"
SAMPLES = Path(__file__).parent / "samples"
"""Files in formats that no folder of `languages` describes."""
_DESCRIPTIONS = frozenset({".nodes", ".relations", ".scm", ".toml"})
SAMPLE_FILES = tuple(
    sorted(
        path
        for path in (*LANGUAGES_FOLDER.glob("*/*"), *SAMPLES.iterdir())
        if path.suffix not in _DESCRIPTIONS or path.name == "sample.toml"
    )
)
"""The samples of all languages, whose names differ."""
GRAMMARS = load_grammars()


def nodes(path: str, text: str | bytes) -> list[Node]:
    """Parses a file and returns its nodes."""
    content = text if isinstance(text, bytes) else text.encode()
    return parse_file(GRAMMARS, path, content).nodes


def nodes_of(path: str, text: str) -> list[Node]:
    """Parses a text that is indented like the test it stands in."""
    return nodes(path, dedent(text).lstrip("\n"))


def sample_file(name: str) -> Path:
    """Returns the sample of this name."""
    (path,) = (path for path in SAMPLE_FILES if path.name == name)
    return path


def sample(name: str) -> list[Node]:
    """Parses the sample of this name."""
    return nodes(name, sample_file(name).read_bytes())


def shop_files() -> dict[str, bytes]:
    """Returns the samples under names that the files of a shop may have, such as `cart.py`."""
    names = json.loads(Path(__file__).with_name("shop_names.json").read_text("utf-8"))
    return {names.get(path.name, path.name): path.read_bytes() for path in SAMPLE_FILES}


def expected_lines(path: Path) -> list[str]:
    """Reads the lines of a file of expected nodes or relations, without comments.

    Nodes are written as `type start-end name`, relations as `line kind name qualifier`.
    """
    lines = path.read_text("utf-8").splitlines()
    return [" ".join(line.split()) for line in lines if line and not line.startswith("#")]


def listing(nodes: list[Node]) -> list[str]:
    """Formats nodes like the lines of a `.nodes` file; a dash stands for a missing name."""
    names = [node.symbol or node.logical_path or "-" for node in nodes]
    return [
        f"{node.node_type} {node.start_line}-{node.end_line} {' '.join(name.split())}"
        for node, name in zip(nodes, names, strict=True)
    ]


def outline(nodes: list[Node]) -> list[str]:
    """Formats each node as `type symbol start:end`; a dash stands for a missing symbol."""
    return [f"{n.node_type} {n.symbol or '-'} {n.start_line}:{n.end_line}" for n in nodes]


def rows(text: str) -> list[str]:
    """Splits an expected outline into lines and collapses the space between columns."""
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def only(nodes: list[Node], symbol: str) -> Node:
    """Returns the one node with this symbol."""
    (node,) = (node for node in nodes if node.symbol == symbol)
    return node


def document_nodes(path: str, text: str | bytes) -> list[tuple[str, str | None, int, int]]:
    """Returns type, logical path, first and last line of each node of a document."""
    found = nodes(path, text)
    return [(n.node_type, n.logical_path, n.start_line, n.end_line) for n in found]


def texts(path: str, text: str | bytes) -> dict[str | None, str]:
    """Returns the text of each node by its logical path, for files in which those are unique."""
    return {node.logical_path: node.text for node in nodes(path, text)}


def assert_properties_hold(path: str, text: str, found: list[Node]) -> None:
    """Checks that each visible character is in exactly one node and each line in some node.

    Also checks sizes and ids. For a notebook, the cell sources are compared instead of the file's
    text.
    """
    indexed = "".join(node.text for node in found)
    said = sources(path, text)
    assert _visible(indexed) == _visible(text if said is None else said), (
        "each visible character is in exactly one node"
    )
    covered = {line for node in found for line in range(node.start_line, node.end_line + 1)}
    lines = text.split("\n")
    missing = [n for n, line in enumerate(lines, 1) if line.strip() and n not in covered]
    assert said is not None or not missing, f"lines {missing} are in no node"
    assert all(1 <= n.start_line <= n.end_line <= len(lines) for n in found)
    assert all(node.text.strip() and len(node.text) <= NODE_LIMIT for node in found)
    assert len(set(node_ids("acme/shop", path, found))) == len(found)


def _visible(text: str) -> Counter[str]:
    return Counter("".join(text.split()))
