"""Splits long text into parts at line ends, preferring declarations, blank lines and low
indentation, and table rows into ranges of the same size.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

NODE_LIMIT = 3000
"""Characters that no node exceeds."""

PART_MIN, PART_MAX = 750, 1500
"""Characters of a piece when text has to be split: measured best for retrieval."""

TAIL_MIN = 250
"""A last piece below this stays with the one before it."""


Line = tuple[int, str]
"""The number of a line and its text, or the part of it that one node owns."""


SplitPoints = Mapping[int, int]
"""Lines on which a part begins that is better not cut, and in how many others it lies."""


_LONG_LINE_PART = re.compile(
    rf".{{{PART_MIN},{PART_MAX - 1}}}[;,}})\]>\s]|.{{1,{PART_MAX}}}", re.DOTALL
)


def numbered_lines(start: int, text: str) -> Iterator[Line]:
    """The lines of a text; parts of those above the limit end at a bracket, separator or space."""
    for line in enumerate(text.split("\n"), start):
        number, written = line
        if len(written) <= PART_MAX:
            yield line
        else:
            yield from ((number, part) for part in _LONG_LINE_PART.findall(written))


def split_lines(lines: Iterable[Line], split_points: SplitPoints) -> Iterator[list[Line]]:
    """The lines of each piece; no more than a piece's are held at a time."""
    held: list[Line] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line[1]) + 1
        while size > PART_MAX + 1:
            cut = _split_index(held, split_points)
            yield held[:cut]
            held = held[cut:]
            size = sum(len(text) + 1 for _, text in held)
    yield held


def split_blocks(lines: Iterable[Line], split_points: SplitPoints) -> Iterator[list[Line]]:
    """The lines of each piece of a document; only a block above NODE_LIMIT is cut."""
    for some in _pack_blocks(lines, split_points):
        if sum(len(text) + 1 for _, text in some) <= NODE_LIMIT + 1:
            yield some
        else:
            yield from split_lines(some, {})


def _pack_blocks(lines: Iterable[Line], block_starts: Container[int]) -> Iterator[list[Line]]:
    """The lines of each piece: blocks up to AIM_MAX characters, or one that is longer by itself.

    A block begins on a line of `begins`.
    """
    held: list[Line] = []
    held_size = 0
    for block in _iter_blocks(lines, block_starts):
        size = sum(len(text) + 1 for _, text in block)
        if held and held_size + size > PART_MAX + 1:
            yield held
            held, held_size = [], 0
        held += block
        held_size += size
    if held:
        yield held


def _iter_blocks(lines: Iterable[Line], block_starts: Container[int]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for line in lines:
        if block and line[0] in block_starts and line[0] != block[-1][0]:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _split_index(lines: list[Line], split_points: SplitPoints) -> int:
    """How many of the lines, which are too many for one piece, go into the next.

    Of the places between AIM_MIN and AIM_MAX characters, the one before the outermost part wins,
    else the one before the least indented line, a blank line before it counting as half a level
    out; of equals the last. A part may also begin a piece after fewer characters.
    """
    size, best, best_rank = 0, 0, (1, 1e9)
    for index, (number, text) in enumerate(lines):
        depth = split_points.get(number) if index and number != lines[index - 1][0] else None
        rank: tuple[int, float] | None = None
        if depth is not None and size >= TAIL_MIN:
            rank = 0, depth + (0.5 if size < PART_MIN else 0)
        elif size >= PART_MIN and text.strip():
            rank = 1, _indentation(text) - (0.5 if not lines[index - 1][1].strip() else 0)
        if rank and rank <= best_rank:
            best, best_rank = index, rank
        size += len(text) + 1
        if size > PART_MAX + 1:
            break
    return best or index


def _indentation(text: str) -> int:
    before = text[: len(text) - len(text.lstrip())]
    return len(before.expandtabs(4))


def trim_blank_lines(lines: list[Line]) -> list[Line]:
    first, last = 0, len(lines)
    while first < last and not lines[first][1].strip():
        first += 1
    while last > first and not lines[last - 1][1].strip():
        last -= 1
    return lines[first:last]


def row_ranges(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first and the last row of each piece; a sheet that is no longer than a node is one."""
    limit = PART_MAX if sum(map(len, lines)) + len(lines) > NODE_LIMIT else NODE_LIMIT
    first, size = 0, 0
    for at, line in enumerate(lines):
        if at > first and size + len(line) + 1 > limit:
            yield first, at - 1
            first, size = at, 0
        size += len(line) + 1
    if lines:
        yield first, len(lines) - 1


def column_letters(column: int) -> str:
    """What a column is called, counted from 0: A to Z, then AA."""
    name = ""
    column += 1
    while column > 0:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
