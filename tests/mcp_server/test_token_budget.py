"""A budget is spent by rank, and never exceeded; what is shortened is said."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.mcp.token_budget import HitVariant, byte_size, fit_to_budget, truncate_lines


def forms(*sizes: int) -> list[HitVariant]:
    """Of these many bytes, from the largest to the smallest."""
    return [HitVariant(f"{count}", "x" * count) for count in sorted(sizes, reverse=True)]


def sizes(chosen: Sequence[HitVariant]) -> list[int]:
    return [byte_size(form.text) for form in chosen]


def test_all_are_whole_where_there_is_room() -> None:
    assert sizes(fit_to_budget([forms(300, 10), forms(200, 10)], 504)) == [300, 200]


def test_the_first_are_larger_than_the_last() -> None:
    """Of equal ones, as long as each takes a third at most."""
    hits = [forms(300, 100, 10)] * 6
    # 600 - 6 x 12 are left for more than the smallest: 528, a third of which is 176
    assert sizes(fit_to_budget(hits, 600)) == [100, 100, 100, 100, 100, 10]


def test_a_large_first_one_does_not_starve_the_others() -> None:
    """Unless all are asked for whole: then they are, from the first on."""
    hits = [forms(900, 50, 10), forms(200, 50, 10), forms(200, 50, 10)]
    assert sizes(fit_to_budget(hits, 1000)) == [50, 200, 200]
    assert sizes(fit_to_budget(hits, 1000, greedy=True)) == [900, 50, 10]


def test_where_not_even_the_smallest_fit_the_last_are_left_out() -> None:
    """But never the first."""
    assert sizes(fit_to_budget([forms(10)] * 5, 25)) == [10, 10]
    assert sizes(fit_to_budget([forms(100)] * 5, 25)) == [100]
    assert fit_to_budget([], 25) == []


@given(
    st.lists(st.lists(st.integers(1, 400), min_size=1, max_size=4), max_size=20),
    st.integers(0, 3000),
    st.booleans(),
)
def test_a_budget_is_kept(some: list[list[int]], budget: int, greedy: bool) -> None:
    """With two bytes between hits, whatever there is; only a single first one may be above it."""
    chosen = fit_to_budget([forms(*counts) for counts in some], budget, greedy=greedy)
    assert len(chosen) <= 1 or sum(sizes(chosen)) + 2 * len(chosen) <= budget
    assert bool(chosen) == bool(some)


@pytest.mark.parametrize(
    ("budget", "left"),
    [(100, ["ab", "cd", "é"]), (9, ["ab", "cd", "é"]), (8, ["ab", "cd"]), (3, ["ab"]), (1, ["a"])],
)
def test_lines_are_cut_where_they_end(budget: int, left: list[str]) -> None:
    """By their bytes, each with its end; of a first one that does not fit, its beginning."""
    assert truncate_lines(["ab", "cd", "é"], budget) == left


def test_a_character_is_not_cut() -> None:
    """A first line of one character of two bytes, and room for one of them."""
    assert truncate_lines(["éa"], 1) == [""]
    assert truncate_lines([], 5) == []
