"""What of a text a terminal gets."""

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feeder import escaping

OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what is obeyed instead of shown."""
SHOWN = "\t\u200c\u200d"


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
def test_a_line_is_shown_and_not_obeyed(text: str, line: str) -> None:
    """Letters, spaces, tabs and joined characters stay; the rest is written out."""
    assert escaping.escape_line(text) == line


def test_lines_keep_their_ends() -> None:
    """A document of several lines stays one."""
    assert escaping.escape_lines("{\n  \x1b\r\n}\n") == "{\n  \\u001b\\u000d\n}\n"


@given(st.text(st.characters(codec=None)))
@example("\ud800\u202e\x7f\x9b\u2029\n")
def test_nothing_of_a_line_is_obeyed(text: str) -> None:
    """Whatever the text, its line has no character of the categories that terminals obey."""
    line = escaping.escape_line(text)
    assert {c for c in line if unicodedata.category(c) in OBEYED} <= set(SHOWN)
    line.encode()


@given(st.dictionaries(st.text(), st.text(st.characters(codec=None))))
def test_a_json_document_means_the_same(facts: dict[str, str]) -> None:
    """A machine reads out of it what was put in."""
    document = json.dumps(facts, ensure_ascii=False, indent=2)
    assert json.loads(escaping.escape_lines(document)) == facts


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
def test_neither_a_secret_nor_half_of_it_is_left(text: str, rest: str) -> None:
    """Also as a URL or a page writes it; less than half of it may be anything."""
    assert escaping.mask_secret(text, TOKEN) == rest


def test_a_secret_that_json_writes_in_another_way() -> None:
    """Quotes and backslashes are doubled there."""
    assert escaping.mask_secret(r'{"token": "ab\"cd\\efgh"}', 'ab"cd\\efgh') == '{"token": "***"}'


def test_a_short_secret_is_one_too() -> None:
    """Of a few characters eight, or all, tell it."""
    assert escaping.mask_secret("abc abcd abcdefgh", "abcd") == "abc *** ***efgh"
