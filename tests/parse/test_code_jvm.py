"""Java, Kotlin and Groovy: packages, nested and anonymous classes, properties, extensions."""

import pytest

from feeder.nodes import Member, Node
from parse.outlines import GRAMMARS, nodes_of, only, outline, rows, sample

JAVA = sample("sample.java")
KOTLIN = sample("sample.kt")
GROOVY = sample("sample.groovy")


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


def test_kotlin_property_with_an_accessor_body_is_a_method() -> None:
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


def test_groovy_annotations_are_parsed_despite_the_grammar() -> None:
    assert only(GROOVY, "acme.shop.Cart").text == (
        '/**\n * A cart.\n */\n@ToString(includes = "owner")\n'
        "class Cart extends Store implements Closeable {\n"
        "    private final List<Item> items = []\n"
        "    String owner\n"
        "}"
    )
    assert only(GROOVY, "acme.shop.Cart.add").signature == "void add(Item item, int count = 1)"


def test_jenkinsfile_is_groovy() -> None:
    assert GRAMMARS.detect_language("ci/Jenkinsfile", b"") == ("groovy", "code")


def test_symbols_always_have_their_package() -> None:
    named: list[Node] = [node for node in (*JAVA, *KOTLIN, *GROOVY) if node.symbol]
    assert all(str(node.symbol).startswith("acme.shop.") for node in named)


def test_kotlin_class_by_delegation_in_a_header_of_several_lines() -> None:
    nodes = nodes_of(
        "Tracer.kt",
        """
        class Tracer(
            private val delegate: Channel<Frame>
        ) : Channel<Frame> by delegate {
            override fun poll() = delegate.poll()
        }

        class Request(data: Data) : Inspector,
            Headers by TracedHeaders(data.headers(1)) {
            fun id() = 1
        }

        object Log : Logger by LoggerFactory.get("a") {
            override fun info() = Unit
        }

        class Server<
            TEngine : Engine<Config>,
            TConfig : Config
            >
        constructor(
            private val block: TConfig.() -> Unit
        ) {
            val lines by lazy {
                text()
            }

            fun start() = run { block() }
        }
        """,
    )
    assert outline(nodes) == rows("""
        class   Tracer        1:5
        method  Tracer.poll   4:4
        class   Request       7:10
        method  Request.id    9:9
        class   Log           12:14
        method  Log.info      13:13
        class   Server        16:28
        method  Server.start  27:27
    """)


def test_kotlin_string_with_several_dollar_signs() -> None:
    nodes = nodes_of(
        "Config.kt",
        """
        class Config {
            fun text() = $$\"""a: ${A} $$b\"""

            fun name() = $$"${B}"
        }
        """,
    )
    assert outline(nodes) == rows("""
        class   Config       1:5
        method  Config.text  2:2
        method  Config.name  4:4
    """)


def test_kotlin_property_by_delegation_is_a_member() -> None:
    [node] = nodes_of(
        "Screen.kt",
        """
        class Screen {
            private val users:
                UserRepository by inject { parametersOf(1) }
        }
        """,
    )
    assert node.members == (Member("users", 2),)
    assert {"inject(:2", "parametersOf(:2"} <= {*node.relations.split()}


def test_kotlin_constructor_of_another_platform_and_delegation_after_a_base_class() -> None:
    nodes = nodes_of(
        "TestBase.kt",
        """
        actual open class TestBase(
            private val caught: Caught.Impl
        ): OrderedBase(), Caught by caught {

            actual constructor(): this(Caught.Impl())

            actual fun println(message: Any?) {
                print(message)
            }
        }
        """,
    )
    assert outline(nodes) == rows("""
        class   TestBase              1:10
        method  TestBase.constructor  5:5
        method  TestBase.println      7:9
    """)
