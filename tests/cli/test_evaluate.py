"""`feeder evaluate` as a user meets it: a table, what lacks, two settings, and what is refused."""

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
    """A repository with an index by words and the static model."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "--model", "static").code == 0
    return repo


def questions(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


REFUND = {"query": "refund", "answers": ["src/refund.py"], "group": "orders"}
CLEAR = {"query": "articles", "answers": ["src/cart.py:1-3", "src/gone.py"], "group": "carts"}
LOST = {"query": "zebra", "answers": ["src/cart.py"]}


def test_the_table_has_means_groups_and_the_worst(
    feeder: RunFeeder, shop: Repo, tmp_path: Path
) -> None:
    """By hand: 1, .613 of two answers one of which is not there, 0; the mean of them .538."""
    file = questions(tmp_path, REFUND, CLEAR, LOST)
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
        "The worst 2:",
        "line 3: zebra",
        "    expected: src/cart.py (not in the first 20)",
    ]
    assert lines[9:12] == [
        "line 2: articles",
        "    expected: src/cart.py:1-3 (rank 1)",
        "    expected: src/gone.py (not in the first 20)",
    ]


def test_what_came_instead_is_shown(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """The first hits, and whether they are right."""
    file = questions(tmp_path, {"query": "refund", "answers": ["src/order.py"]})
    out = feeder(shop, "evaluate", file, "--model", "words").out
    assert "    hit 1: src/refund.py:1-2  method  refund\n" in out


@pytest.mark.parametrize("quiet", [False, True])
def test_answers_that_the_index_lacks_are_told_once(
    feeder: RunFeeder, shop: Repo, tmp_path: Path, quiet: bool
) -> None:
    """A file, lines beyond its end, names that are none; also where two settings are compared."""
    there = ["src/cart.py", "src/cart.py:3", {"symbol": "Cart.empty"}, "src/order.py#place"]
    lost = ["cart.py", "src/cart.py:4-9", {"symbol": "Cart.full"}, "src/order.py#refund"]
    signs = [{"symbol": "<+>"}]
    file = questions(tmp_path, REFUND, {"query": "cart", "answers": there + lost + signs})
    told = (
        "5 answers are not in the index: cart.py (line 2), src/cart.py:4-9 (line 2), "
        "Cart.full (line 2), src/order.py#refund (line 2), <+> (line 2). They count as not found.\n"
    )
    answer = feeder(shop, "evaluate", file, "--against", "--model words", *["-q"] * quiet)
    assert answer.code == 0
    assert answer.err.count(told) == (0 if quiet else 1)
    facts = feeder(shop, "evaluate", file, "--json", "-q").json
    assert [one["answer"] for one in facts["not_in_index"]] == [
        *("cart.py", "src/cart.py:4-9", "Cart.full", "src/order.py#refund", "<+>")
    ]


def test_a_name_of_signs_is_looked_up(feeder: RunFeeder, repo: Repo, tmp_path: Path) -> None:
    """Of which no word can be asked."""
    repo.commit(
        {"Layout.hs": "module Layout where\n\n(<+>) :: Int -> Int -> Int\na <+> b = a + b\n"}
    )
    feeder(repo, "sync", "--model", "words")
    file = questions(tmp_path, {"query": "layout", "answers": [{"symbol": "<+>"}]})
    assert feeder(repo, "evaluate", file, "--json", "-q").json["not_in_index"] == []


def test_machines_get_every_question(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """With the rank of each answer and the hits, which people get of the worst alone."""
    file = questions(tmp_path, REFUND, CLEAR, LOST)
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


def test_two_settings_stand_side_by_side(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """Words find no zebra, and a model finds whatever is nearest: one question is answered more."""
    file = questions(tmp_path, REFUND, LOST)
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


def test_another_index_can_be_the_second(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """Whatever says which index it is may stand in --against; the rest stays."""
    other = tmp_path / "other.db"
    assert feeder(shop, "sync", "--model", "words", "--db", other).code == 0
    file = questions(tmp_path, LOST)
    answer = feeder(shop, "evaluate", file, "--against", f"--db '{other}' --no-vectors", "--json")
    assert (answer.json["models"] == [], answer.json["against"]["models"]) == (False, [])


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("static", "--against 'static': Got unexpected extra argument (static). Write it like"),
        ("--modle words", "Did you mean '--model'? Write it like --against"),
        ("--model 'words", "No closing quotation. Write it like"),
        ("", "--against has no option. Write it like"),
        ("--json", "No such option '--json'"),
    ],
)
def test_options_that_are_none_are_refused(
    feeder: RunFeeder, shop: Repo, tmp_path: Path, against: str, said: str
) -> None:
    """Before anything is asked."""
    answer = feeder(shop, "evaluate", questions(tmp_path, REFUND), "--against", against)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_line_that_is_wrong_is_refused(feeder: RunFeeder, shop: Repo, tmp_path: Path) -> None:
    """With the file's name and the line's number; a file that is not there too."""
    file = questions(tmp_path, REFUND, {"query": "a"})
    answer = feeder(shop, "evaluate", file)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"feeder: {file}, line 2: it has no answers. List")
    assert feeder(shop, "evaluate", tmp_path / "no.jsonl").code == 2


def test_without_an_index_it_is_said_how_to_make_one(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    repo.commit(FILES)
    answer = feeder(repo, "evaluate", questions(tmp_path, REFUND))
    assert answer.code == 2
    assert "feeder sync" in answer.err


def test_a_question_has_the_language_of_a_search(
    feeder: RunFeeder, shop: Repo, tmp_path: Path
) -> None:
    """Its filters narrow it; one that names nothing is told with the line, before any figure."""
    narrow = {"query": "order path:src/order.py", "answers": ["src/order.py"]}
    alone = {"query": "path:src/refund.py", "answers": ["src/refund.py"]}
    good = feeder(shop, "evaluate", questions(tmp_path, narrow, alone), "--json", "-q").json
    assert [{hit["path"] for hit in one["hits"]} for one in good["each"]] == [
        {"src/order.py"},
        {"src/refund.py"},
    ]
    wrong = {"query": "order lang:koltin", "answers": ["src/order.py"]}
    answer = feeder(shop, "evaluate", questions(tmp_path, narrow, wrong))
    assert (answer.code, answer.out) == (2, "")
    assert "The query in line 2: " in answer.err
