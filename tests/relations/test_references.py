"""`feeder references`, `definition` and `implementations`."""

from collections import Counter
from typing import Any

import pytest

from cli.synced_files import environment, shop
from command_runner import RunFeeder
from feeder.relations.other_names import MAX_MACROS
from feeder.store.relations import MAX_ROWS
from source.repos import Repo

__all__ = ["environment", "shop"]

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": (
        "from .base import Base\n\n\n"
        "class Cart(Base):\n"
        "    def add(self, item):\n"
        "        return self.check(item)\n\n"
        "    def check(self, item):\n"
        "        return item\n\n\n"
        "def open_cart():\n"
        "    return Cart()\n"
    ),
    "shop/base.py": "class Base:\n    def close(self):\n        pass\n",
    "shop/gift.py": (
        "from shop.cart import Cart as Basket\n\n\n"
        "class Gift(Basket):\n"
        "    def check(self, item):\n"
        "        return super().check(item)\n\n"
        "    def wrap(self, other: Basket):\n"
        "        other.add(self)\n"
        "        self.close()\n"
    ),
    "shop/other.py": (
        "import shop.cart\n\n\n"
        "class Shelf:\n"
        "    def add(self, item):\n"
        '        """Like Cart.add: cart.add(item)."""\n\n\n'
        "def fill(shelf: Shelf, things):\n"
        "    shelf.add(1)  # not cart.add\n"
        "    things.add(2)\n"
        "    cart = shop.cart.Cart()\n"
        "    cart.add(3)\n"
    ),
    "tests/test_cart.py": (
        "from shop import Cart\n\n\n"
        "def test_add():\n"
        "    with Cart() as cart:\n"
        "        cart.add(1)\n"
    ),
}


def sites(answer: dict[str, Any]) -> dict[tuple[str, int, str], bool]:
    return {
        (reference["path"], reference["line"], reference["kind"]): reference["resolved"]
        for reference in answer["references"]
    }


def test_method_is_resolved_by_the_types_of_receivers(feeder: RunFeeder, shop: Repo) -> None:
    """`shelf` is of another class; nobody says what `things` is."""
    answer = feeder(shop, "references", "Cart.add", "--json").json
    assert sites(answer) == {
        ("shop/gift.py", 9, "call"): True,
        ("shop/other.py", 13, "call"): True,
        ("tests/test_cart.py", 6, "call"): True,
        ("shop/other.py", 11, "call"): False,
    }
    assert answer["target"]["symbol"] == "Cart.add"
    assert (answer["total"], answer["at_least"]) == (4, False)
    assert answer["references"][0] == {
        "path": "shop/gift.py",
        "line": 9,
        "column": 15,
        "kind": "call",
        "resolved": True,
        "text": "        other.add(self)",
        "enclosing": answer["references"][0]["enclosing"],
        "is_test": False,
    }
    assert answer["references"][0]["enclosing"]["symbol"] == "Gift.wrap"
    assert [reference["is_test"] for reference in answer["references"]] == [
        False,
        False,
        True,
        False,
    ]


def test_class_is_resolved_by_imports_and_aliases(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "shop/cart.py#Cart", "--json").json
    assert sites(answer) == {
        ("shop/cart.py", 13, "call"): True,
        ("shop/__init__.py", 1, "import"): True,
        ("shop/gift.py", 1, "import"): True,
        ("shop/gift.py", 4, "inherit"): True,
        ("shop/gift.py", 8, "type"): True,
        ("shop/other.py", 12, "call"): True,
        ("tests/test_cart.py", 1, "import"): True,
        ("tests/test_cart.py", 5, "call"): True,
    }


def test_call_of_an_overridden_method(feeder: RunFeeder, shop: Repo) -> None:
    """`super()` is the base's; `self` in the base is its own."""
    answer = feeder(shop, "references", "Cart.check", "--json").json
    assert sites(answer) == {
        ("shop/cart.py", 6, "call"): True,
        ("shop/gift.py", 6, "call"): True,
        ("shop/gift.py", 5, "override"): True,
    }


def test_override_stands_on_its_declaration(feeder: RunFeeder, repo: Repo) -> None:
    """A member below the type around a member, on the line of its name, not of its comment."""
    repo.commit(
        {
            "shop/Cart.java": "package shop;\nclass Cart {\n  void add(int n) {}\n}\n",
            "shop/Gift.java": (
                "package shop;\nclass Gift extends Cart {\n  /** As add of Cart. */\n"
                '  @Deprecated\n  @Override\n  void add(int n) { log("add"); }\n}\n'
            ),
            "shop/Box.java": "package shop;\nclass Box {\n  void add(int n) {}\n}\n",
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "Cart.add", "--kind", "override", "--json").json
    [one] = answer["references"]
    assert (one["path"], one["line"], one["column"]) == ("shop/Gift.java", 6, 8)
    assert one["text"] == '  void add(int n) { log("add"); }'
    assert (one["resolved"], one["enclosing"]["start_line"]) == (True, 3)
    assert (answer["total"], answer["at_least"]) == (1, False)


def test_inherited_method_is_found_in_classes_below(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "Base.close", "--json").json
    assert sites(answer) == {("shop/gift.py", 10, "call"): True}


def test_options_select_references(feeder: RunFeeder, shop: Repo) -> None:
    def found(*options: str) -> list[str]:
        answer = feeder(shop, "references", "shop/cart.py#Cart", "--json", *options).json
        return [f"{reference['path']}:{reference['line']}" for reference in answer["references"]]

    assert found("--kind", "inherit") == ["shop/gift.py:4"]
    assert found("--tests", "only") == ["tests/test_cart.py:1", "tests/test_cart.py:5"]
    assert found("--tests", "no", "-n", "2", "--offset", "1") == [
        "shop/__init__.py:1",
        "shop/gift.py:1",
    ]


def test_an_offset_after_the_last_reference_is_named(feeder: RunFeeder, shop: Repo) -> None:
    """Gift's only call of `Base.close`, as above."""
    answer = feeder(shop, "references", "Base.close", "--offset", "5")
    said = "Offset 5 is past the end (1 reference: 1 resolved, 0 by name)."
    assert (answer.out, said in answer.err) == ("", True)


def test_vimgrep_format(feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.path)
    out = feeder(shop, "references", "Base.close", "--format", "vimgrep").out
    assert out == "shop/gift.py:10:14:        self.close()\n"


def test_text_says_what_is_by_name_only(feeder: RunFeeder, shop: Repo) -> None:
    lines = feeder(shop, "references", "Cart.add").out.splitlines()
    assert lines[0] == "shop/gift.py"
    assert lines[1] == "     9:         other.add(self)"
    assert lines[2] == "        call  Gift.wrap"
    assert "shop/other.py  (by name only)" in lines


def test_implementations(feeder: RunFeeder, shop: Repo) -> None:
    """Of a type those below it, level by level; of a method what overrides it."""
    answer = feeder(shop, "implementations", "Base", "--json").json
    found = [
        (implementation["symbol"], implementation["depth"], implementation["resolved"])
        for implementation in answer["implementations"]
    ]
    assert found == [("Cart", 1, True), ("Gift", 2, True)]
    assert (answer["total"], answer["at_least"]) == (2, False)
    [check] = feeder(shop, "implementations", "Cart.check", "--json").json["implementations"]
    assert (check["path"], check["symbol"], check["start_line"]) == (
        "shop/gift.py",
        "Gift.check",
        5,
    )


def test_cyclic_bases_end(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"a.py": "class A(B):\n    x = 1\n\n\nclass B(A):\n    y = 2\n"})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "implementations", "A", "--json").json
    assert [implementation["symbol"] for implementation in answer["implementations"]] == ["B"]


