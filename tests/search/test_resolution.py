"""What the resolution of references reads of a node."""

import sys
from typing import Any

from feeder.search.resolution import FileFacts
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
