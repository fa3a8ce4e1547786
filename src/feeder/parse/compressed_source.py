"""Compresses a file's lines into blocks, so that search can show them where the file is not
available.
"""

import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

BLOCK_BYTES = 16_000
"""Of a part before it is compressed: a node's lines come with little more than themselves."""
LINE_BYTES = 500_000
"""To which a line is cut: so a part fits into a parameter of D1, even where nothing shrinks."""
_RAW_DEFLATE = -zlib.MAX_WBITS


class SourceBlock(NamedTuple):
    """Lines of a file in a row, in UTF-8 by raw deflate, between them a newline.

    Their numbers go from the first to the last, both counted from 1, unless `numbers` says each.
    """

    first_line: int
    last_line: int
    numbers: list[int] | None
    compressed: bytes

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each with its number; raises ValueError where the text is damaged."""
        try:
            lines = zlib.decompress(self.compressed, _RAW_DEFLATE).decode().split("\n")
        except zlib.error as exc:
            raise ValueError(str(exc)) from exc
        numbers = self.numbers or range(self.first_line, self.last_line + 1)
        return zip(numbers, lines, strict=True)


def source_blocks(text: bytes, numbers: Sequence[int] = ()) -> tuple[SourceBlock, ...]:
    """The lines of a text but for blank ones at its end; `numbers` are theirs, where they jump."""
    lines = text.rstrip().split(b"\n")
    part_of, at = [], 0
    for line in lines:
        part_of.append(at // BLOCK_BYTES)
        at += len(line) + 1
    parts: list[SourceBlock] = []
    for _, group in groupby(range(len(lines)), key=part_of.__getitem__):
        own = list(group)
        first, last = own[0], own[-1]
        said = list(numbers[first : last + 1]) or None
        ends = (said[0], said[-1]) if said else (first + 1, last + 1)
        parts.append(SourceBlock(*ends, said, _compress(lines[first : last + 1])))
    return tuple(parts)


def _compress(lines: Sequence[bytes]) -> bytes:
    packer = zlib.compressobj(9, wbits=_RAW_DEFLATE)
    return packer.compress(b"\n".join(map(_truncate_line, lines))) + packer.flush()


def _truncate_line(line: bytes) -> bytes:
    if len(line) <= LINE_BYTES:
        return line
    return line[:LINE_BYTES].decode(errors="ignore").encode()