@pytest.mark.parametrize("more", [0, 1])
def test_count_is_a_lower_bound_only_if_nodes_are_cut(
    feeder: RunFeeder, repo: Repo, more: int
) -> None:
    [*functions] = (f"function use{at}() {{\n  ship()\n}}\n" for at in range(MAX_ROWS + more))
    files: dict[str, str | bytes] = {
        f"user{at}.js": "".join(functions[at : at + 500]) for at in range(0, len(functions), 500)
    }
    repo.commit({"ship.js": "export function ship() {}\n", **files})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "ship", "--json", "-n", "1").json
    assert answer["at_least"] is bool(more)


OBJECTIVE_C: dict[str, str | bytes] = {
    "cart.h": (
        "#ifdef __OBJC__\n@class NSWindow;\n#else\ntypedef void NSWindow;\n#endif\n"
        "int cart_total(int n);\n"
    ),
    "cart.c": '#include "cart.h"\n\nint cart_total(int n)\n{\n    return n;\n}\n',
    "use.c": '#include "Shop.h"\n\nint use(void)\n{\n    return cart_total(shop_rate(2));\n}\n',
    "Shop.h": (
        '#import "cart.h"\nint shop_rate(int n);\n@interface Shop : Base\n- (int)sum;\n@end\n'
    ),
    "Shop.m": (
        '#import "Shop.h"\n\nint shop_rate(int n) { return n; }\n\n'
        "@implementation Shop\n- (int)sum\n{\n    return cart_total(3);\n}\n@end\n"
    ),
    "Gift.m": (
        "@implementation Gift\n- (id)shop\n{\n    return [Shop new];\n}\n"
        "- (void)wrap\n{\n    [self shop];\n}\n@end\n"
    ),
    "Odd.pm": "package Odd;\nsub odd_one { 1 }\nodd_one();\n",
}


def test_headers_are_shared_by_c_and_objective_c(feeder: RunFeeder, repo: Repo) -> None:
    """In both directions; a class is referred to by the messages that are sent to it."""
    repo.commit(OBJECTIVE_C)
    assert feeder(repo, "sync", "-q").code == 0
    for target in ("cart.h#cart_total", "cart.c#cart_total"):
        found = sites(feeder(repo, "references", target, "--json").json)
        assert found[("use.c", 5, "call")] is found[("Shop.m", 8, "call")] is True, target
    found = sites(feeder(repo, "references", "Shop.m#shop_rate", "--json").json)
    assert found[("use.c", 5, "call")] is True
    found = sites(feeder(repo, "references", "Shop.h#Shop", "--json").json)
    assert ("Gift.m", 4, "type") in found


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("Odd.odd_one", "relations of perl are not indexed, unless a grammar file adds them."),
        ("Shop.m#Shop.sum", "Objective-C messages are not indexed."),
    ],
)
def test_what_no_relation_is_indexed_of_is_unknown(
    feeder: RunFeeder, repo: Repo, target: str, says: str
) -> None:
    """As an empty answer otherwise."""
    repo.commit(OBJECTIVE_C)
    assert feeder(repo, "sync", "-q").code == 0
    for options in ([], ["--depth", "2"]):
        result = feeder(repo, "references", target, *options)
        symbol = target.rpartition("#")[2]
        assert f"What refers to {symbol} is unknown: {says}" in result.err
        assert result.code == 0
    assert feeder(repo, "references", target, "--json").json["references"] == []


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("Odd.odd_one", "relations of perl are not indexed, unless a grammar file adds them."),
        ("Gift.m#Gift.wrap", "Objective-C messages are not indexed."),
    ],
)
def test_what_a_node_refers_to_is_unknown_without_relations(
    feeder: RunFeeder, repo: Repo, target: str, says: str
) -> None:
    repo.commit(OBJECTIVE_C)
    assert feeder(repo, "sync", "-q").code == 0
    result = feeder(repo, "references", target, "--out")
    assert f"What {target.rpartition('#')[2]} refers to is unknown: {says}" in result.err
    assert result.code == 0


def test_what_implements_a_definition_is_unknown_without_relations(
    feeder: RunFeeder, repo: Repo
) -> None:
    """Of Objective-C superclasses are indexed, and only its messages are not."""
    repo.commit(OBJECTIVE_C)
    assert feeder(repo, "sync", "-q").code == 0
    unknown = feeder(repo, "implementations", "Odd.odd_one")
    says = "relations of perl are not indexed, unless a grammar file adds them."
    assert f"What implements Odd.odd_one is unknown: {says}" in unknown.err
    known = feeder(repo, "implementations", "Gift.m#Gift")
    assert "Nothing in the index implements Gift." in known.err
    assert unknown.code == known.code == 0


