"""Go, Rust and Dart: receivers, impl blocks, bodies beside their signatures."""

import pytest

from parse.outlines import only, outline, rows, sample

GO = sample("cart.go")
RUST = sample("cart.rs")
DART = sample("cart.dart")


def test_go_declarations() -> None:
    assert outline(GO) == rows("""
        chunk   -                1:21
        class   shop.Cart        13:17
        class   shop.ID          19:20
        class   shop.Shape       23:28
        method  shop.Shape.Area  25:26
        class   shop.Handler     30:30
        method  shop.Cart.Add    32:41
        method  shop.ID.String   43:43
        method  shop.Map         45:50
        method  shop.handle      52:54
        method  shop.init        56:58
    """)


def test_a_go_type_group_leaves_its_frame_to_the_chunk_above() -> None:
    assert GO[0].text.endswith('var ErrFull = errors.New("full")\n\ntype (\n)')


def test_a_go_interface_is_indexed_without_its_methods() -> None:
    assert only(GO, "shop.Shape").text == (
        "// Shape is a figure.\ntype Shape interface {\n\tfmt.Stringer\n}"
    )


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart", "Cart[T any] struct"),
        ("Handler", "type Handler func(id ID) error"),
        ("Cart.Add", "func (c *Cart[T]) Add(item T) error"),
        ("Map", "func Map[K comparable, V any](in map[K]V) []K"),
        ("handle", "var handle = func(id ID) error"),
    ],
)
def test_go_signatures(symbol: str, signature: str) -> None:
    assert only(GO, f"shop.{symbol}").signature == signature


def test_rust_declarations_and_impl_blocks_under_the_name_of_their_type() -> None:
    assert outline(RUST) == rows("""
        chunk   -                   1:4
        class   Cart                6:10
        class   Cart                12:23
        method  Cart.add            15:22
        class   Cart                25:29
        method  Cart.fmt            26:28
        class   Cart                31:34
        method  Cart.into_iter      33:33
        class   Shape               36:40
        method  Shape.area          38:38
        method  Shape.label         39:39
        class   Size                42:42
        class   Cents               44:44
        method  cents               46:48
        method  restock             50:52
        chunk   -                   54:62
        method  tests.adds_an_item  58:61
    """)


def test_rust_attributes_belong_to_the_text_and_not_to_the_signature() -> None:
    add = only(RUST, "Cart.add")
    assert add.text.startswith("/// Adds an item.\n    #[inline]\n    pub fn add(")
    assert add.signature == "pub fn add(&mut self, item: T) -> &mut Self"
    assert only(RUST, "tests.adds_an_item").text.startswith("#[test] // slow\n")


def test_the_impl_blocks_of_a_type_differ_in_their_signatures() -> None:
    assert [node.signature for node in RUST if node.symbol == "Cart"] == [
        "pub struct Cart<T> where T: Clone",
        "impl<T: Clone> Cart<T>",
        "impl<T: Clone> fmt::Display for Cart<T>",
        "impl<'a, T: Clone> IntoIterator for &'a Cart<T>",
    ]


def test_a_rust_impl_block_is_indexed_without_its_methods() -> None:
    block = next(node for node in RUST if node.start_line == 12)
    assert block.text == "impl<T: Clone> Cart<T> {\n    pub const MAX: usize = 10;\n}"


def test_dart_declarations() -> None:
    assert outline(DART) == rows("""
        chunk   -                         1:3
        class   acme.shop.Cart            5:38
        method  acme.shop.Cart.Cart       12:15
        method  acme.shop.Cart.empty      17:17
        method  acme.shop.Cart.fromJson   19:21
        method  acme.shop.Cart.add        23:28
        method  acme.shop.Cart.count      30:30
        method  acme.shop.Cart.count      31:33
        method  acme.shop.Cart.==         35:35
        method  acme.shop.Cart.close      37:37
        class   acme.shop.Shape           40:42
        method  acme.shop.Shape.area      41:41
        class   acme.shop.Logging         44:46
        method  acme.shop.Logging.log     45:45
        class   acme.shop.Shouting        48:50
        method  acme.shop.Shouting.shout  49:49
        class   acme.shop.int             52:54
        method  acme.shop.int.cents       53:53
        class   acme.shop.Size            56:60
        method  acme.shop.Size.label      59:59
        class   acme.shop.Handler         62:62
        method  acme.shop.main            64:66
    """)


def test_a_dart_method_holds_the_body_that_follows_its_signature() -> None:
    add = only(DART, "acme.shop.Cart.add")
    assert add.signature == "Future<void> add(T item, [int count = 1])"
    assert add.text.startswith("/// Adds an item.\n  @override\n  Future<void> add(")
    assert add.text.endswith("_count += twice(count);\n  }")


def test_a_dart_class_is_indexed_without_its_methods() -> None:
    assert only(DART, "acme.shop.Cart").text == (
        "/// A cart.\n@immutable\n"
        "class Cart<T extends Item> extends Store with Logging implements Closeable {\n"
        "  static const max = 10;\n"
        "  final String owner;\n"
        "  int _count = 0;\n"
        "}"
    )
