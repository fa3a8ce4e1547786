"""Random mutations of real files."""

from random import Random


def splice(one: bytes, other: bytes, some: Random) -> bytes:
    """The head of one file and the tail of another."""
    return one[: some.randrange(len(one) + 1)] + other[some.randrange(len(other) + 1) :]


def mutate(content: bytes, other: bytes, some: Random) -> bytes:
    """Applies one to eight mutations: flips bytes; removes, doubles, swaps or splices lines."""
    for _ in range(some.randint(1, 8)):
        content = some.choice(_ACCIDENTS)(content, other, some)
    return content


def _flip(content: bytes, _: bytes, some: Random) -> bytes:
    flipped = bytearray(content)
    for _index in range(min(len(content), some.randint(1, 5))):
        flipped[some.randrange(len(content))] ^= 1 << some.randrange(8)
    return bytes(flipped)


def _lines_moved(content: bytes, _: bytes, some: Random) -> bytes:
    lines = content.split(b"\n")
    one, other = some.randrange(len(lines)), some.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _line_changed(content: bytes, _: bytes, some: Random) -> bytes:
    lines = content.split(b"\n")
    at = some.randrange(len(lines))
    lines[at : at + some.randint(1, 3)] = [lines[at]] * some.choice([0, 0, 2, 9])
    return b"\n".join(lines)


def _bytes_lost(content: bytes, _: bytes, some: Random) -> bytes:
    at = some.randrange(len(content) + 1)
    return content[:at] + content[at + some.choice([1, 1, 2, 40]) :]


_ACCIDENTS = (_flip, _lines_moved, _line_changed, _bytes_lost, splice)