def test_prototypes_of_a_c_function_are_the_same_function(feeder: RunFeeder, repo: Repo) -> None:
    """A static function of the same name in another file is another one."""
    repo.commit(
        {
            "sum.h": "#pragma once\nint sum(int a, int b);\nint twice(int a);\n",
            "sum.c": (
                '#include "sum.h"\n\n'
                "int sum(int a, int b)\n{\n    return a + b;\n}\n\n"
                "int twice(int a)\n{\n    return sum(a, a);\n}\n"
            ),
            "bill.c": '#include "sum.h"\n\nint bill(void)\n{\n    return sum(1, 2);\n}\n',
            "own.c": (
                "static int sum(int a)\n{\n    return a;\n}\n\n"
                "int own(void)\n{\n    return sum(1);\n}\n"
            ),
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    expected = {("sum.c", 10, "call"): True, ("bill.c", 5, "call"): True}
    for target in ("sum.c#sum", "sum.h#sum"):
        answer = feeder(repo, "references", target, "--json").json
        assert {site: sites(answer)[site] for site in expected} == expected, target
        assert ("own.c", 8, "call") not in sites(answer), target
    answer = feeder(repo, "references", "own.c#sum", "--json").json
    assert sites(answer) == {("own.c", 8, "call"): True}


DECLARED: dict[str, str | bytes] = {
    "sum.h": "int add_up(int a);\nint twice_of(int a);\n",
    "sum.c": (
        "int add_up(int a)\n{\n    return a;\n}\n\n"
        "int twice_of(int a)\n{\n    return add_up(a);\n}\n"
    ),
    "old/sum.h": "int twice_of(int a);\n",
    "old/sum.c": "int twice_of(int a)\n{\n    return 2 * a;\n}\n",
    "box.h": (
        "class Box {\n  int weight_of();\n};\n\n"
        "static inline int clamp_of(int a)\n{\n    return a;\n}\n"
    ),
    "box.cc": '#include "box.h"\n\nint Box::weight_of() {\n  return clamp_of(1);\n}\n',
    "other.cc": ("class Box {\n  int n;\n};\n\nstatic int clamp_of(int a)\n{\n    return -a;\n}\n"),
    "price.pyi": "def price_of() -> int: ...\n",
    "price.py": "def price_of():\n    return 1\n",
}


def test_declaration_and_definition_are_one_target(feeder: RunFeeder, repo: Repo) -> None:
    """A name alone means the definition; two definitions are ambiguous, without their headers."""
    repo.commit(DECLARED)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "add_up", "--json").json
    assert answer["target"]["path"] == "sum.c"
    assert sites(answer) == {("sum.c", 8, "call"): True}
    assert feeder(repo, "show", "price_of", "--json").json["hits"][0]["path"] == "price.py"
    member = feeder(repo, "references", "Box.weight_of", "--json").json
    assert member["target"]["path"] == "box.cc"
    for name, targets in {
        "twice_of": "old/sum.c#twice_of, sum.c#twice_of",
        "Box": "box.h#Box, other.cc#Box",
        "clamp_of": "box.h#clamp_of, other.cc#clamp_of",
    }.items():
        refused = feeder(repo, "references", name)
        assert refused.code == 2
        assert f"'{name}' matches 2 targets: {targets}." in refused.err


MACROS: dict[str, str | bytes] = {
    "cart.h": (
        "#pragma once\n"
        "typedef struct cart cart;\n"
        "SHOP_API cart *cart_new(void);\n"
        "void cart_add(cart *one, int n);\n"
        "#define FILL(one, n) cart_add((one), (n))  /* not cart_new() */\n"
        "#define FILL_TWICE(one) do { FILL(one, 1); FILL(one, 2); } while (0)\n"
    ),
    "cart.c": (
        '#include "cart.h"\n\n'
        "struct cart {\n    struct cart *next;\n};\n\n"
        "void cart_add(cart *one, int n)\n{\n    one->next = 0;\n}\n"
    ),
    "bill.c": '#include "cart.h"\n\nvoid bill(cart *one)\n{\n    FILL_TWICE(one);\n}\n',
    "own.c": "#define FILL(one, n) pour(one)\n\nvoid own(int one)\n{\n    FILL(one, 1);\n}\n",
}


def test_macros_of_c_that_call_a_function(feeder: RunFeeder, repo: Repo) -> None:
    """A line with a macro refers to what its text calls, unless its file has another macro of the
    name; a type is the same as its `typedef`.
    """
    repo.commit(MACROS)
    assert feeder(repo, "sync", "-q").code == 0
    assert sites(feeder(repo, "references", "cart.c#cart_add", "--json").json) == {
        ("cart.h", 5, "call"): True,
        ("cart.h", 6, "call"): True,
        ("bill.c", 5, "call"): True,
    }
    assert sites(feeder(repo, "references", "cart.h#cart_new", "--json").json) == {}
    assert sites(feeder(repo, "references", "cart.h#cart", "--json").json) == {
        ("cart.h", 2, "type"): True,
        ("cart.h", 3, "type"): True,
        ("cart.h", 4, "type"): True,
        ("cart.c", 4, "type"): True,
        ("cart.c", 7, "type"): True,
        ("bill.c", 3, "type"): True,
    }


def test_macros_beyond_the_limit_are_said_to_be_left_out(feeder: RunFeeder, repo: Repo) -> None:
    """Each of them is looked up, which takes requests at Cloudflare."""
    macros = [f"#define ADD_{at}(one) cart_add((one), {at})\n" for at in range(MAX_MACROS + 1)]
    uses = [f"    ADD_{at}(one);\n" for at in range(MAX_MACROS + 1)]
    repo.commit(
        {
            "add.h": f"void cart_add(int one, int n);\n{''.join(macros)}",
            "use.c": f'#include "add.h"\n\nvoid use(int one)\n{{\n{"".join(uses)}}}\n',
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "cart_add", "--json", "-n", "100").json
    assert Counter(path for path, _, _ in sites(answer)) == {
        "add.h": MAX_MACROS + 1,
        "use.c": MAX_MACROS,
    }
    assert answer["at_least"] is True


RUBY_LOCALS = (
    "def local(all)\n  (run_output, one), two = all\n  run_output + 1\nend\n",
    "def local(all)\n  one, *run_output = all\n  run_output + 1\nend\n",
    "def local(all)\n  for run_output, one in all do show(run_output) end\nend\n",
    "def local(all)\n  case all\n  in [run_output, one] then show(run_output)\n  end\nend\n",
    "def local(all)\n  case all\n  in Integer => run_output then show(run_output)\n  end\nend\n",
    "def local(all)\n  all => {run_output:}\n  run_output + 1\nend\n",
    "def local(all)\n  all => {one: run_output}\n  run_output + 1\nend\n",
)


def test_ruby_calls_without_parentheses(feeder: RunFeeder, repo: Repo) -> None:
    """A name without a receiver is a call unless the file has a local variable of the name."""
    repo.commit(
        {
            "output.rb": "def run_output\n  1\nend\n",
            "user.rb": "def use(list)\n  list.each { |one| show(run_output, one) }\nend\n",
            "other.rb": "def other(run_output)\n  run_output + 1\nend\n",
            **{f"local_{at}.rb": text for at, text in enumerate(RUBY_LOCALS)},
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "run_output", "--json").json
    assert sites(answer) == {("user.rb", 2, "call"): True}


EXPORTS: dict[str, str | bytes] = {
    "cart.js": (
        "module.exports = function fill(cart) {\n  return cart;\n};\n"
        "module.exports.empty = function () {\n  return [];\n};\n"
        "exports.close = module.exports.empty;\n"
    ),
    "shelf.js": (
        'const cart = require("./cart");\n'
        "module.exports = function shelve() {\n  return cart.empty();\n};\n"
        "module.exports.empty = module.exports.full;\n"
    ),
    "user.mjs": (
        'import * as module from "./cart.js";\n'
        'import * as exports from "./shelf.js";\n'
        "export const use = () => module.empty(exports.empty());\n"
    ),
}


def test_module_exports_is_of_one_file(feeder: RunFeeder, repo: Repo) -> None:
    """`module.exports` of another file is another one, and so are its members; an import may have
    the name `module` or `exports`. What is imported as a whole is used where its name is.
    """
    repo.commit(EXPORTS)
    assert feeder(repo, "sync", "-q").code == 0
    found = sites(feeder(repo, "references", "cart.js#module.exports", "--json").json)
    assert {(path, line) for path, line, _ in found if path != "cart.js"} == {
        ("shelf.js", 3),
        ("user.mjs", 3),
    }
    found = sites(feeder(repo, "references", "cart.js#empty", "--json").json)
    assert found == {
        ("cart.js", 7, "mention"): True,
        ("shelf.js", 3, "call"): True,
        ("user.mjs", 3, "call"): True,
    }


RUBY_ALIASES: dict[str, str | bytes] = {
    "cart.rb": (
        "class Cart\n"
        "  def add(item)\n    item\n  end\n\n"
        "  alias put add\n"
        "  alias_method :fill, :put\n\n"
        "  def use\n    put(1)\n    self.fill(2)\n  end\n"
        "end\n"
    ),
    "shelf.rb": "class Shelf\n  def put(item)\n    put(item)\n  end\nend\n",
    "user.rb": (
        "require_relative 'cart'\n\n"
        "def buy(thing)\n"
        "  cart = Cart.new\n"
        "  cart.add(1)\n"
        "  cart.put(2)\n"
        "  cart.fill(3)\n"
        "  shelf = Shelf.new\n"
        "  shelf.put(4)\n"
        "  thing.put(5)\n"
        "end\n"
    ),
}


def test_alias_of_ruby_is_followed(feeder: RunFeeder, repo: Repo) -> None:
    """Also an alias of an alias; `put` of another class is another method."""
    repo.commit(RUBY_ALIASES)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "Cart.add", "--json").json
    assert sites(answer) == {
        ("cart.rb", 6, "mention"): True,
        ("cart.rb", 7, "mention"): True,
        ("cart.rb", 10, "call"): True,
        ("cart.rb", 11, "call"): True,
        ("user.rb", 5, "call"): True,
        ("user.rb", 6, "call"): True,
        ("user.rb", 7, "call"): True,
        ("user.rb", 10, "call"): False,
    }
    found = sites(feeder(repo, "references", "Shelf.put", "--json").json)
    assert {site for site, resolved in found.items() if resolved} == {
        ("shelf.rb", 3, "call"),
        ("user.rb", 9, "call"),
    }


CHAINS: dict[str, str | bytes] = {
    "lathe.rb": "class Lathe\nend\n",
    "lathe_user.rb": (
        "def one(x)\n"
        "  Lathe.shared.slots.add(x)\n"
        "  Lathe.open(Lathe.first)\n"
        "  Other::Lathe.open\n"
        "end\n"
    ),
    "sander.py": "class Sander:\n    pass\n",
    "sander_user.py": (
        "from sander import Sander\n\n\ndef one(x):\n    Sander.shared.slots.add(x)\n"
    ),
}
"""Chains of receivers, each with a relation for each of its parts."""


def test_name_at_the_beginning_of_a_chain_is_one_reference(feeder: RunFeeder, repo: Repo) -> None:
    """Although the relations of `shared`, `slots` and `add` all have it as their receiver.

    A name that stands twice in a line in the same role is one reference as well.
    """
    repo.commit(CHAINS)
    assert feeder(repo, "sync", "-q").code == 0
    ruby = feeder(repo, "references", "lathe.rb#Lathe", "--json").json
    assert [
        (reference["line"], reference["column"], reference["kind"])
        for reference in ruby["references"]
    ] == [
        (2, 3, "mention"),
        (3, 3, "mention"),
        (4, 10, "mention"),  # by name only
    ]
    assert (ruby["total"], ruby["resolved"]) == (3, 2)
    python = feeder(repo, "references", "sander.py#Sander", "--json").json
    assert [
        (reference["line"], reference["column"], reference["kind"])
        for reference in python["references"]
    ] == [
        (1, 20, "import"),
        (5, 5, "mention"),
    ]


RUBY_TYPES: dict[str, str | bytes] = {
    "web.rb": (
        "module Web\n  class Base\n  end\n\n  class Sub1 < Base\n  end\nend\n\n"
        "module Shop\n"
        "  class Sub3 < Base\n  end\n\n"
        "  class Sub4 < Web::Base\n  end\n\n"
        "  module Deep\n    class Sub5 < Base\n    end\n  end\n"
        "end\n"
    ),
    "shop.rb": "module Shop\n  class Base\n  end\nend\n",
    "use.rb": (
        "class Sub6 < Shop::Base\nend\n\n"
        "class Sub7 < Web::Base\nend\n\n"
        "class Sub8 < Other::Base\nend\n"
    ),
}


def test_type_of_ruby_is_that_of_the_modules_around(feeder: RunFeeder, repo: Repo) -> None:
    """Before another one of the same file; a type with a module before it is this module's."""
    repo.commit(RUBY_TYPES)
    assert feeder(repo, "sync", "-q").code == 0
    for base, subtypes in [
        ("Web.Base", {"Web.Sub1": True, "Shop.Sub4": True, "Sub7": True, "Sub8": False}),
        ("Shop.Base", {"Shop.Sub3": True, "Shop.Deep.Sub5": True, "Sub6": True, "Sub8": False}),
    ]:
        answer = feeder(repo, "implementations", base, "--json").json
        assert {
            implementation["symbol"]: implementation["resolved"]
            for implementation in answer["implementations"]
        } == subtypes, base


NAMED_TESTS: dict[str, str | bytes] = {
    "courier.rb": (
        "class Courier\n"
        "  def send_parcel(path)\n    path\n  end\n\n"
        "  define_method :recall do |path|\n    send_parcel path\n  end\n"
        "end\n"
    ),
    "rider.rb": (
        "class Rider\n"
        "  private def mount\n    1\n  end\n\n"
        "  private_class_method def self.hire\n    2\n  end\n\n"
        "  memoize private def steer\n    3\n  end\n\n"
        "  let!(:path) do\n    4\n  end\n\n"
        "  let_it_be :road do\n    5\n  end\n\n"
        '  letter "walk" do\n    6\n  end\n\n'
        '  subjects "trot" do\n    7\n  end\n'
        "end\n"
    ),
    "courier_spec.rb": (
        "class CourierTest < Minitest::Test\n"
        "  describe 'send_parcel' do\n"
        "    def courier\n      Courier.new\n    end\n\n"
        "    it('sends') { send_parcel 'a' }\n"
        "  end\n\n"
        "  describe :recall do\n"
        "    it('recalls') { Courier.new.recall 'a' }\n"
        "  end\n"
        "end\n"
    ),
    "parcel.js": "export function wrapAll(parcel) {\n  return parcel;\n}\n",
    "parcel.test.js": (
        'import { wrapAll } from "./parcel.js";\n\nit("wrapAll", () => {\n  wrapAll(1);\n});\n'
        'it("returns one.", () => {\n  open(1);\n});\n'
        'test("t", () => {\n  open(2);\n});\n'
        'it.each([[1, 2]])("weighs", (one, two) => {\n  open(one);\n});\n'
        '$("#lid").on("lift", () => {\n  open(3);\n});\n'
    ),
    "crate_test.go": (
        'package crate\n\nvar _ = Describe("stack", func() {\n\topen(1)\n\topen(2)\n})\n'
    ),
    "Crate.java": (
        "class Crate {\n"
        '  @JsonProperty("total") public int total() {\n    return 1;\n  }\n\n'
        '  Call<User> user(@Path("user") String user) {\n    return null;\n  }\n'
        "}\n"
    ),
    "Crate.kt": (
        "class Box {\n"
        '  @Named("label") fun label(): Int {\n    return 1\n  }\n\n'
        "  @Test(timeout = 3)\n  fun `closes well`() {\n    label()\n  }\n"
        "}\n"
    ),
    "Crate.cs": (
        'class Tin {\n  [Route("Seal")]\n  public int Seal(int a) {\n    return a;\n  }\n}\n'
    ),
    "crate.php": (
        '<?php\nclass Jar {\n  #[Route("twist")]\n  function twist($a) {\n    return $a;\n  }\n}\n'
    ),
    "lid.js": 'class Lid {\n  turn(by = get("turn")) {\n    return by;\n  }\n}\n',
}


def test_test_with_the_name_of_a_method_is_no_definition(feeder: RunFeeder, repo: Repo) -> None:
    """`describe 'send_parcel' do` and `it("wrapAll", …)` are nodes that nothing calls."""
    repo.commit(NAMED_TESTS)
    assert feeder(repo, "sync", "-q").code == 0
    for name, definition, called in [
        ("send_parcel", "Courier.send_parcel", {"courier.rb:7": True, "courier_spec.rb:7": False}),
        ("recall", "Courier.recall", {"courier_spec.rb:11": False}),
        ("wrapAll", "wrapAll", {"parcel.test.js:1": True, "parcel.test.js:4": True}),
    ]:
        answer = feeder(repo, "definition", name, "--json").json
        assert [definition["symbol"] for definition in answer["definitions"]] == [definition]
        answer = feeder(repo, "references", name, "--json").json
        assert answer["target"]["symbol"] == definition
        lines = {
            f"{reference['path']}:{reference['line']}": reference["resolved"]
            for reference in answer["references"]
        }
        assert lines == called
    refused = feeder(repo, "references", "courier_spec.rb#CourierTest.send_parcel")
    assert refused.code != 0
    assert "courier_spec.rb:2 declares no class, method or function." in refused.err
    assert feeder(repo, "show", "courier_spec.rb#CourierTest.send_parcel", "-q").code == 0


@pytest.mark.parametrize(
    "target",
    [
        *(f"parcel.test.js:{line}" for line in (6, 9, 12, 15)),
        "crate_test.go:4",
        "rider.rb:23",
        "rider.rb:27",
    ],
)
def test_call_that_is_named_by_its_argument_has_no_references(
    feeder: RunFeeder, repo: Repo, target: str
) -> None:
    """Its name may end with a dot, be one letter, or follow another call."""
    repo.commit(NAMED_TESTS)
    assert feeder(repo, "sync", "-q").code == 0
    refused = feeder(repo, "references", target)
    assert refused.code == 2
    line = target.rpartition(":")[2]
    assert f"Line {line} of " in refused.err


@pytest.mark.parametrize(
    ("target", "symbol"),
    [
        ("Crate.java#Crate.total", "Crate.total"),
        ("Crate.java#Crate.user", "Crate.user"),
        ("Crate.kt#Box.label", "Box.label"),
        ("Crate.kt:6", "Box.closes well"),
        ("Crate.cs#Tin.Seal", "Tin.Seal"),
        ("crate.php#Jar.twist", "Jar.twist"),
        ("lid.js#Lid.turn", "Lid.turn"),
        ("rider.rb#Rider.mount", "Rider.mount"),
        ("rider.rb#Rider.hire", "Rider.hire"),
        ("rider.rb#Rider.steer", "Rider.steer"),
        ("rider.rb#Rider.path", "Rider.path"),
        ("rider.rb#Rider.road", "Rider.road"),
    ],
)
def test_method_after_an_annotation_or_a_call_is_a_definition(
    feeder: RunFeeder, repo: Repo, target: str, symbol: str
) -> None:
    repo.commit(NAMED_TESTS)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", target, "--json").json
    assert answer["target"]["symbol"] == symbol


def test_references_of_a_position_are_those_of_the_name_there(
    feeder: RunFeeder, repo: Repo
) -> None:
    """On a call, on a declaration and in another folder; not those of the method around."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    for place, symbol in [
        ("shop/gift.py:10:15", "Base.close"),
        ("shop/gift.py:9:15", "Cart.add"),
        ("shop/cart.py:5:9", "Cart.add"),
        ("shop/other.py:5:9", "Shelf.add"),
        ("shop/other.py:12:23", "Cart"),
    ]:
        answer = feeder(repo, "references", place, "--json").json
        assert answer["target"]["symbol"] == symbol, place
        expected = feeder(repo, "references", symbol, "--json").json
        assert answer == expected
    answer = feeder(repo, "references", "shop/gift.py:9:15", "--out", "--json").json
    assert answer["target"]["symbol"] == "Cart.add"
    tree = feeder(repo, "references", "shop/gift.py:9:15", "--depth", "2", "--json").json
    assert tree["target"]["symbol"] == "Cart.add"
    answer = feeder(repo, "implementations", "shop/other.py:12:23", "--json").json
    assert [implementation["symbol"] for implementation in answer["implementations"]] == ["Gift"]


def test_position_whose_name_has_no_sure_definition_is_refused(
    feeder: RunFeeder, repo: Repo
) -> None:
    repo.commit({**FILES, "shop/more.py": "def item():\n    pass\n"})
    assert feeder(repo, "sync", "-q").code == 0
    for place, message in [
        (
            "shop/cart.py:6:27",
            "item at shop/cart.py:6:27 is a local name or text, not one of these definitions: ",
        ),
        ("shop/other.py:11:12", "add at shop/other.py:11:12 may be one of these definitions: "),
        ("shop/cart.py:6:1", "There is no name at shop/cart.py:6:1. "),
        ("shop/more.py:2:5", "The index has no definition of 'pass'."),
    ]:
        refused = feeder(repo, "references", place)
        assert refused.code != 0
        assert message in refused.err


OTHER_OWNERS: dict[str, str | bytes] = {
    "base.py": (
        "class Page(Base):\n    def open_all(self):\n        super().open_all()\n\n\n"
        "class Book(Page):\n    def open_all(self):\n        super().open_all()\n"
    ),
    "Cart.php": (
        "<?php\nnamespace Shop;\n\nclass Cart {\n"
        "    public function weighAll($box) {\n"
        "        return Psr7\\Utils::weighAll($box->weighAll());\n    }\n}\n"
    ),
    "Boot.php": (
        "<?php\nnamespace Boot;\n"
        "class Old { public function bootAll() {} }\n"
        "class Mid extends Old {\n"
        "    public function bootAll() { parent::bootAll(); }\n}\n"
        "class New_ extends Mid {\n"
        "    public function other() { parent::bootAll(); }\n}\n"
    ),
    "Boot.cs": (
        "class Old { public virtual void BootAll() {} }\n"
        "partial class Mid : Old {\n"
        "    public override void BootAll() { base.BootAll(); }\n}\n"
    ),
    "More.cs": "partial class Mid {\n    void More() { base.BootAll(); }\n}\n",
    "src/lib/api.js": "export function post(path) {\n  return path\n}\n",
    "src/routes/page.js": (
        "import * as api from '$lib/api.js'\n\n"
        "export function load() {\n  return api.post('a')\n}\n"
    ),
}


def test_base_is_parent_in_php_and_base_in_c_sharp(feeder: RunFeeder, repo: Repo) -> None:
    """The other part of a class of C#, in a file that does not name the base, may mean it."""
    repo.commit(OTHER_OWNERS)
    assert feeder(repo, "sync", "-q").code == 0

    def calls(target: str) -> dict[tuple[str, int], bool]:
        found = sites(feeder(repo, "references", target, "--json").json)
        return {place[:2]: sure for place, sure in found.items() if place[2] == "call"}

    assert calls("Boot.php#Boot.Old.bootAll") == {("Boot.php", 5): True, ("Boot.php", 8): True}
    assert calls("Boot.php#Boot.Mid.bootAll") == {("Boot.php", 8): True}
    assert calls("Boot.cs#Old.BootAll") == {("Boot.cs", 3): True, ("More.cs", 2): False}
    assert calls("Boot.cs#Mid.BootAll") == {("More.cs", 2): False}


def test_lib_of_svelte_is_a_folder(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(OTHER_OWNERS)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "src/lib/api.js#post", "--json").json
    assert sites(answer) == {("src/routes/page.js", 4, "call"): True}


def test_member_of_a_base_or_of_an_unknown_type_is_not_the_same(
    feeder: RunFeeder, repo: Repo
) -> None:
    """`super()` in the class itself means its base; `Utils::` is a type, `$box` may be the cart."""
    repo.commit(OTHER_OWNERS)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "Page.open_all", "--json").json
    assert sites(answer) == {("base.py", 8, "call"): True, ("base.py", 7, "override"): True}
    answer = feeder(repo, "references", "Cart.weighAll", "--json").json
    assert [(reference["line"], reference["resolved"]) for reference in answer["references"]] == [
        (6, True),
        (6, False),
    ]


CONSTRUCTORS: dict[str, str | bytes] = {
    "Cart.java": (
        "package acme;\n\npublic class Cart {\n"
        "    static int made;\n    final int total;\n\n"
        "    public Cart(Cart other) {\n"
        "        this.total = other.total;\n        Cart.made++;\n    }\n\n"
        "    static Cart create() {\n        return new Cart(null);\n    }\n}\n"
    ),
}


@pytest.mark.parametrize("column", [12, 17])
def test_type_of_a_constructors_parameter_is_the_class(
    feeder: RunFeeder, repo: Repo, column: int
) -> None:
    """The constructor, which has the name of the class, is a definition of it too."""
    repo.commit(CONSTRUCTORS)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", f"Cart.java:7:{column}", "--json")
    assert answer.code == 0, answer.err
    assert ("Cart.java", 13, "call") in sites(answer.json)


RUBY_MARKS: dict[str, str | bytes] = {
    "door.rb": (
        "class Door\n"
        "  def shut!\n    @open = false\n  end\n\n"
        "  def ajar?\n    @open\n  end\n\n"
        "  def width\n    1\n  end\n\n"
        "  def use\n"
        "    shut! if ajar?\n"
        "    width!=2\n"
        "    @wide?width :2\n"
        "    ajar??width: 2\n"
        "    true&&width ?1:2\n"
        "    width!\n"
        "  end\n"
        "end\n"
    ),
}


def test_name_of_ruby_at_a_position_may_end_with_a_mark(feeder: RunFeeder, repo: Repo) -> None:
    """Without the mark if it is an operator, or if no definition has it."""
    repo.commit(RUBY_MARKS)
    assert feeder(repo, "sync", "-q").code == 0
    for place, symbol in [
        ("15:5", "shut!"),
        ("15:15", "ajar?"),
        ("16:5", "width"),
        ("17:11", "width"),
        ("18:5", "ajar?"),
        ("20:5", "width"),
    ]:
        answer = feeder(repo, "definition", f"door.rb:{place}", "--json").json
        assert [definition["symbol"] for definition in answer["definitions"]] == [
            f"Door.{symbol}"
        ], place
        assert answer["target"] == {"name": symbol}


LOCALS: dict[str, str | bytes] = {
    "gate.rb": (
        "class Gate\n"
        "  def token\n    1\n  end\n\n"
        "  def check(token)\n    token\n    token.size + mask(token)\n  end\n\n"
        "  def make\n"
        "    old = token\n"
        "    token = old\n"
        "    mask(token)\n"
        "    token 2\n"
        "  end\n\n"
        "  def each\n"
        "    list { |token| mask(token) }\n"
        "    call { token = 3 }\n"
        "    token\n"
        "    mask(token)\n"
        "  end\n"
        "end\n"
    ),
    "gate.py": (
        "def token():\n    return 1\n\n\n"
        "def check(token):\n    return token\n\n\n"
        "def mark(*token, size=1):\n    return lambda: [token]\n\n\n"
        "def use(mask=token):\n    return list(map(lambda token: token, [token]))\n\n\n"
        "def same(token=token):\n    return [token]\n"
    ),
    "gate.ts": (
        "export function token(): number {\n  return 1;\n}\n\n"
        "function check(token: number): number {\n  return mask(token, token.size);\n}\n\n"
        "function run(token: () => number): number {\n  return token();\n}\n\n"
        "function use(): number {\n  return mask(token, token());\n}\n"
    ),
    "gate.go": (
        "package gate\n\nfunc token() int { return 1 }\n\n"
        "func check(token int) int {\n\treturn mask(token)\n}\n\n"
        "func use() int {\n\treturn mask(token())\n}\n"
    ),
    "Gate.java": (
        "class Gate {\n"
        "  int token() {\n    return 1;\n  }\n\n"
        "  int check(int token) {\n    return token() + token;\n  }\n"
        "}\n"
    ),
    "gate.php": (
        "<?php\nfunction token(int $size) {\n  return $size;\n}\n\n"
        "function check(Foo $token) {\n  return token($token);\n}\n"
    ),
}


def test_local_variable_is_no_reference(feeder: RunFeeder, repo: Repo) -> None:
    """In Ruby from the assignment on, in its block or method; elsewhere the name is the method.

    In TypeScript a call of a parameter is none either; in Java and PHP it is a call of the method.
    """
    repo.commit(LOCALS)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "gate.rb#Gate.token", "--json").json
    assert {line for _, line, _ in sites(answer)} == {12, 15, 21, 22}
    answer = feeder(repo, "references", "gate.py#token", "--json").json
    assert {line for _, line, _ in sites(answer)} == {13, 14, 17}
    for target, lines in [
        ("gate.ts#token", {14}),
        ("gate.go#gate.token", {10}),
        ("Gate.java#Gate.token", {7}),
        ("gate.php#token", {7}),
    ]:
        answer = feeder(repo, "references", target, "--json").json
        assert {line for _, line, _ in sites(answer)} == lines, target


