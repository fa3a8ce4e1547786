"""The nodes of Jupyter notebooks, on the lines of their files."""

import re
from collections.abc import Iterable, Sequence

from feeder.line_ranges import LineRange, merge_ranges
from feeder.nodes import Node
from feeder.parse.embedded import HostFile, Region, add_regions
from feeder.parse.grammars import Grammars
from feeder.parse.layout import layout_nodes
from feeder.parse.notebook_cells import Notebook
from feeder.parse.sections import section_tree
from feeder.parse.syntax_tree import parse_range

LANGUAGE = "notebook"

_MAGIC_LINE = re.compile(rb"^[ \t]*[%!?].*|^.*\?$", re.MULTILINE)
"""Commands for the Jupyter kernel, which are not in the notebook's language."""

_RELATION_LINES = re.compile(r"(?<=:)[\d,]+(?= |$)")


def notebook_nodes(
    grammars: Grammars, notebook: Notebook, host: HostFile
) -> tuple[list[Node], tuple[LineRange, ...]]:
    """The nodes of a notebook: its text as sections, with the code cells as regions in them; and
    the lines that could not be parsed.
    """
    (source, text, _), markdown = host, grammars.grammar("markdown")
    prose = (source.range(*cell[1:]) for cell in notebook.cells if cell.kind == "markdown")
    trees = (parse_range(markdown, text, byte_range) for byte_range in prose)
    span = section_tree(source, trees, markdown.query, "chunk")
    code = [cell[1:] for cell in notebook.cells if cell.kind == "code"]
    regions = [Region(byte_range, byte_range, notebook.extension) for byte_range in code]
    without_magic = _MAGIC_LINE.sub(lambda match: b" " * len(match[0]), text)
    split_points = add_regions(grammars, host._replace(text=without_magic), span, regions)
    ranges = notebook.line_ranges
    unparsed = merge_ranges(
        (ranges[first - 1][0], ranges[last - 1][1]) for first, last in span.unparsed
    )
    return with_file_lines(layout_nodes(source, span, LANGUAGE, split_points), notebook), unparsed


def with_file_lines(nodes: Iterable[Node], notebook: Notebook) -> list[Node]:
    """Replaces the line numbers of a notebook's text by those of its file."""
    ranges = notebook.line_ranges
    return [
        node._replace(
            start_line=ranges[node.start_line - 1][0],
            end_line=ranges[node.end_line - 1][1],
            members=tuple(
                member._replace(line=ranges[member.line - 1][0]) for member in node.members
            ),
            relations=_with_file_lines(node, [first for first, _ in ranges]),
        )
        for node in nodes
    ]


def _with_file_lines(node: Node, first_lines: Sequence[int]) -> str:
    """The node's relations with the distances of lines in the notebook's file."""
    start = node.start_line - 1
    return _RELATION_LINES.sub(
        lambda match: ",".join(
            str(first_lines[start + int(line)] - first_lines[start]) for line in match[0].split(",")
        ),
        node.relations,
    )
