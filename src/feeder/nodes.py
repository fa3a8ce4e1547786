"""Defines a node, its id and the embedding input made of it."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

DOCUMENT_TYPES = ("doc_section", "doc_page", "doc_table", "doc_codeblock", "sheet")
"""Node types of documents; their paragraphs and tables are split last."""
NODE_TYPES = (
    *("method", "class", "chunk", "md_section", "md_codeblock"),
    *("json_object", "json_array", "json_prop", "yaml_mapping", "yaml_sequence", "yaml_doc"),
    *("xml_element", "toml_table", "toml_kv"),
    *DOCUMENT_TYPES,
)
STATIC_MODEL_PREFIX = "feeder-static-"
"""Begins the names of static models, whose vectors are written with the words."""

SIGNATURE_LIMIT = 300
"""Characters."""

MAX_GAP_LINES = 2
"""Lines from a part's last to the next one's first: a blank line may be between them."""

MIN_DUPLICATE_LINES = 3
"""Shorter texts, such as an import or a getter, are often the same by chance."""

MIN_DUPLICATE_WORDS = 12
"""The same for documents, whose line breaks differ between a PDF and its DOCX."""

HEADER_VERSION = "1"
"""Version of the header that `embedding_input` puts before a node's text.

Vectors of another version are recomputed.
"""


class Member(NamedTuple):
    """A name inside a node that has no node of its own: an enum member, a field, a constant."""

    name: str
    line: int


class Node(NamedTuple):
    """One indexed part of a file; lines are 1-based and inclusive.

    `symbol` is the fully qualified name of a declaration. Nodes of documents have a `logical_path`
    instead, chunks have neither. `text` is the indexed text; that of a class excludes its methods.
    `members` are in the order of their lines. `relations` are encoded by `feeder.relation`.
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
    relations: str = ""


class LineRun(NamedTuple):
    """The lines of a node, or of the consecutive parts that it is one of, and their hash.

    `lines_hash` is of the lines with nested nodes, or of the words in a document. It is 0 for fewer
    than `MIN_DUPLICATE_LINES` lines or `MIN_DUPLICATE_WORDS` words.
    """

    first_line: int
    last_line: int
    part_count: int
    lines_hash: int


def node_ids(repo: str, path: str, nodes: Iterable[Node]) -> list[str]:
    """Returns the ids of a file's nodes, in order: SHA-1 of `repo|path|identity|start:end`.

    A second node with the same key gets `#2` after its identity, a third `#3`.
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
    """Returns the text sent to a model: a header with path and name, the signature, the text."""
    name = node.symbol or node.logical_path or ""
    header = f"{path} {node.language} {node.node_type} {name}".rstrip()
    return "\n".join(filter(None, (header, node.signature, node.text)))


def text_sha(text: str) -> str:
    """Returns the SHA-256 of an embedding input, as 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
