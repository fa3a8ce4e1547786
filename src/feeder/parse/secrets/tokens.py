"""Finds tokens that have a form of their own, by running detect-secrets' detectors on the lines
around a marker.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.keyword import KeywordDetector


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
"""What every token of a kind has in it or before it, in small letters."""


WORD_DETECTORS = (
    *("AWSKeyDetector", "DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector"),
    *("IbmCloudIamDetector", "IbmCosHmacDetector", "MailchimpDetector", "OpenAIDetector"),
    *("PypiTokenDetector", "SendGridDetector", "SoftlayerDetector", "StripeDetector"),
    *("TelegramBotTokenDetector", "TwilioKeyDetector"),
)
"""Kinds whose tokens have no sign in common but a word of 20 letters, digits, `_` and `-`."""

_REQUIRED_WORDS = {
    "AWSKeyDetector": ("a3t", "abia", "acca", "akia", "asia"),
    "IbmCloudIamDetector": ("key", "pwd", "pass", "token"),
    "IbmCosHmacDetector": ("secret",),
    "MailchimpDetector": ("-us",),
    "SoftlayerDetector": ("softlayer", "key", "pwd", "pass", "token"),
}
"""What these have in them or before them, in small letters: their patterns look long for it."""


_LONG_WORD = b"x" * 20

_WORD_BYTES_TABLE = bytes(
    ord("x" if re.match(rb"[\w-]", bytes([byte])) else " ") for byte in range(256)
)

_PREFIX_BYTES = 12
"""Bytes before a long word that may belong to its token."""

_TOKEN_PREFIXES = re.compile(
    rb"A3T|A[BKS]IA|ACCA|gh[oprsu]_|gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941"
    rb"|T3BlbkFJ|pypi-Ag|SG\.|k_live_|github_pat_|npm_|sk-ant-|AIza|hf_"
)

_TOKEN_BODIES = re.compile(
    rb"[A-Za-z0-9]{32}|\d:[\w-]{35}|(?<![\w-])[\w-]{44}(?![\w-])|\.[\w-]{6}\.[\w-]{27}"
)

_PREFIXES_OR_BODIES = (_TOKEN_PREFIXES, _TOKEN_BODIES)

_MIN_BODY_BYTES = 27


_NEWER_TOKENS = re.compile(
    r"github_pat_\w{22,}|npm_[A-Za-z0-9]{36}|sk-ant-[\w-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{34}"
)
"""Tokens that came up after detect-secrets 1.5."""

_PREFIX_GROUP_DETECTORS = frozenset({"GitHubTokenDetector", "GitLabTokenDetector"})
"""Their patterns' groups hold the first letters of a token, others' the token without its name."""

_TOKEN_TAIL = re.compile(r"[\w-]*")

_JWT_TAIL = re.compile(r"(?:\.[\w-]*)?")

_MAX_JWTS_PER_LINE = 50
"""Of what may be a JWT in a line: their pattern takes long where it fails."""


def find_tokens(path: str, content: bytes) -> Iterator[SecretSpan]:
    """Where they are, in bytes."""
    small = content.lower()
    for sign, name in TOKEN_MARKERS:
        yield from scan_lines(path, content, marker_offsets(small, sign), _line_detector(name))
    yield from scan_lines(path, content, _long_word_offsets(content), _word_tokens)


def _long_word_offsets(content: bytes) -> Iterator[int]:
    """Where words are that may be a token of WORD_DETECTORS; of endless ones, each piece."""
    shape = content.translate(_WORD_BYTES_TABLE)
    at = shape.find(_LONG_WORD)
    while at >= 0:
        end = shape.find(b" ", at, at + SCAN_REACH)
        end = end if end >= 0 else min(at + SCAN_REACH, len(shape))
        start = max(0, at - _PREFIX_BYTES)
        signs = _PREFIXES_OR_BODIES if end - at >= _MIN_BODY_BYTES else (_TOKEN_PREFIXES,)
        if any(sign.search(content, start, end + 1) for sign in signs):
            yield at
        at = shape.find(_LONG_WORD, end)


def _line_detector(name: str) -> LineDetector:
    return lambda line: _detector_spans(name, line)


def _word_tokens(line: str) -> Iterator[SecretSpan]:
    small = line.casefold()
    for name in WORD_DETECTORS:
        if any(sign in small for sign in _REQUIRED_WORDS.get(name, ("",))):
            yield from _detector_spans(name, line)
    yield from (match.span() for match in _NEWER_TOKENS.finditer(line))


def _detector_spans(name: str, line: str) -> Iterator[SecretSpan]:
    """Where a detector's patterns match, up to the end of the word."""
    kind = cast("RegexBasedDetector", load_detector(name))
    is_jwt = name == "JwtTokenDetector"
    if is_jwt and line.count("eyJ") > _MAX_JWTS_PER_LINE:
        return
    jwts = set(kind.analyze_string(line)) if is_jwt else ()
    for pattern in kind.denylist:
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


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for a secret."""
    from detect_secrets.filters import heuristic

    return (
        heuristic.is_templated_secret(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
        or heuristic.is_not_alphanumeric_string(value)
        or heuristic.is_sequential_string(value)
    )


@cache
def load_detector(name: str) -> "RegexBasedDetector | KeywordDetector":
    """A detector of detect-secrets, which takes 0.2 s to import and is seldom asked."""
    from detect_secrets.core.plugins.initialize import from_plugin_classname

    return cast("RegexBasedDetector | KeywordDetector", from_plugin_classname(name))
