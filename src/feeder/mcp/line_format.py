"""Formats every matching line of a string as text for a language model: the counts, then the lines
below their files and functions, in no more text than `git grep -n` prints for them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from feeder.escaping import escape_line
from feeder.grep.exact_search import LinePage
from feeder.mcp.formatting import bytes_beside_footer, index_note, join_answer
from feeder.mcp.token_budget import byte_size, truncate_lines
from feeder.notes import Note
from feeder.snippets.line_matches import LineMatch

MAX_LINE_CHARS = 240
"""Characters of a line; a longer one is cut around its first match."""
CHARS_BEFORE_MATCH = 60
"""Characters of a cut line before its first match."""
MAX_COUNTED_FILES = 20
"""Files not shown whose lines are counted."""


def format_lines(page: LinePage, tokens: int, freshness_note: Note | None) -> str:
    """The number of matching lines, and those that fit into the token budget."""
    last_note = index_note(freshness_note, page.status.notes)
    notes = page.search_notes
    budget = bytes_beside_footer(tokens, [*notes, last_note])
    sizes = range(len(page.matches) + 1)
    fitting = (
        bisect_right(
            sizes, budget, key=lambda count: _byte_size_of(_file_lines(page.matches[:count]))
        )
        - 1
    )
    fitting = max(fitting, min(1, len(page.matches)))
    lines = truncate_lines(_file_lines(page.matches[:fitting]), max(budget, 1))
    parts = [_count_line(page, fitting), *(["\n".join(lines)] if lines else [])]
    return join_answer(parts, [_omitted_counts(page, fitting), *notes], last_note)


def _file_lines(matches: Sequence[LineMatch]) -> list[str]:
    """The matches below their files; with the functions, unless this is more than git prints."""
    with_names = list(_grouped(matches, with_names=True))
    as_git = (f"{match.path}:{match.line}:{_match_text(match, strips=False)}" for match in matches)
    has_context = any(match.before or match.after for match in matches)
    if has_context or _byte_size_of(with_names) <= _byte_size_of(as_git):
        return with_names
    return list(_grouped(matches, with_names=False))


def _byte_size_of(lines: Iterable[str]) -> int:
    return sum(byte_size(line) + 1 for line in lines)


def _grouped(matches: Sequence[LineMatch], *, with_names: bool) -> Iterator[str]:
    """Files in the order of their first matches; their lines in the order of the file."""
    by_file: dict[str, list[LineMatch]] = {}
    for match in matches:
        by_file.setdefault(match.path, []).append(match)
    for path, own in by_file.items():
        is_changed = any(match.is_changed for match in own)
        state = " (changed since, lines as they were indexed)" if is_changed else ""
        yield escape_line(f"{path}{state}")
        yield from map(escape_line, _numbered_lines(own, with_names=with_names))


def _numbered_lines(matches: Iterable[LineMatch], *, with_names: bool) -> Iterator[str]:
    """A file's matches and their context; above them the name of the function, once."""
    by_line = {match.line: match for match in matches}
    context: dict[int, str] = {}
    for match in by_line.values():
        context |= dict(enumerate(match.before, match.line - len(match.before)))
        context |= dict(enumerate(match.after, match.line + 1))
    lines, above, previous = sorted(by_line), "", 0
    for number in sorted(by_line.keys() | context.keys()):
        if number in by_line or number > previous + 1:
            node = by_line[lines[bisect_left(lines, number)]].node
            name = (node and (node.symbol or node.logical_path)) or ""
            if with_names and name and name != above:
                yield f"in {name}"
            above = name
        previous = number
        if number in by_line:
            yield f"{number}: {_match_text(by_line[number], strips=not context)}"
        else:
            yield f"{number}- {context[number].rstrip()[:MAX_LINE_CHARS]}"


def _match_text(match: LineMatch, *, strips: bool) -> str:
    """The line, without indentation if it `strips`; of a long one a part."""
    text = match.text.strip() if strips else match.text.rstrip()
    if len(text) <= MAX_LINE_CHARS:
        return text
    indent = len(match.text.rstrip()) - len(text)
    first = match.spans[0][0] - indent if match.spans else 0
    start = max(0, min(first - CHARS_BEFORE_MATCH, len(text) - MAX_LINE_CHARS))
    end = start + MAX_LINE_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _count_line(page: LinePage, shown: int) -> str:
    noun = "matching line" if page.total == 1 else "matching lines"
    lines = f"{'at least ' if page.at_least else ''}{page.total} {noun}"
    files = f"{len(page.files)} {'file' if len(page.files) == 1 else 'files'}"
    if not page.total:
        return "No matching line."
    if not shown:
        return f"Offset {page.offset} is past the end ({lines} in {files})."
    if shown == page.total:
        return f"{lines} in {files}"
    end = page.offset + shown
    following = f"; next: offset={end}" if end < page.total else ""
    return f"{page.offset + 1} to {end} of {lines} in {files}{following}"


def _omitted_counts(page: LinePage, shown: int) -> str:
    """The numbers of matching lines of the files that are not shown, if this is the first page."""
    paths = {match.path for match in page.matches[:shown]}
    omitted = [file for file in page.files if file.path not in paths]
    if page.offset or not omitted:
        return ""
    more = len(omitted) - MAX_COUNTED_FILES
    counts = [f"{file.path} {file.matches}" for file in omitted[:MAX_COUNTED_FILES]]
    return f"Not shown: {', '.join(counts)}{f' and {more} more files' if more > 0 else ''}."
