"""`feeder overview` shows what most files refer to."""

import pytest

from cli.synced_files import environment, shop
from command_runner import RunFeeder
from source.repos import Repo

__all__ = ["environment", "shop"]

FILES: dict[str, str | bytes] = {
    "shop/base.py": (
        "class Money:\n    def rounded(self):\n        return 1\n\n\n"
        "def unused_helper():\n    return 2\n"
    ),
    "shop/cart.py": (
        "from shop.base import Money\n\n\n"
        "class Cart:\n    def total(self) -> Money:\n        return Money()\n"
    ),
    "shop/gift.py": "from shop.base import Money\n\n\ndef wrap():\n    return Money()\n",
    "shop/__main__.py": (
        "from shop.cart import Cart\n\n\ndef main():\n    print(Cart().total())\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total()\n"
    ),
    "guide.md": "# Guide\n",
}


def test_most_referenced_symbols_come_first(feeder: RunFeeder, shop: Repo) -> None:
    """`Money` gets its rank from two files, of which one has rank of its own."""
    answer = feeder(shop, "overview", "--json").json
    assert [one["symbol"] for one in answer["symbols"]][:2] == ["Money", "Cart"]
    money, cart = answer["symbols"][:2]
    assert (money["path"], money["files"], money["signature"]) == (
        "shop/base.py",
        2,
        "class Money:",
    )
    assert cart["files"] == 2
    by_symbol = {one["symbol"]: one for one in answer["symbols"]}
    assert by_symbol["unused_helper"]["rank"] == 0
    assert "test_total" not in by_symbol
    assert [one["symbol"] for one in answer["entry_points"]] == ["main"]
    [package] = [one for one in answer["packages"] if one["path"] == "shop"]
    assert (package["files"], package["symbols"]) == (4, 7)
    assert answer["total"] == 7


def test_text_has_sections_and_keeps_the_budget(feeder: RunFeeder, shop: Repo) -> None:
    lines = feeder(shop, "overview").out.splitlines()
    assert lines[0] == "Packages"
    assert lines[1].startswith("  shop  4 files, 7 symbols, ")
    assert lines[lines.index("Entry points") + 1] == "  shop/__main__.py:4-5  main"
    at = lines.index("Most-referenced symbols")
    assert lines[at + 1 : at + 3] == ["shop/base.py", "  1-3  class Money:"]
    many = {f"m{n}.py": f"class Type{n}:\n    pass\n" for n in range(200)}
    shop.commit(many)
    assert feeder(shop, "sync", "-q").code == 0
    answer = feeder(shop, "overview", "--budget", "100")
    symbols = answer.out.partition("Most-referenced symbols\n")[2]
    assert 0 < len(symbols.encode()) <= 320
    assert "of 207 symbols" in answer.err


def test_overview_of_a_folder_has_ranks_of_the_whole_repository(
    feeder: RunFeeder, shop: Repo
) -> None:
    whole = feeder(shop, "overview", "--json").json["symbols"]
    part = feeder(shop, "overview", "shop/cart.py", "--json").json["symbols"]
    assert part == [one for one in whole if one["path"] == "shop/cart.py"]


def test_unknown_path_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "overview", "nowhere")
    assert answer.code == 2
    assert "The index has no file or folder nowhere" in answer.err


def test_index_without_relations_is_an_error(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"guide.md": "# Guide\n"})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "overview")
    assert answer.code == 2
    assert "has no relations" in answer.err


@pytest.mark.parametrize(
    "arguments",
    [["overview"], ["outline"], ["show", "f"], ["definition", "f"], ["references", "f"]],
)
def test_repository_without_files_is_named_as_such(
    feeder: RunFeeder, repo: Repo, arguments: list[str]
) -> None:
    answer = feeder(repo, *arguments, "--refresh")
    assert answer.code == 2
    assert " has no files of repo. Add files to the repository, or index those" in answer.err
