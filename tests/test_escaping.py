"""Escaping of terminal control characters and masking of secrets."""

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feeder import escaping

CONTROL_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories of characters that a terminal interprets."""
ALLOWED = "\t\u200c\u200d"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("größe.md 仕様\u3000書 \t|", "größe.md 仕様\u3000書 \t|"),
        ("👩\u200d💻 क\u200cष", "👩\u200d💻 क\u200cष"),
        ("\x1b[31mred", r"\u001b[31mred"),
        ("a\nFiles: 0", r"a\u000aFiles: 0"),
        ("a\rb\x7f\x9b2J\x00", r"a\u000db\u007f\u009b2J\u0000"),
        ("is\u202eAdmin\u2066", r"is\u202eAdmin\u2066"),
        ("zero\u200bwidth\ufeff\u2028", r"zero\u200bwidth\ufeff\u2028"),
        ("tag\U000e0041", r"tag\udb40\udc41"),
        ("half \udce9", r"half \udce9"),
        (r"caf\xe9", r"caf\xe9"),
    ],
)
def test_control_characters_of_a_line_are_escaped(text: str, line: str) -> None:
    """Letters, spaces, tabs and joiners stay; other characters are escaped."""
    assert escaping.escape_line(text) == line


def test_lines_keep_their_ends() -> None:
    """A document of several lines keeps its line breaks."""
    assert escaping.escape_lines("{\n  \x1b\r\n}\n") == "{\n  \\u001b\\u000d\n}\n"


@given(st.text(st.characters(codec=None)))
@example("\ud800\u202e\x7f\x9b\u2029\n")
def test_no_control_character_is_left(text: str) -> None:
    """No escaped line contains a control character, whatever the text."""
    line = escaping.escape_line(text)
    assert {c for c in line if unicodedata.category(c) in CONTROL_CATEGORIES} <= set(ALLOWED)
    line.encode()


@given(st.dictionaries(st.text(), st.text(st.characters(codec=None))))
def test_escaped_json_document_keeps_its_meaning(document_value: dict[str, str]) -> None:
    """An escaped JSON document parses to the same value."""
    document = json.dumps(document_value, ensure_ascii=False, indent=2)
    assert json.loads(escaping.escape_lines(document)) == document_value


TOKEN = "v1.0-abcdef/GHIJKL%mnop&qrst"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f"Bearer {TOKEN}.", "Bearer ***."),
        ("is v1.0-abcdef/GH… known", "is ***… known"),
        ("ends with GHIJKL%mnop&qrst", "ends with ***"),
        ("url v1.0-abcdef%2FGHIJKL%25mnop%26qrst", "url ***"),
        ("page v1.0-abcdef/GHIJKL%mnop&amp;qrst", "page ***"),
        ("nothing of it: v1.0-abc", "nothing of it: v1.0-abc"),
        ("", ""),
    ],
)
def test_no_half_of_a_secret_is_left(text: str, rest: str) -> None:
    """Also as a URL or HTML encodes it; less than half of it may stay."""
    assert escaping.mask_secret(text, TOKEN) == rest


def test_secret_is_found_in_json_escapes() -> None:
    """JSON escapes quotes and backslashes."""
    assert escaping.mask_secret(r'{"token": "ab\"cd\\efgh"}', 'ab"cd\\efgh') == '{"token": "***"}'


def test_short_secret_is_masked() -> None:
    """Of a short secret, eight characters or all of it are masked."""
    assert escaping.mask_secret("abc abcd abcdefgh", "abcd") == "abc *** ***efgh"
