"""Which values of a text are secrets? They are masked before anything is made of it.

What looks like one is detect-secrets' knowledge: its detectors of tokens that have a form of their
own, and of what is assigned to a `password` or `secret_key` where that looks random; other tokens
are read at their name. It verifies nothing and asks no network. As all detectors over all lines
take longer than parsing, each only reads lines that hold a sign of its kind, which plain searches
find.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.keyword import KeywordDetector

MASK_VERSION = "2"
"""Counted up when the same text is masked in another way than before."""

SIGNS = (
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
_NEEDED = {
    "AWSKeyDetector": ("a3t", "abia", "acca", "akia", "asia"),
    "IbmCloudIamDetector": ("key", "pwd", "pass", "token"),
    "IbmCosHmacDetector": ("secret",),
    "MailchimpDetector": ("-us",),
    "SoftlayerDetector": ("softlayer", "key", "pwd", "pass", "token"),
}
"""What these have in them or before them, in small letters: their patterns look long for it."""

_LONG_WORD = b"x" * 20
_SHAPE = bytes(ord("x" if re.match(rb"[\w-]", bytes([byte])) else " ") for byte in range(256))
_BEFORE = 12
"""Bytes before a long word that may belong to its token."""
_HEADS = re.compile(
    rb"A3T|A[BKS]IA|ACCA|gh[oprsu]_|gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941"
    rb"|T3BlbkFJ|pypi-Ag|SG\.|k_live_|github_pat_|npm_|sk-ant-|AIza|hf_"
)
_BLOBS = re.compile(
    rb"[A-Za-z0-9]{32}|\d:[\w-]{35}|(?<![\w-])[\w-]{44}(?![\w-])|\.[\w-]{6}\.[\w-]{27}"
)
_HEADS_OR_BLOBS = (_HEADS, _BLOBS)
_BLOB_BYTES = 27

_NEWER = re.compile(
    r"github_pat_\w{22,}|npm_[A-Za-z0-9]{36}|sk-ant-[\w-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{34}"
)
"""Tokens that came up after detect-secrets 1.5."""
_ONLY_HEADS = frozenset({"GitHubTokenDetector", "GitLabTokenDetector"})
"""Their patterns' groups hold the first letters of a token, others' the token without its name."""
_TAIL = re.compile(r"[\w-]*")
_JWT_TAIL = re.compile(r"(?:\.[\w-]*)?")
_JWTS_LIMIT = 50
"""Of what may be a JWT in a line: their pattern takes long where it fails."""

_KEYWORD = re.compile(rb"key|pass|pwd|secret")
_KEYWORDS_LIMIT, _ASSIGNMENT_LIMIT = 4, 300
"""Keywords and characters of a line that is searched for a password: beyond, it takes long."""
_NAMES = (b"pass", b"pwd", b"secret", b"token", b"bearer")
_GIVEN = re.compile(
    rb"""(?:bearer\ |(?:pass|pwd|secret|token)\w{0,20}+
    (?:\\?["'])?\]?(?::[ \t]?[\w.?]{1,30}+(?=[ \t]?=))?
    (?:=|[ \t]{0,9}(?::|:?=>?)[ \t]{0,9}\\?["'`]))
    (?P<value>[\w.!@\#$%^&*~+/=-]{12,200}+)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What a name is given in quotes or right behind `=`, or a header bears, however long a line is."""
_DIGIT = re.compile(r"[0-9]")
_VALUE = re.compile(
    r"(?<![\w.$!@#%^&*~+/=-])(?=[\w.$!@#%^&*~+/=-]{12})[\w.$!@#%^&*~+/=-]*?[0-9]", re.ASCII
)
# the last part of detect-secrets' own pattern, whose first part takes cubic time
_REFERENCE = re.compile(r"[:!=]\s*[\w.-]+[\[(].*[\])]")

_PRIVATE_KEY = re.compile(rb"BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY|PuTTY-User-Key-File-\d")
_KEY_MARKS = (b"PRIVATE KEY", b"PuTTY-User-Key")
_KEY_LINE = re.compile(rb"[A-Za-z0-9+/]{40}")
_KEY_LINES = re.compile(
    rb"[A-Za-z0-9+/]{40,}(?:[^A-Za-z0-9+/=]{1,40}[A-Za-z0-9+/]{16,})*={0,2}"
    rb"(?:[^A-Za-z0-9+/=]{1,40}=?[A-Za-z0-9+/]+={0,2}(?=(?:\\[nr]|[^A-Za-z0-9+/=]){0,40}END ))*"
)
"""Base64 in lines, however they are quoted, of which only the last before the end may be short."""
_KEY_HEADERS_BYTES = 500
"""What may stand between the first line of a private key and its base64."""

REACH = 1000
"""How far from its sign a secret is looked for; lines are as a rule shorter."""

_FILLERS = ("", "x", "\u03c7", "\u1e8b", "\U0001d5d1")
"""A letter for each number of bytes."""
_VISIBLE = re.compile(r"\S")

Span = tuple[int, int]
"""Where a secret starts and ends, in bytes."""


class Masked(NamedTuple):
    """A text without its secrets, and how many they were."""

    content: bytes
    secrets: int


def fingerprint() -> str:
    """What decides which values are masked."""
    return f"{MASK_VERSION} {version('detect-secrets')}"


def mask(path: str, content: bytes) -> Masked:
    """The UTF-8 text with a letter in place of each visible character of a secret.

    Every other character stays where it was, counted in bytes, in characters and in lines. A line
    with `pragma: allowlist secret` in a comment is left as it is. Takes time in proportion to the
    text, and a small share of what parsing it takes.
    """
    spans = _merged([*_tokens(path, content), *_private_keys(content)])
    if not spans:
        return Masked(content, 0)
    parts: list[bytes] = []
    at = 0
    for start, end in spans:
        parts += content[at:start], _filled(content[start:end])
        at = end
    return Masked(b"".join((*parts, content[at:])), len(spans))


def _filled(secret: bytes) -> bytes:
    text = secret.decode()
    return _VISIBLE.sub(lambda match: _FILLERS[len(match[0].encode())], text).encode()


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that meet as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _tokens(path: str, content: bytes) -> Iterator[Span]:
    """Where tokens and random passwords are."""
    small = content.lower()
    for sign, name in SIGNS:
        yield from _found(path, content, _places(small, sign), _one_kind(name))
    yield from _found(path, content, _long_words(content), _word_kinds)
    keywords = (match.start() for match in _KEYWORD.finditer(small))
    yield from _found(path, content, keywords, lambda line: _assigned(path, line))
    for named in _NAMES:
        yield from _given(path, content, _places(small, named))


def _places(text: bytes, sign: bytes) -> Iterator[int]:
    at = text.find(sign)
    while at >= 0:
        yield at
        at = text.find(sign, at + len(sign))


def _long_words(content: bytes) -> Iterator[int]:
    """Where words are that may be a token of WORD_DETECTORS; of endless ones, each piece."""
    shape = content.translate(_SHAPE)
    at = shape.find(_LONG_WORD)
    while at >= 0:
        end = shape.find(b" ", at, at + REACH)
        end = end if end >= 0 else min(at + REACH, len(shape))
        start = max(0, at - _BEFORE)
        signs = _HEADS_OR_BLOBS if end - at >= _BLOB_BYTES else (_HEADS,)
        if any(sign.search(content, start, end + 1) for sign in signs):
            yield at
        at = shape.find(_LONG_WORD, end)


Kind = Callable[[str], Iterable[Span]]
"""Where the secrets of a kind are in a line, in characters."""


def _found(path: str, content: bytes, places: Iterable[int], secrets: Kind) -> Iterator[Span]:
    """What is found in the lines of these places, in bytes of the content."""
    done = 0
    for place in places:
        if place < done:
            continue
        start, end = _around(content, place)
        done = end if content[end : end + 1] in (b"", b"\n") else place + REACH // 2
        line = content[start:end].decode()
        found = list(secrets(line))
        if found and not _is_allowed(path, content, start, line):
            for first, last in found:
                yield start + len(line[:first].encode()), start + len(line[:last].encode())


def _around(content: bytes, place: int) -> Span:
    """The line of a place, of a long one what is within reach; never part of a character."""
    start = content.rfind(b"\n", max(0, place - REACH), place) + 1 or max(0, place - REACH)
    end = content.find(b"\n", place, place + REACH)
    end = end if end >= 0 else min(place + REACH, len(content))
    while start < place and content[start] & 0xC0 == 0x80:
        start += 1
    while end < len(content) and content[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def _is_allowed(path: str, content: bytes, start: int, line: str) -> bool:
    """Whether detect-secrets' pragma on a line, or on the one before, says that it is no secret."""
    from detect_secrets.filters.allowlist import is_line_allowlisted
    from detect_secrets.util.code_snippet import CodeSnippet

    above = content[max(0, start - REACH) : max(0, start - 1)].rpartition(b"\n")[2]
    if "pragma" not in line and b"pragma" not in above:
        return False
    snippet = CodeSnippet([above.decode("utf-8", "replace"), line], 1, 1)
    return is_line_allowlisted(path, line, snippet)


def _one_kind(name: str) -> Kind:
    return lambda line: _matches(name, line)


def _word_kinds(line: str) -> Iterator[Span]:
    small = line.casefold()
    for name in WORD_DETECTORS:
        if any(sign in small for sign in _NEEDED.get(name, ("",))):
            yield from _matches(name, line)
    yield from (match.span() for match in _NEWER.finditer(line))


def _matches(name: str, line: str) -> Iterator[Span]:
    """Where a detector's patterns match, up to the end of the word."""
    detector = cast("RegexBasedDetector", _detector(name))
    is_jwt = name == "JwtTokenDetector"
    if is_jwt and line.count("eyJ") > _JWTS_LIMIT:
        return
    found = set(detector.analyze_string(line)) if is_jwt else ()
    for pattern in detector.denylist:
        for match in pattern.finditer(line):
            start, end = match.span(0 if name in _ONLY_HEADS or not match.lastindex else 1)
            if is_jwt:
                if match[0] not in found:
                    continue
                end = _end(_JWT_TAIL, line, end)
            if not _is_placeholder(line[start:end]):
                yield start, _end(_TAIL, line, end)


def _end(tail: re.Pattern[str], line: str, at: int) -> int:
    match = tail.match(line, at)
    return match.end() if match else at


def _is_placeholder(value: str) -> bool:
    from detect_secrets.filters import heuristic

    return (
        heuristic.is_templated_secret(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
        or heuristic.is_not_alphanumeric_string(value)
        or heuristic.is_sequential_string(value)
    )


def _assigned(path: str, line: str) -> Iterator[Span]:
    """Where values are that are assigned to a name of a secret and look random."""
    if len(line) > _ASSIGNMENT_LIMIT or not _DIGIT.search(line) or not _VALUE.search(line):
        return
    if len(_KEYWORD.findall(line.lower().encode())) > _KEYWORDS_LIMIT:
        return
    if _REFERENCE.search(line):
        return
    from detect_secrets.filters import heuristic

    detector = cast("KeywordDetector", _detector("KeywordDetector"))
    for secret in detector.analyze_line(path, line):
        value = secret.secret_value or ""
        is_name = heuristic.is_likely_id_string(value, line) or heuristic.is_potential_uuid(value)
        if looks_random(value) and not is_name and not _is_placeholder(value):
            yield from (match.span() for match in re.finditer(re.escape(value), line))


def _given(path: str, content: bytes, places: Iterable[int]) -> Iterator[Span]:
    """Where random values are that names of tokens are given, of which detect-secrets knows none,
    and passwords in lines that take its detector too long."""
    from detect_secrets.filters.heuristic import is_potential_uuid

    done = 0
    for place in places:
        if place >= done and (match := _GIVEN.match(content, place)):
            done = match.end()
            value = match["value"].decode()
            if looks_random(value) and not is_potential_uuid(value) and not _is_placeholder(value):
                start, end = _around(content, place)
                if not _is_allowed(path, content, start, content[start:end].decode()):
                    yield match.span("value")


_RANDOM_WORD = re.compile(r"(?=[A-Za-z0-9]{12})(?:[A-Za-z]*[0-9]+[A-Za-z]+){2}")
_RANDOM_SIGNS = re.compile(r"[!#$%^&*+=]")
_OF_CODE = re.compile(r"[\s<>\[\]{}|\\?]|://")


def looks_random(value: str) -> bool:
    """Whether a value is more like a generated one than like a name, a path or a sentence.

    12 characters with letters and digits that alternate, or with signs that no name has.
    """
    if len(value) < 12 or _OF_CODE.search(value):
        return False
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and bool(_RANDOM_WORD.search(value) or _RANDOM_SIGNS.search(value))


@cache
def _detector(name: str) -> "RegexBasedDetector | KeywordDetector":
    """A detector of detect-secrets, which takes 0.2 s to import and is seldom asked."""
    from detect_secrets.core.plugins.initialize import from_plugin_classname

    return cast("RegexBasedDetector | KeywordDetector", from_plugin_classname(name))


def _private_keys(content: bytes) -> Iterator[Span]:
    """Where the bodies of private keys are, of which detect-secrets knows the first line."""
    if not any(mark in content for mark in _KEY_MARKS):
        return
    for match in _PRIVATE_KEY.finditer(content):
        first = _KEY_LINE.search(content, match.end(), match.end() + _KEY_HEADERS_BYTES)
        if first and (lines := _KEY_LINES.match(content, first.start())):
            yield lines.span()
