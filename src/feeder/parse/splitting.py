"""Splits long text into parts at line ends, preferring split points, blank lines and low
indentation, and table rows into ranges of the same size.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, repeat

NODE_LIMIT = 3000
"""Maximum characters of a node."""

PART_MIN, PART_MAX = 750, 1500
"""Characters of a part when text has to be split: measured best for retrieval."""

TAIL_MIN = 250
"""Minimum characters of the last part; a shorter one joins the part before it."""

Line = tuple[int, str]
"""The number of a line and its text; a long line may be split into several of the same number."""

SplitPoints = Mapping[int, int]
"""Lines at which text is best split, each with its depth, 0 for the outermost."""

_LONG_LINE_PART = re.compile(
    rf".{{{PART_MIN},{PART_MAX - 1}}}[;,}})\]>\s]|.{{1,{PART_MAX}}}", re.DOTALL
)


def numbered_lines(start: int, text: str) -> Iterator[Line]:
    """The lines of a text; long ones are split at a bracket, separator or space."""
    lines = text.split("\n")
    if max(map(len, lines)) <= PART_MAX:
        return enumerate(lines, start)
    return chain.from_iterable(map(_split_long_line, enumerate(lines, start)))


def split_lines(lines: Iterable[Line], split_points: SplitPoints) -> Iterator[list[Line]]:
    """Yields the lines of each part."""
    lines = list(lines)
    offsets = [0, *accumulate(len(text) + 1 for _, text in lines)]
    first = 0
    while offsets[-1] - offsets[first] > PART_MAX + 1:
        index = _split_index(lines, offsets, first, split_points)
        yield lines[first:index]
        first = index
    yield lines[first:]


def split_blocks(lines: Iterable[Line], split_points: SplitPoints) -> Iterator[list[Line]]:
    """Yields the lines of each part of a document; splits a block only above `NODE_LIMIT`."""
    for part in _pack_blocks(lines, split_points):
        if _size(part) <= NODE_LIMIT + 1:
            yield part
        else:
            yield from split_lines(part, {})


def trim_blank_lines(lines: list[Line]) -> list[Line]:
    """The lines without leading and trailing blank ones."""
    first, last = 0, len(lines)
    while first < last and not lines[first][1].strip():
        first += 1
    while last > first and not lines[last - 1][1].strip():
        last -= 1
    return lines[first:last]


def row_ranges(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yields the first and last row of each range; rows that fit into one node are one range."""
    limit = PART_MAX if sum(map(len, lines)) + len(lines) > NODE_LIMIT else NODE_LIMIT
    first, size = 0, 0
    for index, line in enumerate(lines):
        if index > first and size + len(line) + 1 > limit:
            yield first, index - 1
            first, size = index, 0
        size += len(line) + 1
    if lines:
        yield first, len(lines) - 1


def column_letters(column: int) -> str:
    """The name of a spreadsheet column, counted from 0: A to Z, then AA."""
    name = ""
    column += 1
    while column > 0:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def _size(lines: Iterable[Line]) -> int:
    return sum(len(text) + 1 for _, text in lines)


def _pack_blocks(lines: Iterable[Line], block_starts: Container[int]) -> Iterator[list[Line]]:
    """Yields the lines of each part: blocks up to `PART_MAX` characters, or one longer block."""
    part: list[Line] = []
    part_size = 0
    for block in _iter_blocks(lines, block_starts):
        size = _size(block)
        if part and part_size + size > PART_MAX + 1:
            yield part
            part, part_size = [], 0
        part += block
        part_size += size
    if part:
        yield part


def _iter_blocks(lines: Iterable[Line], block_starts: Container[int]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for line in lines:
        if block and line[0] in block_starts and line[0] != block[-1][0]:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _split_long_line(line: Line) -> Iterable[Line]:
    number, text = line
    return [line] if len(text) <= PART_MAX else zip(repeat(number), _LONG_LINE_PART.findall(text))


def _split_index(
    lines: Sequence[Line], offsets: Sequence[int], first: int, split_points: SplitPoints
) -> int:
    """The index of the line after the part that begins with line `first`.

    `offsets` are those of the lines in characters, and that of the end. Of the places between
    `PART_MIN` and `PART_MAX` characters, the outermost split point wins, else the least indented
    line, where a blank line above counts as half a level less. Of equal places the last wins. A
    split point may also be used from `TAIL_MIN` characters on.
    """
    start = offsets[first]
    last = bisect_right(offsets, start + PART_MAX + 1) - 1
    best, best_rank = 0, (1, 1e9)
    earliest = TAIL_MIN if split_points else PART_MIN
    for index in range(bisect_left(offsets, start + earliest), last + 1):
        (number, text), above = lines[index], lines[index - 1]
        is_early = offsets[index] < start + PART_MIN
        depth = split_points.get(number) if number != above[0] else None
        if depth is not None:
            rank: tuple[int, float] = 0, depth + (0.5 if is_early else 0)
        elif is_early or not text.strip():
            continue
        else:
            rank = 1, _indentation(text) - (0.5 if not above[1].strip() else 0)
        if rank <= best_rank:
            best, best_rank = index, rank
    return best or last


def _indentation(text: str) -> int:
    before = text[: len(text) - len(text.lstrip())]
    return len(before.expandtabs(4))
