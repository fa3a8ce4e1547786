"""Which parts does a document have, and under which paths?"""

from tree_sitter import Node as Syntax

from feeder.parse.comments import Comments
from feeder.parse.entries import Shape, entries
from feeder.parse.grammars import Grammar, capture_names
from feeder.parse.layout import Source, Span
from feeder.parse.sections import sections


def outline(source: Source, root: Syntax, grammar: Grammar) -> Span:
    """The tree of a document's parts: entries where its language has keys, else sections."""
    if grammar.shape:
        comments = Comments(source, root, grammar.query)
        return entries(source, root, Shape(**grammar.shape), comments)
    is_markup = "markup" in capture_names(grammar.query)
    return sections(source, [root], grammar.query, "chunk" if is_markup else "md_section")
