"""Which lines answer: cases that every language which shows windows runs, and laws."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.search.snippets import MAX_HIGHLIGHTS, Highlight, SnippetRequest, make_snippet

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
            "\ud800",
        ]
    ),
    max_size=30,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_the_window_is_the_one_that_was_chosen_by_hand(case: dict[str, Any]) -> None:
    found = make_snippet(
        case["lines"], case["start_line"], SnippetRequest(**case["wanted"])
    )._asdict()
    found["marks"] = [list(mark) for mark in found["marks"]]
    found["head"] = found["head"] and found["head"]._asdict()
    assert found == case["window"]


@given(LINES, WORDS, st.integers(0, 8), st.sampled_from([None, "def cart(total):", "cart"]))
def test_a_window_is_of_the_text_and_no_larger_than_wanted(
    lines: list[str], words: list[str], size: int, signature: str | None
) -> None:
    """Marks lie in its lines, and nothing follows the lines that is not counted."""
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
def test_what_is_found_is_seen(lines: list[str], words: list[str]) -> None:
    """Where any line has a word of the question, the window has one."""
    whole = make_snippet(lines, 1, SnippetRequest(words, len(lines)))
    part = make_snippet(lines, 1, SnippetRequest(words, 1))
    assert bool(whole.marks) == bool(part.marks)


def test_a_line_that_is_a_file_has_no_end_of_marks() -> None:
    marks = make_snippet(["zebra " * 5000], 1, SnippetRequest(["zebra"])).marks
    assert len(marks) == MAX_HIGHLIGHTS
    assert marks[1] == Highlight(1, 6, 11)
