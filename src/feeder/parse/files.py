"""One file becomes nodes: its text decoded, its language recognised, its parts laid out."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from feeder.nodes import Node, embedding_text, text_sha
from feeder.parse import Meaning, Parsed, headed, notebooks, separated
from feeder.parse.code import declarations
from feeder.parse.cutting import Parts
from feeder.parse.documents import outline
from feeder.parse.embedded import Host, embed, regions
from feeder.parse.extract import Extract, Part
from feeder.parse.extract.nesting import nested
from feeder.parse.extract.reading import extract
from feeder.parse.grammars import Grammars
from feeder.parse.kept import TextPart, text_parts
from feeder.parse.layout import Source, Span, lay_out
from feeder.parse.notebooks import Notebook
from feeder.parse.parts import parts
from feeder.parse.patterns import matches
from feeder.parse.reading import read
from feeder.parse.secrets import mask
from feeder.parse.text import NotText, decode, refuse_pointer, without_payloads
from feeder.tree import kinds
from feeder.words import compounds

PLAIN_PARTS = headed.LANGUAGES | separated.LANGUAGES
"""Languages whose parts are told by their lines, without a grammar."""
NODES_LIMIT = 10_000
"""Nodes of one file; what has more is generated and is kept as plain text."""
NO_NOTEBOOK = "no notebook of nbformat 4: indexed as plain text"


class _Opened(NamedTuple):
    """A file's text, what of it becomes nodes, its language and the language's kind.

    That of a notebook is what its cells hold, that of a document what was taken out of it. It may
    be one whose lines are kept.
    """

    path: str
    text: bytes
    source: Source
    masked: int
    language: str
    kind: str
    notebook: Notebook | None = None
    keeps_text: bool = False
    document: Extract | None = None


def parse_file(
    grammars: Grammars,
    path: str,
    content: bytes,
    *,
    mask_secrets: bool = True,
    texts: bool = False,
) -> Parsed:
    """The nodes of a file; a file that is no text has none and says why.

    Its grammar reads the text as it is: masked secrets change no line, name or type of a node.
    """
    try:
        file = _open(grammars, path, content, mask_secrets=mask_secrets, texts=texts)
    except NotText as exc:
        return Parsed(path, [], skip=str(exc))
    if file.document:
        nodes = _document_nodes(file.source, file.document)
    elif file.notebook:
        nodes = notebooks.nodes(grammars, file.notebook, _host(file))
    elif file.language in PLAIN_PARTS and file.text.strip():
        nodes = _parted_nodes(file)
    elif file.kind == "text":
        is_damaged = file.language == notebooks.LANGUAGE and file.text.strip()
        return _parsed(file, _plain_nodes(file), NO_NOTEBOOK if is_damaged else None)
    else:
        nodes = _nodes(grammars, file)
    if len(nodes) > NODES_LIMIT:
        reason = f"more than {NODES_LIMIT} nodes: indexed as plain text"
        return _parsed(file, _plain_nodes(file), reason)
    return _parsed(file, nodes)


def plain_file(  # noqa: PLR0913 - each is a choice of its own
    grammars: Grammars,
    path: str,
    content: bytes,
    reason: str,
    *,
    mask_secrets: bool = True,
    texts: bool = False,
) -> Parsed:
    """A file whose parser was stopped, as chunks, with the reason; a document has none."""
    if kinds.document_extension(path):
        return Parsed(path, [], skip=reason, stopped=True)
    try:
        file = _open(grammars, path, content, mask_secrets=mask_secrets, texts=texts)
    except NotText as exc:
        return Parsed(path, [], skip=str(exc))
    return _parsed(file, _plain_nodes(file), reason)._replace(stopped=True)


def text_alone(grammars: Grammars, path: str, content: bytes) -> Parsed:
    """A document as one node with all of its text: what its lines are read from."""
    try:
        found = extract(kinds.document_extension(path), content)
    except NotText as exc:
        return Parsed(path, [], skip=str(exc))
    text = found.text.decode("utf-8", "replace")
    return Parsed(path, [Node(found.language, "chunk", None, None, None, 1, 1, text)])


def meanings(files: Sequence[Parsed], meaning: Meaning) -> list[tuple[bytes, ...]]:
    """The vectors of each file's nodes, all made at once: a call by itself takes as long as ten."""
    texts = [embedding_text(file.path, node) for file in files for node in file.nodes]
    codes = iter(meaning(texts) if texts else ())
    return [tuple(islice(codes, len(file.nodes))) for file in files]


