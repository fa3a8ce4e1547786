"""`feeder overview` shows what most files refer to."""

import json

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
    assert [symbol["symbol"] for symbol in answer["symbols"]][:2] == ["Money", "Cart"]
    money, cart = answer["symbols"][:2]
    assert (money["path"], money["files"], money["signature"]) == (
        "shop/base.py",
        2,
        "class Money:",
    )
    assert cart["files"] == 2
    by_symbol = {symbol["symbol"]: symbol for symbol in answer["symbols"]}
    assert by_symbol["unused_helper"]["rank"] == 0
    assert "test_total" not in by_symbol
    assert [entry_point["symbol"] for entry_point in answer["entry_points"]] == ["main"]
    [package] = [package for package in answer["packages"] if package["path"] == "shop"]
    assert (package["files"], package["symbols"]) == (4, 7)
    assert answer["total"] == 7


def test_text_has_sections_and_keeps_the_budget(feeder: RunFeeder, shop: Repo) -> None:
    lines = feeder(shop, "overview").out.splitlines()
    assert lines[0] == "Packages"
    assert lines[1] == "  shop 4 files, 7 symbols"
    assert (
        lines[lines.index("Entry points, at most 6 of each kind") + 1]
        == "  main: shop/__main__.py:4 main"
    )
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
    assert part == [entry for entry in whole if entry["path"] == "shop/cart.py"]


def test_unknown_path_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "overview", "nowhere")
    assert answer.code == 2
    assert "The index has no file or folder 'nowhere'" in answer.err


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
    assert "has no files of the repository 'repo'. " in answer.err
    command = answer.err.strip().rpartition("run: ")[2]
    assert command == "feeder sync --working-tree"
    assert feeder(repo, *command.split()[1:]).code == 0


ENTERED: dict[str, str | bytes] = {
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cli:main"\n',
    "web/package.json": '{"bin": {"shop-web": "run.js"}, "scripts": {"build": "a", "test": "b"}}',
    "broken/package.json": "{",
    "shop/__init__.py": "from .models.cart import Cart\nfrom .models import cart as _cart\n\n\n"
    "def open_shop():\n    return 1\n",
    "shop/cli.py": (
        "import click\n\n\n@click.command()\ndef add():\n    pass\n\n\ndef main():\n    add()\n"
    ),
    "shop/models/__init__.py": "",
    "shop/models/cart.py": (
        "class Cart:\n    def size(self):\n        return 1\n\n\n"
        "class Inner:\n    pass\n\n\ndef size(cart):\n    return Inner()\n"
    ),
    "shop/pages/routes.py": (
        "from shop.models.cart import Cart\n\n\n"
        "@app.route('/a')\ndef one():\n    return Cart()\n\n\n"
        "@app.get('/b')\ndef two():\n    return size(1)\n"
    ),
    "shop/pages/total.py": (
        "from ..models.cart import Cart\n\n\ndef total(cart: Cart):\n    return 1\n"
    ),
    "tests/test_cart.py": "def main():\n    pass\n",
    "docs/guide.md": "```python\n@app.route('/x')\n```\n",
    ".github/workflows/ci.yml": "on: push\n",
}


def test_entry_points_are_listed_by_what_they_are(feeder: RunFeeder, repo: Repo) -> None:
    """Neither those of tests nor routes in documents; a manifest that is not valid has none."""
    repo.commit(ENTERED)
    assert feeder(repo, "sync", "-q").code == 0
    entries = feeder(repo, "overview", "--json").json["entries"]
    assert [(entry["kind"], entry["path"], entry["name"]) for entry in entries] == [
        ("command", "pyproject.toml", "shop = shop.cli:main"),
        ("command", "web/package.json", "shop-web = run.js"),
        ("main", "shop/cli.py", "main"),
        ("package root", "shop/__init__.py", "Cart, open_shop"),
        ("routes", "shop/pages/routes.py", "(2)"),
        ("subcommands", "shop/cli.py", "(1)"),
        ("scripts", "web/package.json", "build, test"),
        ("workflow", ".github/workflows/ci.yml", ""),
    ]
    lines = feeder(repo, "overview").out.splitlines()
    assert "  routes: shop/pages/routes.py:4 (2)" in lines


def test_central_types_are_those_that_other_folders_import(feeder: RunFeeder, repo: Repo) -> None:
    """Not `Inner`, which only its own file names, nor a function `size`, which nobody imports; an
    import alone, as in a package's root, is no use of a type.
    """
    repo.commit(ENTERED)
    assert feeder(repo, "sync", "-q").code == 0
    facts = feeder(repo, "overview", "--json").json
    assert [(type_["symbol"], type_["files"]) for type_ in facts["types"]] == [("Cart", 2)]
    uses = {package["path"]: package["uses"] for package in facts["packages"]}
    assert uses["shop/pages"] == ["shop/models"]
    assert uses["shop/models"] == []