def test_type_of_another_package_is_another_type(feeder: RunFeeder, repo: Repo) -> None:
    """`http.Handler` is not the `Handler` of a package that the file does not import."""
    repo.commit(
        {
            "go.mod": "module acme.org/shop\n",
            "main/handler.go": (
                "package main\n\ntype Handler func()\n\nfunc (h Handler) Serve() {\n\th()\n}\n"
            ),
            "main/use.go": "package main\n\nfunc use(h Handler) {\n\th.Serve()\n}\n",
            "web/web.go": (
                'package web\n\nimport "net/http"\n\n'
                "func wrap(next http.Handler) {\n\tnext.Serve()\n}\n"
            ),
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "main/handler.go#Handler.Serve", "--json").json
    assert sites(answer) == {("main/use.go", 4, "call"): True}


def test_nested_type_of_a_common_name_is_by_name_only(feeder: RunFeeder, repo: Repo) -> None:
    """In another file of the package: it may be the one that another type nests."""
    repo.commit(
        {
            "shop/Cart.java": "package shop;\nclass Cart {\n    enum State { OPEN }\n}\n",
            "shop/Bill.java": (
                "package shop;\nclass Bill {\n    enum State { PAID }\n    State state;\n}\n"
            ),
            "shop/Use.java": "package shop;\nclass Use extends Cart {\n    State state;\n}\n",
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    for target in ("shop/Cart.java#Cart.State", "shop/Bill.java#Bill.State"):
        answer = feeder(repo, "references", target, "--json").json
        assert sites(answer)["shop/Use.java", 3, "type"] is False


def test_variable_of_two_types_is_by_name_only(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(
        {
            "shop.py": (
                "class Cart:\n    def add(self):\n        pass\n\n\n"
                "class Shelf:\n    def add(self):\n        pass\n\n\n"
                "def fill(full):\n"
                "    box = Cart()\n"
                "    if full:\n"
                "        box = Shelf()\n"
                "    box.add()\n"
            )
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    for target in ("Cart.add", "Shelf.add"):
        answer = feeder(repo, "references", target, "--json").json
        assert sites(answer) == {("shop.py", 15, "call"): False}


FIELDS: dict[str, str | bytes] = {
    "belt.py": (
        "class Belt:\n    def stop(self):\n        pass\n\n\n"
        "class Door:\n    def stop(self):\n        pass\n"
    ),
    "till.py": (
        "from belt import Belt, Door\n\n\n"
        "class Till:\n"
        "    def __init__(self):\n"
        "        self.belt = Belt()\n"
        "        self.door = Door()\n"
    ),
    "shift.py": (
        "from till import Till\n\n\n"
        "def close(till: Till, other):\n"
        "    till.belt.stop()\n"
        "    till.door.stop()\n"
        "    other.belt.stop()\n"
    ),
}


def test_static_member_of_another_type_is_left_out(feeder: RunFeeder, repo: Repo) -> None:
    """`Shelf.Reset()` names a type that has such a member itself."""
    repo.commit(
        {
            "Cart.cs": (
                "namespace Shop;\npublic class Cart {\n    public static void Reset() {}\n}\n"
            ),
            "Shelf.cs": (
                "namespace Shop;\npublic class Shelf {\n    public static void Reset() {}\n}\n"
            ),
            "Use.cs": (
                "using Shop;\nclass Use {\n    void Go() {\n"
                "        Cart.Reset();\n        Shelf.Reset();\n    }\n}\n"
            ),
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "Cart.Reset", "--json").json
    assert sites(answer) == {("Use.cs", 4, "call"): True}


def test_fields_of_types_of_other_files(feeder: RunFeeder, repo: Repo) -> None:
    """A parameter's type has the field there; that of an unknown receiver is by name only."""
    repo.commit(FIELDS)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "Belt.stop", "--json").json
    assert sites(answer)["shift.py", 5, "call"] is True
    assert sites(answer)["shift.py", 7, "call"] is False
    answer = feeder(repo, "references", "Door.stop", "--json").json
    assert sites(answer)["shift.py", 6, "call"] is True
    assert sites(answer)["shift.py", 7, "call"] is False


GO: dict[str, str | bytes] = {
    "go.mod": "module acme.com/shop\n",
    "cart/cart.go": (
        "package cart\n\n"
        "type Filler interface {\n\tFill(count int)\n}\n\n"
        "type Cart struct {\n\tshelf *Shelf\n}\n\n"
        "type Shelf struct{}\n\n"
        "func NewCart(count int) *Cart {\n\treturn &Cart{}\n}\n\n"
        "func (c *Cart) Fill(count int) {\n\tc.shelf.Put(count)\n}\n\n"
        "func (s *Shelf) Put(count int) {}\n\n"
        "func (s *Shelf) Fill(count int) {}\n"
    ),
    "main/main.go": (
        'package main\n\nimport "acme.com/shop/cart"\n\n'
        "func fill() {\n"
        "\tone := cart.NewCart(1)\n"
        "\tone.Fill(1)\n"
        "\teach(func(one cart.Filler) {\n"
        "\t\tone.Fill(2)\n"
        "\t})\n"
        "\tother, err := unknown()\n"
        "\tother.Fill(3)\n"
        "\tlast := value.(*cart.Shelf)\n"
        "\tlast.Fill(4)\n"
        "\trun(NewName)\n"
        "\tcart.NewCart(2).Fill(5)\n"
        "}\n\n"
        "func both() {\n"
        "\tcart.NewCart(3).Fill(6)\n"
        "\tother.NewCart(4).Fill(7)\n"
        "}\n"
    ),
    "main/name.go": "package main\n\nfunc NewName() string {\n\treturn err\n}\n",
}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("Cart.Fill", {7: True, 9: True, 12: False, 16: True, 20: False, 21: False}),
        ("Shelf.Fill", {7: False, 9: True, 12: False, 14: True, 16: False, 20: False, 21: False}),
        ("Filler.Fill", {7: False, 9: True, 12: False, 14: True, 16: False, 20: False, 21: False}),
    ],
)
def test_types_of_receivers_in_go(
    feeder: RunFeeder, repo: Repo, target: str, expected: dict[int, bool]
) -> None:
    """They are those of results, assertions and closures; both types implement the interface.

    Line 7 calls what NewCart returns, line 9 a parameter of a closure, line 12 what an unknown
    function returns, line 14 what is asserted, line 16 what NewCart returns there. Lines 20 and 21
    call functions of two packages with one name.
    """
    repo.commit(GO)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", f"cart.{target}", "--kind", "call", "--json").json
    assert sites(answer) == {
        ("main/main.go", line, "call"): resolved for line, resolved in expected.items()
    }


def test_fields_of_receivers_and_exported_names_in_go(feeder: RunFeeder, repo: Repo) -> None:
    """`c.shelf` has the type of the field; a function is passed by name to another one."""
    repo.commit(GO)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "Shelf.Put", "--json").json
    assert sites(answer) == {("cart/cart.go", 18, "call"): True}
    answer = feeder(repo, "references", "NewName", "--json").json
    assert sites(answer) == {("main/main.go", 15, "mention"): True}


GO_PACKAGES: dict[str, str | bytes] = {
    "errors.go": 'package tea\n\nimport "errors"\n\nvar ErrStop = errors.New("stop")\n',
    "tea.go": (
        "package tea\n\n"
        "const MaxSize = 10\n\n"
        "type Program struct{}\n\n"
        "func NewProgram() *Program { return nil }\n\n"
        "func (p *Program) Send(size int) {}\n"
    ),
    "leaf/leaf.go": (
        "package tealeaf\n\n"
        "const LeafSize = 1\n\n"
        "type Leaf struct{}\n\n"
        "func (l *Leaf) Brew(size int) {}\n"
    ),
    "pot/tea/v2/pot.go": "package tea\n\nconst PotSize = 2\n",
    "old/pot/pot.go": "package pot\n\nconst LidSize = 3\n\nfunc Warm() {}\n",
    "new/pot/pot.go": "package pot\n\nfunc Warm() {}\n",
    "use/root.go": (
        'package use\n\nimport tea "acme.com/brew/v2"\n\n'
        "var program *tea.Program\n\n"
        "func root() {\n"
        "\trun(tea.MaxSize, tea.ErrStop)\n"
        "\tprogram.Send(1)\n"
        "\tother := tea.NewProgram()\n"
        "\tother.Send(2)\n"
        "}\n"
    ),
    "use/folders.go": (
        'package use\n\nimport (\n\t"acme.com/brew/leaf"\n\t"acme.com/brew/new/pot"\n)\n\n'
        "func folders(leaf *tealeaf.Leaf) {\n"
        "\trun(tealeaf.LeafSize, pot.LidSize)\n"
        "\tleaf.Brew(1)\n"
        "}\n"
    ),
    "use/version.go": (
        'package use\n\nimport "acme.com/brew/pot/tea/v2"\n\n'
        "func version() {\n\trun(tea.PotSize)\n}\n"
    ),
    "use/unnamed.go": (
        'package use\n\nimport "acme.com/brew/v2"\n\n'
        "func unnamed(program *tea.Program) {\n"
        "\trun(tea.MaxSize, other.MaxSize)\n"
        "\tprogram.Send(1)\n"
        "}\n"
    ),
    "crock/gen.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
    "crock/limits.go": "package jar\n\nconst JarSize = 4\n",
    "crock/open.go": "package jar\n\nfunc Unscrew() {}\n",
    "mixed/a.go": "package mug\n\nfunc Sip() {}\n",
    "mixed/b.go": "package cup\n\nfunc Sip() {}\n",
    "mixed/limits.go": "package cup\n\nconst CupSize = 5\n",
    "use/crock.go": (
        'package use\n\nimport (\n\t"acme.com/brew/crock"\n\t"acme.com/brew/mixed"\n)\n\n'
        "func crock() {\n\trun(jar.JarSize, cup.CupSize)\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("MaxSize", {("root", 8): True, ("unnamed", 6): False}),
        ("ErrStop", {("root", 8): True}),
        ("LeafSize", {("folders", 9): True}),
        ("PotSize", {("version", 6): True}),
        ("LidSize", {}),
        ("JarSize", {("crock", 9): True}),
        ("CupSize", {("crock", 9): False}),
        ("tea.Program.Send", {("root", 9): True, ("root", 11): True, ("unnamed", 7): False}),
        ("tealeaf.Leaf.Brew", {("folders", 10): True}),
    ],
)
def test_packages_of_go_with_another_name_than_their_path(
    feeder: RunFeeder, repo: Repo, target: str, expected: dict[tuple[str, int], bool]
) -> None:
    """They are in the module's root, in a folder of another name, or in one of a major version.

    The package of errors.go, a file without functions and types, is that of its folder, also
    beside a program (crock), but by name only if the folder has two (mixed). No name
    that unnamed.go imports is `tea`; `pot` in folders.go is the package of another folder.
    """
    repo.commit(GO_PACKAGES)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", target, "--json").json
    assert sites(answer) == {
        (f"use/{name}.go", line, "call" if "." in target else "mention"): resolved
        for (name, line), resolved in expected.items()
    }


def test_definition(feeder: RunFeeder, shop: Repo) -> None:
    """By name all of that name; at a position the one that is meant there."""
    named = feeder(shop, "definition", "add", "--json").json["definitions"]
    assert [(node["symbol"], node["resolved"]) for node in named] == [
        ("Cart.add", False),
        ("Shelf.add", False),
    ]
    [meant] = feeder(shop, "definition", "shop/other.py:10:12", "--json").json["definitions"]
    assert (meant["symbol"], meant["resolved"]) == ("Shelf.add", True)
    [meant] = feeder(shop, "definition", "shop/other.py:13:10", "--json").json["definitions"]
    assert (meant["symbol"], meant["resolved"]) == ("Cart.add", True)


CONSTANTS: dict[str, str | bytes] = {
    "tea/errors.go": (
        'package tea\n\nimport "errors"\n\n'
        'var ErrStopped = errors.New("stopped")\n'
        'var ErrInterrupted = errors.New("interrupted")\n\n'
        "func Run() error {\n\treturn ErrInterrupted\n}\n"
    ),
    "sizes/small.py": "SIZE_LIMIT = 3\n\n\nclass Color:\n    DARK_RED = 1\n",
    "sizes/large.py": "NAME = 'large'\nSIZE_LIMIT = 30\n",
    "sizes/use.py": (
        "from sizes.large import SIZE_LIMIT\n\n\ndef fits(size):\n    return size < SIZE_LIMIT\n"
    ),
}


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        ("ErrInterrupted", ["tea/errors.go:6  member  ErrInterrupted"]),
        ("tea.ErrInterrupted", ["tea/errors.go:6  member  ErrInterrupted"]),
        ("tea/errors.go:9:9", ["tea/errors.go:6  member  ErrInterrupted"]),
        ("tea/errors.go:6:5", ["tea/errors.go:6  member  ErrInterrupted"]),
        ("Color.DARK_RED", ["sizes/small.py:5  member  Color.DARK_RED"]),
        (
            "SIZE_LIMIT",
            ["sizes/large.py:2  member  SIZE_LIMIT", "sizes/small.py:1  member  SIZE_LIMIT"],
        ),
        ("sizes/use.py:5:19", ["sizes/large.py:2  member  SIZE_LIMIT"]),
    ],
)
def test_definition_of_a_constant(
    feeder: RunFeeder, repo: Repo, target: str, lines: list[str]
) -> None:
    """It has a line in the node of its file or class."""
    repo.commit(CONSTANTS)
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "definition", target).out.splitlines() == lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["references", "shop/cart.py"], "shop/cart.py is a file."),
        (["references", "nowhere"], "The index has no file, symbol or id 'nowhere'."),
        (["definition", " "], "The target is empty."),
        (["definition", "nowhere"], "The index has no definition of 'nowhere'."),
        (["definition", "shop/cart.py:3:1"], "There is no name at shop/cart.py:3:1."),
        (["implementations", "open_cart"], "open_cart is neither a type nor a member"),
    ],
)
def test_errors_say_what_to_do(
    feeder: RunFeeder, shop: Repo, arguments: list[str], message: str
) -> None:
    answer = feeder(shop, *arguments)
    assert answer.code == 2
    assert message in answer.err


