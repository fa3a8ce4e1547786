"""The tools `references` and `impact`: lines, counts, freshness."""

import re
from pathlib import Path
from typing import Any

import pytest

from feeder.mcp.token_budget import budget_bytes
from feeder.mcp.tool_schemas import DEFAULT_TOKENS
from mcp_server.conftest import index
from mcp_server.test_tools import Ask, call_tools_in, error_text, footer, result_text
from source.repos import Repo

FILES = {
    "shop/cart.py": (
        "class Cart:\n"
        "    def add(self, item):\n"
        "        self.items.append(item)\n\n\n"
        "class Gift(Cart):\n"
        "    def add(self, item):\n"
        "        pass\n"
    ),
    "shop/order.py": (
        "from shop.cart import Cart\n\n\n"
        "def order(item):\n"
        "    cart = Cart()\n"
        "    cart.add(item)\n\n\n"
        "def reorder(item):\n"
        "    order(item)\n"
    ),
    "tests/test_order.py": ("from shop.order import order\n\n\ndef test_order():\n    order(1)\n"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo(tmp_path_factory.mktemp("relations") / "repo")
    repo.commit(FILES)
    index(repo)
    return repo.path


@pytest.fixture
def ask(place: Path) -> Ask:
    return call_tools_in(place)


def body(text: str) -> list[str]:
    """Returns the lines above the footer."""
    return text.rpartition("\n\n")[0].split("\n")


def test_references(ask: Ask) -> None:
    text = result_text(ask("references", target="shop/cart.py#Cart.add"))
    assert body(text) == [
        "shop/order.py",
        "  6 call in order: cart.add(item)",
        "shop/cart.py",
        "  7 override in Gift.add: def add(self, item):",
    ]
    assert footer(text)[0] == "2 references: 2 resolved, 0 by name only."
    assert footer(text)[-1].startswith("The index matches HEAD ")


def test_references_of_several_targets(ask: Ask) -> None:
    """Each with its counts, in their order; an unknown one does not stop the others."""
    text = result_text(ask("references", target=["shop/cart.py#Cart.add", "Crat", "reorder"]))
    add, unknown, reorder = text.removeprefix("## ").split("\n\n## ")
    assert add == (
        "shop/cart.py#Cart.add\nshop/order.py\n  6 call in order: cart.add(item)\nshop/cart.py\n"
        "  7 override in Gift.add: def add(self, item):\n\n"
        "2 references: 2 resolved, 0 by name only."
    )
    assert unknown == f"Crat\n{error_text(ask('references', target='Crat'))}"
    nothing, _, state = reorder.rpartition("\n\n")
    alone = result_text(ask("references", target="reorder")).split("\n")
    assert nothing.split("\n") == ["reorder", *alone[:-1]]
    assert state == alone[-1]


def test_references_of_unknown_targets_are_an_error(ask: Ask) -> None:
    unknown = error_text(ask("references", target=["Crat", "Odrer"]))
    assert unknown.startswith("## Crat\n")
    many = error_text(ask("references", target=["order"] * 21))
    assert many == "`target` has 21 targets; at most 20 are allowed."


def test_references_of_several_targets_share_the_budget(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    calls = "".join(f"def user_of_all_{n}():\n    one()\n    two()\n\n\n" for n in range(150))
    repo.commit({"a.py": f"def one():\n    pass\n\n\ndef two():\n    pass\n\n\n{calls}"})
    index(repo)
    text = result_text(call_tools_in(repo.path)("references", target=["one", "two"]))
    assert len(text.encode()) <= budget_bytes(DEFAULT_TOKENS)
    assert len(re.findall(r"^1 to \d+ of 150 references: .*; next: offset=\d+", text, re.M)) == 2


def test_references_of_a_kind_without_tests(ask: Ask) -> None:
    text = result_text(ask("references", target="order", kind="call", tests="no"))
    assert body(text) == ["shop/order.py", "  10 call in reorder: order(item)"]


def test_outgoing_references(ask: Ask) -> None:
    text = result_text(ask("references", target="shop/order.py#order", direction="out"))
    assert body(text) == [
        "shop/cart.py:1-3 class Cart",
        "  5 call: cart = Cart()",
        "shop/cart.py:2-3 method Cart.add",
        "  6 call: cart.add(item)",
    ]


def test_callers_of_callers(ask: Ask) -> None:
    text = result_text(ask("references", target="shop/cart.py#Cart.add", depth=2))
    assert body(text) == [
        "shop/order.py:6 order",
        "  shop/order.py:10 reorder",
        "  tests/test_order.py:5 test_order",
    ]
    assert footer(text)[0] == "3 callers."


def test_definition_and_implementations(ask: Ask) -> None:
    text = result_text(ask("references", target="shop/order.py:6:10", kind="definition"))
    assert body(text) == ["shop/cart.py:2-3 method Cart.add"]
    assert footer(text)[0] == "1 definition."
    text = result_text(ask("references", target="Cart", kind="implementation"))
    assert body(text) == ["shop/cart.py:6-8 Gift"]


def test_what_nothing_refers_to(ask: Ask) -> None:
    text = result_text(ask("references", target="reorder"))
    assert text.startswith("Nothing in the index refers to reorder.")


def test_search_says_what_it_would_find_without_a_relation(ask: Ask) -> None:
    text = result_text(ask("search", query="calls:nothing_like_it reorder"))
    assert "Without `calls:nothing_like_it`: 1, first shop/order.py:9-10 reorder." in text


def test_unknown_target_is_an_error(ask: Ask) -> None:
    assert "The index has no file, symbol or id 'nowhere'." in error_text(
        ask("references", target="nowhere")
    )
    assert "There is no commit 'nowhere'" in error_text(ask("impact", base="nowhere"))


def test_answers_keep_the_budget_and_name_the_next_offset(tmp_path: Path) -> None:
    """Each reference is on one page."""
    repo = Repo(tmp_path / "repo")
    calls = "".join(f"def caller_{n}():\n    fill_cart('{'x' * 60}')\n\n\n" for n in range(150))
    repo.commit({"a.py": f"def fill_cart(text):\n    pass\n\n\n{calls}"})
    index(repo)
    ask = call_tools_in(repo.path)
    seen, offset = [], 0
    while True:
        text = result_text(ask("references", target="fill_cart", offset=offset))
        assert len(text.encode()) <= budget_bytes(DEFAULT_TOKENS)
        seen += [line for line in body(text) if " call in " in line]
        first = footer(text)[0]
        if "; next: offset=" not in first:
            break
        offset = int(first.rpartition("=")[2])
    assert offset
    assert len(seen) == len({*seen}) == 150


@pytest.mark.parametrize(
    ("arguments", "noun"),
    [
        ({"kind": "definition", "target": "fill_the_cart"}, "definitions"),
        ({"kind": "implementation", "target": "a.py#Base"}, "implementations"),
        ({"depth": 2, "target": "a.py#Base"}, "callers"),
    ],
)
def test_next_entries_of_each_list_are_at_the_offset_that_the_answer_names(
    tmp_path: Path, arguments: dict[str, Any], noun: str
) -> None:
    """150 classes below one, each with a method of one name; each is on one page."""
    repo = Repo(tmp_path / "repo")
    types = "".join(
        f"class Under{'x' * 60}{n}(Base):\n    def fill_the_cart(self):\n        pass\n\n\n"
        for n in range(150)
    )
    repo.commit({"a.py": f"class Base:\n    pass\n\n\n{types}"})
    index(repo)
    ask = call_tools_in(repo.path)
    seen: list[str] = []
    first = "next: offset=0"
    while "next: offset=" in first:
        assert first.endswith(f"next: offset={len(seen)}")
        text = result_text(ask("references", offset=len(seen), **arguments))
        seen += body(text)
        first = footer(text)[0]
    assert f" of 150 {noun}" in first
    assert len(seen) == len({*seen}) == 150


def test_impact_of_edited_files(tmp_path: Path) -> None:
    """Without edits that of the last commit."""
    repo = Repo(tmp_path / "repo")
    repo.commit(FILES)
    order = FILES["shop/order.py"].replace("def order(item):", "def order(item, n=1):")
    repo.commit({"shop/order.py": order})
    index(repo)
    text = result_text(call_tools_in(repo.path)("impact"))
    assert body(text) == [
        "Signatures and deletions",
        "edited shop/order.py:4-6 order",
        "  was def order(item):",
        "  now def order(item, n=1):",
        "  shop/order.py:10 call order(item)",
        "",
        "Tests",
        "tests/test_order.py test_order (reference, name, history)",
    ]
    assert footer(text)[-1].startswith("The index matches HEAD ")
    (repo.path / "shop/cart.py").write_text("class Cart:\n    pass\n")
    text = result_text(call_tools_in(repo.path)("impact"))
    assert "removed shop/cart.py:2-3 Cart.add (signature)" not in text
    assert "removed shop/cart.py:2-3 Cart.add" in body(text)
    (repo.path / "tests/test_order.py").write_text("def test_order():\n    pass\n")
    text = result_text(call_tools_in(repo.path)("impact"))
    assert "tests/test_order.py (changed)" in body(text)


def test_impact_without_edits_after_one_commit(tmp_path: Path) -> None:
    """There is no commit before it to compare with, which is no error."""
    repo = Repo(tmp_path / "repo")
    commit = repo.commit(FILES)
    index(repo)
    text = result_text(call_tools_in(repo.path)("impact"))
    assert text.startswith(f"No file differs between {commit[:7]} and the working tree.")


def test_ranked_outline(ask: Ask) -> None:
    text = result_text(ask("outline", path=".", ranked=True))
    assert text.startswith("Packages\nshop 2 files, ")
    symbols = text.partition("Most-referenced symbols\n")[2].split("\n")
    assert symbols[:2] == ["shop/cart.py", "  1-3  class Cart:"]
    assert footer(text)[-1].startswith("The index matches HEAD ")
