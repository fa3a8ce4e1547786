"""Filters by relations: `calls:`, `uses:`, `imports:`, `inherits:` and others."""

from cli.synced_files import environment, shop
from command_runner import RunFeeder
from source.repos import Repo

__all__ = ["environment", "shop"]

FILES: dict[str, str | bytes] = {
    "shop/cart.py": (
        "from shop.base import Base\n\n\n"
        "class Cart(Base):\n"
        "    def add(self, item: Item) -> Line:\n"
        "        return self.check(item)\n\n"
        "    def check(self, thing):\n"
        "        return thing\n"
    ),
    "shop/gift.py": "def wrap(item, cart: Cart):\n    cart.add(item)\n    cart.check(item)\n",
    "shop/text.py": 'def nothing():\n    """Calls add(item), check(item), as Cart(Base) does."""\n',
    "shop/hidden.py": "def _hidden():\n    return 1\n",
    "Shop.java": (
        "class Shop implements Seller {\n"
        "    private int total() { return 1; }\n"
        "    public int sum() { return total(); }\n"
        "}\n"
    ),
}

HITS: dict[str, set[str | None]] = {
    "calls:check": {"Cart.add", "wrap"},
    "calls:Cart.check": {"Cart.add", "wrap"},
    "calls:check calls:add": {"wrap"},
    "calls:check path:shop/cart.py": {"Cart.add"},
    "calls:check wrap": {"wrap"},
    "calls:add OR calls:total": {"wrap", "Shop.sum"},
    "visibility:private OR visibility:protected": {"Shop.total", "_hidden"},
    'calls:"add OR total"': set(),
    "uses:Item": {"Cart.add"},
    "returns:Line": {"Cart.add"},
    "returns:Item": set(),
    "param:item": {"Cart.add"},
    "param:Cart": {"wrap"},
    "inherits:Base": {"Cart"},
    "implements:Seller": {"Shop"},
    "inherits:Seller": set(),
    "imports:Base": {None},
    "imports:shop.base": {None},
    "visibility:private": {"Shop.total", "_hidden"},
    "visibility:public": {"Cart", "Cart.add", "Cart.check", "wrap", "nothing", "Shop.sum"},
    "visibility:public calls:check": {"Cart.add", "wrap"},
    "visibility:protected": set(),
    "calls:chec": set(),
    "calls:nothing_like_it": set(),
}


def test_filter_selects_nodes_by_relation(feeder: RunFeeder, shop: Repo) -> None:
    """Names in comments and strings do not count, nor parts of names, nor untyped parameters."""
    found = {
        query: {hit["symbol"] for hit in feeder(shop, "search", query, "--json").json["hits"]}
        for query in HITS
    }
    assert found == HITS


def test_filter_without_a_name_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "search", "calls:.")
    assert answer.code == 2
    assert "calls:. has no name. Write one, as in calls:add." in answer.err


def test_index_without_relations_is_an_error(feeder: RunFeeder, repo: Repo) -> None:
    """The answer would be empty for the wrong reason."""
    repo.commit({"guide.md": "# Guide\n\nCalls add.\n"})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "search", "calls:add")
    assert answer.code == 2
    assert "calls:add needs relations, which this index lacks" in answer.err
