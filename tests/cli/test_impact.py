"""`feeder impact` lists what a change touches."""

from collections.abc import Mapping
from typing import Any

import pytest

from command_runner import RunFeeder
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "LIMIT_OF_LINES = 10\n\n\n"
        "class Cart:\n"
        "    def add(self, item):\n"
        "        self.items.append(item)\n\n"
        "    def close(self):\n"
        "        self.items.clear()\n"
    ),
    "shop/gift.py": (
        "from shop.cart import Cart\n\n\n"
        "class Gift(Cart):\n"
        "    def add(self, item):\n"
        "        self.wrap(item)\n"
    ),
    "shop/order.py": (
        "from shop.cart import Cart\n\n\n"
        "def order(item):\n"
        "    cart = Cart()\n"
        "    cart.add(item)\n"
        "    return cart\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import Cart\n\n\ndef test_add():\n    cart = Cart()\n    cart.add(1)\n"
    ),
    "tests/test_buying.py": (
        "from shop.order import order\n\n\ndef test_order():\n    assert order(1)\n"
    ),
    "tests/test_other.py": "def test_sum():\n    assert sum([1, 2]) == 3\n",
    "docs/guide.md": "# Guide\n\nFill it with `Cart.add`. Do add salt.\n",
}

EDITED = str(FILES["shop/cart.py"]).replace("def add(self, item):", "def add(self, item, n=1):")


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_VECTORS": "no"}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    """Two commits: all files, then another signature of `Cart.add`; the index equals the second."""
    repo.commit(FILES)
    repo.commit({"shop/cart.py": EDITED})
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def sites(answer: dict[str, Any]) -> list[tuple[str, int, str, bool]]:
    return [
        (one["path"], one["line"], one["kind"], one["resolved"]) for one in answer["references"]
    ]


def test_change_of_a_method(feeder: RunFeeder, shop: Repo) -> None:
    """The last commit without `--base`: its callers and overriding members, and tests."""
    answer = feeder(shop, "impact", "--json").json
    [changed] = answer["changed"]
    assert (changed["name"], changed["change"], changed["path"]) == (
        "Cart.add",
        "edited",
        "shop/cart.py",
    )
    assert (changed["start_line"], changed["end_line"]) == (5, 6)
    assert changed["signature_changed"]
    assert sites(answer) == [
        ("shop/gift.py", 5, "override", True),
        ("shop/order.py", 6, "call", True),
    ]
    assert {one["of"] for one in answer["references"]} == {changed["id"]}
    assert answer["references"][1]["text"] == "    cart.add(item)"
    assert answer["references"][1]["enclosing"]["symbol"] == "order"
    tests = [(one["path"], one["node"], one["steps"]) for one in answer["tests"]]
    assert tests[:2] == [
        ("tests/test_cart.py", "test_add", 1),
        ("tests/test_buying.py", "test_order", 2),
    ]
    assert "name" in answer["tests"][0]["reasons"]
    assert [(one["path"], one["line"]) for one in answer["documents"]] == [("docs/guide.md", 3)]
    assert answer["totals"]["references"] == 2
    assert not answer["at_least"]


def test_test_files_for_a_runner(feeder: RunFeeder, shop: Repo) -> None:
    """Paths alone on stdout."""
    answer = feeder(shop, "impact", "--tests")
    assert answer.out.splitlines()[:2] == ["tests/test_cart.py", "tests/test_buying.py"]
    assert "Compared with" in answer.err
    assert feeder(shop, "impact", "--tests", "-n", "1").out == "tests/test_cart.py\n"


def test_working_tree(feeder: RunFeeder, shop: Repo) -> None:
    """An edited constant, a removed method, an untracked file; HEAD itself has nothing of these."""
    text = EDITED.replace("= 10", "= 20").partition("    def close")[0]
    (shop.path / "shop/cart.py").write_text(text)
    (shop.path / "shop/new.py").write_text("def fresh():\n    pass\n")
    answer = feeder(shop, "impact", "--working-tree", "--json").json
    changed = {one["name"]: one["change"] for one in answer["changed"]}
    assert changed == {"LIMIT_OF_LINES": "edited", "Cart.close": "removed", "fresh": "added"}
    assert "Cart.add" not in changed


def test_base_is_the_merge_base(feeder: RunFeeder, shop: Repo) -> None:
    """What the other branch changed since does not count."""
    main = shop.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    shop.git("checkout", "-q", "-b", "feature", "HEAD~1")
    shop.commit({"shop/order.py": "def order(item):\n    return None\n"})
    answer = feeder(shop, "impact", "--base", main, "--json").json
    assert [one["name"] for one in answer["changed"] if one["name"]] == ["order"]
    assert answer["tests"][0]["path"] == "tests/test_buying.py"


def test_snapshots_are_no_tests_to_run(feeder: RunFeeder, repo: Repo) -> None:
    """Though their paths are those of tests, and earlier commits changed them with the file."""
    golden = "tests/testdata/cart.golden"
    repo.commit({**FILES, golden: "cart\n"})
    repo.commit({"shop/cart.py": f"{EDITED}\n", golden: "cart 2\n"})
    repo.commit({"shop/cart.py": EDITED})
    assert feeder(repo, "sync", "-q").code == 0
    tests = feeder(repo, "impact", "--tests", "-q").out.splitlines()
    assert sorted(tests) == ["tests/test_buying.py", "tests/test_cart.py", "tests/test_other.py"]


def test_functions_in_a_function_that_becomes_long_are_not_added(
    feeder: RunFeeder, repo: Repo
) -> None:
    """They are nodes of their own only in a long function; only the edited one is named."""
    inner = "".join(
        f"  function step{at}(cart) {{\n    return cart.add({at});\n  }}\n" for at in range(4)
    )
    filler = "".join(f"  fill('line {at} of a long function');\n" for at in range(90))
    short, long = f"function run() {{\n{inner}}}\n", f"function run() {{\n{inner}{filler}}}\n"
    for before, after in [(short, long), (long, short)]:
        repo.commit({"run.js": before})
        repo.commit({"run.js": after.replace("cart.add(3)", "cart.add(4)")})
        assert feeder(repo, "sync", "-q").code == 0
        changed = feeder(repo, "impact", "--json").json["changed"]
        assert [one["name"] for one in changed if one["name"] != "run"] == ["run.step3"]


def test_near_duplicates(feeder: RunFeeder, repo: Repo) -> None:
    body = "\n".join(f"    rows.append(render(line_{n}, width, height))" for n in range(6))
    function = "def {name}(rows, width, height):\n{body}\n    return rows\n"
    first = function.format(name="print_bill", body=body)
    other = function.format(name="print_offer", body=body)
    repo.commit({"a.py": first, "b.py": other, "c.py": "def far():\n    return 1\n"})
    assert feeder(repo, "sync", "-q").code == 0
    (repo.path / "a.py").write_text(first.replace("return rows", "return list(rows)"))
    answer = feeder(repo, "impact", "--working-tree", "--json").json
    assert [(one["path"], one["symbol"]) for one in answer["similar"]] == [("b.py", "print_offer")]
    assert answer["similar"][0]["similarity"] > 0.8


def test_text_has_sections_and_counts(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "impact", "-n", "1")
    assert answer.out.splitlines() == [
        "Changed",
        "  edited   shop/cart.py:5-6  Cart.add  (signature)",
        "",
        "References",
        "  shop/gift.py:5  override  Cart.add  def add(self, item):",
        "  … 1 more",
        "",
        "Tests",
        "  tests/test_cart.py  test_add  (reference, name, history)",
        "  … 2 more",  # one of them was only committed together with the file
        "",
        "Documents",
        "  docs/guide.md:3  Cart.add  Fill it with `Cart.add`. Do add salt.",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--base", "nowhere"], "There is no commit 'nowhere'"),
        (["--working-tree"], "No file differs from"),
    ],
)
def test_nothing_to_compare(
    feeder: RunFeeder, shop: Repo, arguments: list[str], message: str
) -> None:
    assert message in feeder(shop, "impact", *arguments).err


def test_first_commit_needs_a_base(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "impact")
    assert answer.code == 2
    assert "Name what to compare with: --base REF" in answer.err


def test_change_of_a_test_whose_name_ends_with_a_dot(feeder: RunFeeder, repo: Repo) -> None:
    test = 'it("returns one.", () => {\n  open(1);\n});\n'
    repo.commit({"open.test.js": test})
    repo.commit({"open.test.js": test.replace("1", "2")})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "impact", "--json").json
    assert [one["name"] for one in answer["changed"]] == ["returns one."]
