"""Constructs that are newer than a grammar, or that it reads as something else."""

from textwrap import dedent

import pytest

from feeder.parse.recovery import ParsedText
from feeder.parse.syntax_tree import parse_first_branches, parse_tree
from parse.outlines import GRAMMARS, nodes_of, outline, rows


def definitions(path: str, text: str) -> list[str]:
    return [line for line in outline(nodes_of(path, text)) if not line.startswith("chunk")]


def test_functions_declared_with_friend_export_and_default_in_cpp() -> None:
    found = definitions(
        "cart.cppm",
        """
        export void open();

        class Cart {
          friend bool operator==(const Cart&, const Cart&) = default;
          template <class T>
          friend void swap(T& a, T& b) {}
          friend int Shop::count(const Cart&);
        };

        Cart& Cart::operator=(Cart&&) noexcept = default;

        void close() = delete("never");

        template <class T>
        Box<T>& Box<T>::operator=(const Box&) = default;

        int size = standard;
        """,
    )
    assert found == rows(
        """
        method open 1:1
        class  Cart 3:8
        method Cart.operator== 4:4
        method Cart.swap 5:6
        method Cart.operator= 10:10
        method close 12:12
        method Box.operator= 14:15
        """
    )


def test_macros_before_blocks_and_fields_and_defaults_without_a_name_in_cpp() -> None:
    found = definitions(
        "cart.hpp",
        """
        class Cart {
          CART_ATTRIBUTE(no_unique_address) Item first;

          void add(Item*, Mode = {}, Item* = nullptr) noexcept
          {
            CART_TRY
            {
              push();
            }
            CART_CATCH_ALL
            {
              fail();
            }
          }

          void clear();
        };
        """,
    )
    assert found == rows(
        """
        class  Cart 1:17
        method Cart.add 4:14
        method Cart.clear 16:16
        """
    )


def test_branch_that_is_most_of_a_file_is_not_left_out() -> None:
    lines = [
        "#if MODULES",
        "import shop;",
        "#else",
        *(line for n in range(9) for line in (f"int add{n}(int a) {{", "  return a;", "}", "")),
        "FIRST(a) SECOND(b) { ) }",
        "#endif",
    ]
    found = definitions("cart.hpp", "\n".join(lines) + "\n")
    assert [f"method add{n} {4 * n + 4}:{4 * n + 6}" for n in range(9)] == found[:9]


def test_lines_of_branches_that_are_left_out_are_not_parsed() -> None:
    grammar = GRAMMARS.grammar("c")
    text = dedent(
        """
        #ifdef FAST
        static int add(int a) {
          if (a) {
        #else
        static int add(int b) {
        #endif
          call(a, a, a, a, a, a, a);
        #ifdef FAST
          }
        #endif
          return a;
        }
        """
    ).encode()
    root, left_out = parse_first_branches(grammar, text, parse_tree(grammar, text))
    assert (root.has_error, left_out) == (False, [5])
    assert ParsedText(root, [], mended=left_out).unparsed == [(6, 6)]


def test_functions_of_c_that_a_macro_names_or_marks() -> None:
    found = definitions(
        "probe.c",
        """
        SEC("kprobe/open")
        int BPF_KPROBE(on_open, int handle)
        {
          return 0;
        }

        static int __init setup(void)
        {
          return 1;
        }

        void (reset)(void) {}
        """,
    )
    assert found == rows(
        """
        method on_open 1:5
        method setup 7:10
        method reset 12:12
        """
    )


def test_objects_and_functions_behind_satisfies_and_new_in_typescript() -> None:
    found = definitions(
        "shop.ts",
        """
        export default {
          async fetch(request: Request) {
            return answer(request);
          },
        } satisfies Handler;

        export const GET = (async ({ url }) => {
          return url;
        }) satisfies Route;

        const store = new Store({
          add() {},
        });

        const table = {
          total() {},
        } as const satisfies Table;

        let reset;
        reset = () => {};
        """,
    )
    assert found == rows(
        """
        class  default 1:5
        method GET 7:9
        class  store 11:13
        class  table 15:17
        method reset 20:20
        """
    )


