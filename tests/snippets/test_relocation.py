"""Relocation of lines in a text that has changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.snippets import relocation
from feeder.snippets.relocation import LineMap, LineRange

FILE = """\
import os

def one(a):
    x = a + 1
    return x

def two(b):
    y = b * 2
    z = y - 3
    return z

VERSION = "1.0"
""".splitlines()
ONE, TWO, VERSION = (3, 5), (7, 10), (12, 12)
TEXTS = st.lists(st.sampled_from(["", "a", "b", "c = 1", "return c", "}"]), max_size=25)


def relocate_lines(now: list[str], lines: tuple[int, int]) -> LineRange | None:
    return LineMap(FILE, now).locate(*lines)


def test_lines_inserted_above_shift_a_range() -> None:
    now = ["# one", "# two", *FILE]
    assert relocate_lines(now, ONE) == LineRange(5, 7, True)
    assert relocate_lines(now, TWO) == LineRange(9, 12, True)
    assert relocate_lines(now, VERSION) == LineRange(14, 14, True)


def test_edited_range_is_found_by_its_unchanged_lines() -> None:
    now = [*FILE[:7], "    y = b * 20", "    print(y)", *FILE[8:]]
    assert relocate_lines(now, TWO) == LineRange(7, 11, False)
    assert relocate_lines(now, ONE) == LineRange(3, 5, True)


def test_range_with_rewritten_first_and_last_line_is_found() -> None:
    now = [*FILE[:6], "def second(b, c):", *FILE[7:9], "    return z, c", *FILE[10:]]
    assert relocate_lines(now, TWO) == LineRange(7, 10, False)


def test_swapped_ranges_are_found() -> None:
    now = [*FILE[:2], *FILE[6:10], "", *FILE[2:5], *FILE[10:]]
    assert relocate_lines(now, ONE) == LineRange(8, 10, True)
    assert relocate_lines(now, TWO) == LineRange(3, 6, True)


def test_single_line_matches_a_similar_line_in_its_place() -> None:
    assert relocate_lines([*FILE[:11], 'VERSION = "1.1"'], VERSION) == LineRange(12, 12, False)


@pytest.mark.parametrize("there", [[], ["print('something else')"]])
def test_removed_range_is_reported_as_deleted(there: list[str]) -> None:
    """With or without other lines in its place."""
    assert relocate_lines([*FILE[:2], *there, *FILE[5:]], ONE) is None
    assert relocate_lines([*FILE[:11], *there], VERSION) is None


def test_short_range_is_not_searched_elsewhere() -> None:
    """An equal short range may be a coincidence."""
    now = ["b = 2", "c = 3", "a = 1"]
    assert LineMap(["a = 1", "b = 2"], now).locate(2, 2) is None
    assert LineMap(["a = 1", "b = 2"], ["c = 3", "d = 4", "a = 1"]).locate(2, 2) is None


def test_range_among_many_changes_is_found_only_unchanged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relocation, "MAX_DIFF_LINES", 3)
    now = ["# new", *FILE[2:5], "", *FILE[6:9], "    return 0", "other"]
    assert relocate_lines(now, ONE) == LineRange(2, 4, True)
    assert relocate_lines(now, TWO) is None


def test_remaining_bracket_does_not_count_as_the_range() -> None:
    assert LineMap(["a", "b = 1", "}", "c"], ["a", "}", "c"]).locate(2, 3) is None


@given(TEXTS, TEXTS, st.data())
def test_relocated_lines_are_equal_and_within_the_text(
    before: list[str], now: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, len(before) + 1))
    last = data.draw(st.integers(first, len(before) + 3))
    found = LineMap(before, now).locate(first, last)
    if found:
        assert 1 <= found.first <= found.last <= len(now)
        same = now[found.first - 1 : found.last] == before[first - 1 : last]
        assert found.is_same == same


@given(TEXTS, TEXTS)
def test_unchanged_text_moves_nothing(above: list[str], lines: list[str]) -> None:
    text = [*above, "# here", *lines]
    first, last = len(above) + 1, len(text)
    assert LineMap(text, text).locate(first, last) == LineRange(first, last, True)
