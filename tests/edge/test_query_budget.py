"""The queries to D1 of one request stay below the 50 that Cloudflare's free plan allows."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from standin import StandIn

from edge.indexed_worker import IndexedWorker
from feeder.mcp.tools import MAX_REFERENCE_TARGETS, MAX_TARGETS
from source.repos import Repo

FREE_QUERIES = 50
NAMES = 60
"""Functions, each in a file of its own."""
TRACE = "Traceback (most recent call last):\n" + "".join(
    f'  File "src/m{at}.py", line 2, in weigh_{at}\n    fail()\n' for at in range(12)
)
TEXT = "these fail\n" + "\n".join(f"`weigh_{at}` is slow" for at in range(30))
KNOWN = [f"weigh_{at}" for at in range(MAX_TARGETS)]
PLACES = [f"src/m{at}.py:2" for at in range(MAX_TARGETS)]
UNKNOWN = [f"no_such_name_{at}" for at in range(MAX_TARGETS)]


def _source(at: int) -> str:
    called = f"weigh_{(at + 1) % NAMES}"
    return f"from m import {called}\ndef weigh_{at}(cart):\n    return {called}(cart)\n"


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    """A Worker with 60 functions, stored source and the static model."""
    repo = Repo(tmp_path_factory.mktemp("budget") / "shop")
    repo.commit({f"src/m{at}.py": _source(at) for at in range(NAMES)} | {"README.md": "# Shop\n"})
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


def queries_of_last(fed: IndexedWorker) -> int:
    """The queries to D1 that the last answer needed, as it says."""
    assert fed.last is not None
    return int(re.findall(r'queries;desc="(\d+) of', fed.last.headers["server-timing"])[0])


@pytest.mark.parametrize(
    ("name", "params", "most"),
    [
        ("search", {"q": "weigh 1"}, 5),
        ("search", {"q": "wiegh_1"}, 7),
        ("search", {"q": "weihg crat"}, 7),
        ("search", {"q": "weigh lang:python path:src -fail tests:no"}, 6),
        ("search", {"q": "calls:weigh_1 cart"}, 7),
        ("search", {"q": "lang:python"}, 5),
        ("search", {"q": TRACE}, 6),
        ("search", {"q": TEXT}, 6),
        ("similar", {"target": "weigh_1"}, 8),
        ("outline", {"path": "src"}, 4),
        ("map", {}, 2),
        ("status", {}, 2),
        ("file", {"path": "src/m1.py"}, 6),
        ("relations", {"place": "src/m1.py:2"}, 15),
    ],
    ids=lambda value: str(value)[:40],
)
def test_queries_of_a_request(
    fed: IndexedWorker, name: str, params: dict[str, str], most: int
) -> None:
    """Each round trip to the database is one or two queries, however many statements it has."""
    for _ in range(2):  # a new isolate, and one that has answered
        answer = fed.query_worker(name, **params)
        assert "error" not in answer, answer
        assert queries_of_last(fed) <= most < FREE_QUERIES


@pytest.mark.parametrize(
    ("tool", "arguments", "most"),
    [
        ("outline", {"path": "."}, 4),
        ("references", {"target": "weigh_1"}, 15),
        ("references", {"target": "weigh_1", "depth": 3}, 25),
        ("references", {"target": "weigh_1", "direction": "out"}, 15),
        ("references", {"target": "weigh_1", "kind": "definition"}, 15),
    ],
    ids=lambda value: str(value)[:60],
)
def test_queries_of_a_tool(
    fed: IndexedWorker, tool: str, arguments: dict[str, Any], most: int
) -> None:
    [answer] = fed.call_tools((tool, arguments))
    assert not answer["isError"], answer
    assert queries_of_last(fed) <= most < FREE_QUERIES


def test_references_beyond_the_budget_are_said_to_be_missing(fed: IndexedWorker) -> None:
    """The first targets are answered, each other one says to be asked for in another request."""
    names = KNOWN[:MAX_REFERENCE_TARGETS]
    [answer] = fed.call_tools(("references", {"target": names}))
    assert not answer["isError"]
    assert queries_of_last(fed) < FREE_QUERIES
    text = answer["content"][0]["text"]
    answers = text.removeprefix("## ").split("\n\n## ")
    assert [answer.partition("\n")[0] for answer in answers] == names
    missing = ["in another request" in answer for answer in answers]
    assert missing == sorted(missing)
    assert 0 < sum(missing) < len(names)


@pytest.mark.parametrize("targets", [KNOWN, PLACES, UNKNOWN], ids=["names", "places", "unknown"])
def test_queries_of_the_most_targets(fed: IndexedWorker, targets: list[str]) -> None:
    """As many as a call may read: each is answered, or has an error of its own."""
    [answer] = fed.call_tools(("read", {"target": targets}))
    assert queries_of_last(fed) < FREE_QUERIES
    text = answer["content"][0]["text"]
    assert "queries" not in text
    assert answer["isError"] is (targets is UNKNOWN)


def test_a_request_is_refused_before_cloudflare_does(fed: IndexedWorker) -> None:
    """The message says what is too much and what to do; no query is sent beyond the limit."""
    fed.deploy(D1_QUERIES="1")
    answer = fed.query_worker("search", q="weigh_1")
    used = queries_of_last(fed)
    fed.deploy()
    assert used <= 1
    assert answer["error"] == (
        "The request needs more than 1 queries to D1, as many as the Worker may send for one."
    )
    assert "D1_QUERIES" in answer["remedy"] and "repo:NAME" in answer["remedy"]


def test_calls_in_one_request_share_its_queries(fed: IndexedWorker) -> None:
    """The first calls are answered, the others told to come in another request."""
    fed.query_worker("status")
    answers = fed.call_tools(*(("search", {"query": f"weigh_{at}"}) for at in range(20)))
    assert queries_of_last(fed) <= FREE_QUERIES
    texts = [answer["content"][0]["text"] for answer in answers]
    refused = [text for text in texts if "Send the remaining calls in another request" in text]
    assert 0 < len(refused) < len(texts)
    assert texts[-len(refused) :] == refused
