"""The Worker's references, implementations and definitions equal the program's, in two batches."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from cli.test_long_nodes import LONG
from cli.test_workspace_references import FILES as WORKSPACE
from edge.indexed_worker import Facts, IndexedWorker, program
from edge.test_answers import ON_DISK, _samples
from feeder.mcp.service import IndexService
from mcp_server.test_relation_tools import FILES
from relations.imports import CASES, files_of
from relations.marked_sites import cases, without_marks
from relations.syntax_calls import CASES as SYNTAX_CALLS
from relations.syntax_calls import plain
from relations.test_file_variables import FILES as C_VARIABLES
from relations.test_go_interfaces import INTERFACES, KINDS
from relations.test_references import (
    CHAINS,
    CONSTANTS,
    CONSTRUCTORS,
    DECLARED,
    EXPORTS,
    FIELDS,
    GO,
    GO_PACKAGES,
    LOCALS,
    MACROS,
    NAMED_TESTS,
    OBJECTIVE_C,
    OTHER_OWNERS,
    RUBY_ALIASES,
    RUBY_MARKS,
    RUBY_TYPES,
)
from source.repos import Repo

USERS, USES_EACH, OTHERS = 20, 5, 60
MAX_ROWS = 3_150
ALIASED = {
    "shop/alias.py": (
        "from shop.cart import Cart as Basket\n\n\n"
        "class Hamper(Basket):\n"
        "    def fill(self):\n"
        "        self.add(1)\n\n\n"
        "class Big(Hamper):\n"
        "    # as add of Hamper\n"
        "    @traced\n"
        "    def add(self, item):\n"
        "        super().add(item)\n"
    ),
}
ODD_NAMES = {
    "odd/part.js": (
        'class Part extends Base {\n  ["content-type"]() { return 1 }\n'
        """  ["x.y] z"]() { return this["content-type"]() }\n  'a" OR b'() { return 2 }\n}\n"""
        "class Piece extends Part {}\n"
    ),
}


def _user(at: int) -> str:
    """A file of 15 functions, of which five call the method."""
    calls = "".join(
        f"def pack_{at}_{one}(weight):\n    cart = Cart()\n    cart.weigh_all(weight)\n\n\n"
        for one in range(USES_EACH)
    )
    rest = "".join(f"def other_{at}_{one}():\n    return {one}\n\n\n" for one in range(10))
    return f"from lib.weights import Cart\n\n\n{calls}{rest}"


def _chained(at: int) -> str:
    """A file of a class with a field, and five functions that call a method of the field."""
    others = "".join(
        f"def other_{at}_{one}(tool: Anvil):\n    return Anvil(tool)\n\n\n" for one in range(10)
    )
    calls = "".join(
        f"def lift_{at}_{one}(smith: Smith{at}):\n    smith.tool.lift_all(1)\n\n\n"
        for one in range(USES_EACH)
    )
    smith = (
        f"class Smith{at}:\n    def __init__(self, tool: Anvil):\n        self.tool = tool\n\n\n"
    )
    return f"from lib.anvils import Anvil\n\n\n{smith}{calls}{others}"


FOLLOWED: dict[str, str | bytes] = {
    "followed/modes.h": (
        "namespace oven {\nenum oven_mode { OVEN_COLD, OVEN_HOT };\nint oven_scale(int x);\n}\n"
    ),
    "followed/modes.cc": (
        '#include "modes.h"\nusing oven::oven_scale;\nint hot() {\n'
        "  return oven_scale(oven::OVEN_HOT + oven::oven_mode::OVEN_HOT);\n}\n"
    ),
    "followed/Cargo.toml": '[package]\nname = "oven"\n',
    "followed/src/dial.rs": (
        "pub enum DialKind { DialSmall, DialLarge }\nmacro_rules! dial_up { () => {} }\n"
        "pub struct DialKnob;\nimpl DialKnob { pub fn dial_turn(&self) {} }\n"
    ),
    "followed/src/lib.rs": (
        "mod dial;\nuse dial::{DialKnob, DialKind::{self, *}};\nuse {DialKnob as Knob};\n"
        "fn run(knob: &DialKnob) -> DialKind {\n    dial_up!();\n    knob.dial_turn();\n"
        "    if matches!(DialKind::DialSmall, DialLarge) { DialSmall } else { DialLarge }\n}\n"
    ),
    "followed/Deck.scala": "package deck\nobject Dealer { def shuffleAll(n: Int) = n }\n",
    "followed/Use.scala": (
        "package play\nimport deck.Dealer.{shuffleAll => mixAll}\nclass Table {\n"
        "  val a = mixAll(3)\n  def shuffleAll(n: Int) = n\n}\n"
    ),
    "followed/Spin.scala": "package deck\nclass Spin {\n  def <->(x: Int) = x\n}\n",
}
"""What the modules of relations follow by rules of single languages."""


def _imports() -> dict[str, str | bytes]:
    """The cases of imports, each in a folder of its own."""
    return {
        f"imports/{name}/{path}": content
        for name, case in CASES.items()
        for path, content in files_of(case).items()
    }


FOLLOWED_CASES = frozenset(
    {
        "cpp-members-in-their-source",
        "cpp-qualified",
        "pascal-inherited",
        "csharp-attributes",
        "typescript-imported-namespaces",
        "ranges",
        "unit-named-as-a-type-of-another-language",
    }
)
"""Cases of `followed_names` whose rules the Worker has too."""


DECLARED_CASES = frozenset(
    {
        "csharp-partial-method",
        "kotlin-extension-file",
        "python-class-body",
        "python-labels",
        "python-nested-classes",
        "rust-associated",
        "rust-own-blocks",
        "scala-extension-imports",
    }
)
"""Cases of `declared_members` whose rules the Worker has too."""


def _marked_cases() -> dict[str, str | bytes]:
    """Anonymous and local classes, lent receivers and other names: a folder for each case."""
    followed = [case for case in cases("followed_names") if case["id"] in FOLLOWED_CASES]
    declared = [case for case in cases("declared_members") if case["id"] in DECLARED_CASES]
    parts = [case for case in cases("through_bases") if case["id"] != "through"]
    named = [*cases("local_types"), *cases("lent_receivers"), *cases("qualified_types")]
    return {
        f"marked/{case['id']}/{path}": content
        for case in [*named, *followed, *declared, *parts]
        for path, content in without_marks(case["files"])[0].items()
    }


UNCERTAIN_TARGETS = [
    f"uncertain/{case['id']}/{target}".replace("Cart", "Crate")
    for case in cases("uncertain_sites")
    for command, target in case["q"].values()
    if command == "references" and ("#" in target or ":" in target)
]
REDECLARED_TARGETS = [
    (command, f"redeclared/{case['id']}/{target}".replace("Cart", "Crate"))
    for name in ("redeclared_fields", "unnamed_members")
    for case in cases(name)
    for command, target in case["q"].values()
]
SYNTAX_TARGETS = [
    "syntax/cart.py#Crate.__add__",
    "syntax/Crate.kt#shop.Crate.iterator",
    "syntax/cart.rs#Crate.add",
    "syntax/cart.rb#Crate.to_s",
    "syntax/Crate.swift#Crate.subscript",
]


FOLDERS = (
    ("uncertain", "uncertain_sites"),
    ("redeclared", "redeclared_fields"),
    ("redeclared", "unnamed_members"),
)


def _uncertain_cases() -> dict[str, str | bytes]:
    """Uncertain sites, fields that are declared again, and calls by syntax. Another name than
    `Cart` keeps its answers cheap.
    """
    files: dict[str, str] = {
        f"{folder}/{case['id']}/{path}": str(content)
        for folder, name in FOLDERS
        for case in cases(name)
        for path, content in without_marks(case["files"])[0].items()
    }
    files |= {f"syntax/{path}": plain(marked) for path, marked in SYNTAX_CALLS.values()}
    return {
        path.replace("Cart", "Crate"): text.replace("Cart", "Crate") for path, text in files.items()
    }


def _files() -> dict[str, str | bytes]:
    weights = "class Cart:\n    def weigh_all(self, weight):\n        return weight\n"
    users = {f"users/user_{at}.py": _user(at) for at in range(USERS)}
    users |= {f"users/smith_{at}.py": _chained(at) for at in range(USERS)}
    others = {f"others/other_{at}.py": f"def nothing_{at}():\n    pass\n" for at in range(OTHERS)}
    workspace = {f"workspace/{path}": content for path, content in WORKSPACE.items()}
    return {
        **_samples(),
        **FILES,
        **ALIASED,
        **workspace,
        **GO,
        **{f"go/{path}": content for path, content in INTERFACES.items()},
        **KINDS,
        **GO_PACKAGES,
        **FIELDS,
        **MACROS,
        **LONG,
        **CONSTANTS,
        **FOLLOWED,
        **{f"ruby/{path}": content for path, content in RUBY_ALIASES.items()},
        **{f"chains/{path}": content for path, content in CHAINS.items()},
        **{f"ruby/{path}": content for path, content in RUBY_MARKS.items()},
        **{f"ruby/{path}": content for path, content in RUBY_TYPES.items()},
        **{f"named/{path}": content for path, content in NAMED_TESTS.items()},
        **{f"locals/{path}": content for path, content in LOCALS.items()},
        **{f"owners/{path}": content for path, content in OTHER_OWNERS.items()},
        **{f"made/{path}": content for path, content in CONSTRUCTORS.items()},
        **{f"declared/{path}": content for path, content in DECLARED.items()},
        **{f"exports/{path}": content for path, content in EXPORTS.items()},
        **{f"variables/{path}": content for path, content in C_VARIABLES.items()},
        **{f"objc/{path}": content for path, content in OBJECTIVE_C.items()},
        **ODD_NAMES,
        **_imports(),
        **_marked_cases(),
        **_uncertain_cases(),
        "lib/weights.py": weights,
        "lib/anvils.py": "class Anvil:\n    def lift_all(self, n):\n        return n\n",
        **users,
        **others,
    }


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    """An indexed Worker with stored source, and the same index on this machine."""
    repo = Repo(tmp_path_factory.mktemp("relations") / "shop")
    repo.commit(_files())
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.sync_locally()
    one.deploy()
    one.query_worker("status")  # what an isolate reads once
    yield one
    one.close()


@pytest.fixture(scope="module")
def desk(fed: IndexedWorker) -> Iterator[IndexService]:
    """The program on the local index."""
    some = fed.desk("local")
    yield some
    some.close()


NOTHING = re.compile(
    r"^(?:No resolved reference to|Nothing in the index refers|What refers to)", re.M
)
NAME_COUNT = re.compile(r"; (?:at least )?[\d,]+ (?:lines? of code|other nodes?) \w+ the \w+")


def _without_name_lines(text: str) -> str:
    """The answer without the lines of code that have the name, which only the program can read.

    The Worker counts nodes that have the word, also in comments; without lines of code the program
    says that nothing refers to the name.
    """
    if found := NOTHING.search(text):
        text = NAME_COUNT.sub("", text[found.start() :])
    return re.sub(
        r"Nothing in the index refers to (.*?)\.$",
        r"No resolved reference to \1.",
        text,
        flags=re.M,
    )


def _text(result: Facts) -> str:
    """Returns an answer without its last line, which has the state of the files; an error whole."""
    text: str = result["content"][0]["text"]
    return text if result.get("isError") else _without_name_lines(text.rpartition("\n")[0])


def _program_text(desk: IndexService, arguments: Facts) -> str:
    result = desk.call("references", arguments, lambda _: None)
    if not result.is_error:
        return _without_name_lines(result.text.rpartition("\n")[0])
    # only the program knows the files on disk
    return re.sub(rf" {ON_DISK}", "", result.text)


@pytest.mark.parametrize(
    "target", ["Odd.odd_one", "objc/Shop.m#Shop.sum", "objc/cart.c#cart_total", "nothing_1"]
)
@pytest.mark.parametrize("depth", [1, 2])
def test_unknown_references_are_said_alike(
    fed: IndexedWorker, desk: IndexService, target: str, depth: int
) -> None:
    arguments = {"target": target, "depth": depth}
    [result] = fed.call_tools(("references", arguments))
    assert _text(result) == _program_text(desk, arguments)
    is_known = "is unknown:" not in _text(result)
    assert is_known is (target in {"objc/cart.c#cart_total", "nothing_1"})


@pytest.mark.parametrize("target", [*UNCERTAIN_TARGETS, *SYNTAX_TARGETS])
def test_uncertain_references_equal_the_programs(
    fed: IndexedWorker, desk: IndexService, target: str
) -> None:
    for arguments in ({"target": target}, {"target": target, "depth": 2}):
        [result] = fed.call_tools(("references", arguments))
        assert _text(result) == _program_text(desk, arguments)
        is_syntax = target.startswith("syntax/")
        assert ("is unknown: calls " in _text(result)) is is_syntax


@pytest.mark.parametrize(("command", "target"), REDECLARED_TARGETS)
def test_sites_of_redeclared_fields_equal_the_programs(
    fed: IndexedWorker, desk: IndexService, command: str, target: str
) -> None:
    is_type = command == "implementations"
    arguments = {"target": target, **({"kind": "implementation"} if is_type else {})}
    [result] = fed.call_tools(("references", arguments))
    assert _text(result) == _program_text(desk, arguments)
    assert ":" in _text(result)


@pytest.mark.parametrize("target", ["Odd.odd_one", "objc/Shop.m#Shop", "objc/cart.c#cart_total"])
@pytest.mark.parametrize("asked", [{"direction": "out"}, {"kind": "implementation"}])
def test_unknown_relations_are_said_alike(
    fed: IndexedWorker, desk: IndexService, target: str, asked: Facts
) -> None:
    """What a node itself refers to, and what implements it."""
    arguments = {"target": target, **asked}
    [result] = fed.call_tools(("references", arguments))
    assert _text(result) == _program_text(desk, arguments)
    if target == "Odd.odd_one":
        assert "is unknown: relations of perl are not indexed" in _text(result)


def test_ranked_outline_of_d1_equals_that_of_a_local_index(
    fed: IndexedWorker, desk: IndexService
) -> None:
    """But for the note on the rows of D1."""
    there = fed.desk("cloudflare")
    arguments = {"path": "lib", "ranked": True}
    texts = [one.call("outline", arguments, lambda _: None).text for one in (desk, there)]
    there.close()
    here, d1 = (text.rpartition("\n\n")[0] for text in texts)
    assert "lib/weights.py" in here
    assert d1 == here
    assert "rows of D1, one for each node" in texts[1]


def test_relations_of_all_symbols_equal_the_programs(
    fed: IndexedWorker, desk: IndexService
) -> None:
    places = [
        f"{path}:{line}"
        for path, _, node_type, _, line in fed.nodes()
        if node_type in {"class", "method"}
        and not path.startswith(("users/", "others/", *GO, *FIELDS))
        and not path.endswith(".ipynb")  # the program shows a line of JSON
    ][::3]
    assert len(places) > 30
    for place, answer in zip(
        places, fed.answers("relations", [{"place": place} for place in places]), strict=True
    ):
        facts = program(desk, "relations", place=place)
        assert (place, _by_reason(answer.facts)) == (place, _by_reason(facts))


def _by_reason(facts: Facts) -> Facts:
    """The facts without what has the name of an unused definition: here nodes, there lines."""
    is_unused = (facts["reason"] or "").startswith(
        ("No resolved reference to ", "Nothing in the index")
    )
    return {**facts, "reason": "unused"} if is_unused else facts


def test_relations_of_a_constant_equal_the_programs(fed: IndexedWorker, desk: IndexService) -> None:
    """Where it is used, and where it is declared."""
    for place in ("sizes/use.py:5:19", "tea/errors.go:9:9", "tea/errors.go:6:5"):
        answer = fed.query_worker("relations", place=place)
        assert answer == program(desk, "relations", place=place)
        assert [definition["node_type"] for definition in answer["definitions"]] == ["member"]
        assert answer["total"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": "shop/cart.py#Cart.add"},
        {"target": "Cart.weigh_all", "offset": 20},
        {"target": "order", "tests": "no"},
        {"target": "order", "kind": "import"},
        {"target": "order", "depth": 3},
        {"target": "shop/cart.py#Cart.add", "kind": "override"},
        {"target": "shop/order.py#order", "direction": "out"},
        {"target": "shop/order.py:6:6", "kind": "definition"},
        {"target": "Hamper", "kind": "definition"},
        {"target": " ", "kind": "definition"},
        {"target": "ErrInterrupted", "kind": "definition"},
        {"target": "tea.ErrInterrupted", "kind": "definition"},
        {"target": "tea/errors.go:9:9", "kind": "definition"},
        {"target": "SIZE_LIMIT", "kind": "definition"},
        {"target": "sizes/use.py:5:19", "kind": "definition"},
        {"target": "Color.DARK_RED", "kind": "definition"},
        {"target": "Steps", "kind": "definition"},
        {"target": "program.py:6:9", "kind": "definition"},
        {"target": "base.py#Base", "kind": "implementation"},
        {"target": "base.py#Base.run_all", "kind": "implementation"},
        {"target": "program.py#Program.run_all", "direction": "out"},
        {"target": "shop/cart.py#Cart", "kind": "implementation"},
        {"target": "shop/cart.py#Cart.add", "kind": "implementation"},
        {"target": "cart.Cart.Fill"},
        {"target": "Belt.stop"},
        {"target": "cart.c#cart_add"},
        {"target": "cart.h#cart"},
        {"target": "exports/cart.js#module.exports"},
        {"target": "exports/cart.js#empty"},
        {"target": "kinds.Keeper", "kind": "implementation"},
        {"target": "kinds.Source", "kind": "implementation"},
        {"target": "kinds.Checker", "kind": "implementation"},
        {"target": "kinds.Namer", "kind": "implementation"},
        {"target": "ruby/cart.rb#Cart.add"},
        {"target": "ruby/shelf.rb#Shelf.put"},
        {"target": "chains/lathe.rb#Lathe"},
        {"target": "chains/sander.py#Sander"},
        {"target": "ruby/door.rb:15:5", "kind": "definition"},
        {"target": "ruby/web.rb#Web.Base", "kind": "implementation"},
        {"target": "ruby/shop.rb#Shop.Base", "kind": "implementation"},
        {"target": "ruby/door.rb:16:5", "kind": "definition"},
        {"target": "ruby/door.rb:20:5", "kind": "definition"},
        {"target": "cart.Filler.Fill"},
        {"target": "send_parcel"},
        {"target": "locals/gate.ts#token"},
        {"target": "locals/Gate.java#Gate.token"},
        {"target": "locals/gate.php#token"},
        {"target": "ruby/door.rb:16:5"},
        {"target": "sizes/use.py:5:19"},
        {"target": "shop/order.py:6:6", "direction": "out"},
        {"target": "shop/order.py:6:1", "depth": 2},
        {"target": "program.py:6:9", "kind": "implementation"},
        {"target": "recall", "kind": "definition"},
        {"target": "owners/base.py#Page.open_all"},
        {"target": "made/Cart.java:7:17"},
        {"target": "owners/Cart.php#Shop.Cart.weighAll"},
        {"target": "owners/src/lib/api.js#post"},
        *(
            {"target": f"owners/{name}"}
            for name in (
                "Boot.php#Boot.Old.bootAll",
                "Boot.php#Boot.Mid.bootAll",
                "Boot.cs#Old.BootAll",
                "Boot.cs#Mid.BootAll",
            )
        ),
        {"target": "wrapAll", "depth": 2},
        {"target": "named/courier_spec.rb:4"},
        *({"target": f"named/parcel.test.js:{line}"} for line in (6, 9, 12, 15)),
        {"target": "named/crate_test.go:4"},
        *({"target": f"named/rider.rb:{line}"} for line in (2, 6, 10, 14, 18, 23, 27)),
        {"target": "Crate.total"},
        {"target": "Crate.user"},
        {"target": "named/Crate.kt:6"},
        {"target": "Tin.Seal"},
        {"target": "Jar.twist"},
        *({"target": one} for one in ("MaxSize", "ErrStop", "LeafSize", "PotSize", "LidSize")),
        *({"target": one} for one in ("JarSize", "CupSize")),
        *({"target": one} for one in ("tea.Program.Send", "tealeaf.Leaf.Brew", "tea.Program")),
        {"target": "main.fill", "direction": "out"},
        *(
            {"target": target, **kind}
            for target in (
                *("box.Box", "box.Vault", "box.Shelf", "box.Box.Fill", "box.Crate.Fill"),
                *("box.Jar.Fill", "box.Bag.Fill", "box.base.Name", "store.Store", "store.Reader"),
            )
            for kind in ({}, {"kind": "implementation"})
        ),
        {"target": "add_up"},
        *({"target": name} for name in ("twice_of", "Box", "clamp_of", "Box.weight_of")),
        {"target": "shop/order.py"},
        {"target": ["box.Box.Fill", "store.Store"]},
        {"target": ["box.Box", "store.Reader"], "kind": "implementation"},
        {"target": "order", "kind": "implementation"},
        *(
            {"target": f"marked/{target}", "kind": "implementation"}
            for target in (
                *("java/shop/Listener.java#shop.Listener", "java/shop/Op.java#shop.Op"),
                *("java/shop/Op.java#shop.Op.apply", "kotlin/Listener.kt#shop.Base"),
                "java/shop/Listener.java#shop.Listener.heard",
                *("typescript/base.ts#Base", "others/shop.rb#Sheet"),
            )
        ),
        *(
            {"target": target, **kind}
            for target in ("odd/part.js:2", "odd/part.js:3", "odd/part.js:4", "odd/part.js#Part")
            for kind in ({}, {"kind": "implementation"}, {"direction": "out"})
        ),
        *({"target": target, "kind": "definition"} for target in ('a" OR b', '"', 'Part."x', "*")),
        *({"target": target} for target in ('Part.["content-type"]', 'qx"zvk', "qx\0zvk")),
    ],
)
def test_tool_equals_the_programs(fed: IndexedWorker, desk: IndexService, arguments: Facts) -> None:
    [result] = fed.call_tools(("references", arguments))
    assert _text(result) == _program_text(desk, arguments)


@pytest.mark.parametrize("name", CASES)
def test_imports_are_followed_as_the_program_does(
    fed: IndexedWorker, desk: IndexService, name: str
) -> None:
    """The references to each definition, and what each file refers to."""
    prefix, case = f"imports/{name}", CASES[name]
    places = [f"{prefix}/{target}" for target in case.queries.values()]
    answers = fed.answers("relations", [{"place": place} for place in places])
    for place, answer in zip(places, answers, strict=True):
        facts = program(desk, "relations", place=place)
        assert (place, _by_reason(answer.facts)) == (place, _by_reason(facts))
    for path in case.files:
        if path.endswith((".json", ".toml", ".yaml")):
            continue
        arguments = {"target": f"{prefix}/{path}", "direction": "out"}
        [result] = fed.call_tools(("references", arguments))
        assert _text(result) == _program_text(desk, arguments)


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("followed/modes.h#oven.oven_mode.OVEN_HOT", "oven::OVEN_HOT"),
        ("followed/modes.h#oven.oven_scale", "using oven::oven_scale;"),
        ("followed/src/dial.rs#DialKind.DialSmall", "{ DialSmall }"),
        ("followed/src/dial.rs#dial_up", "dial_up!();"),
        ("followed/src/dial.rs#DialKnob", "use {DialKnob as Knob};"),
        ("followed/Deck.scala#deck.Dealer.shuffleAll", "val a = mixAll(3)"),
        ("followed/Spin.scala:3", "uses of operators are not indexed"),
        ("marked/cpp-members-in-their-source/engine.cc#mill.Engine.boost", "this->boost(2);"),
        ("marked/cpp-qualified/vec.hpp#kEps", "return geo::kEps;"),
        ("marked/pascal-inherited/Geo.pas#Area", "WriteLn(geo.area(3));"),
        ("marked/csharp-attributes/Attributes.cs#Core.RouteAttribute", '[Route("x")]'),
        ("marked/csharp-attributes/Attributes.cs#Core.KindAttribute", "[Kind]"),
        ("marked/typescript-imported-namespaces/tools.ts#Tools.cut", "T.cut();"),
        ("marked/ranges/rs/src/lib.rs#limit", "&v[start..limit()]"),
        ("marked/ranges/da/a.dart#Cart.add", "cart..add(3);"),
        ("marked/unit-named-as-a-type-of-another-language/Shop.pas#Total", "0 to Total do"),
    ],
)
def test_names_are_followed_as_the_program_does(
    fed: IndexedWorker, desk: IndexService, target: str, shown: str
) -> None:
    [result] = fed.call_tools(("references", {"target": target}))
    assert _text(result) == _program_text(desk, {"target": target})
    assert shown in _text(result)


def test_types_below_an_imported_alias_are_found(fed: IndexedWorker) -> None:
    [result] = fed.call_tools(
        ("references", {"target": "shop/cart.py#Cart", "kind": "implementation"})
    )
    assert _text(result).split("\n")[:3] == [
        "shop/cart.py:6-8 Gift",
        "shop/alias.py:4-6 Hamper",
        "  shop/alias.py:9-13 Big",
    ]


@pytest.mark.parametrize(
    ("target", "max_rows"),
    [
        ("Cart.weigh_all", MAX_ROWS),
        ("lib/weights.py#Cart.weigh_all", MAX_ROWS),
        ("Anvil.lift_all", 2_200),  # the receivers are fields: one scan of the type's nodes more
    ],
)
def test_name_used_a_hundred_times_costs_two_batches(
    fed: IndexedWorker, target: str, max_rows: int
) -> None:
    [result] = fed.call_tools(("references", {"target": target}))
    assert f"{USERS * USES_EACH} references: {USERS * USES_EACH} resolved" in _text(result)
    assert fed.request_counts == {"d1": 2}
    assert fed.last is not None
    assert int(re.findall(r"(\d+) rows", fed.last.headers["server-timing"])[0]) < max_rows


@pytest.mark.parametrize(
    ("target", "batches"), [("cart.Cart.Fill", 4), ("box.Crate.Fill", 4), ("cart.Filler.Fill", 5)]
)
def test_interface_of_go_costs_few_batches_more(
    fed: IndexedWorker, target: str, batches: int
) -> None:
    """One for a level of embedded types, one for fields; another one for the lines of overrides."""
    fed.call_tools(("references", {"target": target}))
    assert fed.request_counts == {"d1": batches}


def test_overriding_member_is_shown_where_it_is_declared(fed: IndexedWorker) -> None:
    [result] = fed.call_tools(
        ("references", {"target": "shop/cart.py#Cart.add", "kind": "override"})
    )
    assert "shop/alias.py\n  12 override in Big.add: def add(self, item):" in _text(result)


def test_impact_in_the_cloud_equals_the_local_one(
    fed: IndexedWorker, capsys: pytest.CaptureFixture[str]
) -> None:
    """The change comes from git on this machine, the relations from D1."""
    cart = fed.repo.path / "shop/cart.py"
    text = cart.read_text()
    cart.write_text(text.replace("def add(self, item):", "def add(self, item, n):", 1))
    answers = {}
    try:
        for store in ("cloudflare", "local"):
            fed.run("impact", "--working-tree", "--store", store, "--json")
            answers[store] = json.loads(capsys.readouterr().out) | {"index": None}
    finally:
        cart.write_text(text)
    assert answers["cloudflare"] == answers["local"]
    sites = {
        (reference["path"], reference["line"], reference["kind"])
        for reference in answers["local"]["references"]
    }
    assert {("shop/order.py", 6, "call"), ("shop/alias.py", 12, "override")} <= sites
    assert "tests/test_order.py" in [test["path"] for test in answers["local"]["tests"]]


def test_list_is_a_lower_bound_if_functions_that_return_a_type_are_cut(
    account: StandIn, script: Path, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "shop")
    makers = "".join(f"func make{at}() *Cart {{ return nil }}\n\n" for at in range(1_001))
    cart = "package shop\n\ntype Cart struct{}\n\nfunc (c *Cart) Fill() {}\n"
    call = "package shop\n\nfunc fill() {\n\tc := make1()\n\tc.Fill()\n}\n"
    repo.commit({"cart.go": cart, "make.go": f"package shop\n\n{makers}", "call.go": call})
    account.reset()
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    try:
        [result] = one.call_tools(("references", {"target": "cart.go#Cart.Fill"}))
        assert "at least 1 reference: 1 resolved" in _text(result)
    finally:
        one.close()


@pytest.mark.parametrize("more", [0, 1])
def test_counts_are_lower_bounds_only_if_something_is_cut(
    account: StandIn, script: Path, tmp_path: Path, more: int
) -> None:
    """300 definitions of a name are read, and of the Worker 1,000 nodes that refer to it."""
    repo = Repo(tmp_path / "shop")
    types = "".join(
        f"class Cart{at}:\n    def weigh(self):\n        pass\n\n\n" for at in range(300 + more)
    )
    calls = "".join(f"def call_{at}(one):\n    one.ship()\n\n\n" for at in range(1_000 + more))
    use = "from carts import Cart7\n\n\ndef use():\n    Cart7().weigh()\n"
    ship = "class Ship:\n    def ship(self):\n        pass\n"
    repo.commit({"carts.py": types, "use.py": use, "calls.py": calls, "ship.py": ship})
    account.reset()
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.sync_locally()
    one.deploy()
    desk = one.desk("local")
    prefix = "at least " if more else ""
    try:
        asked = {"target": "weigh", "kind": "definition"}
        called = {"target": "carts.py#Cart7.weigh"}
        for arguments in (asked, called):
            [result] = one.call_tools(("references", arguments))
            assert _text(result) == _program_text(desk, arguments)
        [result] = one.call_tools(("references", called))
        assert f"\n{prefix}1 reference: 1 resolved" in _text(result)
        [result] = one.call_tools(("references", asked))
        assert f"{prefix}300 definitions" in _text(result)
        assert ("at least" in _text(result)) is bool(more)
        [result] = one.call_tools(("references", {"target": "Ship.ship"}))
        assert f" {prefix}1,000 references" in f" {_text(result)}".replace("\n", " ")
    finally:
        desk.close()
        one.close()


def test_lines_that_are_not_stored_are_said(account: StandIn, script: Path, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "shop")
    repo.commit({**FILES})
    account.reset()
    one = IndexedWorker(account, repo, "static", script)
    one.feed()
    one.deploy()
    try:
        [result] = one.call_tools(("references", {"target": "shop/cart.py#Cart.add"}))
        lines = result["content"][0]["text"].split("\n")
        assert lines[:2] == ["shop/order.py", "  6 call in order"]
        assert "The index does not store the lines of these places" in lines[-2]
        found, override = one.query_worker("relations", place="shop/cart.py#Cart.add")["references"]
        assert (found["line"], found["column"], found["text"]) == (6, 0, "")
        assert (override["line"], override["column"], override["text"]) == (7, 0, "")
        one.run_sql("UPDATE docs SET relations = ''")
        [result] = one.call_tools(("references", {"target": "shop/cart.py#Cart.add"}))
        assert "has no relations" in result["content"][0]["text"]
    finally:
        one.close()
