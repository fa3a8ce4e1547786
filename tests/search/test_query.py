"""The question's language, by example."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.search.query import MAX_QUERY_CHARS, Query, parse_query

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("query_cases.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["question"]))
def test_a_question_asks_for(case: dict[str, Any]) -> None:
    """What the file of cases says; what it does not name is as in an empty question."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in case["query"].items()
    }
    assert parse_query(case["question"]) == Query(**fields)


@given(st.text())
def test_no_question_is_an_error(text: str) -> None:
    """Of whatever signs, and no letter of it becomes two."""
    asked = parse_query(text)
    taken = [asked.words, *asked.phrases, asked.regex or "", *asked.without, *asked.prefixes]
    assert sum(map(len, taken)) <= len(text)


@given(st.lists(st.sampled_from([*'"/-: *a\\“”', "lang:", "path:", "tests:no", "-x", "\n"])))
def test_no_mixture_of_signs_is_an_error(parts: list[str]) -> None:
    """And no value is empty."""
    asked = parse_query("".join(parts))
    assert asked.tests in {None, "no"}
    assert asked.regex != ""
    assert all(value for values in asked if isinstance(values, tuple) for value in values)


@given(st.lists(st.text("abcdefgh_", min_size=1), min_size=1, max_size=500))
def test_bare_words_stay_as_they_are(words: list[str]) -> None:
    """However many, up to the length that is read."""
    assert parse_query(" ".join(words)) == Query(" ".join(words)[:MAX_QUERY_CHARS].strip())


def test_a_megabyte_is_cut() -> None:
    """To ten thousand characters, of which the last may be a part of a sign."""
    assert parse_query("a" * 1_000_000) == Query("a" * MAX_QUERY_CHARS)
    assert parse_query('"' * 1_000_000).words.startswith('"')
    assert parse_query("/a " * 400_000).words.startswith("/a /a")


def test_what_ranks_has_the_texts_of_the_signs_too() -> None:
    """The words first; what is left out and filters have no part in it."""
    asked = parse_query('open "a file" rea* -close symbol:Cart lang:go')
    assert asked.text == "open a file rea Cart"
