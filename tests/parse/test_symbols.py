"""Symbols in difficult cases."""

import pytest

from feeder.parse.captures import NAME_LIMIT
from parse.outlines import assert_properties_hold, nodes_of, only, outline, rows


@pytest.mark.parametrize("comment", ["// why", "/* why */", "// why\n        // and why not"])
def test_kotlin_property_with_a_comment_before_its_accessor(comment: str) -> None:
    found = nodes_of(
        "a.kt", f"class A {{\n    val a: Int\n        {comment}\n        get() = 1\n}}\n"
    )
    last = 4 + comment.count("\n")
    assert outline(found) == [f"class A 1:{last + 1}", f"method A.a 2:{last}"]


def test_kotlin_enum_with_one_line_entry_bodies() -> None:
    found = nodes_of(
        "a.kt",
        """
        class Shop {
            enum class Size(val cm: Int) : Priced {
                SMALL(1) { override fun price() = 1 },
                LARGE(9) { override fun price() { return max(9) } };
                abstract fun price(): Int
            }
            enum class Door { OPEN { override fun go() = 1 }, SHUT { override fun go() = 2 } }
        }
        """,
    )
    assert outline(found) == rows("""
        class   Shop             1:8
        class   Shop.Size        2:6
        method  Shop.Size.price  5:5
        class   Shop.Door        7:7
    """)
    assert "LARGE(9) { override fun price() { return max(9) } };" in only(found, "Shop.Size").text


def test_one_line_object_body_is_no_enum_entry() -> None:
    found = nodes_of("a.kt", "val a = 1\nclass Z :\n    Base { override fun f() = 1 }\n")
    assert outline(found) == ["chunk - 1:1", "class Z 2:3", "method Z.f 3:3"]


def test_constant_with_functions_is_a_class() -> None:
    found = nodes_of(
        "a.ts",
        """
        const routes = { '/dist/': { computed() { return 1; } }, plain: { a: 1 } };
        const plain = { a: { b: 1 } };
        """,
    )
    assert outline(found) == ["class routes 1:1", "chunk - 2:2"]


def test_keys_in_a_large_constant_have_its_name() -> None:
    filler = "".join(f"    step{n}: {n}, // {'.' * 60}\n" for n in range(60))
    found = nodes_of("a.ts", f"const api = {{\n  cart: {{\n{filler}    add() {{}},\n  }},\n}};\n")
    symbols = [node.symbol for node in found]
    assert symbols[0] == "api" and set(symbols) == {"api", "api.cart", "api.cart.add"}


def test_typescript_module_has_its_whole_string_as_name() -> None:
    found = nodes_of("a.d.ts", "declare module '@shop/cart' {\n  export function add(): void;\n}\n")
    assert outline(found) == ["chunk - 1:3", "method @shop/cart.add 2:2"]


@pytest.mark.parametrize("path", ["a.js", "a.ts"])
def test_exported_declaration_has_its_own_name(path: str) -> None:
    found = nodes_of(path, "module.exports = {\n  add() {},\n  total: () => 1,\n};\n")
    assert outline(found) == ["chunk - 1:4", "method add 2:2", "method total 3:3"]


def test_computed_key_has_no_name() -> None:
    found = nodes_of("a.js", "files['/dist/' + name] = { computed: () => 1 };\n")
    assert outline(found) == ["chunk - 1:1"]


def test_csharp_constructor_and_destructor_have_different_names() -> None:
    found = nodes_of("A.cs", "class A {\n  static A() { }\n  ~A() { }\n  public A() { }\n}\n")
    assert outline(found) == rows("""
        class   A         1:5
        method  A.static  2:2
        method  A.~A      3:3
        method  A.A       4:4
    """)


@pytest.mark.parametrize(
    ("path", "text", "symbol", "signature"),
    [
        ("a.py", "twice = lambda x: 2 * x\n", "twice", "twice = lambda x:"),
        ("a.dart", "final twice = (int x) => 2 * x;\n", "twice", "final twice = (int x)"),
        ("a.dart", "var go = () { a(); };\n", "go", "var go = ()"),
        ("a.rb", "TWICE = ->(x) { 2 * x }\n", "TWICE", "TWICE = ->(x)"),
        ("a.rb", "twice = lambda { |x| 2 * x }\n", "twice", "twice = lambda"),
        ("a.rb", "twice = Proc.new do |x| 2 * x end\n", "twice", "twice = Proc.new"),
        (
            "a.cpp",
            "const auto twice = [](int x) { return 2 * x; };\n",
            "twice",
            "const auto twice = [](int x)",
        ),
    ],
)
def test_anonymous_function_has_the_name_of_its_constant(
    path: str, text: str, symbol: str, signature: str
) -> None:
    [node] = nodes_of(path, text)
    assert (node.node_type, node.symbol, node.signature) == ("method", symbol, signature)