INNER = "def outer():\n    def weigh_one():\n        return 1\n\n    return weigh_one()\n"


@pytest.mark.parametrize(
    ("arguments", "is_in_code"),
    [
        (["references", "weigh_one"], True),
        (["definition", "report.py:5:12"], True),
        (["definition", "report.py:5:5"], False),
        (["references", "nowhere"], False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_a_function_within_a_function_is_named_as_a_word_of_code(
    feeder: RunFeeder, repo: Repo, arguments: list[str], is_in_code: bool
) -> None:
    """It is no node of its own. `return` is a word of code too, and no name."""
    repo.commit({"report.py": INNER})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, *arguments)
    assert answer.code == 2
    note = "The word weigh_one occurs in 1 node: feeder search weigh_one"
    assert (note in answer.err.replace("\n", " ")) == is_in_code
    assert "The word weigh_one occurs" in answer.err or not is_in_code


def test_definition_in_a_file_is_that_of_the_file(feeder: RunFeeder, repo: Repo) -> None:
    """One of another file is no answer."""
    text = "def open_it():\n    pass\n"
    repo.commit({"src/a.py": text, "lib/a.py": f"X = 1\n\n\n{text}", "lib/b.py": "Y = 1\n"})
    assert feeder(repo, "sync", "-q").code == 0
    for path in ("lib/a.py", "./lib/a.py"):
        found = feeder(repo, "definition", f"{path}#open_it", "--json").json["definitions"]
        assert [(node["path"], node["start_line"]) for node in found] == [("lib/a.py", 4)]
    error = feeder(repo, "definition", "lib/b.py#open_it")
    assert error.code == 2
    assert (
        "The index has no definition of 'open_it' in lib/b.py. Definitions in other files: feeder "
        "definition open_it"
    ) in error.err
