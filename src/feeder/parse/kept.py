"""What of a file is kept, so that its lines can be shown where the file is not?"""

import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

PART_BYTES = 16_000
"""Of a part before it is compressed: a node's lines come with little more than themselves."""
LINE_BYTES = 500_000
"""To which a line is cut: so a part fits into a parameter of D1, even where nothing shrinks."""
_RAW_DEFLATE = -zlib.MAX_WBITS


class TextPart(NamedTuple):
    """Lines of a file in a row, in UTF-8 by raw deflate, between them a newline.

    Their numbers go from the first to the last, both counted from 1, unless `numbers` says each.
    """

    first_line: int
    last_line: int
    numbers: list[int] | None
    text: bytes

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each with its number; raises ValueError where the text is damaged."""
        try:
            lines = zlib.decompress(self.text, _RAW_DEFLATE).decode().split("\n")
        except zlib.error as exc:
            raise ValueError(str(exc)) from exc
        numbers = self.numbers or range(self.first_line, self.last_line + 1)
        return zip(numbers, lines, strict=True)


def text_parts(text: bytes, numbers: Sequence[int] = ()) -> tuple[TextPart, ...]:
    """The lines of a text but for blank ones at its end; `numbers` are theirs, where they jump."""
    lines = text.rstrip().split(b"\n")
    part_of, at = [], 0
    for line in lines:
        part_of.append(at // PART_BYTES)
        at += len(line) + 1
    parts: list[TextPart] = []
    for _, group in groupby(range(len(lines)), key=part_of.__getitem__):
        own = list(group)
        first, last = own[0], own[-1]
        said = list(numbers[first : last + 1]) or None
        ends = (said[0], said[-1]) if said else (first + 1, last + 1)
        parts.append(TextPart(*ends, said, _packed(lines[first : last + 1])))
    return tuple(parts)


def _packed(lines: Sequence[bytes]) -> bytes:
    packer = zlib.compressobj(9, wbits=_RAW_DEFLATE)
    return packer.compress(b"\n".join(map(_cut, lines))) + packer.flush()


def _cut(line: bytes) -> bytes:
    if len(line) <= LINE_BYTES:
        return line
    return line[:LINE_BYTES].decode(errors="ignore").encode()
