"""Which parts does a document have, and under which paths?"""

from tree_sitter import Node as Syntax

from feeder.parse.comments import Comments
from feeder.parse.entries import Shape, entry_tree
from feeder.parse.grammars import Grammar, capture_names
from feeder.parse.layout import SourceText, Span
from feeder.parse.sections import section_tree


def grammar_document_tree(source: SourceText, root: Syntax, grammar: Grammar) -> Span:
    """The tree of a document's parts: entries where its language has keys, else sections."""
    if grammar.data_shape:
        comments = Comments(source, root, grammar.query)
        return entry_tree(source, root, Shape(**grammar.data_shape), comments)
    is_markup = "markup" in capture_names(grammar.query)
    return section_tree(source, [root], grammar.query, "chunk" if is_markup else "md_section")
