"""Secrets are masked before a text is parsed, indexed or embedded.

All tokens are assembled at run time, so that no secret scanner reports this file.
"""

import base64
import json
import random
import re
import string
from collections.abc import Iterator

import pytest
from detect_secrets.core.plugins.initialize import from_plugin_classname
from detect_secrets.core.scan import scan_line
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.settings import transient_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.nodes import Node, embedding_input
from feeder.parse import ParsedFile
from feeder.parse.file_parser import parse_as_plain_text, parse_file
from feeder.parse.secrets import mask_lines, mask_text
from feeder.parse.secrets.rules import TOKEN_RULES
from feeder.parse.worker_pool import WorkerPool
from parse.outlines import GRAMMARS, SAMPLE_FILES, sample_file

pytestmark = pytest.mark.slow

LETTERS = string.ascii_letters + string.digits
DETECTORS = [f"{name}Detector" for name in sorted(TOKEN_RULES)]


def random_text(length: int, alphabet: str = LETTERS, seed: int = 1) -> str:
    """Returns random-looking characters that are the same every time."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


def jwt_part(facts: dict[str, object]) -> str:
    """Returns a part of a JWT."""
    return base64.urlsafe_b64encode(json.dumps(facts).encode()).decode().rstrip("=")


UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
JWT = ".".join((jwt_part({"alg": "HS256"}), jwt_part({"sub": "acme", "n": 7}), random_text(43)))
TOKENS = {
    "AWS": "AK" + "IA" + random_text(16, UPPER),
    "GitHub": "gh" + "p_" + random_text(36),
    "GitHub, of one repository": "github" + "_pat_" + random_text(22) + "_" + random_text(59),
    "GitLab": "gl" + "pat-" + random_text(20),
    "Slack": "xo"
    + "xb-"
    + random_text(12, string.digits)
    + "-"
    + random_text(24, string.ascii_lowercase),
    "Slack's webhook": "https://hooks."
    + "slack.com/services/T"
    + random_text(8)
    + "/B"
    + random_text(8)
    + "/x1",
    "Stripe": "sk_" + "live_" + random_text(24),
    "OpenAI": "sk-" + random_text(20) + "T3Blbk" + "FJ" + random_text(20),
    "Anthropic": "sk-" + "ant-" + random_text(40),
    "Google": "AI" + "za" + random_text(35),
    "Hugging Face": "h" + "f_" + random_text(34),
    "PyPI": "py" + "pi-AgEIcHlwaS5vcmc" + random_text(80),
    "npm": "np" + "m_" + random_text(36),
    "SendGrid": "SG" + "." + random_text(22) + "." + random_text(43),
    "Square": "sq0" + "csp-" + random_text(43),
    "Telegram": random_text(9, "123456789") + ":" + random_text(35),
    "Twilio": "A" + "C" + random_text(32, HEX),
    "Mailchimp": random_text(32, HEX) + "-us12",
    "Discord": "M" + random_text(23) + "." + random_text(6) + "." + random_text(27),
    "JWT": JWT,
}

PLACES = {
    "a.py": 'def connect():\n    """Opens it."""\n    return Client(token="{}")\n',
    "b.ts": "export const token = '{}';\n\nexport function f() {{ return token; }}\n",
    "c.json": '{{"name": "acme", "token": "{}", "debug": true}}\n',
    "d.yaml": "server:\n  token: {}\n  port: 80\n",
    "e.md": "# Guide\n\nPass `{}` as it is.\n\n## More\n\nText.\n",
    "f.toml": '[server]\ntoken = "{}"\n',
    "g.txt": "größe {} 🔑\n",
}


def parse_masked(path: str, text: str, *, masked: bool = True) -> ParsedFile:
    """Returns a file's nodes with masking on or off."""
    return parse_file(GRAMMARS, path, text.encode(), mask_secrets=masked)


def masked_line(line: str, path: str = "a.py") -> str:
    return mask_text(path, line.encode()).content.decode()


PART_CHARS = 12
"""Consecutive characters of a token that no other text has."""


def stored_fields(path: str, found: ParsedFile) -> str:
    """Returns all stored fields of a file's nodes."""
    rows = [(node.symbol, node.signature, node.logical_path) for node in found.nodes]
    return str(rows) + "\n".join(embedding_input(path, node) for node in found.nodes)


def shape(nodes: list[Node]) -> list[tuple[str, int, int, int]]:
    """Returns the properties that masking must not change."""
    return [(n.node_type, n.start_line, n.end_line, len(n.text)) for n in nodes]


