"""What the resolution of references reads of a node."""

import sys
from typing import Any

from feeder.relations.file_facts import Binding, FileFacts, Import
from feeder.store.relations import RelatedNode


def _struct(fields: int) -> RelatedNode:
    """A struct of Go whose fields have types of another package, one on each line."""
    relations = "".join(
        f" Part{at}~shop:{at} field{at}=Part{at}:{at}" for at in range(1, fields + 1)
    )
    return RelatedNode("", "cart.go", "go", "class", "cart.Cart", 1, fields, relations, 1, fields)


def _calls_of(facts: FileFacts) -> int:
    """The number of function calls in which the type of a field is found."""
    count = 0

    def add(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(add)
    try:
        types = facts.types_of("cart.Cart", "field7", 1)
    finally:
        sys.setprofile(None)
    assert types == ["shop.Part7"]
    return count


def test_fields_of_a_large_struct_cost_as_many_steps_each_as_those_of_a_small_one() -> None:
    """The relations of the struct are decoded once, not for each of its fields."""
    few, many = (_calls_of(FileFacts("cart.go", [_struct(count)])) for count in (100, 400))
    assert many < 5 * few


def _node(relations: str, symbol: str = "Cart.add", line: int = 1) -> RelatedNode:
    return RelatedNode("", "a.py", "python", "method", symbol, line, line, relations, line, line)


def test_imports_of_a_name_are_those_that_bind_it() -> None:
    """Also under another name, as a whole module, and not those whose names only contain it."""
    facts = FileFacts(
        "a.py",
        [
            _node(" Cart@shop:1 Cart@old.shop=Basket:2 MyCart@shop:3 @shop.Cart:4 *@shop:5", ""),
            _node(" Cart=Basket:1 add(Cart:2 Cart@late.shop:3 x@shop=y=z:4", "f", 9),
        ],
    )
    assert facts.imported("Cart") == [Import("shop", "Cart"), Import("late.shop", "Cart")]
    assert facts.imported("Basket") == [Import("old.shop", "Cart")]
    assert facts.imported("shop.Cart") == [Import("shop.Cart", "")]
    assert facts.imported("*") == [Import("shop", "*")]
    assert facts.imported("y=z") == [Import("shop", "x")]
    for name in ("shop", "Car", "add", "z"):
        assert facts.imported(name) == [], name
    for name in facts.imports:
        assert facts.imported(name) == facts.imports[name]


def test_declarations_are_those_of_all_nodes_of_a_symbol() -> None:
    """`self.cart = cart` has the type of `cart`; a name without a type is none."""
    facts = FileFacts(
        "a.py",
        [
            _node(" cart%Cart:1 own=cart:2 open=:3 carts=Cart:4"),
            _node(" cart%Basket:0 more=Box:1", line=9),
        ],
    )
    assert facts.declared("Cart.add", "cart") == [Binding(2, "Cart"), Binding(9, "Basket")]
    assert facts.declared("Cart.add", "own") == [Binding(3, "")]  # of two types
    assert facts.declared("Cart.add", "more") == [Binding(10, "Box")]
    assert facts.declared("Cart.add", "open") is None
    assert facts.declared("Cart.fill", "cart") is None
    assert facts.types_of("Cart.add", "self.carts", 1) == []