def test_package_uses_the_file_that_its_imports_name(feeder: RunFeeder, repo: Repo) -> None:
    """Not `bench/targets.py`, which has the last part of the module and a type of the same name."""
    target = "class Target:\n    size = 1\n"
    use = "from shop.parts.targets import Target\n\n\ndef hit(target: Target):\n    return target\n"
    repo.commit(
        {
            "shop/parts/targets.py": target,
            "bench/targets.py": target,
            "shop/pages/show.py": use,
            "bench/run.py": use.replace("shop.parts", "bench"),
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    packages = feeder(repo, "overview", "--json").json["packages"]
    assert {package["path"]: package["uses"] for package in packages} == {
        "shop/parts": [],
        "bench": [],
        "shop/pages": ["shop/parts"],
    }


def test_type_declared_for_several_platforms_is_listed_once(feeder: RunFeeder, repo: Repo) -> None:
    cart = "package shop\n\n{} class Cart {{\n  fun size(): Int\n}}\n"
    use = "package app\n\nimport shop.Cart\n\nfun total(cart: Cart) = cart.size()\n"
    repo.commit(
        {
            "common/shop/Cart.kt": cart.format("expect"),
            "jvm/shop/Cart.kt": cart.format("actual"),
            "app/Total.kt": use,
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    [cart_type] = feeder(repo, "overview", "--json").json["types"]
    assert (cart_type["symbol"], cart_type["files"]) == ("shop.Cart", 1)


def test_cut_lists_say_how_many_they_leave_out(feeder: RunFeeder, repo: Repo) -> None:
    """14 packages of which 12 are listed, 20 types of which 16 are, and 8 main functions of which 6
    are; the package that uses all others names 6 of the other 11 listed ones.
    """
    users = "".join(f"from p{n:02}.types import T{n:02}, U{n:02}\n" for n in range(10))
    used = "".join(f"    T{n:02}(U{n:02})\n" for n in range(10))
    files: dict[str, str | bytes] = {
        f"p{n:02}/types.py": f"class T{n:02}:\n    pass\n\n\nclass U{n:02}:\n    pass\n"
        for n in range(10)
    }
    files |= {f"q{n}/run.py": "def main():\n    pass\n" for n in range(3)}
    files |= {"all/run.py": f"{users}\n\ndef run():\n{used}"}
    files |= {f"q0/run{n}.py": "def main():\n    pass\n" for n in range(5)}
    files |= {"package.json": json.dumps({"scripts": {f"s{n:02}": "a" for n in range(15)}})}
    repo.commit(files)
    assert feeder(repo, "sync", "-q").code == 0
    facts = feeder(repo, "overview", "--json").json
    assert {name: len(facts[name]) for name in ("packages", "types", "entry_points")} == {
        "packages": 12,
        "types": 16,
        "entry_points": 8,
    }
    assert facts["totals"] == {
        "packages": 14,
        "entries": 9,
        "entry_points": 8,
        "types": 20,
        "symbols": 29,
    }
    [user] = [package for package in facts["packages"] if package["path"] == "all"]
    assert (len(user["uses"]), user["uses_total"]) == (6, 10)
    lines = feeder(repo, "overview").out.splitlines()
    assert lines[13:16] == ["  … 2 more", "", "Entry points, at most 6 of each kind"]
    assert "  main: … 2 more" in lines
    scripts = ", ".join(f"s{n:02}" for n in range(12))
    assert f"  scripts: package.json {scripts} and 3 more" in lines
    assert "  … 4 more" in lines
    [line] = [line for line in lines if line.startswith("  all ")]
    assert line.endswith(" and 4 more")


def test_types_of_one_name_are_told_apart_by_their_modules(feeder: RunFeeder, repo: Repo) -> None:
    """`Shop::Base` has three users, two sources and a test; the helper only opens it again.
    `Bank::Base` has the one that calls it `Base` below its own module.
    """
    base = "module {}\n  class Base\n    def total\n      1\n    end\n  end\nend\n"
    repo.commit(
        {
            "lib/shop/base.rb": base.format("Shop"),
            "lib/bank/base.rb": base.format("Bank"),
            "app/cart.rb": "class Cart < Shop::Base\nend\n",
            "app/gift.rb": "class Gift\n  def base\n    Shop::Base.new\n  end\nend\n",
            "other/account.rb": "module Bank\n  class Account < Base\n  end\nend\n",
            "test/helper.rb": "class Shop::Base\n  def reset\n    Shop::Base.new\n  end\nend\n",
            "test/cart_test.rb": "class CartTest\n  def test_it\n    Shop::Base.new\n  end\nend\n",
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    types = feeder(repo, "overview", "--json").json["types"]
    bases = [type_ for type_ in types if type_["symbol"].endswith("Base")]
    assert [(base["path"], base["symbol"], base["files"]) for base in bases] == [
        ("lib/shop/base.rb", "Shop.Base", 3),
        ("lib/bank/base.rb", "Bank.Base", 1),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Cargo.toml", "bin = 5\n"),
        ("Cargo.toml", "[bin]\nname = 5\n"),
        ("pyproject.toml", "project = 1\ntool = []\n"),
        ("pyproject.toml", "[project.scripts]\nshop = 5\n"),
        ("package.json", '{"bin": [1], "scripts": ["a"]}'),
        ("package.json", "[" * 100_000),
        ("package.json", "5"),
    ],
)
def test_manifest_of_another_form_has_no_entry_points(
    feeder: RunFeeder, shop: Repo, path: str, text: str
) -> None:
    shop.commit({path: text})
    entries = feeder(shop, "overview", "--json", "--refresh").json["entries"]
    assert path not in {entry["path"] for entry in entries}
