"""A call with a string and a function is known by that string, in whatever tests or routes so."""

import pytest

from parse.outlines import nodes_of, only, outline

CALLS = {
    "describe.ts": ("describe('a cart', () => {\n  it('adds', () => {});\n});\n", "a cart"),
    "route.js": ("app.get('/carts/:id', auth, (req, res) => {\n  a();\n});\n", "/carts/:id"),
    "panel.tsx": ("await test('opens', async function () {\n  a();\n});\n", "opens"),
    "a.test.ts": ("it(`adds\n  twice`, () => {});\n", "adds twice"),
    "cart_spec.rb": ("describe 'a cart' do\n  a\nend\n", "a cart"),
    "model_spec.rb": ("RSpec.describe Shop::Cart, type: :model do\n  a\nend\n", "Shop.Cart"),
    "rakefile": ("task :build do\n  a\nend\n", "build"),
    "app.kts": ('get("/carts") {\n  a()\n}\n', "/carts"),
    "kotest.kts": ('"adds an item" {\n  a()\n}\n', "adds an item"),
    "app.swift": ('app.get("carts") { request in\n  a()\n}\n', "carts"),
    "App.cs": ('app.MapGet("/carts", async (c) =>\n{\n  a();\n});\n', "/carts"),
    "catch.cpp": ('TEST_CASE("adds", "[cart]") {\n  a();\n}\n', "adds"),
    "jenkinsfile": ("stage('Build') {\n  sh 'make'\n}\n", "Build"),
}


@pytest.mark.parametrize("path", CALLS)
def test_a_call_is_a_method_with_the_name_of_its_string(path: str) -> None:
    text, symbol = CALLS[path]
    [node] = nodes_of(path, text)
    assert (node.node_type, node.symbol) == ("method", symbol)


def test_a_php_route_is_a_method() -> None:
    found = nodes_of("web.php", "<?php\nRoute::get('/carts', function () {\n    a();\n});\n")
    assert outline(found) == ["chunk - 1:1", "method /carts 2:4"]


def test_a_go_spec_is_a_method_of_its_package() -> None:
    found = nodes_of("a_test.go", 'package a\nvar _ = Describe("a cart", func() {\n\tb()\n})\n')
    assert outline(found) == ["chunk - 1:1", "method a.a cart 2:4"]


def test_a_scala_test_is_a_method_of_its_suite() -> None:
    text = 'class CartTest extends FunSuite {\n  test("adds") { a() }\n  "ends" in { b() }\n}\n'
    assert outline(nodes_of("CartTest.scala", text))[1:] == [
        "method CartTest.adds 2:2",
        "method CartTest.ends 3:3",
    ]


@pytest.mark.parametrize(
    ("path", "opening", "inner", "end", "symbol"),
    [
        ("a.ts", "describe('cart', () => {\n", "  it('adds', () => { a(); });\n", "});\n", "adds"),
        ("a.rb", "describe 'cart' do\n", "  it('adds') { a }\n", "end\n", "adds"),
        ("a.kts", 'describe("cart") {\n', '  it("adds") { a() }\n', "}\n", "adds"),
        (
            "a.go",
            "package p\nfunc TestCart(t *T) {\n",
            '\tt.Run("adds", func() {})\n',
            "}\n",
            "adds",
        ),
        ("a.dart", "void main() {\n", "  test('adds', () { a(); });\n", "}\n", "adds"),
        ("A.java", "class A { void f() {\n", '  get("adds", (q) -> { a(); });\n', "} }\n", "adds"),
    ],
)
def test_what_a_call_or_function_calls_is_a_node_only_when_that_is_large(
    path: str, opening: str, inner: str, end: str, symbol: str
) -> None:
    small = nodes_of(path, opening + inner + end)
    assert not any((node.symbol or "").endswith(symbol) for node in small)
    large = nodes_of(path, opening + inner * 200 + end)
    assert sum((node.symbol or "").endswith(f".{symbol}") for node in large) == 200


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("export const useCart = create(set => ({ n: 1 }));\n", "useCart"),
        ("const useCart = create()(devtools((set) => ({ n: 1 })));\n", "useCart"),
        ("export const useCart = defineStore('cart', () => {\n  a();\n});\n", "useCart"),
        ("export const load = createAsyncThunk('cart/load', async () => 1);\n", "load"),
        ("export default defineConfig(() => ({ a: 1 }));\n", "default"),
    ],
)
def test_a_call_that_is_given_a_name_keeps_it(text: str, symbol: str) -> None:
    [node] = nodes_of("a.ts", text)
    assert (node.node_type, node.symbol) == ("method", symbol)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "configure('x', { a: 1 });\nsend('x', done);\nsetTimeout(() => {}, 1);\n"),
        ("a.rb", "before(:each) do\n  a\nend\nputs 'x'\n"),
        ("a.kts", 'implementation("a:b")\nrepeat(2) { a() }\n'),
        ("a.groovy", "implementation('a:b')\n"),
    ],
)
def test_other_calls_stay_text(path: str, text: str) -> None:
    assert {node.node_type for node in nodes_of(path, text)} == {"chunk"}


def test_a_component_that_is_registered_with_its_functions_is_a_class() -> None:
    found = nodes_of("a.js", "Vue.component('my-cart', {\n  data() { return 1; },\n});\n")
    assert only(found, "my-cart").node_type == "class"


def test_a_call_with_an_empty_string_has_no_name() -> None:
    found = nodes_of("a.test.ts", "it('', () => {});\nit(\"\", () => {});\nit('adds', () => {});\n")
    assert [node.symbol for node in found if node.symbol] == ["adds"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Vagrantfile", 'Vagrant.configure("2") do |config|\n  a\nend\n'),
        ("a.test.ts", "it('1.0 → 2', () => {\n  a();\n});\n"),
        ("a.swift", 'run("2") { a in\n  b()\n}\n'),
        ("a_test.go", 'package a\nvar _ = It("2", func() {\n\tb()\n})\n'),
    ],
)
def test_a_string_without_a_letter_names_no_call(path: str, text: str) -> None:
    assert {node.node_type for node in nodes_of(path, text)} == {"chunk"}


def test_letters_are_those_of_any_script() -> None:
    [node] = nodes_of("a.test.ts", "it('加入购物车', () => {});\n")
    assert node.symbol == "加入购物车"


def test_what_such_a_call_holds_is_known_as_if_it_had_no_string() -> None:
    text = (
        'Vagrant.configure("2") do |config|\n  config.vm.define "web" do |web|\n    a\n  end\nend\n'
    )
    assert outline(nodes_of("Vagrantfile", text)) == ["chunk - 1:5", "method web 2:4"]


def test_the_root_of_a_site_is_a_name() -> None:
    """A route has no letter there."""
    found = nodes_of("app.js", "app.get('/', (request) => {\n  answer(request);\n});\n")
    assert [(node.node_type, node.symbol) for node in found] == [("method", "/")]
