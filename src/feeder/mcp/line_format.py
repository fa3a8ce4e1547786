"""Formats every matching line of a query as text for a language model."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from feeder.escaping import escape_line
from feeder.grep.exact_search import LinePage
from feeder.mcp.formatting import bytes_beside_footer, index_note, join_answer
from feeder.mcp.token_budget import byte_size, truncate_lines
from feeder.notes import Note
from feeder.snippets.line_matches import LineMatch, Section

MAX_LINE_CHARS = 240
"""Characters of a line; a longer one is cut around its first match."""
CHARS_BEFORE_MATCH = 60
"""Characters of a cut line before its first match."""


def format_lines(page: LinePage, tokens: int, freshness_note: Note | None) -> str:
    """The matching lines that fit into the token budget, below their files and nodes."""
    last_note = index_note(freshness_note, page.status.notes)
    notes = page.search_notes
    budget = bytes_beside_footer(tokens, [*notes, last_note])
    fitting, size = 0, 0
    for count, texts in enumerate(_match_texts(page.matches), start=1):
        size += sum(byte_size(text) + 1 for text in texts)
        if size > budget and fitting:
            break
        fitting = count
    texts = [text for part in _match_texts(page.matches[:fitting]) for text in part]
    shown = ["\n".join(truncate_lines(texts, max(budget, 1)))] if texts else []
    return join_answer(shown, [_count_line(page, fitting), *notes], last_note)


def _match_texts(matches: Sequence[LineMatch]) -> Iterator[list[str]]:
    """The text of each match; the first ones of a file and of a node have these above them."""
    for (path, section), group in groupby(matches, key=lambda one: (one.path, one.section)):
        above = [escape_line(f"{path}{_marks(section, path, matches)}")]
        node = None
        for match in group:
            if match.node and match.node != node:
                name = match.node.symbol or match.node.logical_path or ""
                lines = f"{match.node.start_line}-{match.node.end_line}"
                above.append(escape_line(f"{lines} {match.node.node_type} {name}".rstrip()))
            node = match.node
            yield [*above, f"  {match.line}: {escape_line(_cut(match))}"]
            above = []


def _marks(section: Section, path: str, matches: Iterable[LineMatch]) -> str:
    marks = {Section.DEFINITION: ["definition"], Section.TEST: ["test"]}.get(section, [])
    if any(match.is_changed for match in matches if match.path == path):
        marks = [*marks, "changed since, lines as they were indexed"]
    return f" ({', '.join(marks)})" if marks else ""


def _cut(match: LineMatch) -> str:
    """The line without indentation, or the part of it around its first match."""
    text = match.text.strip()
    if len(text) <= MAX_LINE_CHARS:
        return text
    indent = len(match.text) - len(match.text.lstrip())
    first = match.spans[0][0] - indent if match.spans else 0
    start = max(0, min(first - CHARS_BEFORE_MATCH, len(text) - MAX_LINE_CHARS))
    end = start + MAX_LINE_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _count_line(page: LinePage, shown: int) -> str:
    lines = f"{'at least ' if page.at_least else ''}{page.total} matching lines"
    files = f"{len(page.files)} {'file' if len(page.files) == 1 else 'files'}"
    if not page.total:
        return "No matching line."
    if not shown:
        return f"No line from offset {page.offset} on: {lines} in {files}."
    end = page.offset + shown
    following = f"; next: offset={end}" if end < page.total else ""
    return f"{page.offset + 1} to {end} of {lines} in {files}{following}"
