"""Snippets: shared cases for all implementations, and properties."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.query.term_matching import TermMatcher
from feeder.snippets.snippets import MAX_HIGHLIGHTS, Highlight, SnippetRequest, make_snippet

CASES = json.loads((Path(__file__).parent / "snippet_cases.json").read_text("utf-8"))
WORDS = st.lists(st.sampled_from(["cart", "total", "emptyCart", "the", "π", "c*", "\0", "a b"]))
LINES = st.lists(
    st.sampled_from(
        [
            "",
            "cart",
            "  total(",
            "    (emptyCart",
            ")",
            "\tthe π",
            "}",
            "def cart(total):",
            "Carting carts, TOTALLY",
            "\ud800",
        ]
    ),
    max_size=30,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_snippet_equals_the_expected_lines(case: dict[str, Any]) -> None:
    found = make_snippet(
        case["lines"], case["start_line"], SnippetRequest(**case["wanted"])
    )._asdict()
    found["marks"] = [list(mark) for mark in found["marks"]]
    found["head"] = found["head"] and found["head"]._asdict()
    found["more"] = [part._asdict() for part in found["more"]]
    assert found == case["window"]


@given(LINES, WORDS, st.integers(0, 8), st.sampled_from([None, "def cart(total):", "cart"]))
def test_snippet_is_part_of_the_text_and_within_its_limit(
    lines: list[str], words: list[str], size: int, signature: str | None
) -> None:
    """Highlights are within its lines, and all omitted lines are counted."""
    found = make_snippet(lines, 5, SnippetRequest(words, size, signature))
    shown = [
        (part.start_line + at, text) for part in found.parts for at, text in enumerate(part.lines)
    ]
    assert len(shown) <= size
    assert [number for number, _ in shown] == sorted({number for number, _ in shown})
    assert all(lines[number - 5] == text for number, text in shown)
    assert found.start_line + len(found.lines) + found.below == 5 + len(lines)
    assert all(0 <= mark.start < mark.end <= len(dict(shown)[mark.line]) for mark in found.marks)


@given(LINES, WORDS)
def test_snippet_contains_a_query_word_if_any_line_does(lines: list[str], words: list[str]) -> None:
    whole = make_snippet(lines, 1, SnippetRequest(words, len(lines)))
    part = make_snippet(lines, 1, SnippetRequest(words, 1))
    assert bool(whole.marks) == bool(part.marks)


@given(LINES, WORDS)
def test_words_are_found_in_each_line_as_in_the_line_alone(
    lines: list[str], words: list[str]
) -> None:
    alone = [
        match._replace(row=row)
        for row, line in enumerate(lines)
        for match in TermMatcher(words).find_matches([line])
    ]
    assert list(TermMatcher(words).find_matches(lines)) == alone


def test_one_line_file_has_a_limited_number_of_highlights() -> None:
    marks = make_snippet(["zebra " * 5000], 1, SnippetRequest(["zebra"])).marks
    assert len(marks) == MAX_HIGHLIGHTS
    assert marks[1] == Highlight(1, 6, 11)


@pytest.mark.parametrize(
    ("word", "line", "marked"),
    [
        ("toObject", "to map an object, toObject(idToSymbol)", ["object", "toObject"]),
        ("to_object", "it is easy to_object to", ["object"]),
        ("getAll", "get all with getAll", ["getAll"]),
        ("to", "to be", ["to"]),
    ],
)
def test_stop_words_in_a_compound_are_not_marked_alone(
    word: str, line: str, marked: list[str]
) -> None:
    matches = TermMatcher([word]).find_matches([line])
    assert [line[match.start : match.end] for match in matches] == marked


def test_long_snippet_may_end_with_the_last_line() -> None:
    """However far before the only matching line it has to begin for that."""
    lines = [*(f"x{row} = {row}" for row in range(59)), "cart = 1"]
    found = make_snippet(lines, 1, SnippetRequest(["cart"], 30))
    assert (found.start_line, len(found.lines), found.below) == (31, 30, 0)
