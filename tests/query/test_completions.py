"""Completions of the last word of a query."""

import pytest

from feeder.config import Settings
from feeder.query.completions import MAX_COMPLETIONS, complete
from feeder.search.open_index import open_index
from index_helpers import REPO
from search.run_query import index_files
from source.repos import Repo

FILES = {
    "src/cart/cart.py": """\
class Cart:
    def add_item(self):
        pass

    def adapt(self):
        pass


def cartography():
    pass
""",
    "src/cart/tax.py": "def add_tax():\n    pass\n",
    "src/main.go": "package main\n\nfunc cartOf() {}\n",
    "web/cart_page.js": "function show() { return 1 }\n",
    "docs/cart.md": "# Cart\n\nText.\n",
    "a/tests/box.py": "class TestBox:\n    def stow(self):\n        pass\n",
    "src/box.py": "class Box:\n    def stow(self):\n        pass\n",
}


@pytest.fixture
def completions(repo: Repo, request: pytest.FixtureRequest) -> list[str]:
    """The texts for the query that the test is given."""
    index_files(repo, FILES)
    settings = Settings(repo.path, repo=REPO, store="local", quiet=True, vectors=False)
    with open_index(settings) as index:
        return [completion.text for completion in complete(index.corpus, request.param)]


@pytest.mark.parametrize(
    ("completions", "expected"),
    [
        ("add lang:p", ["lang:python"]),
        ("-type:me", ["-type:method"]),
        ("tests:", ["tests:yes", "tests:no", "tests:only"]),
        ("category:do", ["category:docs"]),
        ("path:src/c", ["path:src/cart"]),
        ("path:src/cart/", ["path:src/cart/cart.py", "path:src/cart/tax.py"]),
        ("path:cart", ["path:src/cart", "path:docs/cart.md", "path:web/cart_page.js"]),
        ("symbol:add_", ["symbol:add_tax", "symbol:Cart.add_item"]),
        ("cart.ada", ["Cart.adapt"]),
        ("where cart", ["Cart", "main.cartOf", "cartography", "docs/cart.md"]),
        ("stow", ["Box.stow", "TestBox.stow"]),
        ("nowhere", []),
        ("ca", []),
        ("cart ", []),
        ('"cart', []),
        ("lang:klingon", []),
        ("symbol:a'b\"c%_*", []),
        (":", []),
    ],
    indirect=["completions"],
)
def test_completions_are_what_the_index_has(completions: list[str], expected: list[str]) -> None:
    assert completions[: len(expected)] == expected
    assert len(completions) <= (MAX_COMPLETIONS if expected else 0)
