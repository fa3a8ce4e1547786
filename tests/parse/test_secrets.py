"""Secrets in a text are masked before anything is made of it.

No token stands here as one: all are put together when the tests run, so that no scanner minds.
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
from feeder.parse.secrets import mask_text
from feeder.parse.secrets.tokens import TOKEN_MARKERS, WORD_DETECTORS
from feeder.parse.worker_pool import WorkerPool
from parse.outlines import GRAMMARS, SAMPLE_FILES, SAMPLES

LETTERS = string.ascii_letters + string.digits
DETECTORS = sorted({*WORD_DETECTORS, *(name for _, name in TOKEN_MARKERS)})


def made(length: int, alphabet: str = LETTERS, seed: int = 1) -> str:
    """Letters that look random and are the same every time."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


def encoded(facts: dict[str, object]) -> str:
    """A part of a JWT."""
    return base64.urlsafe_b64encode(json.dumps(facts).encode()).decode().rstrip("=")


UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
JWT = ".".join((encoded({"alg": "HS256"}), encoded({"sub": "acme", "n": 7}), made(43)))
TOKENS = {
    "AWS": "AK" + "IA" + made(16, UPPER),
    "GitHub": "gh" + "p_" + made(36),
    "GitHub, of one repository": "github" + "_pat_" + made(22) + "_" + made(59),
    "GitLab": "gl" + "pat-" + made(20),
    "Slack": "xo" + "xb-" + made(12, string.digits) + "-" + made(24, string.ascii_lowercase),
    "Slack's webhook": "https://hooks." + "slack.com/services/T" + made(8) + "/B" + made(8) + "/x1",
    "Stripe": "sk_" + "live_" + made(24),
    "OpenAI": "sk-" + made(20) + "T3Blbk" + "FJ" + made(20),
    "Anthropic": "sk-" + "ant-" + made(40),
    "Google": "AI" + "za" + made(35),
    "Hugging Face": "h" + "f_" + made(34),
    "PyPI": "py" + "pi-AgEIcHlwaS5vcmc" + made(80),
    "npm": "np" + "m_" + made(36),
    "SendGrid": "SG" + "." + made(22) + "." + made(43),
    "Square": "sq0" + "csp-" + made(43),
    "Telegram": made(9, "123456789") + ":" + made(35),
    "Twilio": "A" + "C" + made(32, HEX),
    "Mailchimp": made(32, HEX) + "-us12",
    "Discord": "M" + made(23) + "." + made(6) + "." + made(27),
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


def parsed(path: str, text: str, *, masked: bool = True) -> ParsedFile:
    """A file's nodes, its secrets masked or not."""
    return parse_file(GRAMMARS, path, text.encode(), mask_secrets=masked)


def masked_line(line: str, path: str = "a.py") -> str:
    return mask_text(path, line.encode()).content.decode()


def told(path: str, found: ParsedFile) -> str:
    """All that is kept of a file's nodes."""
    rows = [(node.symbol, node.signature, node.logical_path) for node in found.nodes]
    return str(rows) + "\n".join(embedding_input(path, node) for node in found.nodes)


def shape(nodes: list[Node]) -> list[tuple[str, int, int, int]]:
    """What a mask must not change."""
    return [(n.node_type, n.start_line, n.end_line, len(n.text)) for n in nodes]


def private_key(kind: str = "RSA ", lines: int = 3) -> str:
    """A key in its usual form; the last line of it is short."""
    dashes = "-" * 5
    body = [made(64, seed=number) for number in range(lines)]
    first, last = (f"{dashes}{word} {kind}PRIVATE KEY{dashes}" for word in ("BEGIN", "END"))
    return "\n".join((first, *body, "Qx9zA1==", last))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_is_in_nothing_that_is_kept(kind: str, place: str) -> None:
    """Not in text, signature, symbol or path of a node, whatever the language."""
    token = TOKENS[kind]
    text = PLACES[place].format(token)
    before, after = parsed(place, text, masked=False), parsed(place, text)
    assert token in told(place, before)
    assert token not in told(place, after)
    assert made(12) not in told(place, after).replace(made(12, HEX), "")
    assert shape(after.nodes) == shape(before.nodes)
    assert (before.masked_count, after.masked_count) == (0, 1)


def test_only_the_value_is_masked() -> None:
    """What stands around stays, letter by letter."""
    token = TOKENS["GitHub"]
    line = f'client = Client("{token}", retries=3)'
    assert masked_line(line) == f'client = Client("{"x" * 40}", retries=3)'


def test_a_password_in_a_url_is_masked_and_its_user_is_not() -> None:
    """`user:password@` before a host."""
    assert masked_line("https://" + "ann:hunter2@db.acme.test/x") == (
        "https://ann:xxxxxxx@db.acme.test/x"
    )


def test_a_key_of_aws_is_known_by_its_name() -> None:
    """Forty characters alone are no secret."""
    secret = made(40, LETTERS + "/+")
    assert masked_line(f'aws_secret_key = "{secret}"') == f'aws_secret_key = "{"x" * 40}"'
    assert masked_line(f'checksum = "{secret}"') == f'checksum = "{secret}"'


@pytest.mark.parametrize("path", ["a.py", "b.yaml", "c.json", "d.md"])
@pytest.mark.parametrize("kind", ["RSA ", "", "OPENSSH ", "EC "])
def test_the_body_of_a_private_key_is_masked(kind: str, path: str) -> None:
    """All of its lines, in any file; the lines that name it stay, and so do all line ends."""
    key = private_key(kind)
    content = f"before\n{key}\nafter\n".encode()
    masked = mask_text(path, content)
    assert masked.secret_count == 1
    lines = masked.content.decode().split("\n")
    assert lines[1] == key.split("\n")[0]
    assert lines[2:6] == ["x" * 64] * 3 + ["x" * 8]
    assert [lines[0], *lines[6:]] == ["before", key.split("\n")[-1], "after", ""]


def test_a_private_key_in_a_json_string_is_masked() -> None:
    """Its line ends are two characters there."""
    text = json.dumps({"private_key": private_key(""), "id": 7})
    masked = mask_text("a.json", text.encode()).content.decode()
    assert "Qx9z" not in masked and not any(made(20, seed=n) in masked for n in range(3))
    assert len(masked) == len(text) and masked.endswith(', "id": 7}')


def test_code_about_private_keys_is_left_as_it_is() -> None:
    """What looks for a key's first line holds no key."""
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
def test_what_is_assigned_to_a_secret_name_and_looks_random_is_masked(path: str, line: str) -> None:
    """A generated password has no form of its own; its name tells."""
    value = "k3v9" + made(20)
    assert masked_line(line.format(value), path) == line.format("x" * 24)


def test_signs_make_a_value_look_random() -> None:
    """As in the keys that web frameworks make."""
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
def test_what_a_name_is_given_in_quotes_is_found_in_any_line(line: str) -> None:
    """Tokens too, and passwords in lines of any length and beside any other keywords."""
    value = "k3v9" + made(20)
    assert masked_line(line.format(value)) == line.format("x" * 24)


@pytest.mark.parametrize("unit", ["password=", "token:", "Bearer ", "password='", "token=''"])
def test_endless_signs_without_a_secret_are_left_as_they_are(unit: str) -> None:
    """In lines of which each place might be the start of one."""
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
def test_ordinary_code_is_left_as_it_is(line: str) -> None:
    """Names, calls, references, hashes and ids are what people search for."""
    path = "a.yaml" if line.startswith("secretName") else "a.py"
    assert masked_line(line, path) == line


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.yaml"])
def test_a_line_that_says_that_it_holds_no_secret_is_left_as_it_is(path: str) -> None:
    """With the pragma of detect-secrets, on the line or the one before."""
    comment = "//" if path == "a.ts" else "#"
    token = TOKENS["GitHub"]
    for text in (
        f"token: '{token}'  {comment} pragma: allowlist secret\n",
        f"{comment} pragma: allowlist nextline secret\ntoken: '{token}'\n",
    ):
        assert mask_text(path, text.encode()) == (text.encode(), 0)


def test_letters_beyond_ascii_keep_their_size() -> None:
    """One for one, in bytes and in characters, of one to four bytes."""
    line = "https://" + "ann:aé€🔑@db"
    masked = masked_line(line)
    assert [len(char.encode()) for char in masked] == [len(char.encode()) for char in line]
    assert masked.startswith("https://ann:x") and masked.endswith("@db")


def test_a_secret_in_a_long_line_is_found_wherever_it_is() -> None:
    """Lines of a megabyte, and words without an end, are read piece by piece."""
    token = TOKENS["GitHub"]
    for filler in ("a ", "é ", "ab"):
        for length in (900, 999, 1000, 1001, 1490, 50_000):
            text = f"{filler * length} {token} {filler * length} {token}"
            masked = mask_text("a.min.js", text.encode())
            assert masked.secret_count == 2
            assert masked.content.decode() == text.replace(token, "x" * 40)


def test_plain_text_is_masked_too() -> None:
    """A file that its grammar could not cope with."""
    token = TOKENS["Slack"]
    found = parse_as_plain_text(GRAMMARS, "a.py", f"token = '{token}'\n".encode(), "it crashed")
    assert (found.reason, found.masked_count) == ("it crashed", 1)
    assert token not in told("a.py", found)


def test_processes_mask_unless_they_are_told_not_to() -> None:
    """And an index that was made the other way is made anew: the fingerprints differ."""
    token = TOKENS["GitHub"]
    file = ("a.py", f"token = '{token}'\n".encode())
    with WorkerPool(count=1) as masking, WorkerPool(count=1, mask_secrets=False) as plain:
        [after], [before] = masking.parse([file]), plain.parse([file])
        assert masking.fingerprint != plain.fingerprint
    assert (after.nodes[0].text, after.masked_count) == (f"token = '{'x' * 40}'", 1)
    assert (before.nodes[0].text, before.masked_count) == (f"token = '{token}'", 0)


def matching(name: str) -> st.SearchStrategy[str]:
    """What the patterns of a detector match."""
    detector: object = from_plugin_classname(name)
    assert isinstance(detector, RegexBasedDetector)
    printable = st.characters(min_codepoint=32, max_codepoint=126)
    return st.one_of(*(st.from_regex(p, alphabet=printable) for p in detector.denylist))


def values(name: str, line: str) -> Iterator[str]:
    """What detect-secrets itself finds in a line, with all its filters."""
    with transient_settings({"plugins_used": [{"name": name}]}):
        yield from (found.secret_value or "" for found in scan_line(line))


@pytest.mark.parametrize("name", DETECTORS)
def test_whatever_a_detector_finds_is_masked(name: str) -> None:
    """It finds nothing in the masked line but fillers, though most lines are not shown to it."""

    @settings(max_examples=60, deadline=None)
    @given(matching(name))
    def check(line: str) -> None:
        assert all(set(value) <= {"x", " "} for value in values(name, masked_line(line)))

    check()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([file.name for file in SAMPLE_FILES]),
    st.sampled_from(sorted(TOKENS)),
    st.data(),
)
def test_masks_move_nothing(name: str, kind: str, data: st.DataObject) -> None:
    """With a token anywhere in a file, its nodes have the types, lines and sizes that they had."""
    text = (SAMPLES / name).read_text()
    at = data.draw(st.sampled_from([m.start() for m in re.finditer(r"^|\b|$", text)]))
    token = TOKENS[kind]
    quoted = data.draw(st.sampled_from(["{}", " {} ", '"{}"', " # {}\n", "\n\n{}\n\n"]))
    content = text[:at] + quoted.format(token) + text[at:]
    masked = mask_text(name, content.encode())
    assert (len(masked.content), masked.content.count(b"\n")) == (
        len(content.encode()),
        content.count("\n"),
    )
    before, after = parsed(name, content, masked=False), parsed(name, content)
    assert shape(after.nodes) == shape(before.nodes)
    if not quoted.startswith("{"):
        # what is no text of a notebook's cell, as in its metadata, is not indexed
        assert after.masked_count == (token in told(name, before))
        assert token not in told(name, after)


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("xo b-1aeyJ:/@.=\n'\"é🔑AKIApasswordkey"), max_size=400))
def test_any_text_keeps_its_size(text: str) -> None:
    """Bytes, characters and lines are as many as before, and masking twice is masking once."""
    masked = mask_text("a.py", text.encode())
    after = masked.content.decode()
    assert [len(line) for line in after.split("\n")] == [len(line) for line in text.split("\n")]
    assert len(masked.content) == len(text.encode())
