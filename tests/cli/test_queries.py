"""What was asked is noted on this machine, without secrets, and told when asked for."""

import json
import subprocess
import sys
from contextlib import closing

import apsw
import pytest

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

LOG = ".feeder/queries.db"
PASSWORD = "hunter2" + "xKq9Zr7Wv"
TOKEN = "ghp_" + "Zk3vQ9xT1mB7wL5cR8yN2pD6sF4hJ0gA1eUi"


@pytest.fixture
def environment() -> dict[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    """Indexed, with the vectors that come with the words."""
    repo.commit(SHOP)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def test_a_search_is_noted(feeder: RunFeeder, shop: Repo) -> None:
    """What was asked, beside it too, of which commit, and what answered; only the owner reads it,
    and git does not see it."""
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


def test_only_searches_are_noted(feeder: RunFeeder, shop: Repo) -> None:
    """Not an evaluation's questions, not the next pages, not what was refused, not other commands,
    and nothing where the user does not want it."""
    question = {"query": "total", "answers": ["src/cart.py"]}
    (shop.path / "questions.jsonl").write_text(json.dumps(question))
    assert feeder(shop, "evaluate", "questions.jsonl").code == 0
    assert feeder(shop, "search", "cart", "--offset", "1").code == 0
    assert feeder(shop, "search", "cart lang:koltin").code == 2
    assert feeder(shop, "search", "cart", "--no-query-log").code == 0
    assert feeder(shop, "similar", "Cart.total").code == 0
    assert feeder(shop, "queries").out == f"{shop.path / LOG}: no queries logged\n"
    assert not (shop.path / LOG).exists()


def test_the_environment_says_that_none_is(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDER_QUERY_LOG", "off")
    assert feeder(shop, "search", "cart").code == 0
    assert not (shop.path / LOG).exists()


def test_what_was_asked_is_told_by_kind(feeder: RunFeeder, shop: Repo) -> None:
    for question in ("cart total", "empty the cart", "cart total", "qwxzv", "total of carts"):
        assert feeder(shop, "search", question, "-q").code == 0
    facts = feeder(shop, "queries", "--json").json
    assert facts["questions"] == 5
    assert [(one["text"], one["times"]) for one in facts["frequent"]] == [("cart total", 2)]
    assert {one["text"] for one in facts["slow"]} == {
        *("cart total", "empty the cart", "qwxzv", "total of carts")
    }
    assert [one["text"] for one in facts["unanswered"]] == ["qwxzv"]
    [chain] = facts["reworded"]
    assert [one["text"] for one in chain] == [
        *("cart total", "empty the cart", "cart total", "total of carts")
    ]
    text = feeder(shop, "queries", "-n", "1").out
    assert "  cart total → empty the cart → cart total → total of carts\n" in text
    assert text.count("qwxzv") == 1 + (facts["slow"][0]["text"] == "qwxzv")


def test_no_secret_is_noted(feeder: RunFeeder, shop: Repo) -> None:
    """Neither of the question nor of what is said beside it; half of one that is cut neither."""
    said = ["search", f"why does password = '{PASSWORD}' fail with {TOKEN}", "--prefer", "src"]
    assert feeder(shop, *said).code == 0
    assert feeder(shop, "search", "x " * 490 + f"y {TOKEN}").code == 0
    content = (shop.path / LOG).read_bytes()
    for secret in (PASSWORD, TOKEN):
        assert secret[:12].encode() not in content
    texts = [one["text"] for one in feeder(shop, "queries", "--json").json["slow"]]
    assert f"why does password = '{'x' * len(PASSWORD)}' fail with {'x' * len(TOKEN)}" in texts
    assert sorted(map(len, texts))[-1] == 1_000


def test_clearing_forgets_all(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "search", "cart")
    feeder(shop, "search", "guide")
    assert feeder(shop, "queries", "--clear").out == f"{shop.path / LOG}: 2 queries deleted\n"
    assert feeder(shop, "queries", "--json").json["questions"] == 0
    assert feeder(shop, "queries", "--clear", "--json").json["forgotten"] == 0


def test_a_damaged_log_harms_no_answer(feeder: RunFeeder, shop: Repo) -> None:
    """It is told in a line after the answer; the command that is about it ends with 2."""
    before = feeder(shop, "search", "cart", "--no-query-log")
    (shop.path / LOG).write_bytes(b"no log" * 100)
    answer = feeder(shop, "search", "cart")
    assert (answer.code, answer.out) == (0, before.out)
    assert answer.err.removeprefix(before.err).startswith("The query was not logged: ")
    assert answer.err.endswith("Delete it. To turn the query log off: FEEDER_QUERY_LOG=off\n")
    assert feeder(shop, "search", "cart", "-q").err == ""
    for command in (["queries"], ["queries", "--clear"]):
        told = feeder(shop, *command)
        assert (told.code, told.out) == (2, "")
        assert "is not a query log" in told.err


def test_a_log_that_another_process_writes_harms_no_answer(feeder: RunFeeder, shop: Repo) -> None:
    """Nor is it told: there is nothing to do."""
    before = feeder(shop, "search", "cart")
    with closing(apsw.Connection(str(shop.path / LOG))) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert feeder(shop, "search", "cart") == before
    assert feeder(shop, "queries", "--json").json["questions"] == 1


def test_searches_at_once_are_all_answered(shop: Repo) -> None:
    """And each that could be noted is."""
    command = [sys.executable, "-m", "feeder", "search", "cart", "-l", "-q"]
    started = [
        subprocess.Popen(command, cwd=shop.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    answers = [one.communicate() for one in started]
    assert [one.returncode for one in started] == [0, 0, 0]
    assert len(set(answers)) == 1
    assert answers[0][1] == b""


def test_each_index_that_is_named_has_a_log_beside_it(feeder: RunFeeder, shop: Repo) -> None:
    other = shop.path.parent / "other.db"
    (shop.path / ".feeder/index.db").rename(other)
    assert feeder(shop, "search", "cart", "--db", other).code == 0
    assert feeder(shop, "queries", "--db", other, "--json").json["questions"] == 1
    assert (other.parent / "other.queries.db").is_file()
    assert not (shop.path / LOG).exists()


def test_a_log_that_a_commit_brings_is_not_read(feeder: RunFeeder, shop: Repo) -> None:
    """It would be another's."""
    feeder(shop, "search", "cart")
    shop.git("add", "-f", LOG)
    told = feeder(shop, "queries")
    assert told.code == 2
    assert f"git tracks {LOG}" in told.err
