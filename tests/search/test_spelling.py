"""The words of a query that are checked, and the words that they may misspell."""

import pytest

from feeder.search.query import parse_query
from feeder.search.spelling import is_within_one_edit, nearest_part, words_to_check


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("midleware throtle", ["midleware", "throtle"]),
        ("where is the cart", []),
        ("the cart total of 42", ["cart", "total"]),
        ("throtle", []),
        ("midleware throtle\n  at line 3", []),
        ("cart total -midleware depr* lang:py", ["cart", "total"]),
        ("case:yes midleware throtle", []),
    ],
)
def test_checked_words(query: str, words: list[str]) -> None:
    assert words_to_check(parse_query(query)) == words


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        ("throtle", "throttle", True),
        ("recieve", "receive", True),
        ("cart", "cart", True),
        ("cart", "card", True),
        ("aab", "ab", True),
        ("", "a", True),
        ("creation", "creator", False),
        ("cart", "wagon", False),
        ("abc", "cba", False),
        ("cart", "acrt_", False),
    ],
)
def test_words_within_one_edit(one: str, other: str, is_near: bool) -> None:
    assert is_within_one_edit(one, other) == is_near == is_within_one_edit(other, one)


def test_nearest_part_is_the_most_frequent_one_with_the_same_letter() -> None:
    assert nearest_part("throtle", ["a.Throttle", "get_throttle", "throtled"]) == "throttle"
    assert nearest_part("throtle", ["shrotle", "cart"]) == ""
