"""The words of a query that are checked, and the words that they may misspell."""

import pytest

from feeder.search.query import parse_query
from feeder.search.spelling import edit_distance, nearest_part, words_to_check


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
    ("one", "other", "distance"),
    [
        ("throtle", "throttle", 1),
        ("recieve", "receive", 1),
        ("cart", "cart", 0),
        ("cart", "card", 1),
        ("creation", "creator", 2),
        ("cart", "wagon", 4),
    ],
)
def test_edit_distance(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == distance == edit_distance(other, one)


def test_nearest_part_is_the_most_frequent_one_with_the_same_letter() -> None:
    assert nearest_part("throtle", ["a.Throttle", "get_throttle", "throtled"]) == "throttle"
    assert nearest_part("throtle", ["shrotle", "cart"]) == ""
