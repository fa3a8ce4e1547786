"""Compresses a file's lines into blocks, so that search can show them where the file is not
available.
"""

import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

BLOCK_BYTES = 16_000
"""Bytes of a block before compression; small, so that reading one node decompresses little."""
LINE_BYTES = 500_000
"""Maximum bytes of a line; the rest is cut, so that a block always fits into a parameter of D1."""
_RAW_DEFLATE = -zlib.MAX_WBITS


class SourceBlock(NamedTuple):
    """Consecutive lines of a file: UTF-8, joined by newlines, compressed with raw deflate.

    Lines are counted from 1. `numbers` has the number of each line if there are gaps.
    """

    first_line: int
    last_line: int
    numbers: list[int] | None
    compressed: bytes

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers; raises ValueError if the block is damaged."""
        try:
            lines = zlib.decompress(self.compressed, _RAW_DEFLATE).decode().split("\n")
        except zlib.error as exc:
            raise ValueError(str(exc)) from exc
        numbers = self.numbers or range(self.first_line, self.last_line + 1)
        return zip(numbers, lines, strict=True)


def source_blocks(text: bytes, numbers: Sequence[int] = ()) -> tuple[SourceBlock, ...]:
    """Compresses a text without its trailing blank lines; `numbers` are those of its lines."""
    lines = text.rstrip().split(b"\n")
    block_of_line, offset = [], 0
    for line in lines:
        block_of_line.append(offset // BLOCK_BYTES)
        offset += len(line) + 1
    blocks: list[SourceBlock] = []
    for _, group in groupby(range(len(lines)), key=block_of_line.__getitem__):
        first, *rest = group
        last = rest[-1] if rest else first
        own_numbers = list(numbers[first : last + 1]) or None
        ends = (own_numbers[0], own_numbers[-1]) if own_numbers else (first + 1, last + 1)
        blocks.append(SourceBlock(*ends, own_numbers, _compress(lines[first : last + 1])))
    return tuple(blocks)


def _compress(lines: Sequence[bytes]) -> bytes:
    compressor = zlib.compressobj(9, wbits=_RAW_DEFLATE)
    return compressor.compress(b"\n".join(map(_truncate_line, lines))) + compressor.flush()


def _truncate_line(line: bytes) -> bytes:
    if len(line) <= LINE_BYTES:
        return line
    return line[:LINE_BYTES].decode(errors="ignore").encode()
