"""Finds tokens of known forms, by trying the rules of each marker on the lines that have it."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from feeder.parse.secrets import rules
from feeder.parse.secrets.rules import NEWER_TOKENS, TOKEN_RULES, WORD, compiled, is_placeholder

SCAN_REACH = 1000
"""Maximum bytes before and after a marker that are searched; most lines are shorter."""

SecretSpan = tuple[int, int]
"""Start and end of a secret: in bytes of a text, or in characters of a line."""

LineDetector = Callable[[str], Iterable[SecretSpan]]
"""Returns the secrets in a line, in characters."""

_LONG_WORD = b"x" * 20

_WORD_BYTES_TABLE = bytes(
    ord("x" if re.match(rb"[\w-]", bytes([byte])) else " ") for byte in range(256)
)

_PREFIX_BYTES = 12
"""Maximum bytes before a long word that may belong to its token."""

_TOKEN_PREFIXES = re.compile(
    rb"A3T|A[BKS]IA|ACCA|gh[oprsu]_|gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941"
    rb"|T3BlbkFJ|pypi-Ag|SG\.|k_live_|github_pat_|npm_|sk-ant-|AIza|hf_"
)

_TOKEN_BODIES = re.compile(
    rb"[A-Za-z0-9]{32}|\d:[\w-]{35}|(?<![\w-])[\w-]{44}(?![\w-])|\.[\w-]{6}\.[\w-]{27}"
)

_MIN_BODY_BYTES = 27

_WORD_RULES = [name for name, rule in TOKEN_RULES.items() if WORD in rule.markers]

_TOKEN_TAIL = re.compile(r"[\w-]*")

_JWT_TAIL = re.compile(r"(?:\.[\w-]*)?")

_MAX_JWTS_PER_LINE = 50
"""Maximum possible JWTs in a line: the detector is slow if it fails."""


def find_tokens(path: str, content: bytes) -> Iterator[SecretSpan]:
    """Yields the tokens in a text."""
    lowercase = content.lower()
    for name, rule in TOKEN_RULES.items():
        for marker in rule.markers:
            if marker != WORD and marker in lowercase:
                detect = partial(_rule_spans, name)
                yield from scan_lines(path, content, marker_offsets(lowercase, marker), detect)
    yield from scan_lines(path, content, _long_word_offsets(content), _word_tokens)


def _long_word_offsets(content: bytes) -> Iterator[int]:
    """The offsets of long words that may be tokens of the rules for words.

    A word longer than `SCAN_REACH` yields several offsets.
    """
    shape = content.translate(_WORD_BYTES_TABLE)
    offset = shape.find(_LONG_WORD)
    while offset >= 0:
        end = shape.find(b" ", offset, offset + SCAN_REACH)
        end = end if end >= 0 else min(offset + SCAN_REACH, len(shape))
        start = max(0, offset - _PREFIX_BYTES)
        if _TOKEN_PREFIXES.search(content, start, end + 1) or (
            end - offset >= _MIN_BODY_BYTES and _TOKEN_BODIES.search(content, start, end + 1)
        ):
            yield offset
        offset = shape.find(_LONG_WORD, end)


def _word_tokens(line: str) -> Iterator[SecretSpan]:
    for name in _WORD_RULES:
        yield from _rule_spans(name, line)
    yield from (match.span() for match in NEWER_TOKENS.finditer(line))


def _rule_spans(name: str, line: str) -> Iterator[SecretSpan]:
    """The matches of a rule's patterns, extended to the end of the word."""
    rule, is_jwt = TOKEN_RULES[name], name == "JwtToken"
    if not all(compiled(pattern).search(line) for pattern in rule.needed):
        return
    if is_jwt and line.count("eyJ") > _MAX_JWTS_PER_LINE:
        return
    for pattern in rule.patterns:
        for match in compiled(pattern).finditer(line):
            start, end = match.span(1 if match.re.groups else 0)
            if is_jwt:
                if not _is_jwt(match[0]):
                    continue
                end = _end_of_match(_JWT_TAIL, line, end)
            if not is_placeholder(line[start:end]):
                yield start, _end_of_match(_TOKEN_TAIL, line, end)


def _is_jwt(text: str) -> bool:
    """True if the first two parts are JSON in base64."""
    try:
        for part in (parts := text.split(".")[:2]):
            json.loads(base64.urlsafe_b64decode(part + "===").decode())
    except ValueError:
        return False
    return all(len(part) % 4 != 1 for part in parts)


def _end_of_match(tail: re.Pattern[str], line: str, offset: int) -> int:
    match = tail.match(line, offset)
    return match.end() if match else offset


def marker_offsets(text: bytes, marker: bytes) -> Iterator[int]:
    """The offsets at which a marker occurs in a text."""
    offset = text.find(marker)
    while offset >= 0:
        yield offset
        offset = text.find(marker, offset + len(marker))


def scan_lines(
    path: str, content: bytes, offsets: Iterable[int], detect: LineDetector
) -> Iterator[SecretSpan]:
    """Runs a detector on the lines around the offsets; yields secrets that are not allowlisted."""
    scanned_to = 0
    for offset in offsets:
        if offset < scanned_to:
            continue
        start, end = line_span(content, offset)
        is_whole = content[end : end + 1] in (b"", b"\n")
        scanned_to = end if is_whole else offset + SCAN_REACH // 2
        line = content[start:end].decode()
        spans = list(detect(line))
        if spans and not is_allowlisted(path, content, start, line):
            for first, last in spans:
                yield start + len(line[:first].encode()), start + len(line[:last].encode())


def line_span(content: bytes, offset: int) -> SecretSpan:
    """The line around an offset, up to `SCAN_REACH` in each direction; in whole characters."""
    earliest = max(0, offset - SCAN_REACH)
    start = content.rfind(b"\n", earliest, offset) + 1 or earliest
    end = content.find(b"\n", offset, offset + SCAN_REACH)
    end = end if end >= 0 else min(offset + SCAN_REACH, len(content))
    while start < offset and content[start] & 0xC0 == 0x80:
        start += 1
    while end < len(content) and content[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def is_allowlisted(path: str, content: bytes, start: int, line: str) -> bool:
    """True if detect-secrets' pragma is on the line or applies to it from the line above."""
    above = content[max(0, start - SCAN_REACH) : max(0, start - 1)].rpartition(b"\n")[2]
    return rules.is_allowlisted(path, line, above.decode("utf-8", "replace"))
