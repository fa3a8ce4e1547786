"""Where lines have gone in a text that was changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.search import relocation
from feeder.search.relocation import LineMap, LineRange

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


def traced(now: list[str], lines: tuple[int, int]) -> LineRange | None:
    return LineMap(FILE, now).locate(*lines)


def test_lines_above_move_what_is_below() -> None:
    now = ["# one", "# two", *FILE]
    assert traced(now, ONE) == LineRange(5, 7, True)
    assert traced(now, TWO) == LineRange(9, 12, True)
    assert traced(now, VERSION) == LineRange(14, 14, True)


def test_what_is_edited_is_where_the_rest_of_it_is() -> None:
    now = [*FILE[:7], "    y = b * 20", "    print(y)", *FILE[8:]]
    assert traced(now, TWO) == LineRange(7, 11, False)
    assert traced(now, ONE) == LineRange(3, 5, True)


def test_a_first_and_a_last_line_may_be_what_was_rewritten() -> None:
    now = [*FILE[:6], "def second(b, c):", *FILE[7:9], "    return z, c", *FILE[10:]]
    assert traced(now, TWO) == LineRange(7, 10, False)


def test_parts_that_changed_places_are_found_whole() -> None:
    now = [*FILE[:2], *FILE[6:10], "", *FILE[2:5], *FILE[10:]]
    assert traced(now, ONE) == LineRange(8, 10, True)
    assert traced(now, TWO) == LineRange(3, 6, True)


def test_one_line_is_taken_for_the_like_one_in_its_place() -> None:
    assert traced([*FILE[:11], 'VERSION = "1.1"'], VERSION) == LineRange(12, 12, False)


@pytest.mark.parametrize("there", [[], ["print('something else')"]])
def test_what_is_not_there_is_gone(there: list[str]) -> None:
    """Whether or not something else has come in its place."""
    assert traced([*FILE[:2], *there, *FILE[5:]], ONE) is None
    assert traced([*FILE[:11], *there], VERSION) is None


def test_few_lines_are_not_looked_for_elsewhere() -> None:
    """They may stand there by chance."""
    now = ["b = 2", "c = 3", "a = 1"]
    assert LineMap(["a = 1", "b = 2"], now).locate(2, 2) is None
    assert LineMap(["a = 1", "b = 2"], ["c = 3", "d = 4", "a = 1"]).locate(2, 2) is None


def test_what_differs_in_too_many_lines_is_found_only_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relocation, "MAX_DIFF_LINES", 3)
    now = ["# new", *FILE[2:5], "", *FILE[6:9], "    return 0", "other"]
    assert traced(now, ONE) == LineRange(2, 4, True)
    assert traced(now, TWO) is None


def test_a_bracket_that_is_left_is_not_what_was_there() -> None:
    assert LineMap(["a", "b = 1", "}", "c"], ["a", "}", "c"]).locate(2, 3) is None


@given(TEXTS, TEXTS, st.data())
def test_lines_that_are_told_to_be_the_same_are(
    before: list[str], now: list[str], data: st.DataObject
) -> None:
    """And all lines told are lines of the text."""
    first = data.draw(st.integers(1, len(before) + 1))
    last = data.draw(st.integers(first, len(before) + 3))
    found = LineMap(before, now).locate(first, last)
    if found:
        assert 1 <= found.first <= found.last <= len(now)
        same = now[found.first - 1 : found.last] == before[first - 1 : last]
        assert found.is_same == same


@given(TEXTS, TEXTS)
def test_nothing_changed_means_nothing_moved(above: list[str], lines: list[str]) -> None:
    text = [*above, "# here", *lines]
    first, last = len(above) + 1, len(text)
    assert LineMap(text, text).locate(first, last) == LineRange(first, last, True)
