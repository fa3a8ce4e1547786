"""Which lines may hold a secret? Those around a sign of it, of long ones what is within reach."""

from collections.abc import Callable, Iterable, Iterator

SCAN_REACH = 1000
"""How far from its sign a secret is looked for; lines are as a rule shorter."""

SecretSpan = tuple[int, int]
"""Where a secret starts and ends, in bytes."""

LineDetector = Callable[[str], Iterable[SecretSpan]]
"""Where the secrets of a kind are in a line, in characters."""


def marker_offsets(text: bytes, marker: bytes) -> Iterator[int]:
    """Where a sign is in a text."""
    at = text.find(marker)
    while at >= 0:
        yield at
        at = text.find(marker, at + len(marker))


def scan_lines(
    path: str, content: bytes, offsets: Iterable[int], detector_function: LineDetector
) -> Iterator[SecretSpan]:
    """What is found in the lines of these places, in bytes of the content."""
    done = 0
    for place in offsets:
        if place < done:
            continue
        start, end = line_span(content, place)
        done = end if content[end : end + 1] in (b"", b"\n") else place + SCAN_REACH // 2
        line = content[start:end].decode()
        spans = list(detector_function(line))
        if spans and not is_allowlisted(path, content, start, line):
            for first, last in spans:
                yield start + len(line[:first].encode()), start + len(line[:last].encode())


def line_span(content: bytes, offset: int) -> SecretSpan:
    """The line of a place, of a long one what is within reach; never part of a character."""
    start = content.rfind(b"\n", max(0, offset - SCAN_REACH), offset) + 1 or max(
        0, offset - SCAN_REACH
    )
    end = content.find(b"\n", offset, offset + SCAN_REACH)
    end = end if end >= 0 else min(offset + SCAN_REACH, len(content))
    while start < offset and content[start] & 0xC0 == 0x80:
        start += 1
    while end < len(content) and content[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def is_allowlisted(path: str, content: bytes, start: int, line: str) -> bool:
    """Whether detect-secrets' pragma on a line, or on the one before, says that it is no secret."""
    from detect_secrets.filters.allowlist import is_line_allowlisted
    from detect_secrets.util.code_snippet import CodeSnippet

    above = content[max(0, start - SCAN_REACH) : max(0, start - 1)].rpartition(b"\n")[2]
    if "pragma" not in line and b"pragma" not in above:
        return False
    snippet = CodeSnippet([above.decode("utf-8", "replace"), line], 1, 1)
    return is_line_allowlisted(path, line, snippet)
