"""One file becomes nodes: its text decoded, its language recognised, its parts laid out."""

from feeder.nodes import Node
from feeder.parse import Parsed
from feeder.parse.code import declarations
from feeder.parse.documents import outline
from feeder.parse.grammars import Grammars
from feeder.parse.layout import Source, Span, lay_out
from feeder.parse.reading import read
from feeder.parse.text import NotText, decode, without_payloads

NODES_LIMIT = 10_000
"""Nodes of one file; what has more is generated and is kept as plain text."""
NOTEBOOK = "notebook"
"""The text kind whose base64 images are cut."""


def parse_file(grammars: Grammars, path: str, content: bytes) -> Parsed:
    """The nodes of a file; a file that is no text has none and says why."""
    try:
        source, language, kind = _open(grammars, path, content)
    except NotText as exc:
        return Parsed(path, [], skip=str(exc))
    if kind == "text":
        return Parsed(path, plain_nodes(source, language))
    grammar = grammars.grammar(language)
    root = read(grammar, source.content)
    if kind == "code":
        span = declarations(source, root, grammar.query)
    else:
        span = outline(source, root, grammar)
    nodes = lay_out(source, span, language)
    if len(nodes) > NODES_LIMIT:
        reason = f"more than {NODES_LIMIT} nodes: indexed as plain text"
        return Parsed(path, plain_nodes(source, language), reason=reason)
    return Parsed(path, nodes)


def plain_nodes(source: Source, language: str) -> list[Node]:
    """The text as chunks, without a grammar."""
    return lay_out(source, Span(0, len(source.content)), language)


def plain_file(grammars: Grammars, path: str, content: bytes, reason: str) -> Parsed:
    """A file that a grammar could not cope with, as chunks, with the reason."""
    try:
        source, language, _ = _open(grammars, path, content)
    except NotText as exc:
        return Parsed(path, [], skip=str(exc))
    return Parsed(path, plain_nodes(source, language), reason=reason)


def _open(grammars: Grammars, path: str, content: bytes) -> tuple[Source, str, str]:
    """A file's text, its language and the language's kind; raises NotText."""
    text = decode(content)
    language, kind = grammars.language(path, text)
    return Source(without_payloads(text) if language == NOTEBOOK else text), language, kind
