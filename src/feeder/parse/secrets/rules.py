"""What a secret looks like: the patterns of tokens, of values assigned to names such as `password`,
and of values that are no secrets.

Most are those of detect-secrets 1.5.0 (rules.py.license), which the tests compare with. Patterns
are compiled when they are first needed.
"""

import re
import string
from functools import cache
from pathlib import PurePath
from typing import NamedTuple

WORD = b""
"""The marker of tokens that have none but a word of 20 letters, digits, `_` and `-`."""


class TokenRule(NamedTuple):
    """Patterns of a kind of token; a group, if there is one, is the secret."""

    markers: tuple[bytes, ...]
    """Each token has one of them, or follows it; in lower case."""
    patterns: tuple[str, ...]
    needed: tuple[str, ...] = ()
    """Patterns that each line with such a token has, and that take less time."""


_SECRET_KEY = "(?:key|pwd|password|pass|token)"


def _assignment(name: str, value: str) -> str:
    """Returns the pattern of a value assigned to a name, in quotes or not."""
    key = rf"(?:(?<=\W)|(?<=^))\[?[\"']?{name}[\"']?\]?"
    return rf"(?i){key} *(?:=|:|:=|=>| +|::) *[\"']?({value})[\"']?"


TOKEN_RULES = {
    "AWSKey": TokenRule(
        (WORD, b"aws"),
        (
            "(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}",
            "(?i)aws.{0,20}?(?:key|pwd|pw|password|pass|token).{0,20}?['\"]([0-9a-z/+]{40})['\"]",
        ),
        # a pattern with `aws.*` in it is tried again at each `aws` of the line
        (r"(?:A3T|A[BKS]IA|ACCA)\w{16}|(?i:aws)", r"(?:A3T|A[BKS]IA|ACCA)\w{16}|[\w/+]{40}"),
    ),
    "AzureStorageKey": TokenRule((b"accountkey=",), ("AccountKey=[a-zA-Z0-9+/=]{88}",)),
    "BasicAuth": TokenRule(
        (b"://",), (r"://[^:/?#\[\]@!$&'()*+,;=\s]+:([^:/?#\[\]@!$&'()*+,;=\s]+)@",)
    ),
    "DiscordBotToken": TokenRule(
        (WORD,),
        (r"[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27}",),
        (r"\.[\w-]{6}\.[\w-]{27}",),
    ),
    "GitHubToken": TokenRule((WORD,), ("gh[opsru]_[A-Za-z0-9_]{36}",)),
    "GitLabToken": TokenRule(
        (WORD,),
        (
            r"(?:gl(?:pat|dt|ft|soat|rt)-[A-Za-z0-9_-]{20,50}|GR1348941[A-Za-z0-9_-]{20,50}"
            r"|glcbt-(?:[0-9a-fA-F]{2}_)?[A-Za-z0-9_-]{20,50}|glimt-[A-Za-z0-9_-]{25}"
            r"|glptt-[A-Za-z0-9_-]{40}|glagent-[A-Za-z0-9_-]{50,1024}|gloas-[A-Za-z0-9_-]{64})"
            r"(?!\w)",
        ),
    ),
    "IbmCloudIam": TokenRule(
        (WORD,),
        (
            _assignment(
                "(?:ibm[_-]?cloud[_-]?iam|cloud[_-]?iam|ibm[_-]?cloud|ibm[_-]?iam|ibm|iam|cloud|)"
                "[_-]?(?:api)?[_-]?" + _SECRET_KEY,
                "[a-zA-Z0-9_-]{44}(?![a-zA-Z0-9_-])",
            ),
        ),
        ("(?i)key|pwd|pass|token", r"[\w\[\\\]^`-]{44}"),
    ),
    "IbmCosHmac": TokenRule(
        (WORD,),
        (
            _assignment(
                "(?:(?:ibm)?[-_]?cos[-_]?(?:hmac)?)?[_-]?secret[-_]?(?:access)?[-_]?key",
                "[a-f0-9]{48}(?![a-f0-9])",
            ),
        ),
        ("(?i)secret", r"\w{48}"),
    ),
    "JwtToken": TokenRule((b"eyj",), (r"eyJ[A-Za-z0-9-_=]+\.[A-Za-z0-9-_=]+\.?",)),
    "Mailchimp": TokenRule((WORD,), ("[0-9a-z]{32}-us[0-9]{1,2}",), (r"\w-us\d",)),
    "Npm": TokenRule((b"_authtoken=",), (r"//.+/:_authToken=\s*(npm_.+|[A-Fa-f0-9-]{36})",)),
    "OpenAI": TokenRule(
        (WORD,), ("sk-[A-Za-z0-9-_]*[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}",), ("T3BlbkFJ",)
    ),
    "PypiToken": TokenRule(
        (WORD,), ("pypi-Ag(?:EIcHlwaS5vcmc|ENdGVzdC5weXBpLm9yZw)[A-Za-z0-9-_]{70,}",)
    ),
    "SendGrid": TokenRule((WORD,), (r"SG\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9_-]{43}",)),
    "Slack": TokenRule(
        (b"xox", b"hooks.slack.com"),
        (
            r"(?i)xox[abopsr]-(?:\d+-)+[a-z0-9]+",
            r"(?ai)https://hooks\.slack\.com/services/T\w+/B\w+/\w+",
        ),
    ),
    "Softlayer": TokenRule(
        (WORD,),
        (
            _assignment("(?:softlayer|sl)[_-]?(?:api)?[_-]?" + _SECRET_KEY, "[a-z0-9]{64}"),
            "(?i)https?://api.softlayer.com/soap/(?:v3|v3.1)/([a-z0-9]{64})",
        ),
        ("(?i)sl|softlayer", r"\w{64}"),
    ),
    "SquareOAuth": TokenRule((b"sq0csp-",), (r"sq0csp-[0-9A-Za-z\\\-_]{43}",)),
    "Stripe": TokenRule((WORD,), ("[rs]k_live_[0-9a-zA-Z]{24}",), ("k_live_",)),
    "TelegramBotToken": TokenRule((WORD,), (r"\d{8,10}:[0-9A-Za-z_-]{35}",), (r"\d:[\w-]{35}",)),
    "TwilioKey": TokenRule((WORD,), ("(?:AC|SK)[a-z0-9]{32}",)),
}

