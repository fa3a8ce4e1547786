"""Retrieval measures against values computed by hand."""

from collections.abc import Sequence
from math import log2

import pytest

from feeder.evaluation.evaluation import (
    DEPTH,
    MEASURES,
    Outcome,
    by_group,
    changed_outcomes,
    latency_summary_ms,
    mean_values,
    ndcg,
    run_evaluation,
    target_rank,
    worst,
)
from feeder.evaluation.judgments import JudgedQuery, RelevantTarget
from feeder.nodes import Member
from feeder.store.hits import Hit
from feeder.store.rows import encode_members


def hit(
    path: str, start: int = 1, end: int = 9, symbol: str | None = None, members: str = ""
) -> Hit:
    return Hit(
        id=path,
        path=path,
        language="python",
        node_type="method",
        symbol=symbol,
        signature=None,
        logical_path=None,
        start_line=start,
        end_line=end,
        members=members,
        repo="acme/shop",
    )


def query_with_ranks(*ranks: int | None, group: str = "", line: int = 1) -> Outcome:
    """A query whose expected answers have these ranks."""
    answers = tuple(RelevantTarget(f"{number}.py") for number in range(len(ranks)))
    return Outcome(JudgedQuery(line, "how", answers, group), [], ranks, 1.0)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1], 1.0),
        ([2], 1 / log2(3)),
        ([1, 3], (1 + 1 / 2) / (1 + 1 / log2(3))),
        # one hit that is both answers gains once
        ([1, 1], 1 / (1 + 1 / log2(3))),
        ([None], 0.0),
        ([11], 0.0),
        # of more than ten answers ten can be among the first ten
        ([*range(1, 11), None, None], 1.0),
    ],
)
def test_ndcg_divides_by_the_ideal_gain(ranks: list[int | None], expected: float) -> None:
    """Adds 1 ÷ log2(rank + 1) for the first hit of each answer and divides by the ideal sum."""
    assert ndcg(ranks) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([3], [1 / 2, 1 / 3, 0, 1, 1, 1, 1]),
        ([11], [0, 1 / 11, 0, 0, 0, 0, 1]),
        ([21], [0, 0, 0, 0, 0, 0, 0]),
        (
            [7, 1, None, 15],
            [4 / 3 / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5)), 1, 1, 1, *[1 / 4, 1 / 2, 3 / 4]],
        ),
    ],
)
def test_measures_of_one_query(ranks: list[int | None], expected: list[float]) -> None:
    """NDCG@10, MRR, hit@1, hit@10 and recall at 5, 10 and 20."""
    names = ["NDCG@10", "MRR", "hit@1", "hit@10", "pass@5", "pass@10", "pass@20"]
    assert list(MEASURES) == names
    assert [MEASURES[name](ranks) for name in names] == pytest.approx(expected)


def test_means_are_over_all_queries_and_per_group() -> None:
    """Each query has the same weight, however many answers it has."""
    some = [
        query_with_ranks(1, group="b"),
        query_with_ranks(None, None, group="a"),
        query_with_ranks(2),
    ]
    assert mean_values(some)["MRR"] == pytest.approx((1 + 0 + 1 / 2) / 3)
    assert {name: mean_values(mine)["hit@1"] for name, mine in by_group(some).items()} == {
        "a": 0,
        "b": 1,
    }
    assert list(by_group(some)) == ["a", "b"]


def test_worst_queries_come_first_and_perfect_ones_are_left_out() -> None:
    """Of queries without an answer in the first ten, the lower rank is worse."""
    some = [
        query_with_ranks(1, line=1),
        query_with_ranks(2, line=2),
        query_with_ranks(12, line=3),
        query_with_ranks(None, line=4),
    ]
    assert [one.query.line for one in worst(some)] == [4, 3, 2]
    assert [one.query.line for one in worst(some, 1)] == [4]


def test_largest_changes_come_first() -> None:
    """Includes changes up and down, not unchanged queries."""
    before = [
        query_with_ranks(1, line=1),
        query_with_ranks(2, line=2),
        query_with_ranks(None, line=3),
    ]
    after = [query_with_ranks(1, line=1), query_with_ranks(1, line=2), query_with_ranks(1, line=3)]
    assert [
        (changed_outcome.after.query.line, round(changed_outcome.gain, 3))
        for changed_outcome in changed_outcomes(before, after)
    ] == [
        (3, 1.0),
        (2, round(1 - 1 / log2(3), 3)),
    ]
    assert changed_outcomes(after, before)[0].gain == -1.0


def test_percentile_uses_the_nearest_rank() -> None:
    """The 95th percentile of 20 values is the 19th; of one value it is that value."""
    assert latency_summary_ms(range(20, 0, -1)) == {"median": 10.5, "p95": 19}
    assert latency_summary_ms([3.0]) == {"median": 3.0, "p95": 3.0}


def test_each_query_is_run_and_its_answers_are_ranked() -> None:
    """The ranks of answers are among the first 20 hits."""
    queries = [
        JudgedQuery(1, "one", (RelevantTarget("b.py"), RelevantTarget("z.py"))),
        JudgedQuery(2, "other", (RelevantTarget("a.py"),)),
    ]
    limits = []

    def ask(query: str, limit: int) -> Sequence[Hit]:
        limits.append(limit)
        return [hit("a.py"), hit("b.py")] if query == "one" else []

    found = run_evaluation(queries, ask)

    assert [answer.query for answer in found] == queries
    assert [result.ranks for result in found] == [[2, None], [None]]
    assert [len(answer.hits) for answer in found] == [2, 0]
    assert {*limits} == {DEPTH}
    assert all(answer.ms > 0 for answer in found)


MEMBERS = encode_members([Member("RED", 2)])


@pytest.mark.parametrize(
    ("answer", "rank"),
    [
        (RelevantTarget("a.py"), 1),
        (RelevantTarget("lib/a.py"), None),
        (RelevantTarget("b.py", 10, 12), 3),
        (RelevantTarget("b.py", 8, 8), 2),
        (RelevantTarget("b.py", 30, 40), None),
        (RelevantTarget(symbol="Cart.add"), 2),
        (RelevantTarget(symbol="Cart::add"), 2),
        (RelevantTarget(symbol="acme.Cart.add"), 2),
        (RelevantTarget(symbol="art.add"), None),
        (RelevantTarget(symbol="cart.add"), None),
        (RelevantTarget("b.py", symbol="Cart.add"), 2),
        (RelevantTarget("a.py", symbol="Cart.add"), None),
        (RelevantTarget(symbol="Color.RED"), 4),
        (RelevantTarget(symbol="RED"), 4),
        (RelevantTarget(symbol="From source"), 5),
    ],
    ids=str,
)
def test_answer_matches_a_file_lines_or_a_name(answer: RelevantTarget, rank: int | None) -> None:
    """One common line is enough; a name may be a suffix or that of a member."""
    hits = [
        hit("a.py", symbol="main"),
        hit("b.py", 1, 9, symbol="acme.Cart.add"),
        hit("b.py", 10, 20),
        hit("c.py", symbol="acme.Color", members=MEMBERS),
        hit("d.md")._replace(logical_path="Install > From source"),
    ]
    assert target_rank(answer, hits) == rank
