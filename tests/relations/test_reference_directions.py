"""`feeder references --out` and `--depth`."""

from typing import Any

import pytest

from cli.synced_files import environment, shop
from command_runner import RunFeeder
from relations.test_references import FILES
from source.repos import Repo

__all__ = ["FILES", "environment", "shop"]


@pytest.fixture
def chain(feeder: RunFeeder, repo: Repo) -> Repo:
    """`total` is called by `price`, that by `print_bill` and a test, and `print_bill` by itself."""
    repo.commit(
        {
            "bill.py": (
                "def total(lines):\n    return sum(lines)\n\n\n"
                "def price(lines):\n    return total(lines)\n\n\n"
                "def print_bill(lines):\n    print(price(lines))\n    print_bill(lines[1:])\n\n\n"
                "def export(lines):\n    return total(lines), total([])\n"
            ),
            "tests/test_bill.py": (
                "from bill import price\n\n\ndef test_price():\n    assert price([1, 2]) == 3\n"
            ),
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def used(answer: dict[str, Any]) -> dict[tuple[int, str, str], bool]:
    return {
        (reference["line"], reference["kind"], reference["definition"]["symbol"]): reference[
            "resolved"
        ]
        for reference in answer["references"]
    }


def test_uses_of_a_method(feeder: RunFeeder, shop: Repo) -> None:
    """`Basket` is imported as another name of `Cart`, and `close` is inherited."""
    answer = feeder(shop, "references", "Gift.wrap", "--out", "--json").json
    assert used(answer) == {
        (8, "type", "Cart"): True,
        (9, "call", "Cart.add"): True,
        (10, "call", "Base.close"): True,
    }
    assert answer["target"] == {
        "path": "shop/gift.py",
        "symbol": "Gift.wrap",
        "language": "python",
    }
    assert (answer["total"], answer["resolved"], answer["at_least"]) == (3, 3, False)
    [added] = [reference for reference in answer["references"] if reference["line"] == 9]
    assert added["definition"] == {
        "path": "shop/cart.py",
        "start_line": 5,
        "end_line": 6,
        "symbol": "Cart.add",
        "node_type": "method",
    }
    assert added["text"] == "        other.add(self)"


def test_uses_of_a_class_have_those_of_its_methods(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "shop/cart.py#Cart", "--out", "--json").json
    assert used(answer) == {(4, "inherit", "Base"): True, (6, "call", "Cart.check"): True}


def test_uses_by_name_only_come_last(feeder: RunFeeder, shop: Repo) -> None:
    """Nobody says what `things` is, so `things.add` may be either method."""
    lines = feeder(shop, "references", "fill", "--out").out.splitlines()
    assert lines[0] == "shop/other.py:4-6  class  Shelf"
    assert lines[1] == "        type in line 9"
    by_name = [line for line in lines if line.endswith("(by name only)")]
    assert [line.split("  ")[2] for line in by_name] == ["Cart.add", "Shelf.add"]
    assert (
        feeder(shop, "references", "fill", "--out", "--kind", "type", "--json").json["total"] == 1
    )


def test_uses_of_nothing(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "Base.close", "--out")
    assert answer.code == 0
    assert answer.out == ""
    assert "Base.close refers to nothing that the index defines." in answer.err


def test_callers_are_a_tree(feeder: RunFeeder, chain: Repo) -> None:
    """A recursive call is no caller."""
    lines = feeder(chain, "references", "total", "--depth", "3").out.splitlines()
    assert lines == [
        "bill.py:6  price",
        "  bill.py:10  print_bill",
        "  tests/test_bill.py:5  test_price",
        "bill.py:15  export",
    ]
    answer = feeder(chain, "references", "total", "--depth", "3", "--json").json
    price, export = answer["callers"]
    assert (price["symbol"], price["lines"], price["resolved"]) == ("price", [6], True)
    assert [caller["symbol"] for caller in price["callers"]] == ["print_bill", "test_price"]
    assert [caller["is_test"] for caller in price["callers"]] == [False, True]
    assert (export["callers"], answer["total"], answer["at_least"]) == ([], 4, False)


def test_tree_is_cut_with_a_count(feeder: RunFeeder, chain: Repo) -> None:
    """The first level comes before the second."""
    lines = feeder(chain, "references", "total", "--depth", "2", "-n", "3").out.splitlines()
    assert lines == [
        "bill.py:6  price",
        "  bill.py:10  print_bill",
        "  … 1 more",
        "bill.py:15  export",
    ]
    answer = feeder(chain, "references", "total", "--depth", "2", "-n", "1", "--json").json
    assert (answer["omitted"], answer["total"], answer["at_least"]) == (1, 2, True)


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        (["--depth", "3"], "4 callers."),
        (["--depth", "2", "-n", "3"], "at least 4 callers. For more: -n NUMBER"),
        (["--depth", "2", "-n", "2"], "at least 2 callers. For more: -n NUMBER"),
    ],
)
def test_only_a_limited_tree_has_more(
    feeder: RunFeeder, chain: Repo, arguments: list[str], summary: str
) -> None:
    """Two callers fill the limit, so that theirs are not looked for."""
    assert summary in feeder(chain, "references", "total", *arguments).err.splitlines()


def test_tree_of_what_leads_to_tests(feeder: RunFeeder, chain: Repo) -> None:
    found = feeder(chain, "references", "total", "--depth", "2", "--tests", "only").out
    assert found.splitlines() == ["bill.py:6  price", "  tests/test_bill.py:5  test_price"]
    found = feeder(chain, "references", "total", "--depth", "2", "--tests", "no").out
    assert "test_bill" not in found


def test_cyclic_callers_end(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"a.py": "def one():\n    two()\n\n\ndef two():\n    one()\n"})
    assert feeder(repo, "sync", "-q").code == 0
    out = feeder(repo, "references", "one", "--depth", "9").out
    assert out.splitlines() == ["a.py:6  two", "  a.py:2  one"]


def test_depth_excludes_other_forms(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "Cart.add", "--depth", "2", "--out")
    assert answer.code == 2
    assert "--depth lists callers as a tree" in answer.err