def test_lambdas_in_a_class_or_namespace_have_its_name() -> None:
    assert outline(nodes_of("a.py", "class A:\n    f = lambda self: 1\n"))[1:] == ["method A.f 2:2"]
    assert outline(nodes_of("a.rb", "class A\n  F = -> { 1 }\nend\n"))[1:] == ["method A.F 2:2"]
    found = nodes_of("a.cpp", "namespace a {\nauto f = [] { return 1; };\n}\n")
    assert outline(found)[1:] == ["method a.f 2:2"]


def test_grouped_go_type_has_its_own_signature() -> None:
    found = nodes_of("a.go", "package a\ntype ( A int; B struct { x int } )\n")
    assert {node.symbol: node.signature for node in found[1:]} == {
        "a.A": "A int",
        "a.B": "B struct",
    }


def test_qualified_ruby_name_is_not_qualified_twice() -> None:
    found = nodes_of(
        "a.rb",
        """
        module Shop
          class Shop::Cart
            def add; end
          end
          class Line::Price; end
          class ::Top; end
        end
        """,
    )
    assert outline(found) == rows("""
        class   Shop             1:7
        class   Shop.Cart        2:4
        method  Shop.Cart.add    3:3
        class   Shop.Line.Price  5:5
        class   Top              6:6
    """)


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("int (*pick(int a))(int) { return 0; }\n", "pick"),
        ("void (*Cart::pick(int a) const)(int) { return 0; }\n", "Cart.pick"),
        ("int (*pick(int a))(int);\n", "pick"),
    ],
)
def test_cpp_function_returning_a_function_pointer(text: str, symbol: str) -> None:
    [node] = nodes_of("a.cpp", text)
    assert (node.node_type, node.symbol) == ("method", symbol)


GARBLED = (
    "unsigned long switches(void)\n{\n\tint i;\n"
    + "".join(f"\tsum += rq({n})->count; /* {'.' * 40} */\n" for n in range(60))
    + "\tDEFINE_SUM(sum\n}\n\n"
)


def test_c_functions_contain_no_symbols() -> None:
    text = (
        f"{GARBLED}/* Picks. */\nstatic struct task *pick(struct rq *rq)\n{{\n"
        "\treturn 0;\n}\nstruct after { int a; };\nint last(void) { return 1; }\n"
    )
    found = nodes_of("a.c", text)
    assert {node.symbol for node in found[:-3]} == {"switches"}
    assert outline(found[-3:]) == ["method pick 67:71", "class after 72:72", "method last 73:73"]
    assert only(found, "pick").text.startswith("/* Picks. */\nstatic struct task *pick")
    assert_properties_hold("a.c", text, found)


def test_macro_in_a_large_c_function_is_part_of_it() -> None:
    body = "".join(f"\tsum += rq({n})->count; /* {'.' * 40} */\n" for n in range(60))
    found = nodes_of("a.c", f"int f(void)\n{{\n#define TWICE(x) (2 * (x))\n{body}}}\n")
    assert {node.symbol for node in found} == {"f"}


def test_name_is_one_line_of_limited_length_without_control_characters() -> None:
    found = nodes_of("a.js", f"it('adds\\\n  \u202ean\x07 item {'x' * 200}', () => {{}});\n")
    name = found[0].symbol or ""
    assert name.startswith("adds\\ an item xxx") and len(name) == NAME_LIMIT


def test_c_struct_with_field_macros() -> None:
    found = nodes_of(
        "a.c",
        """
        struct request {
          REQUEST_FIELDS
          int size;
          PRIVATE_FIELDS
        };
        union any { ANY_TYPES(XX)
        };
        enum last { A,
          LAST_ITEM
        };
        LONG_RESULT
        result(int a) { return a; }
        """,
    )
    assert outline(found) == rows("""
        class   request  1:5
        class   any      6:7
        class   last     8:10
        method  result   11:12
    """)
    assert [member.name for member in only(found, "last").members] == ["A", "LAST_ITEM"]


def test_kotlin_class_with_a_comment_before_its_constructor() -> None:
    found = nodes_of(
        "a.kt",
        """
        expect open class Bytes
        // Trusted.
        internal actual constructor(data: ByteArray) : Comparable<Bytes> {
            fun hex(): String

            companion object {
                fun of(data: Byte): Bytes
            }
        }
        """,
    )
    assert outline(found) == rows("""
        class   Bytes               1:9
        method  Bytes.hex           4:4
        class   Bytes.Companion     6:8
        method  Bytes.Companion.of  7:7
    """)


def test_delegating_kotlin_object_is_no_call() -> None:
    found = nodes_of(
        "a.kt",
        """
        class Pipe(source: Source) : Source by source {
            fun close() = 1
            val rest: Int by lazy { 2 }
        }
        """,
    )
    assert outline(found) == ["class Pipe 1:4", "method Pipe.close 2:2"]


def test_kotlin_class_with_its_constructor_on_a_separate_line() -> None:
    found = nodes_of("a.kt", "class Cart\n@Inject constructor(a: A) : B {\n    fun f() = 1\n}\n")
    assert outline(found) == ["class Cart 1:4", "method Cart.f 3:3"]
