"""In which ranges is a sheet kept, and what are they called?"""

from collections.abc import Iterator, Sequence

from feeder.parse.splitting import NODE_LIMIT, PART_MAX


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
