"""Finds tokens of known forms, by running detect-secrets' detectors on the lines with a marker."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.keyword import KeywordDetector

SCAN_REACH = 1000
"""Maximum bytes before and after a marker that are searched; most lines are shorter."""

SecretSpan = tuple[int, int]
"""Start and end of a secret: in bytes of a text, or in characters of a line."""

LineDetector = Callable[[str], Iterable[SecretSpan]]
"""Returns the secrets in a line, in characters."""

TOKEN_MARKERS = (
    (b"://", "BasicAuthDetector"),
    (b"eyj", "JwtTokenDetector"),
    (b"accountkey=", "AzureStorageKeyDetector"),
    (b"_authtoken=", "NpmDetector"),
    (b"xox", "SlackDetector"),
    (b"hooks.slack.com", "SlackDetector"),
    (b"aws", "AWSKeyDetector"),
    (b"sq0csp-", "SquareOAuthDetector"),
)
"""A marker, in lower case, that each token of a detector contains or follows."""

WORD_DETECTORS = (
    *("AWSKeyDetector", "DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector"),
    *("IbmCloudIamDetector", "IbmCosHmacDetector", "MailchimpDetector", "OpenAIDetector"),
    *("PypiTokenDetector", "SendGridDetector", "SoftlayerDetector", "StripeDetector"),
    *("TelegramBotTokenDetector", "TwilioKeyDetector"),
)
"""Detectors whose tokens have no marker except a word of 20 letters, digits, `_` and `-`."""

LINE_PATTERNS = {
    "BasicAuthDetector": (r"://[^:\s]+:[^@\s]+@",),
    "JwtTokenDetector": (r"eyJ[\w=-]+\.[\w=-]",),
    "SlackDetector": (r"(?i)xox\w-|hooks\.slack\.com",),
    # one pattern with `aws.*` in it is tried again at each `aws` of the line
    "AWSKeyDetector": (
        r"(?:A3T|A[BKS]IA|ACCA)\w{16}|(?i:aws)",
        r"(?:A3T|A[BKS]IA|ACCA)\w{16}|[\w/+]{40}",
    ),
    "DiscordBotTokenDetector": (r"\.[\w-]{6}\.[\w-]{27}",),
    "GitHubTokenDetector": (r"gh[opsru]_\w{36}",),
    "GitLabTokenDetector": (r"gl[a-z]+-|GR1348941",),
    "IbmCloudIamDetector": (r"(?i)key|pwd|pass|token", r"[\w\[\\\]^`-]{44}"),
    "IbmCosHmacDetector": (r"(?i)secret", r"\w{48}"),
    "MailchimpDetector": (r"\w-us\d",),
    "OpenAIDetector": (r"T3BlbkFJ",),
    "PypiTokenDetector": (r"pypi-Ag",),
    "SendGridDetector": (r"SG\.[\w-]{22}",),
    "SoftlayerDetector": (r"(?i)sl|softlayer", r"\w{64}"),
    "StripeDetector": (r"k_live_",),
    "TelegramBotTokenDetector": (r"\d:[\w-]{35}",),
    "TwilioKeyDetector": (r"(?:AC|SK)\w{32}",),
}
"""Patterns that each line with a detector's token has: other lines need no detector, whose import
takes longer than a search. Compiled when first needed.
"""

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

_NEWER_TOKENS = re.compile(
    r"github_pat_\w{22,}|npm_[A-Za-z0-9]{36}|sk-ant-[\w-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{34}"
)
"""Tokens that detect-secrets 1.5 does not know."""

_PREFIX_GROUP_DETECTORS = frozenset({"GitHubTokenDetector", "GitLabTokenDetector"})
"""Detectors whose patterns have the prefix in their group; other groups are the whole token."""

_TOKEN_TAIL = re.compile(r"[\w-]*")

_JWT_TAIL = re.compile(r"(?:\.[\w-]*)?")

_MAX_JWTS_PER_LINE = 50
"""Maximum possible JWTs in a line: the detector is slow if it fails."""


def find_tokens(path: str, content: bytes) -> Iterator[SecretSpan]:
    """Yields the tokens in a text."""
    lowercase = content.lower()
    for marker, name in TOKEN_MARKERS:
        if marker in lowercase:
            detector = partial(_detector_spans, name)
            yield from scan_lines(path, content, marker_offsets(lowercase, marker), detector)
    yield from scan_lines(path, content, _long_word_offsets(content), _word_tokens)


def _long_word_offsets(content: bytes) -> Iterator[int]:
    """The offsets of long words that may be tokens of `WORD_DETECTORS`.

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
    for name in WORD_DETECTORS:
        yield from _detector_spans(name, line)
    yield from (match.span() for match in _NEWER_TOKENS.finditer(line))


def _detector_spans(name: str, line: str) -> Iterator[SecretSpan]:
    """The matches of a detector's patterns, extended to the end of the word."""
    if not all(re.search(pattern, line) for pattern in LINE_PATTERNS.get(name, ())):
        return
    detector = cast("RegexBasedDetector", load_detector(name))
    is_jwt = name == "JwtTokenDetector"
    if is_jwt and line.count("eyJ") > _MAX_JWTS_PER_LINE:
        return
    jwts = set(detector.analyze_string(line)) if is_jwt else ()
    for pattern in detector.denylist:
        for match in pattern.finditer(line):
            start, end = match.span(
                0 if name in _PREFIX_GROUP_DETECTORS or not match.lastindex else 1
            )
            if is_jwt:
                if match[0] not in jwts:
                    continue
                end = _end_of_match(_JWT_TAIL, line, end)
            if not is_placeholder(line[start:end]):
                yield start, _end_of_match(_TOKEN_TAIL, line, end)


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
    from detect_secrets.filters.allowlist import is_line_allowlisted
    from detect_secrets.util.code_snippet import CodeSnippet

    above = content[max(0, start - SCAN_REACH) : max(0, start - 1)].rpartition(b"\n")[2]
    if "pragma" not in line and b"pragma" not in above:
        return False
    snippet = CodeSnippet([above.decode("utf-8", "replace"), line], 1, 1)
    return is_line_allowlisted(path, line, snippet)


def is_placeholder(value: str) -> bool:
    """True if a value is a placeholder for a secret, such as a template variable."""
    from detect_secrets.filters import heuristic

    return (
        heuristic.is_templated_secret(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
        or heuristic.is_not_alphanumeric_string(value)
        or heuristic.is_sequential_string(value)
    )


@cache
def load_detector(name: str) -> "RegexBasedDetector | KeywordDetector":
    """A detector of detect-secrets; imported when first needed, which takes 0.05 s."""
    with _without_requests():
        from detect_secrets.core.plugins.initialize import from_plugin_classname

        return cast("RegexBasedDetector | KeywordDetector", from_plugin_classname(name))


class _UnusedModule(ModuleType):
    """A module with every attribute."""

    def __getattr__(self, name: str) -> object:
        return self


@contextmanager
def _without_requests() -> Iterator[None]:
    """Imports nothing as `requests`, of which detect-secrets makes use only to verify secrets.

    Nothing here verifies one. The import takes 0.1 s of processor time in each parser.
    """
    if "requests" in sys.modules:
        yield
        return
    sys.modules["requests"] = _UnusedModule("requests")
    try:
        yield
    finally:
        del sys.modules["requests"]
