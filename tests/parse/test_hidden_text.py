"""The outer alternatives of a pattern for hidden text find what the whole pattern does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.parse.hidden_text import HiddenText, split_alternatives

PATTERNS = (
    r"(?P<a>ab)c|(?P<b>b)|c(?=a)",
    r"(?i)\b(?P<a>AB?)(?:c|$)|(?P<b>\|[|()]|\(b)|a",
    r"(?P<a>a)++b|^(?P<b>b)|(?<=a)c|(?>ab|ba)\)",
    r"[)|](?P<a>a)|(?:a|b(?P<b>c)?){2}",
)


def spans(matches: "list[re.Match[bytes]]") -> list[tuple[object, ...]]:
    return [(match.span(), match.lastgroup, match.span(match.lastgroup or 0)) for match in matches]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text("abcABC|()\n"))
def test_matches_are_those_of_the_whole_pattern(pattern: str, text: str) -> None:
    content = text.encode()
    whole = re.compile(pattern.encode(), re.MULTILINE)
    assert spans(list(HiddenText(pattern).finditer(content))) == spans(
        list(whole.finditer(content))
    )


def test_a_pattern_that_matches_nothing_ends() -> None:
    found = [match.span() for match in HiddenText("a*|b").finditer(b"aab")]
    assert found == [(0, 2), (2, 2), (3, 3)]


def test_only_outer_alternatives_are_split() -> None:
    assert split_alternatives(r"(?i)a(?:b|c)|[|]\||\)") == [
        "(?i)a(?:b|c)",
        r"(?i)[|]\|",
        r"(?i)\)",
    ]
