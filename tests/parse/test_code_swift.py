"""Swift: extensions, computed properties, and declarations without `func`."""

import pytest

from parse.outlines import only, sample

CART = sample("Cart.swift")


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart.count", "public var count: Int"),
        ("Cart.init", "public init?(owner: String)"),
        (
            "Cart.add",
            "@discardableResult func add(_ item: T, file: String = #fileID) async throws -> Bool",
        ),
        ("Cart.subscript", "subscript(index: Int) -> T"),
        ("Cart.==", "static func == (a: Cart, b: Cart) -> Bool"),
        ("Shape", "protocol Shape: AnyObject"),
    ],
)
def test_signatures(symbol: str, signature: str) -> None:
    assert only(CART, symbol).signature == signature


def test_extension_is_a_class_named_by_its_type() -> None:
    assert [node.signature for node in CART if node.symbol == "Cart"] == [
        "@available(iOS 13, *) public final class Cart<T: Item>: Base where T: Hashable",
        "extension Cart: Shape where T == Int",
    ]


def test_class_has_its_stored_properties() -> None:
    assert CART[1].text == (
        "/// A cart.\n@available(iOS 13, *)\n"
        "public final class Cart<T: Item>: Base where T: Hashable {\n"
        "    private var items: [T] = []\n"
        '    var owner: String = "" {\n        didSet { print(owner) }\n    }\n}'
    )
