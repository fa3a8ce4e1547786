"""Defines a node, its id and the embedding input made of it."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

DOCUMENT_TYPES = ("doc_section", "doc_page", "doc_table", "doc_codeblock", "sheet")
"""Of documents: what is in them are paragraphs and tables, which stay whole where they can."""
NODE_TYPES = (
    *("method", "class", "chunk", "md_section", "md_codeblock"),
    *("json_object", "json_array", "json_prop", "yaml_mapping", "yaml_sequence", "yaml_doc"),
    *("xml_element", "toml_table", "toml_kv"),
    *DOCUMENT_TYPES,
)
SIGNATURE_LIMIT = 300
HEADER_VERSION = "1"
"""Of what `embedding_text` puts before a node's text: vectors of another one are made again."""


class Member(NamedTuple):
    """A name in a node that is no node itself: an enum's member, a field, a constant."""

    name: str
    line: int


class Node(NamedTuple):
    """A part of a file that is found by itself; lines are 1-based and inclusive.

    `symbol` is fully qualified by what the source declares; documents have a `logical_path`
    instead, fallback chunks neither. `text` is what is indexed: a class's without its methods.
    `members` are the names in it that are no nodes, in the order of their lines.
    """

    language: str
    node_type: str
    symbol: str | None
    signature: str | None
    logical_path: str | None
    start_line: int
    end_line: int
    text: str
    members: tuple[Member, ...] = ()


def node_ids(repo: str, path: str, nodes: Iterable[Node]) -> list[str]:
    """The stable ids of a file's nodes, in their order: SHA-1 of `repo|path|identity|start:end`.

    A second node with the same key gets `#2` at the end of its identity, a third `#3`.
    """
    taken: set[str] = set()
    counts: Counter[str] = Counter()
    ids = []
    for node in nodes:
        identity = node.symbol or node.logical_path or ""
        key = first = _id_source(repo, path, identity, node)
        while key in taken:
            counts[first] += 1
            key = _id_source(repo, path, f"{identity}#{counts[first] + 1}", node)
        taken.add(key)
        ids.append(hashlib.sha1(key.encode()).hexdigest())
    return ids


def _id_source(repo: str, path: str, identity: str, node: Node) -> str:
    middle = f"|{identity}" if identity else ""
    return f"{repo}|{path}{middle}|{node.start_line}:{node.end_line}"


def embedding_input(path: str, node: Node) -> str:
    """What a model reads of a node: a header that says where it stands, and its text."""
    name = node.symbol or node.logical_path or ""
    header = f"{path} {node.language} {node.node_type} {name}".rstrip()
    return "\n".join(filter(None, (header, node.signature, node.text)))


def text_sha(text: str) -> str:
    """SHA-256 of what is embedded, 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
