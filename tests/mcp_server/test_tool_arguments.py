"""Arguments are checked against the tool's schema; errors name the remedy."""

from typing import Any

import pytest

from feeder.errors import UserError
from feeder.mcp.tool_schemas import INPUT_SCHEMAS, default_limit, validate_arguments

DEFAULTS = {"offset": 0, "detail": "auto", "budget": 2500}


def given(tool: str, **arguments: Any) -> dict[str, Any]:
    return validate_arguments(tool, INPUT_SCHEMAS[tool], arguments)


def test_missing_argument_has_its_default() -> None:
    """null counts as missing."""
    assert given("search", query="x", path=None) == {"query": "x", **DEFAULTS}


@pytest.mark.parametrize(
    ("tokens", "hits"), [(100, 10), (2_199, 10), (2_500, 12), (8_192, 40), (15_000, 50)]
)
def test_larger_budget_has_more_hits(tokens: int, hits: int) -> None:
    """One for each 200 tokens, but at least ten and at most fifty."""
    assert default_limit(tokens) == hits


@pytest.mark.parametrize(
    ("argument", "meant"),
    [(8, 8), ("8", 8), (" 8 ", 8), (8.0, 8), (1, 1), (50, 50)],
)
def test_number_is_accepted_in_several_forms(argument: object, meant: int) -> None:
    assert given("search", query="x", limit=argument)["limit"] == meant


@pytest.mark.parametrize(
    "argument",
    [0, -1, 51, 10**400, -(10**400), 1e308, 1.5, "many", "1" * 400, True, [8], {"a": 1}],
)
def test_number_out_of_range_is_refused(argument: object) -> None:
    """The error names the range and shortens a long value."""
    with pytest.raises(
        UserError, match=r"^`limit` must be an integer from 1 to 50, not "
    ) as refused:
        given("search", query="x", limit=argument)
    assert len(str(refused.value)) < 120


@pytest.mark.parametrize(
    ("argument", "meant"),
    [
        ("src", ["src"]),
        (["a", "b"], ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("[slug].ts", ["[slug].ts"]),
    ],
)
def test_single_path_is_a_list_of_one(argument: object, meant: list[str]) -> None:
    """A JSON list in a string is accepted; a name that only begins like one is a name."""
    assert given("search", query="x", path=argument)["path"] == meant


@pytest.mark.parametrize("argument", [5, [], [5], {"a": "b"}, True])
def test_list_of_other_types_is_refused(argument: object) -> None:
    with pytest.raises(UserError, match=r"^`target` must be a string or a list of strings, not "):
        given("read", target=argument)


def test_lone_surrogates_and_nul_are_replaced() -> None:
    """Both would make a system call fail."""
    assert given("read", target=["a\ud800b\0c"])["target"] == ["a?b c"]


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("read", {}, "read requires `target`."),
        ("search", {"query": 5}, "`query` must be a string, not 5."),
        (
            "search",
            {"query": "x", "detail": "all"},
            '`detail` must be one of auto, locations, signature, snippet, full, not "all".',
        ),
        (
            "outline",
            {"paths": "."},
            "outline has no argument `paths`. Did you mean `path`? It has path, depth, ranked, "
            "offset.",
        ),
        (
            "read",
            {"target": ["a", "x" * 1_001]},
            "`target` has 1,001 characters; at most 1,000 are allowed.",
        ),
        ("read", {"top_k": 5}, "read has no argument `top_k`. It has target, budget."),
    ],
)
def test_invalid_arguments_are_errors(tool: str, arguments: dict[str, Any], expected: str) -> None:
    """Missing, unknown or of another type, with the accepted ones."""
    with pytest.raises(UserError) as refused:
        given(tool, **arguments)
    assert str(refused.value) == expected
