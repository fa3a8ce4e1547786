"""Scala 2 with braces and Scala 3 without."""

import pytest

from parse.outlines import only, outline, rows, sample

BRACES = sample("Cart.scala")
INDENTED = sample("Color.scala")


def test_declarations_between_braces() -> None:
    assert outline(BRACES) == rows("""
        chunk   -                      1:4
        class   acme.shop.Cart         6:23
        class   acme.shop.Cart.Elem    10:10
        method  acme.shop.Cart.add     12:16
        method  acme.shop.Cart.+       17:17
        method  acme.shop.Cart.this    18:18
        method  acme.shop.Cart.twice   19:19
        class   acme.shop.Cart.order   20:22
        class   acme.shop.Cart         25:27
        method  acme.shop.Cart.apply   26:26
        class   acme.shop.Shape        29:29
        method  acme.shop.Shape.area   29:29
        class   acme.shop.util         31:33
        method  acme.shop.util.cents   32:32
        chunk   -                      35:37
        class   acme.shop.money.Price  36:36
    """)


def test_declarations_by_indentation() -> None:
    assert outline(INDENTED) == rows("""
        chunk   -                         1:1
        class   acme.Color                3:6
        method  acme.Color.hex            5:6
        class   acme.Ord                  8:9
        method  acme.Ord.compare          9:9
        class   acme.intOrd               11:13
        method  acme.intOrd.compare       12:13
        class   acme.Ord[String]          15:16
        method  acme.Ord[String].compare  16:16
        class   acme.Circle               18:19
        method  acme.Circle.area          19:19
        class   acme.Cart                 21:27
        method  acme.Cart.count           23:26
        class   acme.Cents                29:29
        method  acme.run                  31:32
    """)


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


def test_a_class_is_indexed_with_its_end_marker_and_without_its_methods() -> None:
    assert only(INDENTED, "acme.Cart").text == (
        "class Cart(limit: Int):\n  private val items = Nil\nend Cart"
    )


def test_the_access_of_an_enum_does_not_hide_it() -> None:
    color = only(INDENTED, "acme.Color")
    assert color.signature == "private enum Color(val rgb: Int)"
    assert color.text == "private enum Color(val rgb: Int):\n  case Red extends Color(1)"