NEWER_TOKENS = re.compile(
    r"github_pat_\w{22,}|npm_[A-Za-z0-9]{36}|sk-ant-[\w-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{34}"
)
"""Tokens that detect-secrets does not know; each is a word."""

_VALUE = r"(?P<value>(?=\w)[^\v'\"]*[^\v,'\"`])"
_QUOTED = rf"(?P<quote>['\"`]){_VALUE}(?P=quote)"
_MAYBE_QUOTED = rf"(?P<quote>['\"`]?){_VALUE}(?P=quote)"
_NAME = (
    r"(?:(?:api|auth|service|account|db|database|priv|private|client)_?key"
    r"|(?:db|database|key)_?pass|password|passwd|pwd|secret|contraseña|contrasena)\w*"
)
_KEY = rf"(?i){_NAME}[]'\"]{{0,2}}"
_EQUALS = r"\s*(?:={1,3}|!==?)\s*"
_COMPARED = rf"{_QUOTED}\s*[!=]{{2,3}}\s*\w*{_NAME}"
_BEFORE_SEMICOLON = rf"(?i){_NAME}\S{{0,50}}?\s*{_QUOTED};"
_UNQUOTED = (_COMPARED, _KEY + _EQUALS + _MAYBE_QUOTED, _BEFORE_SEMICOLON)
_C = (rf"(?i){_NAME}(?:\[[0-9]*\])?\s*[!=]{{1,2}}\s*@?\"{_VALUE}\"",)
_CPP = (rf"{_NAME}(?:.assign)?\(\"{_VALUE}\"", _KEY + _EQUALS + _QUOTED)
_CONFIG = (rf"{_KEY}:\s*{_MAYBE_QUOTED}", *_UNQUOTED)
_OTHER = (
    rf"{_KEY}:\s*{_QUOTED}",
    rf"{_KEY}\s*=>?\s*{_QUOTED}",
    *(_COMPARED, _KEY + _EQUALS + _QUOTED, _BEFORE_SEMICOLON),
)
_PATTERNS_BY_SUFFIX = {
    ".go": (rf"{_KEY}\s*:=\s*{_MAYBE_QUOTED}", *_UNQUOTED),
    ".cpp": _CPP,
    **dict.fromkeys((".c", ".cs", ".m"), _C),
    **dict.fromkeys((".eyaml", ".yaml", ".yml", ".cnf", ".conf", ".cfg", ".cf"), _CONFIG),
    **dict.fromkeys((".ini", ".properties", ".toml"), _CONFIG),
}

_PRAGMA = r"[ \t]*pragma: ?(?:allow|white)list[ -]secret"
_NEXT = r"[ \t]*pragma: ?allowlist[ -]nextline[ -]secret"
_YAML_PRAGMAS = re.compile(rf"#{_PRAGMA}"), re.compile(rf"^#{_NEXT}")
_PRAGMAS = (
    re.compile(rf"(?:#|//|'|--){_PRAGMA}|/\*{_PRAGMA}.*?\*/[ \t]*$"),
    re.compile(
        rf"^(?:(?:#|//|'|--){_NEXT}|/\*{_NEXT}.*?\*/[ \t]*$|<!--[# \t]*{_NEXT}.*?-->[ \t]*$)"
    ),
)

_UUID = re.compile(r"(?i)[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}")
_ID_NAME = re.compile(r"(?i)(?:^(?:id|myid|userid)|_id)s?[^a-z0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_UPPER, _HEX = string.ascii_uppercase, string.hexdigits.upper()
_SEQUENCES = (
    f"{_UPPER}{_UPPER}{string.digits}+/\n{string.digits}{_UPPER}{_UPPER}+/\n{_UPPER}=/\n"
    f"{string.digits}{_UPPER}{string.digits}{_UPPER}\n{string.digits}{string.digits}\n{_HEX}{_HEX}"
)


compiled = cache(re.compile)
"""Returns a compiled pattern, in less time than `re` does."""


def assignment_patterns(path: str) -> tuple[str, ...]:
    """Returns the patterns of a `value` assigned to the name of a secret, for a file's language."""
    return _PATTERNS_BY_SUFFIX.get(PurePath(path).suffix, _OTHER)


def is_placeholder(value: str) -> bool:
    """True if a value stands for a secret: `{name}`, `<name>`, `$NAME`, `****`, `abcdef`."""
    return (
        not _LETTER.search(value)
        or value[0] + value[-1] in ("{}", "<>")
        or value[0] == "$"
        or value.upper() in _SEQUENCES
    )


def is_uuid(value: str) -> bool:
    """True if a UUID is in the value."""
    return bool(_UUID.search(value))


def is_id(value: str, line: str) -> bool:
    """True if the name of an id is before the value in its line: `user_id = "…"`."""
    return bool(_ID_NAME.search(line, 0, line.index(value)))


def is_allowlisted(path: str, line: str, above: str) -> bool:
    """True if detect-secrets' pragma is on the line, or on the line above it for the next one."""
    allowed, next_allowed = _YAML_PRAGMAS if path.endswith(".yaml") else _PRAGMAS
    return bool(allowed.search(line) or next_allowed.search(above))