def private_key(kind: str = "RSA ", lines: int = 3) -> str:
    """Returns a private key in PEM form with a short last line."""
    dashes = "-" * 5
    body = [random_text(64, seed=number) for number in range(lines)]
    first, last = (f"{dashes}{word} {kind}PRIVATE KEY{dashes}" for word in ("BEGIN", "END"))
    return "\n".join((first, *body, "Qx9zA1==", last))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", TOKENS)
def test_token_is_in_no_stored_field(kind: str, place: str) -> None:
    """Not in text, signature, symbol or path, in any language."""
    token = TOKENS[kind]
    text = PLACES[place].format(token)
    before, after = parse_masked(place, text, masked=False), parse_masked(place, text)
    assert token in stored_fields(place, before)
    assert token not in stored_fields(place, after)
    assert random_text(12) not in stored_fields(place, after).replace(random_text(12, HEX), "")
    assert shape(after.nodes) == shape(before.nodes)
    assert (before.masked_count, after.masked_count) == (0, 1)


def test_only_the_value_is_masked() -> None:
    """The text around it is unchanged."""
    token = TOKENS["GitHub"]
    line = f'client = Client("{token}", retries=3)'
    assert masked_line(line) == f'client = Client("{"x" * 40}", retries=3)'


def test_password_in_a_url_is_masked_but_not_the_user() -> None:
    assert masked_line("https://" + "ann:hunter2@db.acme.test/x") == (
        "https://ann:xxxxxxx@db.acme.test/x"
    )


def test_aws_key_is_recognized_by_its_name() -> None:
    """Forty characters alone are no secret."""
    secret = random_text(40, LETTERS + "/+")
    assert masked_line(f'aws_secret_key = "{secret}"') == f'aws_secret_key = "{"x" * 40}"'
    assert masked_line(f'checksum = "{secret}"') == f'checksum = "{secret}"'


@pytest.mark.parametrize("path", ["a.py", "b.yaml", "c.json", "d.md"])
@pytest.mark.parametrize("kind", ["RSA ", "", "OPENSSH ", "EC "])
def test_body_of_a_private_key_is_masked(kind: str, path: str) -> None:
    """In any file; its first and last line and all line ends stay."""
    key = private_key(kind)
    content = f"before\n{key}\nafter\n".encode()
    masked = mask_text(path, content)
    assert masked.secret_count == 1
    lines = masked.content.decode().split("\n")
    assert lines[1] == key.split("\n")[0]
    assert lines[2:6] == ["x" * 64] * 3 + ["x" * 8]
    assert [lines[0], *lines[6:]] == ["before", key.split("\n")[-1], "after", ""]


def test_private_key_in_a_json_string_is_masked() -> None:
    """Its line ends are escape sequences."""
    text = json.dumps({"private_key": private_key(""), "id": 7})
    masked = mask_text("a.json", text.encode()).content.decode()
    assert "Qx9z" not in masked and not any(random_text(20, seed=n) in masked for n in range(3))
    assert len(masked) == len(text) and masked.endswith(', "id": 7}')


def test_code_about_private_keys_is_not_masked() -> None:
    """It contains no key."""
    dashes = "-" * 5
    code = (
        f'if text.startswith("{dashes}BEGIN RSA PRIVATE KEY{dashes}"):\n'
        f'    return text.endswith("{dashes}END RSA PRIVATE KEY{dashes}")\n'
    )
    assert mask_text("a.py", code.encode()) == (code.encode(), 0)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'SECRET_KEY = "{}"'),
        ("a.js", "const config = {{ apiKey: '{}' }};"),
        ("a.yaml", "db_password: {}"),
        ("a.toml", 'client_key = "{}"'),
        ("a.go", 'password := "{}"'),
        ("a.json", '"auth_key": "{}",'),
    ],
)
def test_random_value_of_a_secret_name_is_masked(path: str, line: str) -> None:
    """A generated password has no other recognizable form."""
    value = "k3v9" + random_text(20)
    assert masked_line(line.format(value), path) == line.format("x" * 24)


def test_punctuation_makes_a_value_random() -> None:
    """As in keys that web frameworks generate."""
    value = "abc&3z!" + "qw#kdlp(x_yu%m"
    assert masked_line(f'SECRET_KEY = "{value}"') == f'SECRET_KEY = "{"x" * len(value)}"'


