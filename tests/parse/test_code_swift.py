"""Swift: extensions, computed properties, and declarations without `func`."""

import pytest

from parse.outlines import nodes_of, only, outline, rows, sample

CART = sample("sample.swift")


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


def test_await_behind_try_in_a_condition_and_a_lone_pair_of_parentheses() -> None:
    nodes = nodes_of(
        "load.swift",
        """
        struct Loader {
            func load() async throws {
                if let item = try await next() {
                    use(item)
                }
                switch try await state() {
                case .open: break
                }
            }

            func close() {
                do {
                    try stop()
                } catch let error as Failure where error.code == .unsupported {
                    // Nothing to stop.
                    ()
                }
            }

            func reset() {}
        }
        """,
    )
    assert outline(nodes) == rows("""
        class   Loader        1:21
        method  Loader.load   2:9
        method  Loader.close  11:18
        method  Loader.reset  20:20
    """)