def test_test_of_pest_with_calls_behind_it() -> None:
    found = definitions(
        "CartTest.php",
        """
        <?php
        it('adds an item', function () {
            add();
        })->with([
            1,
        ])->group('carts');

        Route::get('/carts', fn () => carts())->name('carts');

        $app->where('size', function () {})->get('/sizes', fn () => sizes());
        """,
    )
    assert found == rows(
        """
        method adds an item 2:6
        method /carts 8:8
        method /sizes 10:10
        """
    )


def test_compound_assignment_operators_of_csharp() -> None:
    found = definitions(
        "Cart.cs",
        """
        class Cart
        {
            public void operator +=(int count) { }
            public static Cart operator checked +(Cart a, Cart b) => a;
        }
        """,
    )
    assert found == rows(
        """
        class  Cart 1:5
        method Cart.operator.+= 3:3
        method Cart.operator.+ 4:4
        """
    )


def test_delegation_behind_parameters_with_defaults_and_actual_aliases_in_kotlin() -> None:
    found = definitions(
        "Cart.kt",
        """
        class Cart(private val items: List<Item> = listOf(first(1))) : Base(), Sender by other {
            fun add() {}
        }

        actual typealias Clock = SystemClock
        """,
    )
    assert found == rows(
        """
        class  Cart 1:3
        method Cart.add 2:2
        class  Clock 5:5
        """
    )


def test_primary_constructors_of_dart_are_types() -> None:
    found = definitions(
        "shop.dart",
        """
        class Cart(var List<int> items) {
          this : assert(items.length > 1);

          void add(int item) => items.add(item);
        }

        class const Price(int cents);

        enum Size(final int n) {
          small(1), large(2);

          String get label => '$n';
        }

        void after() {}
        """,
    )
    assert found == rows(
        """
        class  Cart 1:5
        method Cart.add 4:4
        class  Price 7:7
        class  Size 9:13
        method Size.label 12:12
        method after 15:15
        """
    )


def test_declaration_read_from_its_line_remains_when_other_changes_are_taken_back() -> None:
    found = definitions(
        "price.rs",
        """
        pub trait Both = Send + Sync;
        union Bits { a: u8, b: u16 }

        pub macro twice($x:expr) {
            $x + $x
        }

        fn after() {}
        """,
    )
    assert found == rows(
        """
        class  Both 1:1
        class  Bits 2:2
        method twice 4:6
        method after 8:8
        """
    )


def test_functions_of_powershell_keep_their_names_and_ends() -> None:
    found = definitions(
        "cart.ps1",
        """
        function Get-Cart {
            $total = $sum ?? 1
            $count ??= 1
            switch -Regex ($name) {
                'a' { 1 }
                default { 2 }
            }
            ($big ? 2 : 1)
        }

        class Cart : Base {
            Cart([string]$name) : base($name) { }
            [int] Total() { return 1 }
        }

        function Set-Cart { }
        """,
    )
    assert found == rows(
        """
        method Get-Cart 1:9
        class  Cart 11:14
        method Cart.Cart 12:12
        method Cart.Total 13:13
        method Set-Cart 16:16
        """
    )


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("Price.java", "value record Price(int cents) {}\n", "class Price 1:1"),
        ("Main.java", "import module java.base;\nclass Main {}\n", "class Main 2:2"),
        ("price.rs", "pub const trait Price { fn cents(); }\n", "class Price 1:1"),
        ("price.groovy", "record Price(int cents) { }\n", "class Price 1:1"),
        ("price.lua", 'shop["total"] = function() end\n', "method shop.total 1:1"),
    ],
)
def test_single_declarations(path: str, text: str, expected: str) -> None:
    assert expected in outline(nodes_of(path, text))
