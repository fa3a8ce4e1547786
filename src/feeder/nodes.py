"""What is a node, and what is it called?"""

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

SIGNATURE_LIMIT = 300
HEADER_VERSION = "1"
"""Of what `embedding_text` puts before a node's text: vectors of another one are made again."""


class Node(NamedTuple):
    """A part of a file that is found by itself; lines are 1-based and inclusive.

    `symbol` is fully qualified by what the source declares; documents have a `logical_path`
    instead, fallback chunks neither. `text` is what is indexed: a class's without its methods.
    """

    language: str
    node_type: str
    symbol: str | None
    signature: str | None
    logical_path: str | None
    start_line: int
    end_line: int
    text: str


def node_ids(repo: str, path: str, nodes: Iterable[Node]) -> list[str]:
    """The stable ids of a file's nodes, in their order: SHA-1 of `repo|path|identity|start:end`.

    A second node with the same key gets `#2` at the end of its identity, a third `#3`.
    """
    taken: set[str] = set()
    ids = []
    for node in nodes:
        identity = node.symbol or node.logical_path or ""
        key = _key(repo, path, identity, node)
        count = 1
        while key in taken:
            count += 1
            key = _key(repo, path, f"{identity}#{count}", node)
        taken.add(key)
        ids.append(hashlib.sha1(key.encode()).hexdigest())
    return ids


def _key(repo: str, path: str, identity: str, node: Node) -> str:
    middle = f"|{identity}" if identity else ""
    return f"{repo}|{path}{middle}|{node.start_line}:{node.end_line}"


def embedding_text(path: str, node: Node) -> str:
    """What a model reads of a node: a header that says where it stands, and its text."""
    name = node.symbol or node.logical_path or ""
    header = f"{path} {node.language} {node.node_type} {name}".rstrip()
    return "\n".join(filter(None, (header, node.signature, node.text)))


def text_sha(text: str) -> str:
    """SHA-256 of what is embedded, 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_COMPOUND = re.compile(r"[^\W_]+(?:_+[^\W_]+)+|[^\W\d_]*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


def words(text: str) -> str:
    """The text, followed by the parts of its compound identifiers.

    `parseDeltaFile` is then found by "parse delta file" too, `HTTPServer` by "server".
    """
    compounds = dict.fromkeys(_COMPOUND.findall(text))
    if not compounds:
        return text
    return f"{text}\n{' '.join(part for word in compounds for part in _PART.findall(word))}"
