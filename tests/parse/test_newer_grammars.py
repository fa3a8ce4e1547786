"""Syntax that only the grammars of the languages' own packages know."""

import pytest

from feeder.parse.file_parser import parse_file
from feeder.relation import decode_relations
from parse.outlines import GRAMMARS


@pytest.mark.parametrize(
    ("path", "text", "symbols"),
    [
        (
            "a.swift",
            "struct Cart<let size: Int> {\n"
            "  nonisolated(unsafe) var count = 1\n"
            "  func add(_ item: consuming Item) throws(CartError) {}\n"
            "}\n"
            "func after() {}\n",
            ["Cart", "Cart.add", "after"],
        ),
        (
            "a.scala",
            "private[shop] enum Color:\n"
            "  case Red\n\n"
            "def total(x: Int) =\n"
            "  x match\n"
            "  case 1 => 2\n\n"
            "given [A: Ord] => Ord[List[A]]:\n"
            "  def compare = 1\n"
            "end given\n\n"
            "def after = 1\n",
            ["Color", "total", "Ord[List[A]]", "Ord[List[A]].compare", "after"],
        ),
        (
            "a.dart",
            "var titles = [1, ?title];\n"
            "Color color() => .red;\n"
            "@override\n"
            "(int, int) after() => (1, 2);\n",
            ["color", "after"],
        ),
        (
            "a.php",
            "<?php\n"
            "class Cart {\n"
            "  function __construct(public private(set) string $name) {}\n"
            "  function named($name) { return clone($this, ['name' => $name]); }\n"
            "}\n"
            "function after() {}\n",
            ["Cart", "Cart.__construct", "Cart.named", "after"],
        ),
    ],
)
def test_new_syntax_is_parsed(path: str, text: str, symbols: list[str]) -> None:
    parsed = parse_file(GRAMMARS, path, text.encode())
    assert parsed.unparsed == ()
    assert [node.symbol for node in parsed.nodes if node.symbol] == symbols


@pytest.mark.parametrize(
    ("path", "text", "calls"),
    [
        # two comparisons, for the grammar
        ("a.dart", "f() => Line<int>(item);", {"Line"}),
        ("a.dart", "f() async { await show<int>(item); }", {"show"}),
        ("a.dart", "f() { store.find<int>(item); }", {"find"}),
        ("a.dart", "f() => [Line<int, Item>(item), Line];", {"Line"}),
        ("a.dart", "f() => add(Map<int, Item>.from(items));", {"add", "from"}),
        ("a.dart", "f() { size = .of(2); }", {"of"}),
        ("a.dart", "f() => x < y;", set()),
        ("a.scala", "object A { def f = item *> store.put[Int](item) }", {"put"}),
        ("a.scala", "object A { def f = new Line(item) with Counting }", {"Line"}),
    ],
)
def test_calls_that_the_grammars_hide(path: str, text: str, calls: set[str]) -> None:
    nodes = parse_file(GRAMMARS, path, text.encode()).nodes
    relations = [relation for node in nodes for relation in decode_relations(node.relations)]
    assert {relation.name for relation in relations if relation.kind == "("} == calls


def test_a_variable_of_an_unsafe_value_has_its_type() -> None:
    [node] = parse_file(GRAMMARS, "a.swift", b"func f() { let store = unsafe Store() }").nodes
    bound = [relation for relation in decode_relations(node.relations) if relation.kind == "="]
    assert [(relation.name, relation.qualifier) for relation in bound] == [("store", "Store")]
