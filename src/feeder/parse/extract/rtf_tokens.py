"""What is an RTF made of? Groups, control words and bytes of text, in their order."""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    rb"(?P<text>[^\\{}\r\n]+)"
    rb"|(?P<word>\\([a-zA-Z]{1,32})(-?\d{1,10})? ?)"
    rb"|\\'(?P<byte>[0-9a-fA-F]{2})"
    rb"|\\(?P<sign>[^a-zA-Z'])"
    rb"|(?P<brace>[{}])"
    rb"|[\r\n\\]"
)


def tokenize(content: bytes) -> Iterator[re.Match[bytes]]:
    """Each token; what `\\bin` counts as bytes of something else is passed over."""
    at = 0
    while at < len(content):
        for match in _TOKEN.finditer(content, at):
            yield match
            at = match.end()
            if match[3] == b"bin":
                at += max(0, int(match[4] or 0))
                break
