"""What questions of before tell: which recur, are slow, have no answer, are put anew."""

import pytest

from feeder.search import query_log
from feeder.search.query_log import group_queries, most_frequent, slowest, unanswered
from feeder.store.query_log_file import LoggedQuery


def asked(at_s: float, text: str, **more: object) -> LoggedQuery:
    question = LoggedQuery(at_s, "acme/shop", text, "{}", 3, 10.0, "words", "[]", "")
    return question._replace(**more)  # type: ignore[arg-type]  # fields of it


def texts(some: list[query_log.RepeatedQuery]) -> list[str]:
    return [one.last.text for one in some]


def reworded(*some: LoggedQuery) -> list[list[str]]:
    return [[one.text for one in chain] for chain in query_log.reworded_chains(some)]


def test_what_was_asked_twice_is_frequent() -> None:
    """By text and filters; spaces do not count."""
    some = [asked(1, "a b"), asked(2, "c"), asked(3, "c"), asked(4, "a  b"), asked(5, "c")]
    found = most_frequent(
        group_queries([*some, asked(6, "d"), asked(7, "d", filters='{"tests": "no"}')])
    )
    assert [(one.last.text, len(one.occurrences)) for one in found] == [("c", 3), ("a  b", 2)]


def test_what_takes_long_as_a_rule_is_slow() -> None:
    """One slow time of three, as the first after a restart, is none."""
    times = [("once", 900), ("once", 10), ("once", 20), ("always", 50), ("never", 5)]
    some = [asked(at, text, took_ms=ms) for at, (text, ms) in enumerate(times)]
    found = slowest(group_queries(some))
    assert [(one.last.text, one.median_ms) for one in found] == [
        *(("always", 50), ("once", 20), ("never", 5))
    ]


def test_what_has_no_answer_now_is_unanswered() -> None:
    """Nothing at all, or near in meaning alone; what is answered by now is not."""
    some = [
        asked(1, "gone", hits=0, answered_by=""),
        asked(2, "gone", hits=2),
        asked(3, "never", hits=0, answered_by=""),
        asked(4, "far", answered_by="meaning"),
        asked(5, "far", answered_by="meaning"),
        asked(6, "path:src", answered_by="filters"),
    ]
    assert texts(unanswered(group_queries(some))) == ["far", "never"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("where is the token refreshed", "token refresh"),
        ("parsing delta files", "parseDeltaFile"),
        ("retry", "retry on timeout"),
        ("cart totals lang:py", "how are totals summed"),
    ],
)
def test_half_of_the_stems_are_the_same_question(first: str, second: str) -> None:
    assert reworded(asked(0, first), asked(300, second)) == [[first, second]]


@pytest.mark.parametrize(
    ("first", "second", "seconds"),
    [
        ("where is the token refreshed", "where is the cart emptied", 10),
        ("token refresh", "token refresh", 10),
        ("token refresh", "refreshed tokens", 301),
        ("how is it", "where is it", 10),
        ("", "->", 10),
        ("open window now", "window shows cart totals", 10),
    ],
)
def test_other_questions_are_others(first: str, second: str, seconds: int) -> None:
    """Small words, the same text and what comes later count for nothing."""
    assert reworded(asked(0, first), asked(seconds, second)) == []


def test_a_chain_goes_on_as_long_as_it_is_soon() -> None:
    """Another question in between, as of another terminal, does not end it; the latest first."""
    some = [
        asked(0, "token refresh"),
        asked(100, "empty cart"),
        asked(250, "refresh of tokens"),
        asked(500, "token renewal"),
        asked(501, "carts emptied", repo="acme/other"),
        asked(600, "refreshed"),
        asked(700, "emptied carts", repo="acme/other"),
    ]
    assert reworded(*some) == [
        ["carts emptied", "emptied carts"],
        ["token refresh", "refresh of tokens", "token renewal"],
    ]
