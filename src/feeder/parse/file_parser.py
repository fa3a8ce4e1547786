"""Parses one file: decodes or extracts its text, masks secrets, detects the language and lays
out its nodes.
"""

from collections.abc import Sequence
from itertools import chain, islice
from typing import NamedTuple

from tree_sitter import Node as Syntax

from feeder.line_ranges import LineRange, merge_ranges
from feeder.nodes import Node, embedding_input
from feeder.parse import ParsedFile, StaticEmbedder, line_formats, notebooks
from feeder.parse.captures import pattern_matches
from feeder.parse.code import declaration_tree
from feeder.parse.compressed_source import SourceBlock, source_blocks
from feeder.parse.decoding import NotTextError, decode_text, reject_lfs_pointer, truncate_base64
from feeder.parse.embedded import HostFile, add_regions, find_regions, markup_relations
from feeder.parse.entries import Shape, entry_tree
from feeder.parse.extract import DocumentElement, ExtractedDocument
from feeder.parse.grammars import Grammar, Grammars
from feeder.parse.layout import SourceText, Span, find_split_points, layout_nodes
from feeder.parse.line_runs import line_runs
from feeder.parse.manifests import manifest_relations
from feeder.parse.notebook_cells import Notebook, parse_notebook
from feeder.parse.query_checks import capture_names
from feeder.parse.recovery import parse_code
from feeder.parse.relations import SITES_LIMIT
from feeder.parse.secrets import mask_text
from feeder.parse.sections import document_element_tree, section_tree
from feeder.parse.splitting import SplitPoints
from feeder.parse.syntax_tree import parse_tree, unparsed_lines
from feeder.source import file_types

LINE_FORMAT_LANGUAGES = line_formats.MARKUP_LANGUAGES | line_formats.SEPARATED_LANGUAGES
"""Languages that are parsed line by line, without a grammar."""

NODES_LIMIT = 10_000
"""Maximum nodes of a file; one with more is probably generated and is indexed as plain text."""

INVALID_NOTEBOOK = "no notebook of nbformat 4: indexed as plain text"


class _OpenFile(NamedTuple):
    """A decoded file: the text to parse, the masked text for its nodes, language and kind.

    `kind` is that of `Grammars.detect_language`, or `document`. The text of a notebook is that of
    its cells, the text of a document is what was extracted.
    """

    path: str
    original_text: bytes
    source: SourceText
    masked_count: int
    language: str
    kind: str
    notebook: Notebook | None = None
    keep_source: bool = False
    document: ExtractedDocument | None = None


def parse_file(
    grammars: Grammars,
    path: str,
    content: bytes,
    *,
    mask_secrets: bool = True,
    keep_source: bool = False,
) -> ParsedFile:
    """Parses a file; one that is not text has no nodes but a skip reason.

    The grammar parses the unmasked text, so masking changes no line, name or type of a node.
    """
    try:
        file = _open_file(
            grammars, path, content, mask_secrets=mask_secrets, keep_source=keep_source
        )
    except NotTextError as exc:
        return ParsedFile(path, [], skip=str(exc))
    unparsed: tuple[LineRange, ...] = ()
    if file.document:
        nodes = _document_nodes(file.source, file.document)
    elif file.notebook:
        nodes, unparsed = notebooks.notebook_nodes(grammars, file.notebook, _host_file(file))
    elif file.language in LINE_FORMAT_LANGUAGES and file.original_text.strip():
        nodes = _line_format_nodes(file)
    elif file.kind == "text":
        is_damaged = file.language == notebooks.LANGUAGE and file.original_text.strip()
        return _parsed_file(file, _plain_nodes(file), INVALID_NOTEBOOK if is_damaged else None)
    else:
        nodes, unparsed = _grammar_nodes(grammars, file)
    if len(nodes) > NODES_LIMIT:
        reason = f"more than {NODES_LIMIT} nodes: indexed as plain text"
        return _parsed_file(file, _plain_nodes(file), reason)
    return _parsed_file(file, nodes)._replace(unparsed=unparsed if nodes else ())


def parse_as_plain_text(  # noqa: PLR0913 - the file and its options
    grammars: Grammars,
    path: str,
    content: bytes,
    reason: str,
    *,
    mask_secrets: bool = True,
    keep_source: bool = False,
) -> ParsedFile:
    """A file whose parser was stopped, as chunks, with the reason; a document gets no nodes."""
    if file_types.document_extension(path):
        return ParsedFile(path, [], skip=reason, stopped=True)
    try:
        file = _open_file(
            grammars, path, content, mask_secrets=mask_secrets, keep_source=keep_source
        )
    except NotTextError as exc:
        return ParsedFile(path, [], skip=str(exc))
    return _parsed_file(file, _plain_nodes(file), reason)._replace(stopped=True)


def static_vectors(
    files: Sequence[ParsedFile], embedder: StaticEmbedder
) -> list[tuple[bytes, ...]]:
    """The vectors of each file's nodes, from one call: a call for one text takes as long as ten."""
    texts = [embedding_input(file.path, node) for file in files for node in file.nodes]
    vectors = iter(embedder(texts) if texts else ())
    return [tuple(islice(vectors, len(file.nodes))) for file in files]


