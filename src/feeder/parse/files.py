"""One file becomes nodes: its text decoded, its language recognised, its parts laid out."""

from feeder.nodes import Node, embedding_text, text_sha
from feeder.parse import Parsed
from feeder.parse.code import declarations
from feeder.parse.documents import outline
from feeder.parse.grammars import Grammars
from feeder.parse.layout import Source, Span, lay_out
from feeder.parse.patterns import matches
from feeder.parse.reading import read
from feeder.parse.secrets import mask
from feeder.parse.text import NotText, decode, without_payloads
from feeder.words import compounds

NODES_LIMIT = 10_000
"""Nodes of one file; what has more is generated and is kept as plain text."""
NOTEBOOK = "notebook"
"""The text kind whose base64 images are cut."""


def parse_file(
    grammars: Grammars, path: str, content: bytes, *, mask_secrets: bool = True
) -> Parsed:
    """The nodes of a file; a file that is no text has none and says why.

    Its grammar reads the text as it is: masked secrets change no line, name or type of a node.
    """
    try:
        text, language, kind = _open(grammars, path, content)
    except NotText as exc:
        return Parsed(path, [], skip=str(exc))
    source, masked = _masked(path, text, mask_secrets=mask_secrets)
    if kind == "text":
        return _parsed(path, plain_nodes(source, language), masked)
    grammar = grammars.grammar(language)
    root = read(grammar, text)
    if kind == "code":
        span = declarations(source, root, grammar.query, matches(text, grammar.patterns))
    else:
        span = outline(source, root, grammar)
    nodes = lay_out(source, span, language)
    if len(nodes) > NODES_LIMIT:
        reason = f"more than {NODES_LIMIT} nodes: indexed as plain text"
        return _parsed(path, plain_nodes(source, language), masked, reason)
    return _parsed(path, nodes, masked)


def plain_nodes(source: Source, language: str) -> list[Node]:
    """The text as chunks, without a grammar."""
    return lay_out(source, Span(0, len(source.content)), language)


def plain_file(
    grammars: Grammars, path: str, content: bytes, reason: str, *, mask_secrets: bool = True
) -> Parsed:
    """A file whose parser was stopped, as chunks, with the reason."""
    try:
        text, language, _ = _open(grammars, path, content)
    except NotText as exc:
        return Parsed(path, [], skip=str(exc))
    source, masked = _masked(path, text, mask_secrets=mask_secrets)
    return _parsed(path, plain_nodes(source, language), masked, reason)._replace(stopped=True)


def _parsed(path: str, nodes: list[Node], masked: int, reason: str | None = None) -> Parsed:
    """What is made of the nodes' texts is made here too, where several processes share the work."""
    shas = tuple(text_sha(embedding_text(path, node)) for node in nodes)
    parts = tuple(compounds(node.text) for node in nodes)
    return Parsed(path, nodes, None, reason, masked, shas, parts)


def _open(grammars: Grammars, path: str, content: bytes) -> tuple[bytes, str, str]:
    """A file's text, its language and the language's kind; raises NotText."""
    text = decode(content)
    language, kind = grammars.language(path, text)
    return without_payloads(text) if language == NOTEBOOK else text, language, kind


def _masked(path: str, text: bytes, *, mask_secrets: bool) -> tuple[Source, int]:
    """What of a text becomes nodes, and how many secrets were taken out."""
    content, count = mask(path, text) if mask_secrets else (text, 0)
    return Source(content), count
