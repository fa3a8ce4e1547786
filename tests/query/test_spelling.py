"""The words of a query that are checked, and the words that they may misspell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.query.query import parse_query
from feeder.query.spelling import (
    nearest_part,
    one_edit_variants,
    words_to_check,
)
from feeder.suggestions import is_within_one_edit


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


@given(rest=st.text("abc", max_size=4), other_rest=st.text("abc", max_size=5))
def test_variants_are_the_words_one_edit_away_with_the_same_letter(
    rest: str, other_rest: str
) -> None:
    word, other = f"a{rest}", f"a{other_rest}"
    is_variant = other != word and is_within_one_edit(word, other)
    assert (other in one_edit_variants(word)) == is_variant


def test_variants_of_a_short_word() -> None:
    """Three of them without a letter, two swapped, 3 x 25 replaced and 4 x 26 with one more."""
    variants = one_edit_variants("flie")
    assert {"file", "lie", "life"} & set(variants) == {"file"}
    assert {"fle", "fli", "flies", "fliee", "flip"} <= set(variants)
    # a letter added beside its equal is the same word twice: `flie` + l, i, e
    assert len(variants) == len(set(variants)) == 3 + 2 + 3 * 25 + 4 * 26 - 3
