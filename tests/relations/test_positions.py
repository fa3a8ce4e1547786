"""A position on a local is answered as a local of its function, one on a library's name as such."""

import pytest

from command_runner import RunFeeder
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "Cart.java": (
        "package acme;\n\nclass Cart {\n  int item() { return 1; }\n"
        "  int add(Cart item) {\n    Cart total = item;\n    return total.item();\n  }\n"
        "  int total() { return 2; }\n}\n"
    ),
    "cart.py": (
        "import json\n\n\ndef dump(x):\n    return x\n\n\ndef item():\n    return 1\n\n\n"
        "def go(item: str):\n    json.dump(item)\n    return dump(item)\n"
    ),
    "cart.go": (
        "package cart\n\ntype Box struct{}\n\nfunc size() int { return 1 }\n\n"
        "func Go(size *Box) *Box {\n\treturn size\n}\n"
    ),
}


@pytest.fixture
def indexed(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


@pytest.mark.parametrize(
    ("place", "owner", "line"),
    [
        ("Cart.java:6:18", "acme.Cart.add", 5),  # item, the parameter
        ("Cart.java:7:12", "acme.Cart.add", 6),  # total, the variable
        ("cart.py:13:15", "go", 12),
        ("cart.go:8:9", "cart.Go", 7),
    ],
)
def test_position_on_a_local_is_a_local(
    feeder: RunFeeder, indexed: Repo, place: str, owner: str, line: int
) -> None:
    [found] = feeder(indexed, "definition", place, "--json").json["definitions"]
    assert (found["node_type"], found["start_line"]) == ("local", line)
    assert found["symbol"].startswith(f"{owner}.")
    refused = feeder(indexed, "references", place)
    assert refused.code == 2
    assert f"is a local of {owner}, line {line}." in refused.err


def test_position_on_a_member_of_the_locals_name_is_the_member(
    feeder: RunFeeder, indexed: Repo
) -> None:
    [found] = feeder(indexed, "definition", "Cart.java:7:18", "--json").json["definitions"]
    assert (found["symbol"], found["start_line"]) == ("acme.Cart.item", 4)


def test_position_on_a_name_of_a_library_is_not_in_the_index(
    feeder: RunFeeder, indexed: Repo
) -> None:
    """`json.dump` is not the function `dump` of the file; the call below it is."""
    refused = feeder(indexed, "definition", "cart.py:13:10")
    assert refused.code != 0
    assert "dump at cart.py:13:10 is not in the index: it is " in refused.err
    [found] = feeder(indexed, "definition", "cart.py:14:12", "--json").json["definitions"]
    assert found["symbol"] == "dump"


@pytest.mark.parametrize(
    ("place", "symbol"), [("cart.ts:3:22", "Cart.total"), ("Cart.php:5:46", "Cart.total")]
)
def test_position_on_a_constructors_parameter_that_is_a_field_is_the_field(
    feeder: RunFeeder, repo: Repo, place: str, symbol: str
) -> None:
    """Also where another file has a method of that name."""
    repo.commit(
        {
            "cart.ts": "export class Cart {\n  constructor(\n    private readonly total: number,\n"
            "    size: number,\n  ) {}\n}\n",
            "Cart.php": "<?php\n\nclass Cart\n{\n"
            "    public function __construct(public int $total)\n    {\n    }\n}\n",
            "other.ts": "export class Other {\n  total() {\n    return 1;\n  }\n}\n",
        }
    )
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    [found] = feeder(repo, "definition", place, "--json").json["definitions"]
    assert (found["node_type"], found["symbol"], found["resolved"]) == ("member", symbol, True)
