"""`feeder evaluate`: the table, missing answers, comparing two settings, and errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from source.repos import Repo


@pytest.fixture
def environment() -> dict[str, str]:
    return {}


FILES = {
    "src/cart.py": "class Cart:\n    def empty(self):\n        self.articles.clear()\n",
    "src/order.py": "def place(order):\n    return ship(order)\n",
    "src/refund.py": "def refund(order):\n    return order.total\n",
}


@pytest.fixture
def shop(repo: Repo, feeder: RunFeeder) -> Repo:
    """A repository with an index of words and static vectors."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "--model", "static").code == 0
    return repo


def write_judgments(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


REFUND = {"query": "refund", "answers": ["src/refund.py"], "group": "orders"}
CLEAR = {"query": "articles", "answers": ["src/cart.py:1-3", "src/gone.py"], "group": "carts"}
LOST = {"query": "zebra", "answers": ["src/cart.py"]}


def test_table_has_means_groups_and_worst_queries(
    feeder: RunFeeder, shop: Repo, tmp_path: Path
) -> None:
    """By hand: 1, 0.613 for two answers of which one is missing, and 0; their mean is 0.538."""
    file = write_judgments(tmp_path, REFUND, CLEAR, LOST)
    answer = feeder(shop, "evaluate", file, "--model", "words")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("3 queries, repo at ") and lines[0].endswith(", by words")
    table = [line.split() for line in lines[1:5]]
    assert table[0] == ["n", "NDCG@10", "MRR", "hit@1", "hit@10", "pass@5", "pass@10", "pass@20"]
    assert table[1] == ["all", "3", "0.538", "0.667", "0.667", "0.667", "0.500", "0.500", "0.500"]
    assert table[2][:3] == ["carts", "1", "0.613"]
    assert table[3][:3] == ["orders", "1", "1.000"]
    assert lines[5].startswith("Latency: median ")
    assert lines[6:9] == [
        "Worst queries:",
        "line 3: zebra",
        "    expected: src/cart.py (not in the first 20)",
    ]
    assert lines[9:12] == [
        "line 2: articles",
        "    expected: src/cart.py:1-3 (rank 1)",
        "    expected: src/gone.py (not in the first 20)",
    ]


def test_first_hits_of_the_worst_queries_are_shown(
    feeder: RunFeeder, shop: Repo, tmp_path: Path
) -> None:
    """With a mark for the right ones."""
    file = write_judgments(tmp_path, {"query": "refund", "answers": ["src/order.py"]})
    out = feeder(shop, "evaluate", file, "--model", "words").out
    assert "    hit 1: src/refund.py:1-2  method  refund\n" in out


@pytest.mark.parametrize("quiet", [False, True])
def test_answers_missing_from_the_index_are_reported_once(
    feeder: RunFeeder, shop: Repo, tmp_path: Path, quiet: bool
) -> None:
    """A file, lines beyond its end, unknown names; also when comparing settings."""
    there = ["src/cart.py", "src/cart.py:3", {"symbol": "Cart.empty"}, "src/order.py#place"]
    lost = ["cart.py", "src/cart.py:4-9", {"symbol": "Cart.full"}, "src/order.py#refund"]
    signs = [{"symbol": "<+>"}]
    file = write_judgments(tmp_path, REFUND, {"query": "cart", "answers": there + lost + signs})
    told = (
        "5 answers are not in the index: cart.py (line 2), src/cart.py:4-9 (line 2), "
        "Cart.full (line 2), src/order.py#refund (line 2), <+> (line 2). Counted as not found.\n"
    )
    answer = feeder(shop, "evaluate", file, "--against", "--model words", *["-q"] * quiet)
    assert answer.code == 0
    assert answer.err.count(told) == (0 if quiet else 1)
    facts = feeder(shop, "evaluate", file, "--json", "-q").json
    assert [one["answer"] for one in facts["not_in_index"]] == [
        *("cart.py", "src/cart.py:4-9", "Cart.full", "src/order.py#refund", "<+>")
    ]


def test_symbol_without_word_characters_is_found(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    """No word of it can be searched."""
    repo.commit(
        {"Layout.hs": "module Layout where\n\n(<+>) :: Int -> Int -> Int\na <+> b = a + b\n"}
    )
    feeder(repo, "sync", "--model", "words")
    file = write_judgments(tmp_path, {"query": "layout", "answers": [{"symbol": "<+>"}]})
    assert feeder(repo, "evaluate", file, "--json", "-q").json["not_in_index"] == []


def test_json_has_every_query(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """With ranks and hits, which the table shows only for the worst."""
    file = write_judgments(tmp_path, REFUND, CLEAR, LOST)
    facts = feeder(shop, "evaluate", file, "--model", "words", "--json").json
    assert (facts["repo"], facts["models"], facts["questions"]) == ("repo", [], 3)
    assert facts["commit"] == shop.git("rev-parse", "HEAD").strip()
    assert facts["overall"]["MRR"] == pytest.approx(2 / 3, abs=1e-6)
    assert facts["groups"]["carts"]["questions"] == 1
    assert facts["worst"] == [3, 2]
    assert {"median", "p95"} == facts["latency_ms"].keys()
    [refund, clear, lost] = facts["each"]
    assert (refund["line"], refund["group"], refund["ranks"]) == (1, "orders", [1])
    assert refund["hits"][0]["path"] == "src/refund.py"
    assert (clear["answers"], clear["ranks"]) == (["src/cart.py:1-3", "src/gone.py"], [1, None])
    assert (lost["group"], lost["hits"], lost["NDCG@10"]) == (None, [], 0)


def test_two_settings_are_compared(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """Words find no "zebra", the vectors find the nearest node: one query more has hits."""
    file = write_judgments(tmp_path, REFUND, LOST)
    one = ("evaluate", file, "--model", "words", "--against", "--model static")
    out = feeder(shop, *one).out.splitlines()
    assert out[0].endswith(", by words")
    assert ", by words, feeder-static-" in out[1]
    assert out[2].split() == ["first", "then", "change"]
    assert out[6].split() == ["hit@10", "0.500", "1.000", "+0.500"]
    assert "Better: 1, worse: 0, the same: 1." in out
    facts = feeder(shop, *one, "--json").json
    assert (facts["overall"]["hit@10"], facts["against"]["overall"]["hit@10"]) == (0.5, 1.0)
    assert facts["difference"]["hit@10"] == 0.5


def test_against_accepts_another_index(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """--against accepts every option that selects an index; the others stay."""
    other = tmp_path / "other.db"
    assert feeder(shop, "sync", "--model", "words", "--db", other).code == 0
    file = write_judgments(tmp_path, LOST)
    answer = feeder(shop, "evaluate", file, "--against", f"--db '{other}' --no-vectors", "--json")
    assert (answer.json["models"] == [], answer.json["against"]["models"]) == (False, [])


@pytest.mark.parametrize(
    ("against", "expected"),
    [
        ("static", "--against 'static': Got unexpected extra argument (static). Write it like"),
        ("--modle words", "Did you mean '--model'? Write it like --against"),
        ("--model 'words", "No closing quotation. Write it like"),
        ("", "--against has no option. Write it like"),
        ("--json", "No such option '--json'"),
    ],
)
def test_invalid_against_options_are_refused(
    feeder: RunFeeder, shop: Repo, tmp_path: Path, against: str, expected: str
) -> None:
    """Before any query runs."""
    answer = feeder(shop, "evaluate", write_judgments(tmp_path, REFUND), "--against", against)
    assert (answer.code, answer.out) == (2, "")
    assert expected in answer.err


def test_invalid_judgment_is_refused(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """The error names file and line; a missing file is an error too."""
    file = write_judgments(tmp_path, REFUND, {"query": "a"})
    answer = feeder(shop, "evaluate", file)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"feeder: {file}, line 2: no answers. List")
    assert feeder(shop, "evaluate", tmp_path / "no.jsonl").code == 2


def test_without_an_index_the_remedy_is_named(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    repo.commit(FILES)
    answer = feeder(repo, "evaluate", write_judgments(tmp_path, REFUND))
    assert answer.code == 2
    assert "feeder sync" in answer.err


def test_queries_may_contain_filters(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """A filter without a match is an error with its line, before the table."""
    narrow = {"query": "order path:src/order.py", "answers": ["src/order.py"]}
    alone = {"query": "path:src/refund.py", "answers": ["src/refund.py"]}
    good = feeder(shop, "evaluate", write_judgments(tmp_path, narrow, alone), "--json", "-q").json
    assert [{hit["path"] for hit in answered["hits"]} for answered in good["each"]] == [
        {"src/order.py"},
        {"src/refund.py"},
    ]
    wrong = {"query": "order lang:koltin", "answers": ["src/order.py"]}
    answer = feeder(shop, "evaluate", write_judgments(tmp_path, narrow, wrong))
    assert (answer.code, answer.out) == (2, "")
    assert "The query in line 2: " in answer.err
