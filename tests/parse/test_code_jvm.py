"""Java, Kotlin and Groovy: packages, nested and anonymous classes, properties, extensions."""

import pytest

from feeder.nodes import Node
from parse.outlines import GRAMMARS, only, outline, rows, sample

JAVA = sample("Cart.java")
KOTLIN = sample("Cart.kt")
GROOVY = sample("Cart.groovy")


def test_java_declarations() -> None:
    assert outline(JAVA) == rows("""
        chunk   -                             1:3
        class   acme.shop.Cart                5:64
        class   acme.shop.Cart.BY_PRICE       12:18
        method  acme.shop.Cart.static         20:22
        method  acme.shop.Cart.Cart           24:26
        method  acme.shop.Cart.add            28:36
        method  acme.shop.Cart.drop           38:38
        method  acme.shop.Cart.drop           38:38
        class   acme.shop.Cart.Line           40:44
        method  acme.shop.Cart.Line.Line      41:43
        class   acme.shop.Cart.Size           46:53
        class   acme.shop.Cart.Size.LARGE     48:50
        method  acme.shop.Cart.Size.cents     52:52
        class   acme.shop.Cart.Audited        55:57
        method  acme.shop.Cart.Audited.by     56:56
        class   acme.shop.Cart.Inner          59:63
        class   acme.shop.Cart.Inner.Deep     60:62
        method  acme.shop.Cart.Inner.Deep.go  61:61
        class   acme.shop.Shape               66:68
        method  acme.shop.Shape.area          67:67
    """)


def test_java_classes_are_indexed_without_their_methods() -> None:
    assert only(JAVA, "acme.shop.Cart").text == (
        "/**\n * A cart.\n */\n@Entity\n"
        "public class Cart<T extends Item> implements Closeable {\n"
        "    private static final int MAX = 10; // items\n"
        "}"
    )
    assert only(JAVA, "acme.shop.Cart.Size").text == "enum Size {\n        SMALL,\n    }"


def test_two_methods_on_one_line_share_it() -> None:
    drops = [node.text for node in JAVA if node.symbol == "acme.shop.Cart.drop"]
    assert drops == ["void drop(int index) {}", "void drop(T item) {}"]


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart", "@Entity public class Cart<T extends Item> implements Closeable"),
        ("Cart.BY_PRICE", "static final Comparator<Item> BY_PRICE = new Comparator<>()"),
        (
            "Cart.add",
            '@Override @SuppressWarnings("unchecked") '
            "public <R> R add(final T item, int count) throws Full",
        ),
        ("Cart.Line", "record Line(Item item, int count)"),
        ("Cart.Audited.by", 'String by() default "nobody"'),
        ("Shape.area", "double area()"),
    ],
)
def test_java_annotations_stay_in_the_signature(symbol: str, signature: str) -> None:
    assert only(JAVA, f"acme.shop.{symbol}").signature == signature


def test_kotlin_declarations() -> None:
    assert outline(KOTLIN) == rows("""
        chunk   -                              1:5
        class   acme.shop.Prices               7:7
        class   acme.shop.Cart                 9:58
        method  acme.shop.Cart.size            14:16
        method  acme.shop.Cart.discount        18:20
        method  acme.shop.Cart.init            25:27
        method  acme.shop.Cart.constructor     29:31
        method  acme.shop.Cart.add             33:37
        method  acme.shop.Cart.close           39:39
        class   acme.shop.Cart.listener        41:43
        class   acme.shop.Cart.Companion       45:48
        method  acme.shop.Cart.Companion.of    47:47
        class   acme.shop.Cart.Size            50:57
        class   acme.shop.Cart.Size.LARGE      52:54
        method  acme.shop.Cart.Size.label      56:56
        class   acme.shop.Store                60:64
        class   acme.shop.Store.Factory        61:63
        method  acme.shop.Store.Factory.make   62:62
        class   acme.shop.Registry             66:68
        method  acme.shop.String.shout         70:70
        method  acme.shop.List.second          72:72
        method  acme.shop.Cart.isEmpty         74:75
        class   acme.shop.Shape                77:77
        class   acme.shop.Circle               78:78
    """)


def test_a_kotlin_property_is_a_method_when_it_has_an_accessor_with_a_body() -> None:
    assert only(KOTLIN, "acme.shop.Cart").text == (
        "/** A cart. */\n@Serializable\n"
        "open class Cart<T : Item>(val owner: String) : Store(owner), Closeable {\n"
        "    private val items = mutableListOf<T>()\n"
        "    var open = true\n"
        "        private set\n"
        "}"
    )
    assert only(KOTLIN, "acme.shop.Cart.discount").text == (
        "var discount: Int = 0\n"
        "        get() { return max(field, 0) }\n"
        "        set(value) { field = value }"
    )


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart.size", "val size: Int"),
        ("Cart.init", "init"),
        ("Cart.constructor", "constructor(owner: String, first: T) : this(owner)"),
        ("Cart.add", "@Synchronized suspend fun add(item: T, count: Int = 1): Boolean"),
        ("Cart.Companion.of", "fun of(owner: String)"),
        ("Cart.listener", "private val listener = object : Listener"),
        ("String.shout", "fun String.shout(): String"),
        ("Cart.isEmpty", "val Cart<*>.isEmpty: Boolean"),
        ("Circle", "data class Circle(val radius: Double) : Shape"),
    ],
)
def test_kotlin_signatures_end_before_the_body(symbol: str, signature: str) -> None:
    assert only(KOTLIN, f"acme.shop.{symbol}").signature == signature


def test_groovy_declarations() -> None:
    assert outline(GROOVY) == rows("""
        chunk   -                                      1:3
        class   acme.shop.Cart                         5:32
        method  acme.shop.Cart.Cart                    13:15
        method  acme.shop.Cart.add                     17:21
        method  acme.shop.Cart.sorted                  23:25
        class   acme.shop.Cart.Size                    27:27
        class   acme.shop.Cart.Line                    29:31
        method  acme.shop.Cart.Line.label              30:30
        class   acme.shop.Shape                        34:36
        class   acme.shop.CartSpec                     38:44
        method  acme.shop.CartSpec.adds #count items   39:43
        method  acme.shop.restock                      46:48
    """)


def test_groovy_annotations_are_read_although_the_grammar_cannot() -> None:
    assert only(GROOVY, "acme.shop.Cart").text == (
        '/**\n * A cart.\n */\n@ToString(includes = "owner")\n'
        "class Cart extends Store implements Closeable {\n"
        "    private final List<Item> items = []\n"
        "    String owner\n"
        "}"
    )
    assert only(GROOVY, "acme.shop.Cart.add").signature == "void add(Item item, int count = 1)"


def test_a_gradle_script_has_its_tasks_and_functions_and_chunks() -> None:
    assert outline(sample("build.gradle")) == rows("""
        chunk   -          1:14
        method  hello      16:20
        method  versionOf  22:24
        chunk   -          26:32
    """)


def test_a_jenkinsfile_is_groovy() -> None:
    assert GRAMMARS.language("ci/Jenkinsfile", b"") == ("groovy", "code")


def test_symbols_of_a_file_never_lack_their_package() -> None:
    named: list[Node] = [node for node in (*JAVA, *KOTLIN, *GROOVY) if node.symbol]
    assert all(str(node.symbol).startswith("acme.shop.") for node in named)