def _open(
    grammars: Grammars, path: str, content: bytes, *, mask_secrets: bool, texts: bool
) -> _Opened:
    """Reads a file; raises NotText."""
    if ending := kinds.document_extension(path):
        refuse_pointer(content)
        document = extract(ending, content)
        shown, masked = document.text, 0
        if mask_secrets:
            shown, masked = mask(path, shown)
            document = document._replace(parts=_masked(path, document.parts))
        source = Source(shown)
        language = document.language
        return _Opened(path, shown, source, masked, language, "document", None, texts, document)
    text = decode(content)
    language, kind = grammars.language(path, text)
    notebook = None
    if language == notebooks.LANGUAGE:
        text = without_payloads(text)
        notebook = notebooks.open_notebook(text)
        text = notebook.text if notebook else text
    shown, masked = mask(path, text) if mask_secrets else (text, 0)
    return _Opened(path, text, Source(shown), masked, language, kind, notebook, texts)


def _masked(path: str, parts: Sequence[Part]) -> list[Part]:
    """The parts without the secrets in their names and signatures, which the text need not have."""
    said = [text for part in parts for text in (part.name, part.signature or "")]
    lines = "\n".join(" ".join(text.split("\n")) for text in said).encode("utf-8", "replace")
    shown = mask(path, lines).content.decode().split("\n")
    return [
        part._replace(name=name, signature=signature or None)
        for part, name, signature in zip(parts, shown[::2], shown[1::2], strict=False)
    ]


def _nodes(grammars: Grammars, file: _Opened) -> list[Node]:
    """The nodes of a file in a language that has a grammar, and of what is embedded in it."""
    grammar = grammars.grammar(file.language)
    root = read(grammar, file.text)
    if file.kind == "code":
        span = declarations(file.source, root, grammar.query, matches(file.text, grammar.patterns))
    else:
        span = outline(file.source, root, grammar)
    begins = parts(file.source, root, grammar.parts)
    if grammar.embedded:
        begins |= embed(grammars, _host(file), span, regions(root, grammar.embedded))
    return lay_out(file.source, span, file.language, begins)


def _parted_nodes(file: _Opened) -> list[Node]:
    """The nodes of a text whose parts its own lines tell."""
    begins: Parts = {}
    if file.language in separated.LANGUAGES:
        found = separated.separated(file.source.content)
    else:
        found, begins = headed.headed(file.language, file.source.content)
    return lay_out(file.source, nested(file.source, found), file.language, begins)


def _document_nodes(source: Source, document: Extract) -> list[Node]:
    begins = dict.fromkeys(document.begins, 0)
    return lay_out(source, nested(source, document.parts), document.language, begins)


def _host(file: _Opened) -> Host:
    """The file as what is embedded in it knows it, called like its folder if it is an `index`."""
    *folders, name = file.path.split("/")
    name = name.partition(".")[0] or name
    name = folders[-1] if name == "index" and folders else name
    return Host(file.source, file.text, name)


def _plain_nodes(file: _Opened) -> list[Node]:
    """The text as chunks, without a grammar."""
    nodes = lay_out(file.source, Span(0, len(file.source.content)), file.language)
    return notebooks.placed(nodes, file.notebook) if file.notebook else nodes


def _parsed(file: _Opened, nodes: list[Node], reason: str | None = None) -> Parsed:
    """What is made of the nodes' texts is made here too, where several processes share the work."""
    shas = tuple(text_sha(embedding_text(file.path, node)) for node in nodes)
    parts = tuple(compounds(node.text) for node in nodes)
    parsed = Parsed(file.path, nodes, None, reason, file.masked, shas, parts)
    return parsed._replace(texts=_kept(file)) if nodes and file.keeps_text else parsed


def _kept(file: _Opened) -> tuple[TextPart, ...]:
    """The lines as the nodes have them: secrets masked, of a notebook the sources of its cells."""
    rows = file.notebook.rows if file.notebook else ()
    return text_parts(file.source.content, [first for first, _ in rows])