@pytest.mark.parametrize(
    "line",
    [
        'CLOUDFLARE_API_TOKEN="{}"',
        'auth_token = "{}"',
        'const token: string = "{}"',
        "export DB_PASSWORD={}",
        "{{token: '{}'}}",
        "Authorization: Bearer {}",
        "Send `Bearer {}` with it.",
        r'body = "{{\"password\": \"{}\"}}"',
        "f(" + "a, " * 200 + 'password = "{}"' + ", a" * 200 + ")",
        '{{"key":1,"key2":2,"key3":3,"key4":4,"password":"{}"}}',
    ],
)
def test_quoted_values_are_found_in_any_line(line: str) -> None:
    """Of any length and beside other keywords."""
    value = "k3v9" + random_text(20)
    assert masked_line(line.format(value)) == line.format("x" * 24)


@pytest.mark.parametrize("unit", ["password=", "token:", "Bearer ", "password='", "token=''"])
def test_long_punctuation_without_a_secret_is_unchanged(unit: str) -> None:
    """Every position might start a match."""
    content = (unit * 50_000).encode()
    assert mask_text("a.py", content) == (content, 0)


@pytest.mark.parametrize(
    "line",
    [
        'token_type = "access_token_v2_of_2024"',
        'token = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"',
        "token = tokens[index1].next_token2",
        "a bearer of news from 2024-05-17T12:30",
        'password = "password1"',
        "password = get_password(user_id=12)",
        'secret_name = "projects/acme-12/secrets/mail"',
        "secretName: web-tls-certificate-2024-v2",
        'api_key = os.environ["API_KEY_V2_OF_ACME"]',
        'password = "${DATABASE_PASSWORD_2}"',
        'help = "The password must have 12 characters and 3 digits"',
        'password_pattern = "^[a-z0-9]{12}$"',
        'cache_key = "k3v9a8f5f167f44f4964e6c998dee827110c"',
        'checksum = "a8f5f167f44f4964e6c998dee827110c"',
        'commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"',
        'uuid = "550e8400-e29b-41d4-a716-446655440000"',
        "url = f'https://{user}:{password}@{host}'",
        "def test_that_a_long_name_of_a_test_with_many_words_is_kept(self): pass",
    ],
)
def test_ordinary_code_is_unchanged(line: str) -> None:
    """Names, calls, references, hashes and ids must stay searchable."""
    path = "a.yaml" if line.startswith("secretName") else "a.py"
    assert masked_line(line, path) == line


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.yaml"])
def test_allowlist_pragma_prevents_masking(path: str) -> None:
    """That of detect-secrets, on the line or the one before."""
    comment = "//" if path == "a.ts" else "#"
    token = TOKENS["GitHub"]
    for text in (
        f"token: '{token}'  {comment} pragma: allowlist secret\n",
        f"{comment} pragma: allowlist nextline secret\ntoken: '{token}'\n",
    ):
        assert mask_text(path, text.encode()) == (text.encode(), 0)


def test_masking_keeps_the_size_of_non_ascii_text() -> None:
    """In bytes and in characters."""
    line = "https://" + "ann:aé€🔑@db"
    masked = masked_line(line)
    assert [len(char.encode()) for char in masked] == [len(char.encode()) for char in line]
    assert masked.startswith("https://ann:x") and masked.endswith("@db")


def test_secret_in_a_long_line_is_found() -> None:
    """Lines of a megabyte are scanned in overlapping pieces."""
    token = TOKENS["GitHub"]
    for filler in ("a ", "é ", "ab"):
        for length in (900, 999, 1000, 1001, 1490, 50_000):
            text = f"{filler * length} {token} {filler * length} {token}"
            masked = mask_text("a.min.js", text.encode())
            assert masked.secret_count == 2
            assert masked.content.decode() == text.replace(token, "x" * 40)


def test_plain_text_fallback_is_masked() -> None:
    token = TOKENS["Slack"]
    found = parse_as_plain_text(GRAMMARS, "a.py", f"token = '{token}'\n".encode(), "it crashed")
    assert (found.reason, found.masked_count) == ("it crashed", 1)
    assert token not in stored_fields("a.py", found)


def test_workers_mask_by_default() -> None:
    """The setting is part of the parser fingerprint."""
    token = TOKENS["GitHub"]
    file = ("a.py", f"token = '{token}'\n".encode())
    with WorkerPool(count=1) as masking, WorkerPool(count=1, mask_secrets=False) as plain:
        [after], [before] = masking.parse([file]), plain.parse([file])
        assert masking.fingerprint != plain.fingerprint
    assert (after.nodes[0].text, after.masked_count) == (f"token = '{'x' * 40}'", 1)
    assert (before.nodes[0].text, before.masked_count) == (f"token = '{token}'", 0)


