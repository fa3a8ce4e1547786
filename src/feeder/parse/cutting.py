"""Where is a long text cut? Where it pauses, and never inside a block that fits."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping

NODE_LIMIT = 3000
"""Characters that no node exceeds."""
AIM_MIN, AIM_MAX = 750, 1500
"""Characters of a piece when text has to be split: measured best for retrieval."""
TAIL_LIMIT = 250
"""A last piece below this stays with the one before it."""

Line = tuple[int, str]
"""The number of a line and its text, or the part of it that one node owns."""

Parts = Mapping[int, int]
"""Lines on which a part begins that is better not cut, and in how many others it lies."""

_BREAK = re.compile(rf".{{{AIM_MIN},{AIM_MAX - 1}}}[;,}})\]>\s]|.{{1,{AIM_MAX}}}", re.DOTALL)


def parted(start: int, text: str) -> Iterator[Line]:
    """The lines of a text; parts of those above the limit end at a bracket, separator or space."""
    for line in enumerate(text.split("\n"), start):
        number, written = line
        if len(written) <= AIM_MAX:
            yield line
        else:
            yield from ((number, part) for part in _BREAK.findall(written))


def cut_lines(lines: Iterable[Line], parts: Parts) -> Iterator[list[Line]]:
    """The lines of each piece; no more than a piece's are held at a time."""
    held: list[Line] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line[1]) + 1
        while size > AIM_MAX + 1:
            cut = _cut(held, parts)
            yield held[:cut]
            held = held[cut:]
            size = sum(len(text) + 1 for _, text in held)
    yield held


def cut_blocks(lines: Iterable[Line], parts: Parts) -> Iterator[list[Line]]:
    """The lines of each piece of a document; only a block above NODE_LIMIT is cut."""
    for some in _packed(lines, parts):
        if sum(len(text) + 1 for _, text in some) <= NODE_LIMIT + 1:
            yield some
        else:
            yield from cut_lines(some, {})


def _packed(lines: Iterable[Line], begins: Container[int]) -> Iterator[list[Line]]:
    """The lines of each piece: blocks up to AIM_MAX characters, or one that is longer by itself.

    A block begins on a line of `begins`.
    """
    held: list[Line] = []
    held_size = 0
    for block in _blocks(lines, begins):
        size = sum(len(text) + 1 for _, text in block)
        if held and held_size + size > AIM_MAX + 1:
            yield held
            held, held_size = [], 0
        held += block
        held_size += size
    if held:
        yield held


def _blocks(lines: Iterable[Line], begins: Container[int]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for line in lines:
        if block and line[0] in begins and line[0] != block[-1][0]:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _cut(lines: list[Line], parts: Parts) -> int:
    """How many of the lines, which are too many for one piece, go into the next.

    Of the places between AIM_MIN and AIM_MAX characters, the one before the outermost part wins,
    else the one before the least indented line, a blank line before it counting as half a level
    out; of equals the last. A part may also begin a piece after fewer characters.
    """
    size, best, best_rank = 0, 0, (1, 1e9)
    for index, (number, text) in enumerate(lines):
        depth = parts.get(number) if index and number != lines[index - 1][0] else None
        rank: tuple[int, float] | None = None
        if depth is not None and size >= TAIL_LIMIT:
            rank = 0, depth + (0.5 if size < AIM_MIN else 0)
        elif size >= AIM_MIN and text.strip():
            rank = 1, _indent(text) - (0.5 if not lines[index - 1][1].strip() else 0)
        if rank and rank <= best_rank:
            best, best_rank = index, rank
        size += len(text) + 1
        if size > AIM_MAX + 1:
            break
    return best or index


def _indent(text: str) -> int:
    before = text[: len(text) - len(text.lstrip())]
    return len(before.expandtabs(4))


def trimmed(lines: list[Line]) -> list[Line]:
    first, last = 0, len(lines)
    while first < last and not lines[first][1].strip():
        first += 1
    while last > first and not lines[last - 1][1].strip():
        last -= 1
    return lines[first:last]
