"""A budget is spent by rank and never exceeded, and truncation is reported."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.mcp.token_budget import HitVariant, byte_size, fit_to_budget, truncate_lines


def forms(*sizes: int) -> list[HitVariant]:
    """Returns forms of these sizes in bytes, largest first."""
    return [HitVariant(f"{count}", "x" * count) for count in sorted(sizes, reverse=True)]


def sizes(chosen: Sequence[HitVariant]) -> list[int]:
    return [byte_size(form.text) for form in chosen]


def test_all_hits_are_whole_within_the_budget() -> None:
    assert sizes(fit_to_budget([forms(300, 10), forms(200, 10)], 504)) == [300, 200]


def test_first_hits_get_larger_forms() -> None:
    hits = [forms(300, 100, 10)] * 6
    # 1,200 - 6 x 12 are left for more than the smallest: 1,128, of which the first three take 290
    # each, the next two 90 each, and 78 are too few for another form
    assert sizes(fit_to_budget(hits, 1200)) == [300, 300, 300, 100, 100, 10]


def test_small_budget_has_fewer_hits_with_more_lines() -> None:
    """One for each 192 bytes, at least three; locations alone are all listed."""
    hits = [forms(300, 10)] * 8
    assert len(fit_to_budget(hits, 192 * 5)) == 5
    assert sizes(fit_to_budget(hits, 400)) == [300, 10, 10]
    assert len(fit_to_budget([forms(10)] * 8, 400)) == 8
    twelve = [forms(100, 10) for _ in range(12)]
    assert len(fit_to_budget(twelve, 3199)) == 8
    assert len(fit_to_budget(twelve, 3200)) == 12


def test_large_first_hit_leaves_the_smallest_forms_to_the_others() -> None:
    """What it leaves of the budget goes to them."""
    hits = [forms(900, 50, 10), forms(200, 50, 10), forms(200, 50, 10)]
    assert sizes(fit_to_budget(hits, 1000)) == [900, 50, 10]
    assert sizes(fit_to_budget(hits, 900)) == [50, 200, 200]


def test_last_hits_are_left_out_if_not_even_the_smallest_forms_fit() -> None:
    """But never the first."""
    assert sizes(fit_to_budget([forms(10)] * 5, 25)) == [10, 10]
    assert sizes(fit_to_budget([forms(100)] * 5, 25)) == [100]
    assert fit_to_budget([], 25) == []


@given(
    st.lists(st.lists(st.integers(1, 400), min_size=1, max_size=4), max_size=20),
    st.integers(0, 3000),
)
def test_budget_is_kept(some: list[list[int]], budget: int) -> None:
    """With two bytes between hits; only a single first hit may exceed it."""
    chosen = fit_to_budget([forms(*counts) for counts in some], budget)
    assert len(chosen) <= 1 or sum(sizes(chosen)) + 2 * len(chosen) <= budget
    assert bool(chosen) == bool(some)


@pytest.mark.parametrize(
    ("budget", "left"),
    [(100, ["ab", "cd", "é"]), (9, ["ab", "cd", "é"]), (8, ["ab", "cd"]), (3, ["ab"]), (1, ["a"])],
)
def test_lines_are_cut_at_line_ends(budget: int, left: list[str]) -> None:
    """By bytes; if the first one does not fit, its beginning is kept."""
    assert truncate_lines(["ab", "cd", "é"], budget) == left


def test_multibyte_character_is_not_cut() -> None:
    assert truncate_lines(["éa"], 1) == [""]
    assert truncate_lines([], 5) == []
