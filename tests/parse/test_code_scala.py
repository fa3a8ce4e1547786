"""Scala 2 with braces and Scala 3 without."""

import pytest

from parse.outlines import nodes_of, only, sample

BRACES = sample("sample.scala")
INDENTED = sample("indented.scala")


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("add", "@inline def add(item: T)(implicit ev: Ord[T]): Cart[T]"),
        ("+", "def +(other: Cart[T]): Cart[T]"),
        ("twice", "val twice"),
        ("order", "implicit val order: Ordering[T]"),
    ],
)
def test_signatures_end_before_the_equals_sign(symbol: str, signature: str) -> None:
    assert only(BRACES, f"acme.shop.Cart.{symbol}").signature == signature


def test_class_has_its_end_marker_but_not_its_methods() -> None:
    assert only(INDENTED, "acme.Cart").text == (
        "class Cart(limit: Int):\n  private val items = Nil\nend Cart"
    )


def test_access_modifier_does_not_hide_an_enum() -> None:
    color = only(INDENTED, "acme.Color")
    assert color.signature == "private enum Color(val rgb: Int)"
    assert color.text == "private enum Color(val rgb: Int):\n  case Red extends Color(1)"


def test_operator_with_colons_has_its_written_name() -> None:
    text = """
        class Cart {
          def ::(item: Int): Int = item
          def +:(item: Int): Int = item
        }
    """
    found = nodes_of("Cart.scala", text)
    assert [node.symbol for node in found] == ["Cart", "Cart.::", "Cart.+:"]


def test_cases_at_the_indentation_of_their_function_belong_to_it() -> None:
    text = """
        object Run:
          def pick(x: Any) = x match
          case 1 => "a"
          case _ => "b"

          def next = 2
    """
    found = [(node.symbol, node.start_line, node.end_line) for node in nodes_of("Run.scala", text)]
    assert found == [("Run", 1, 6), ("Run.pick", 2, 4), ("Run.next", 6, 6)]