def _open_file(
    grammars: Grammars, path: str, content: bytes, *, mask_secrets: bool, keep_source: bool
) -> _OpenFile:
    """Decodes or extracts a file's text and masks it; raises NotTextError."""
    if extension := file_types.document_extension(path):
        from feeder.parse.extract.formats import extract_document

        reject_lfs_pointer(content)
        document = extract_document(extension, content)
        shown, masked_count = document.text, 0
        if mask_secrets:
            shown, masked_count = mask_text(path, shown)
            document = document._replace(elements=_mask_elements(path, document.elements))
        return _OpenFile(
            path,
            shown,
            SourceText(shown),
            masked_count,
            document.language,
            "document",
            keep_source=keep_source,
            document=document,
        )
    text = decode_text(content)
    language, kind = grammars.detect_language(path, text)
    notebook = None
    if language == notebooks.LANGUAGE:
        text = truncate_base64(text)
        notebook = parse_notebook(text)
        text = notebook.text if notebook else text
    shown, masked_count = mask_text(path, text) if mask_secrets else (text, 0)
    source = SourceText(shown)
    return _OpenFile(path, text, source, masked_count, language, kind, notebook, keep_source)


def _mask_elements(path: str, elements: Sequence[DocumentElement]) -> list[DocumentElement]:
    """Masks the names and signatures of elements, which need not be part of the text."""
    texts = [text for element in elements for text in (element.name, element.signature or "")]
    lines = "\n".join(" ".join(text.split("\n")) for text in texts).encode("utf-8", "replace")
    masked = mask_text(path, lines).content.decode().split("\n")
    return [
        element._replace(name=name, signature=signature or None)
        for element, name, signature in zip(elements, masked[::2], masked[1::2], strict=False)
    ]


def _grammar_nodes(grammars: Grammars, file: _OpenFile) -> tuple[list[Node], tuple[LineRange, ...]]:
    """The nodes of a file in a language that has a grammar, and of its embedded regions; and the
    lines that could not be parsed.
    """
    grammar = grammars.grammar(file.language)
    if file.kind == "code":
        root, span = _code_tree(file, grammar)
    else:
        root = parse_tree(grammar, file.original_text)
        span = _grammar_document_tree(file.source, root, grammar)
        span.unparsed += unparsed_lines(root)
    split_points = find_split_points(file.source, root, grammar.split_query)
    if grammar.embedded_query:
        split_points |= add_regions(
            grammars, _host_file(file), span, find_regions(root, grammar.embedded_query)
        )
        markup = markup_relations(root, grammar.embedded_query, file.original_text, span)
        span.relations = sorted({*span.relations, *markup})[:SITES_LIMIT]
    nodes = layout_nodes(file.source, span, file.language, split_points)
    return nodes, merge_ranges(span.unparsed)


def _code_tree(file: _OpenFile, grammar: Grammar) -> tuple[Syntax, Span]:
    """The syntax tree of a file of code, and the span tree of its declarations."""
    parsed = parse_code(grammar, file.original_text)
    found = pattern_matches(file.original_text, grammar.patterns)
    captures = chain(found, parsed.declarations)
    span = declaration_tree(file.source, grammar.query, parsed.matches, captures)
    span.unparsed += parsed.unparsed
    return parsed.root, span


def _grammar_document_tree(source: SourceText, root: Syntax, grammar: Grammar) -> Span:
    """The span tree of a data file's entries, or of a text's sections."""
    if grammar.data_shape:
        return entry_tree(source, root, Shape(**grammar.data_shape), grammar.query)
    is_markup = "markup" in capture_names(grammar.query)
    return section_tree(source, [root], grammar.query, "chunk" if is_markup else "md_section")


def _line_format_nodes(file: _OpenFile) -> list[Node]:
    split_points: SplitPoints = {}
    if file.language in line_formats.SEPARATED_LANGUAGES:
        elements = line_formats.separated_elements(file.source.content)
    else:
        elements, split_points = line_formats.markup_elements(file.language, file.source.content)
    span = document_element_tree(file.source, elements)
    return layout_nodes(file.source, span, file.language, split_points)


def _document_nodes(source: SourceText, document: ExtractedDocument) -> list[Node]:
    split_points = dict.fromkeys(document.block_lines, 0)
    span = document_element_tree(source, document.elements)
    return layout_nodes(source, span, document.language, split_points)


def _host_file(file: _OpenFile) -> HostFile:
    """The file as a host of regions, with the name of its folder if it is an `index`."""
    *folders, name = file.path.split("/")
    name = name.partition(".")[0] or name
    name = folders[-1] if name == "index" and folders else name
    return HostFile(file.source, file.original_text, name)


def _plain_nodes(file: _OpenFile) -> list[Node]:
    """The text as chunks."""
    nodes = layout_nodes(file.source, Span(0, len(file.source.content)), file.language)
    return notebooks.with_file_lines(nodes, file.notebook) if file.notebook else nodes


def _parsed_file(file: _OpenFile, nodes: list[Node], reason: str | None = None) -> ParsedFile:
    if nodes and (exports := manifest_relations(file.path, file.source.content, nodes[0])):
        nodes[0] = nodes[0]._replace(relations=nodes[0].relations + exports)
    return ParsedFile(
        file.path,
        nodes,
        reason=reason,
        masked_count=file.masked_count,
        source_blocks=_compressed_source(file) if nodes and file.keep_source else (),
        line_runs=line_runs(file.source, file.notebook, nodes),
    )


def _compressed_source(file: _OpenFile) -> tuple[SourceBlock, ...]:
    """The lines of the nodes' text: masked, and of a notebook the sources of its cells."""
    line_ranges = file.notebook.line_ranges if file.notebook else ()
    return source_blocks(file.source.content, [first for first, _ in line_ranges])
