"""C#: namespaces of both forms, members with bodies, attributes."""

import pytest

from parse.outlines import only, outline, rows, sample

CART = sample("Cart.cs")
ORDER = sample("Order.cs")


def test_declarations_in_a_block_namespace() -> None:
    assert outline(CART) == rows("""
        chunk   -                            1:45
        class   Acme.Shop.Cart               6:34
        method  Acme.Shop.Cart.Count         13:13
        method  Acme.Shop.Cart.Cart          15:18
        method  Acme.Shop.Cart.Add           20:26
        method  Acme.Shop.Cart.this          28:28
        method  Acme.Shop.Cart.operator.+    29:29
        method  Acme.Shop.Cart.operator.int  30:30
        method  Acme.Shop.Cart.Clone         31:31
        class   Acme.Shop.Cart.Size          33:33
        class   Acme.Shop.Price              36:36
        class   Acme.Shop.IShape             38:42
        method  Acme.Shop.IShape.Area        40:40
        class   Acme.Shop.Handler            44:44
    """)


def test_declarations_in_the_namespace_of_a_file() -> None:
    assert outline(ORDER) == rows("""
        chunk   -                        1:1
        class   Acme.Orders.Order        3:9
        method  Acme.Orders.Order.Total  5:8
        class   Acme.Orders.Line         11:11
    """)


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart", "[Serializable] public partial class Cart<T> : ICloneable where T : class"),
        ("Cart.Count", "public int Count"),
        ("Cart.Cart", "public Cart(string owner) : this()"),
        ("Cart.Add", '[Obsolete("use AddAll")] public bool Add(T item)'),
        ("Cart.this", "public T this[int index]"),
        ("Cart.operator.+", "public static Cart<T> operator +(Cart<T> a, Cart<T> b)"),
        ("Price", "public record Price(int Cents)"),
    ],
)
def test_signatures(symbol: str, signature: str) -> None:
    assert only(CART, f"Acme.Shop.{symbol}").signature == signature


def test_a_class_is_indexed_with_its_fields_and_properties_without_code() -> None:
    assert only(CART, "Acme.Shop.Cart").text == (
        "/// <summary>A cart.</summary>\n    [Serializable]\n"
        "    public partial class Cart<T> : ICloneable where T : class\n    {\n"
        "        private readonly List<T> _items = new();\n\n"
        '        public string Owner { get; set; } = "";\n    }'
    )


def test_a_local_function_is_part_of_its_method() -> None:
    assert "bool Known(T other) => other == item;" in only(CART, "Acme.Shop.Cart.Add").text
