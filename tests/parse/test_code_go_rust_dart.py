"""Go, Rust and Dart: receivers, impl blocks, and bodies apart from signatures."""

import pytest

from parse.outlines import nodes_of, only, outline, rows, sample

GO = sample("sample.go")
RUST = sample("sample.rs")
DART = sample("sample.dart")


def test_frame_of_a_go_type_group_belongs_to_the_chunk_above() -> None:
    assert GO[0].text.endswith('var ErrFull = errors.New("full")\n\ntype (\n)')


def test_go_interface_is_indexed_without_its_methods() -> None:
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


def test_rust_attributes_are_in_the_text_but_not_in_the_signature() -> None:
    add = only(RUST, "Cart.add")
    assert add.text.startswith("/// Adds an item.\n    #[inline]\n    pub fn add(")
    assert add.signature == "pub fn add(&mut self, item: T) -> &mut Self"
    assert only(RUST, "tests.adds_an_item").text.startswith("#[test] // slow\n")


def test_impl_blocks_of_a_type_have_different_signatures() -> None:
    assert [node.signature for node in RUST if node.symbol == "Cart"] == [
        "pub struct Cart<T> where T: Clone",
        "impl<T: Clone> Cart<T>",
        "impl<T: Clone> fmt::Display for Cart<T>",
        "impl<'a, T: Clone> IntoIterator for &'a Cart<T>",
    ]


def test_rust_impl_block_is_indexed_without_its_methods() -> None:
    block = next(node for node in RUST if node.start_line == 12)
    assert block.text == "impl<T: Clone> Cart<T> {\n    pub const MAX: usize = 10;\n}"


def test_dart_method_contains_its_body() -> None:
    add = only(DART, "acme.shop.Cart.add")
    assert add.signature == "Future<void> add(T item, [int count = 1])"
    assert add.text.startswith("/// Adds an item.\n  @override\n  Future<void> add(")
    assert add.text.endswith("_count += twice(count);\n  }")


def test_dart_class_is_indexed_without_its_methods() -> None:
    assert only(DART, "acme.shop.Cart").text == (
        "/// A cart.\n@immutable\n"
        "class Cart<T extends Item> extends Store with Logging implements Closeable {\n"
        "  static const max = 10;\n"
        "  final String owner;\n"
        "  int _count = 0;\n"
        "}"
    )


def test_dart_names_without_their_type() -> None:
    nodes = nodes_of(
        "badge.dart",
        """
        class Badge extends Widget {
          Widget build(Context context) {
            return Row(
              alignment: .center,
              box: const .new(width: 4),
              children: [...items, ?last, other?.first],
              color: switch (state) {
                .done => .green,
                .failed || .lost => .red,
              },
            );
          }

          void close() => list..clear();
        }
        """,
    )
    assert outline(nodes) == rows("""
        class   Badge        1:15
        method  Badge.build  2:12
        method  Badge.close  14:14
    """)


def test_rust_items_in_a_macro_are_nodes() -> None:
    nodes = nodes_of(
        "handle.rs",
        """
        use std::fmt;

        cfg_rt! {
            /// A handle.
            #[derive(Debug)]
            pub struct Handle {
                inner: u8,
            }

            impl Handle {
                cfg_metrics! {
                    pub fn workers(&self) -> usize { 1 }
                }

                pub(crate) fn current() -> Handle {
                    panic!("none")
                }
            }
        }

        pin_project! {
            #[must_use = "streams do nothing"]
            pub struct Take<S> {
                #[pin]
                stream: S,
            }
        }

        define_rejection! {
            #[status = BAD_REQUEST]
            /// Why a request was rejected.
            pub struct TooLong(Error);
        }

        composite_rejection! {
            pub enum Rejection {
                TooLong, // the only one
            }
        }

        fn last() {}
        """,
    )
    assert [row for row in outline(nodes) if "chunk" not in row] == rows("""
        class   Handle          4:8
        class   Handle          10:18
        method  Handle.workers  12:12
        method  Handle.current  15:17
        class   Take            22:26
        class   TooLong         30:32
        class   Rejection       36:38
        method  last            41:41
    """)


def test_rust_macros_with_a_language_of_their_own_hide_no_items() -> None:
    nodes = nodes_of(
        "flags.rs",
        """
        bitflags! {
            pub struct Flags: u32 {
                const READ = 1;
            }
        }

        fn build() -> Tokens {
            quote! {
                pub fn #name() {}
            }
        }

        quick_error! {
            pub enum Problem {
                Io(err: io::Error) {
                    display("I/O error: {}", err)
                }
            }
        }

        pub fn open() {}

        parser! {
            pub fn expr[Input]()(Input) -> Expr
            where [Input: Stream<Token = char>]
            {
                expr_()
            }
        }

        pub fn parse() {}

        paste! {
            pub fn [<read_ u8>]() -> u8 { 1 }
        }

        register! {
            impl AstNode for
            Item, Macro,
        }

        fn last() {}
        """,
    )
    assert [row for row in outline(nodes) if "chunk" not in row] == rows("""
        method  build  7:11
        method  open   21:21
        method  parse  31:31
        method  last   42:42
    """)
