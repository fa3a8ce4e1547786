"""The query syntax, by example."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.errors import UserError
from feeder.query.query import MAX_QUERY_CHARS, Query, parse_query
from feeder.query.query_text import QueryText

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("query_cases.json").read_text(encoding="utf-8")
)


def query_of(case: dict[str, Any]) -> Query:
    """The query of a case; fields that it does not name are as in an empty query."""
    return Query(**{name: in_tuples(value) for name, value in case["query"].items()})


def in_tuples(value: Any) -> Any:
    return tuple(map(in_tuples, value)) if isinstance(value, list) else value


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["question"]))
def test_query_is_parsed_as_in_the_case_file(case: dict[str, Any]) -> None:
    """Some with `OR` are errors."""
    if "error" not in case:
        assert parse_query(case["question"]) == query_of(case)
        return
    with pytest.raises(UserError, match=re.escape(case["error"])):
        parse_query(case["question"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("setRates:upload:", "setRates:upload"),
        ("Badge.setRates:upload:", "Badge.setRates:upload"),
        *((text, "") for text in ("settings:", "error:", "http:", "a:1:", "Cart.add:", "a::b:")),
    ],
)
def test_name_with_a_colon_at_the_end_has_one_inside(text: str, name: str) -> None:
    """Other words with one are found as they are written."""
    assert QueryText(text).name == name


@given(st.text())
def test_any_text_is_a_valid_query(text: str) -> None:
    """No character of it is counted twice."""
    parsed = parse_query(text)
    taken = [parsed.words, *parsed.phrases, parsed.regex or "", *parsed.without, *parsed.prefixes]
    assert sum(map(len, taken)) <= len(text)


@given(st.lists(st.sampled_from([*'"/-: *a\\“”', "lang:", "path:", "tests:no", "-x", "\n"])))
def test_any_mixture_of_operators_is_valid(parts: list[str]) -> None:
    """No filter value is empty."""
    parsed = parse_query("".join(parts))
    assert parsed.tests in {None, "no"}
    assert parsed.regex != ""
    assert all(value for values in parsed if isinstance(values, tuple) for value in values)


@given(st.lists(st.text("abcdefgh_", min_size=1), min_size=1, max_size=500))
def test_plain_words_are_unchanged(words: list[str]) -> None:
    """Up to the maximum length of a query."""
    assert parse_query(" ".join(words)) == Query(" ".join(words)[:MAX_QUERY_CHARS].strip())


def test_long_query_is_cut_to_10000_characters() -> None:
    """The last one may be part of an operator."""
    assert parse_query("a" * 1_000_000) == Query("a" * MAX_QUERY_CHARS)
    assert parse_query('"' * 1_000_000).words.startswith('"')
    assert parse_query("/a " * 400_000).words.startswith("/a /a")


def test_ranking_text_includes_the_values_of_operators() -> None:
    """The words come first; excluded words and filters are left out."""
    parsed = parse_query('open "a file" rea* -close symbol:Cart lang:go')
    assert parsed.text == "open a file rea Cart"
    parsed = parse_query('open ("a file" OR rea* OR "a file") symbol:Cart')
    assert parsed.text == "open a file rea Cart"
