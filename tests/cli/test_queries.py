"""Queries are logged on this machine without secrets, and reported by `feeder queries`."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

pytestmark = pytest.mark.slow

LOG = ".feeder/queries.db"
PASSWORD = "hunter2" + "xKq9Zr7Wv"
TOKEN = "ghp_" + "Zk3vQ9xT1mB7wL5cR8yN2pD6sF4hJ0gA1eUi"


@pytest.fixture
def environment() -> dict[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    """A repository with an index of words and static vectors."""
    repo.commit(SHOP)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def test_search_is_logged(feeder: RunFeeder, shop: Repo) -> None:
    """With its options, the commit and the ranking. Only the owner can read the file, and git
    ignores it.
    """
    total = feeder(shop, "search", "cart", "-path:docs", "--language", "python", "--json").json
    [one] = feeder(shop, "queries", "--json").json["slow"]
    assert one["took_ms"] == one["typical_ms"] > 0
    assert one["asked_at"].endswith("+00:00")
    assert one["models"][0].startswith("feeder-static")
    known = {"times": 1, "text": "cart -path:docs", "filters": {"language": ["python"]}}
    known |= {"hits": total["total"], "answered_by": "words", "repo": "repo"}
    assert known.items() <= one.items()
    assert one["equals"] == shop.git("rev-parse", "HEAD")
    assert (shop.path / LOG).stat().st_mode & 0o777 == 0o600
    assert shop.git("status", "--porcelain") == ""


def test_only_first_pages_of_searches_are_logged(feeder: RunFeeder, shop: Repo) -> None:
    """No evaluations, next pages, refused queries or other commands; none if logging is off."""
    query = {"query": "total", "answers": ["src/cart.py"]}
    (shop.path / "questions.jsonl").write_text(json.dumps(query))
    assert feeder(shop, "evaluate", "questions.jsonl").code == 0
    assert feeder(shop, "search", "cart", "--offset", "1").code == 0
    assert feeder(shop, "search", "cart lang:koltin").code == 2
    assert feeder(shop, "search", "cart", "--no-query-log").code == 0
    assert feeder(shop, "similar", "Cart.total").code == 0
    assert feeder(shop, "queries").out == f"{shop.path / LOG}: no queries logged\n"
    assert not (shop.path / LOG).exists()


def test_environment_disables_the_log(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDER_QUERY_LOG", "off")
    assert feeder(shop, "search", "cart").code == 0
    assert not (shop.path / LOG).exists()


def test_queries_are_reported_by_kind(feeder: RunFeeder, shop: Repo) -> None:
    for query in ("cart total", "empty the cart", "cart total", "qwxzv", "total of carts"):
        assert feeder(shop, "search", query, "-q").code == 0
    facts = feeder(shop, "queries", "--json").json
    assert facts["questions"] == 5
    assert [(query["text"], query["times"]) for query in facts["frequent"]] == [("cart total", 2)]
    assert {query["text"] for query in facts["slow"]} == {
        *("cart total", "empty the cart", "qwxzv", "total of carts")
    }
    assert [query["text"] for query in facts["unanswered"]] == ["qwxzv"]
    [chain] = facts["reworded"]
    assert [query["text"] for query in chain] == [
        *("cart total", "empty the cart", "cart total", "total of carts")
    ]
    text = feeder(shop, "queries", "-n", "1").out
    assert "  cart total → empty the cart → cart total → total of carts\n" in text
    assert text.count("qwxzv") == 1 + (facts["slow"][0]["text"] == "qwxzv")


def test_secrets_are_masked_in_the_log(feeder: RunFeeder, shop: Repo) -> None:
    """In queries and options, also if a cut leaves half of one."""
    said = ["search", f"why does password = '{PASSWORD}' fail with {TOKEN}", "--prefer", "src"]
    assert feeder(shop, *said).code == 0
    assert feeder(shop, "search", "x " * 490 + f"y {TOKEN}").code == 0
    content = (shop.path / LOG).read_bytes()
    for secret in (PASSWORD, TOKEN):
        assert secret[:12].encode() not in content
    texts = [query["text"] for query in feeder(shop, "queries", "--json").json["slow"]]
    assert f"why does password = '{'x' * len(PASSWORD)}' fail with {'x' * len(TOKEN)}" in texts
    assert sorted(map(len, texts))[-1] == 1_000


def test_clear_deletes_all_queries(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "search", "cart")
    feeder(shop, "search", "guide")
    assert feeder(shop, "queries", "--clear").out == f"{shop.path / LOG}: 2 queries deleted\n"
    assert feeder(shop, "queries", "--json").json["questions"] == 0
    assert feeder(shop, "queries", "--clear", "--json").json["forgotten"] == 0


def test_damaged_log_does_not_affect_a_search(feeder: RunFeeder, shop: Repo) -> None:
    """One line after the hits reports it; `feeder queries` exits with 2."""
    before = feeder(shop, "search", "cart", "--no-query-log")
    (shop.path / LOG).write_bytes(b"no log" * 100)
    answer = feeder(shop, "search", "cart")
    assert (answer.code, answer.out) == (0, before.out)
    assert answer.err.removeprefix(before.err).startswith("The query was not logged: ")
    assert answer.err.endswith("Delete it. To turn the query log off: FEEDER_QUERY_LOG=off\n")
    assert feeder(shop, "search", "cart", "-q").err == ""
    for command in (["queries"], ["queries", "--clear"]):
        result = feeder(shop, *command)
        assert (result.code, result.out) == (2, "")
        assert "is not a query log" in result.err


def test_locked_log_does_not_affect_a_search(feeder: RunFeeder, shop: Repo) -> None:
    """It is not reported, since there is nothing to do."""
    before = feeder(shop, "search", "cart")
    with closing(apsw.Connection(str(shop.path / LOG))) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert feeder(shop, "search", "cart") == before
    assert feeder(shop, "queries", "--json").json["questions"] == 1


def test_concurrent_searches_all_succeed(shop: Repo) -> None:
    """Each one is logged if possible."""
    command = [sys.executable, "-m", "feeder", "search", "cart", "-l", "-q"]
    started = [
        subprocess.Popen(command, cwd=shop.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    answers = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert len(set(answers)) == 1
    assert answers[0][1] == b""


def test_index_given_by_db_has_its_own_log(feeder: RunFeeder, shop: Repo) -> None:
    other = shop.path.parent / "other.db"
    (shop.path / ".feeder/index.db").rename(other)
    assert feeder(shop, "search", "cart", "--db", other).code == 0
    assert feeder(shop, "queries", "--db", other, "--json").json["questions"] == 1
    assert (other.parent / "other.queries.db").is_file()
    assert not (shop.path / LOG).exists()


def test_log_from_a_commit_is_not_read(feeder: RunFeeder, shop: Repo) -> None:
    """Somebody else has written it."""
    feeder(shop, "search", "cart")
    shop.git("add", "-f", LOG)
    result = feeder(shop, "queries")
    assert result.code == 2
    assert f"git tracks {LOG}" in result.err


def test_query_of_two_repositories_is_told_apart(
    feeder: RunFeeder, shop: Repo, tmp_path: Path
) -> None:
    """One index may have several; the same query in each is not the same line twice."""
    other, index = Repo(tmp_path / "other"), tmp_path / "both.db"
    other.commit(SHOP)
    for repo in (shop, other):
        assert feeder(repo, "sync", "-q", "--db", index, "--repo", repo.path.name).code == 0
        feeder(repo, "search", "cart", "--db", index, "--repo", repo.path.name)
    lines = feeder(shop, "queries", "--db", index).out.splitlines()
    ends = [line.partition("  in ")[2] for line in lines if "  cart  (" in line]
    assert sorted(ends) == sorted([shop.path.name, "other"])
