"""C#: namespaces of both forms, members with bodies, attributes."""

import pytest

from parse.outlines import only, sample

CART = sample("sample.cs")


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


def test_class_has_its_fields_and_auto_properties() -> None:
    assert only(CART, "Acme.Shop.Cart").text == (
        "/// <summary>A cart.</summary>\n    [Serializable]\n"
        "    public partial class Cart<T> : ICloneable where T : class\n    {\n"
        "        private readonly List<T> _items = new();\n\n"
        '        public string Owner { get; set; } = "";\n    }'
    )


def test_local_function_is_part_of_its_method() -> None:
    assert "bool Known(T other) => other == item;" in only(CART, "Acme.Shop.Cart.Add").text