def matching(name: str) -> st.SearchStrategy[str]:
    """Generates texts that match the patterns of a detector."""
    detector: object = from_plugin_classname(name)
    assert isinstance(detector, RegexBasedDetector)
    printable = st.characters(min_codepoint=32, max_codepoint=126)
    return st.one_of(*(st.from_regex(p, alphabet=printable) for p in detector.denylist))


def values(name: str, line: str) -> Iterator[str]:
    """Returns the secrets that detect-secrets finds in a line, with all its filters."""
    with transient_settings({"plugins_used": [{"name": name}]}):
        yield from (found.secret_value or "" for found in scan_line(line))


@pytest.mark.parametrize("name", DETECTORS)
def test_whatever_a_detector_finds_is_masked(name: str) -> None:
    """Afterwards it finds only masks, although it does not scan most lines."""

    @settings(max_examples=60)
    @given(matching(name))
    def check(line: str) -> None:
        assert all(set(value) <= {"x", " "} for value in values(name, masked_line(line)))

    check()


@settings(max_examples=150)
@given(
    st.sampled_from([file.name for file in SAMPLE_FILES]),
    st.sampled_from(sorted(TOKENS)),
    st.data(),
)
def test_masking_keeps_types_lines_and_sizes_of_nodes(
    name: str, kind: str, data: st.DataObject
) -> None:
    """With a token anywhere in a file."""
    text = sample_file(name).read_text()
    at = data.draw(st.sampled_from([m.start() for m in re.finditer(r"^|\b|$", text)]))
    token = TOKENS[kind]
    quoted = data.draw(st.sampled_from(["{}", " {} ", '"{}"', " # {}\n", "\n\n{}\n\n"]))
    content = text[:at] + quoted.format(token) + text[at:]
    masked = mask_text(name, content.encode())
    assert (len(masked.content), masked.content.count(b"\n")) == (
        len(content.encode()),
        content.count("\n"),
    )
    before, after = parse_masked(name, content, masked=False), parse_masked(name, content)
    assert shape(after.nodes) == shape(before.nodes)
    if not quoted.startswith("{"):
        # what is no text of a notebook's cell, as in its metadata, is not indexed
        # and of a token that ends a node too early, as `def TOKEN` in Scala, only a part is
        stored = stored_fields(name, before)
        parts = (token[at : at + PART_CHARS] for at in range(len(token) - PART_CHARS + 1))
        assert after.masked_count == any(part in stored for part in parts)
        assert token not in stored_fields(name, after)


@settings(max_examples=150)
@given(st.text(st.sampled_from("xo b-1aeyJ:/@.=\n'\"é🔑AKIApasswordkey"), max_size=400))
def test_masking_keeps_the_size_of_any_text(text: str) -> None:
    """In bytes, characters and lines; masking is idempotent."""
    masked = mask_text("a.py", text.encode())
    after = masked.content.decode()
    assert [len(line) for line in after.split("\n")] == [len(line) for line in text.split("\n")]
    assert len(masked.content) == len(text.encode())


LINE_KINDS = (
    "",
    "x = 1",
    *(f'token = "{token}"' for token in TOKENS.values()),
    "# pragma: allowlist nextline secret",
    f'password = "{random_text(24)}"',
    f"url = https://ada:{random_text(16)}@acme.test/ and ada@acme.test",
    "see https://acme.test/docs/aws/keys:all",
    f'sha = "{random_text(64, HEX)}"',
    f"{'x ' * 1_500}password = '{random_text(24)}' {'y ' * 1_500}",
)


@given(st.lists(st.sampled_from(LINE_KINDS), min_size=1, max_size=12), st.data())
@settings(max_examples=150)
def test_masked_lines_are_those_of_the_whole_text(lines: list[str], data: st.DataObject) -> None:
    """With and without a private key, whose lines are masked together."""
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(lines)))
        lines = [*lines[:at], *private_key().split("\n"), *lines[at:]]
    rows = data.draw(st.sets(st.integers(0, len(lines) - 1)))
    whole = mask_text("a.py", "\n".join(lines).encode()).content.decode().split("\n")
    assert mask_lines("a.py", lines, rows) == {row: whole[row] for row in rows}
