"""Reports from the query log: frequent, slow, unanswered and reworded queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.parse.secrets import mask_text
from feeder.search import query_log
from feeder.search.query_log import group_queries, most_frequent, slowest, unanswered
from feeder.store.query_log_file import LoggedQuery


def logged_query(at_s: float, text: str, **more: object) -> LoggedQuery:
    query = LoggedQuery(at_s, "acme/shop", text, "{}", 3, 10.0, "words", "[]", "")
    return query._replace(**more)  # type: ignore[arg-type]  # fields of it


def texts(some: list[query_log.RepeatedQuery]) -> list[str]:
    return [one.last.text for one in some]


def reworded(*some: LoggedQuery) -> list[list[str]]:
    return [[part.text for part in chain] for chain in query_log.reworded_chains(some)]


def test_repeated_query_is_frequent() -> None:
    """Compared by text and filters, without regard to spaces."""
    some = [
        logged_query(1, "a b"),
        logged_query(2, "c"),
        logged_query(3, "c"),
        logged_query(4, "a  b"),
        logged_query(5, "c"),
    ]
    found = most_frequent(
        group_queries(
            [*some, logged_query(6, "d"), logged_query(7, "d", filters='{"tests": "no"}')]
        )
    )
    assert [(chain.last.text, len(chain.occurrences)) for chain in found] == [("c", 3), ("a  b", 2)]


def test_query_with_a_high_median_time_is_slow() -> None:
    """One slow run of three, such as the first after a restart, does not count."""
    times = [("once", 900), ("once", 10), ("once", 20), ("always", 50), ("never", 5)]
    some = [logged_query(at, text, took_ms=ms) for at, (text, ms) in enumerate(times)]
    found = slowest(group_queries(some))
    assert [(chain.last.text, chain.median_ms) for chain in found] == [
        *(("always", 50), ("once", 20), ("never", 5))
    ]


def test_query_without_hits_is_unanswered() -> None:
    """Also if all hits are by vectors alone; a query that has hits by now is left out."""
    some = [
        logged_query(1, "gone", hits=0, answered_by=""),
        logged_query(2, "gone", hits=2),
        logged_query(3, "never", hits=0, answered_by=""),
        logged_query(4, "far", answered_by="meaning"),
        logged_query(5, "far", answered_by="meaning"),
        logged_query(6, "path:src", answered_by="filters"),
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
def test_query_with_half_of_the_stems_in_common_is_a_rewording(first: str, second: str) -> None:
    assert reworded(logged_query(0, first), logged_query(300, second)) == [[first, second]]


@pytest.mark.parametrize(
    ("first", "second", "seconds"),
    [
        ("where is the token refreshed", "where is the cart emptied", 10),
        ("token refresh", "token refresh", 10),
        ("token refresh", " token  refresh", 10),
        ("token refresh", "refreshed tokens", 301),
        ("how is it", "where is it", 10),
        ("", "->", 10),
        ("open window now", "window shows cart totals", 10),
    ],
)
def test_other_queries_are_not_rewordings(first: str, second: str, seconds: int) -> None:
    """Stop words, equal texts and later queries do not count."""
    assert reworded(logged_query(0, first), logged_query(seconds, second)) == []


def test_rewordings_in_quick_succession_form_a_chain() -> None:
    """A query in between, as from another terminal, does not end it. The latest chain is first."""
    some = [
        logged_query(0, "token refresh"),
        logged_query(100, "empty cart"),
        logged_query(250, "refresh of tokens"),
        logged_query(500, "token renewal"),
        logged_query(501, "carts emptied", repo="acme/other"),
        logged_query(600, "refreshed"),
        logged_query(700, "emptied carts", repo="acme/other"),
    ]
    assert reworded(*some) == [
        ["carts emptied", "emptied carts"],
        ["token refresh", "refresh of tokens", "token renewal"],
    ]


# what the rules for secrets look for: names, beginnings of tokens, and letters that may be a value
_PIECES = [
    *("password", "secret", "token", "bearer", "api_key", "aws", "pass", "pwd", "sk_live_", "ghp_"),
    *("eyJ", "eyJhIjoxfQ", "AKIA", "hf_", "SG", "BEGIN PRIVATE KEY", "QwErTyUiOpAsDfG", "zXcVbN"),
    *(" ", " ", ".", ".", "_", "{}", "=", "://", ":", "@", "7", "-", '"', "/"),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_plain_words_are_masked_as_by_the_rules(text: str) -> None:
    assert query_log.mask_secrets(text) == mask_text("question", text.encode()).content.decode()


def test_a_token_of_letters_only_is_masked() -> None:
    token = "ghp_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUiOp"
    assert query_log.mask_secrets(f"where is {token} used") == f"where is {'x' * 40} used"
